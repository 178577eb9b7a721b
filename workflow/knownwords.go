package workflow

import (
	"bytes"
	"strings"

	"git-novel/repo/gitstore"
	"git-novel/repo/index"
	"git-novel/schema"
)

const (
	thingDoc  = "doc"  // by path, at its number in the word index: docEntry
	thingNext = "next" // one, at the next free number
)

// docEntry is a text of the word index.
type docEntry struct {
	Blob schema.OID `json:"b"`
}

// wordsPart is the word index over what git has of a book: chapters, and everything in its data folder but state.json.
type wordsPart struct{}

func (wordsPart) name() string { return "words" }

// wordTrees are the folders that are indexed.
func (k *known) wordTrees() []string {
	return []string{schema.BookDir(k.name), schema.BookDataDir(k.name)}
}

func (wordsPart) mark(k *known) (string, error) {
	var ids []string
	for _, dir := range k.wordTrees() {
		id, err := k.snap.TreeOf(dir)
		if err != nil {
			return "", err
		}
		ids = append(ids, orEmptyTree(id).String())
	}
	return strings.Join(ids, " "), nil
}

func orEmptyTree(id schema.OID) schema.OID {
	if id.IsZero() {
		return gitstore.EmptyTree()
	}
	return id
}

// minDead is how many texts may be gone before the index is made anew, when they are more than those that are there.
const minDead = 1000

func (p wordsPart) refresh(k *known, old, now string) error {
	next, err := k.nextDoc()
	if err != nil {
		return err
	}
	changes, err := k.wordChanges(old, now)
	if err != nil || next > minDead && old != "" && k.mostlyDead(next) {
		// The old trees are gone from the repository, or too much in the index is.
		if err := k.dropWords(); err != nil {
			return err
		}
		next = 0
		if changes, err = k.wordChanges("", now); err != nil {
			return err
		}
	}
	w := k.book.NewWordWriter()
	for _, c := range changes {
		if !c.Old.ID.IsZero() {
			if err := k.book.Drop(thingDoc, c.Path); err != nil {
				return err
			}
		}
		if c.New.ID.IsZero() || !c.New.Mode.IsFile() || !searchable(c.Path) {
			continue
		}
		data, err := k.snap.BlobBytes(c.Path, c.New.ID)
		if schema.CodeOf(err) == schema.CodeInvalid && err != nil {
			continue // too large to be a text of ours
		}
		if err != nil {
			return err
		}
		if bytes.IndexByte(data, 0) >= 0 {
			continue
		}
		if err := w.Put(index.Doc{ID: next, Text: textLines(c.Path, string(data))}); err != nil {
			return err
		}
		if err := k.put(thingDoc, c.Path, int64(next), docEntry{c.New.ID}); err != nil {
			return err
		}
		next++
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return k.put(thingNext, "", int64(next), "")
}

func (k *known) nextDoc() (int, error) {
	x, _, err := k.book.Get(thingNext, "")
	return int(x.Pos), err
}

func (k *known) mostlyDead(next int) bool {
	list, err := k.book.Range(thingDoc, 0, endPos, 0, false)
	return err != nil || 2*len(list) < next
}

func (k *known) dropWords() error {
	if err := k.book.DropPages(); err != nil {
		return err
	}
	return k.book.DropKind(thingDoc)
}

// wordChanges lists the files that differ between two marks, by path.
func (k *known) wordChanges(old, now string) ([]gitstore.Change, error) {
	before := strings.Fields(old)
	var out []gitstore.Change
	for i, id := range strings.Fields(now) {
		from := gitstore.EmptyTree()
		if i < len(before) {
			o, err := schema.ParseOID(before[i])
			if err != nil {
				return nil, err
			}
			from = o
		}
		to, err := schema.ParseOID(id)
		if err != nil {
			return nil, err
		}
		dir := k.wordTrees()[i]
		err = k.s.lib.Store().Diff(from, to, "", func(c gitstore.Change) error {
			c.Path = dir + "/" + c.Path
			out = append(out, c)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// searchable reports a file whose words are looked for: texts and records.
func searchable(path string) bool {
	if strings.HasSuffix(path, "/state.json") || strings.HasSuffix(path, "/batch_state.json") {
		return false
	}
	switch strings.ToLower(path[strings.LastIndexByte(path, '.')+1:]) {
	case "md", "markdown", "txt", "json":
		return true
	}
	return false
}
