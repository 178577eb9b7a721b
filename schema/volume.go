package schema

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Volumes is books/<book>/volumes.json: the volumes of a book with the chapter numbers that each holds.
type Volumes struct {
	Volumes []Volume `json:"volumes"`
}

// Volume is one volume. First and Last are chapter numbers, both inside; a volume that holds none has 0 and 0.
type Volume struct {
	Number int    `json:"volume"`
	Title  string `json:"title"`
	First  int    `json:"first"`
	Last   int    `json:"last"`
	Role   string `json:"narrative_role,omitempty"`
	Goal   string `json:"goal,omitempty"`
}

// Empty reports a volume that no chapter numbers are known of.
func (v Volume) Empty() bool { return v.First == 0 && v.Last == 0 }

// Holds reports whether the chapter number lies in the volume.
func (v Volume) Holds(n int) bool { return !v.Empty() && n >= v.First && n <= v.Last }

// Of finds the volume that holds a chapter number.
func (v *Volumes) Of(n int) (Volume, bool) {
	if i := slices.IndexFunc(v.Volumes, func(x Volume) bool { return x.Holds(n) }); i >= 0 {
		return v.Volumes[i], true
	}
	return Volume{}, false
}

// Has reports whether there is a volume of that number.
func (v *Volumes) Has(number int) bool {
	return slices.ContainsFunc(v.Volumes, func(x Volume) bool { return x.Number == number })
}

// Put adds a volume, or takes what it says over the one of that number: what it leaves empty stays as it was.
func (v *Volumes) Put(in Volume) {
	i := slices.IndexFunc(v.Volumes, func(x Volume) bool { return x.Number == in.Number })
	if i < 0 {
		v.Volumes = append(v.Volumes, in)
		slices.SortStableFunc(v.Volumes, func(a, b Volume) int { return a.Number - b.Number })
		return
	}
	old := &v.Volumes[i]
	for _, f := range []struct{ to, from *string }{{&old.Title, &in.Title}, {&old.Role, &in.Role}, {&old.Goal, &in.Goal}} {
		if *f.from != "" {
			*f.to = *f.from
		}
	}
	if !in.Empty() {
		old.First, old.Last = in.First, in.Last
	}
}

// Validate checks that the volumes have numbers of their own and share no chapter.
func (v *Volumes) Validate(file string) []Fault {
	c := checker{file: file, rule: "volumes"}
	for i, x := range v.Volumes {
		at := fmt.Sprintf("volumes[%d].", i)
		c.least(at+"volume", x.Number, 1)
		c.least(at+"first", x.First, 0)
		if x.Last < x.First || x.Last > MaxNumber {
			c.add(at+"last", "volume %d cannot hold chapters %d to %d", x.Number, x.First, x.Last)
		}
		for _, y := range v.Volumes[:i] {
			if y.Number == x.Number {
				c.add(at+"volume", "volume %d is given twice", x.Number)
			} else if !x.Empty() && !y.Empty() && x.First <= y.Last && y.First <= x.Last {
				c.add(at+"first", "volumes %d and %d both hold chapter %d", y.Number, x.Number, max(x.First, y.First))
			}
		}
	}
	return c.faults
}

var chapterRange = Pattern(`^(.*?)[（(【\[]?\s*第?\s*([0-9０-９]+|[零〇一二两三四五六七八九十百千]+)\s*([章回]?)\s*(?:-|－|–|—|~|～|至|到)+\s*第?\s*` +
	`([0-9０-９]+|[零〇一二两三四五六七八九十百千]+)\s*([章回]?)\s*([)）】\]]?)\s*$`)

// isVolumeHeading reports a heading of the form 第N卷 or 卷N.
func isVolumeHeading(s string) bool {
	_, _, ok := volumeNumber(s)
	return ok
}

func volumeNumber(s string) (run []rune, rest string, ok bool) {
	if run, rest, ok = headingNumber(s); ok {
		r, n := utf8.DecodeRuneInString(rest)
		return run, rest[n:], r == '卷' || r == '部'
	}
	if after, is := strings.CutPrefix(s, "卷"); is {
		return numberRun(after)
	}
	return nil, "", false
}

// volumeHeading reads 第一卷 风起（1-40章）. The number is -1 when it is none; First is -1 when the range is none that can be.
func volumeHeading(s string) (v Volume, ok bool) {
	run, rest, ok := volumeNumber(s)
	if !ok {
		return v, false
	}
	if n, sound := numberOf(run); sound && n > 0 {
		v.Number = n
	} else {
		v.Number = -1
	}
	title, first, last, _ := cutRange(rest)
	title = strings.Trim(title, headingSeparators)
	for _, kind := range []string{"详细大纲", "卷纲", "大纲"} { // what the document is, not what the volume is called
		title = strings.Trim(strings.TrimSuffix(title, kind), headingSeparators)
	}
	v.Title, v.First, v.Last = strings.TrimSpace(title), first, last
	return v, true
}

// cutRange takes a range of chapters off the end of a text: （1-40章）, 第一章至第四十章. Numbers alone are a range only in
// brackets, or when nothing else is there. first is -1 for a range that cannot be.
func cutRange(s string) (rest string, first, last int, ok bool) {
	m := chapterRange().FindStringSubmatch(s)
	if m == nil || m[3]+m[5]+m[6] == "" && strings.TrimSpace(m[1]) != "" {
		return s, 0, 0, false
	}
	first, ok1 := numberOf([]rune(strings.Map(halfWidth, m[2])))
	last, ok2 := numberOf([]rune(strings.Map(halfWidth, m[4])))
	if !ok1 || !ok2 || first > last {
		return m[1], -1, -1, true
	}
	return m[1], first, last, true
}
