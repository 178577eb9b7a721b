package diff

// Stat counts the edits of a Result. Characters are UTF-16 units, as everywhere in this program.
type Stat struct {
	A          Side         `json:"a"`
	B          Side         `json:"b"`
	Edits      int          `json:"edits"`
	Inserted   int          `json:"inserted"` // characters, moved ones not counted, the edits inside moved parts counted
	Deleted    int          `json:"deleted"`
	Moved      int          `json:"moved"` // characters of the parts that moved
	Paragraphs int          `json:"paragraphs_changed"`
	Classes    []ClassCount `json:"classes"` // every class, also those without an edit
	Layout     []KindCount  `json:"layout"`  // only the kinds that occur
}

// Side is the size of one of the texts: characters in all, byte order mark and line ends included.
type Side struct {
	Chars      int `json:"chars"`
	Paragraphs int `json:"paragraphs"`
}

// ClassCount is the number of edits of a class. A move counts once.
type ClassCount struct {
	Class    Class `json:"class"`
	Edits    int   `json:"edits"`
	Inserted int   `json:"inserted"`
	Deleted  int   `json:"deleted"`
}

// KindCount is the number of layout changes of a kind.
type KindCount struct {
	Kind  Kind `json:"kind"`
	Count int  `json:"count"`
}

func (e *emitter) stat() Stat {
	c := e.c
	st := Stat{
		A:       Side{utf16Len(c.a), len(c.pa)},
		B:       Side{utf16Len(c.b), len(c.pb)},
		Classes: make([]ClassCount, len(Classes())),
		Layout:  []KindCount{},
	}
	at := make(map[Class]*ClassCount, len(st.Classes))
	for i, cl := range Classes() {
		st.Classes[i].Class = cl
		at[cl] = &st.Classes[i]
	}
	count := func(ed Edit) {
		n := at[ed.Class]
		n.Edits++
		n.Inserted += ed.Inserted
		n.Deleted += ed.Deleted
		st.Edits++
		st.Inserted += ed.Inserted
		st.Deleted += ed.Deleted
	}
	for _, ed := range e.res.Edits {
		switch {
		case ed.Move == 0:
			count(ed)
		case ed.New != "":
			at[ed.Class].Edits++
			st.Edits++
			st.Moved += ed.Inserted
			for _, ch := range ed.Changes {
				count(ch)
			}
		}
	}
	for _, b := range e.res.blocks {
		if b.Changed() {
			st.Paragraphs++
		}
	}
	kinds := map[Kind]int{}
	for _, l := range e.res.Layout {
		kinds[l.Kind]++
	}
	for _, k := range Kinds() {
		if kinds[k] > 0 {
			st.Layout = append(st.Layout, KindCount{k, kinds[k]})
		}
	}
	return st
}

// Count is the number of edits of a class.
func (s Stat) Count(c Class) int {
	for _, n := range s.Classes {
		if n.Class == c {
			return n.Edits
		}
	}
	return 0
}
