package workflow

import (
	"context"
	"fmt"
	"reflect"

	"git-novel/repo"
	"git-novel/schema"
)

// OutlineImportResult says what a document of outlines brought.
type OutlineImportResult struct {
	Book     string            `json:"book"`
	File     string            `json:"file"`
	Title    string            `json:"title,omitempty"`
	Outlines []ImportedOutline `json:"outlines"`
	Volumes  []schema.Volume   `json:"volumes"`
	Changed  bool              `json:"changed"`
	Commit   string            `json:"commit,omitempty"`
	Notes    []schema.Text     `json:"notes,omitempty"`
}

// ImportedOutline is one outline of the document.
type ImportedOutline struct {
	Chapter string `json:"chapter"`
	Key     string `json:"key"`
	Title   string `json:"title"`
	Line    int    `json:"line"`
	Nodes   int    `json:"nodes"`
	Status  string `json:"status"` // new, changed or same
}

// OutlineImport stores every outline and volume of a document in one commit: Markdown of a volume outline, or JSON. The
// document is refused whole when a line of it cannot be read. What the document does not say stays: the author's note, and
// an exposure policy when the Markdown form, which has none, comes in.
func (s *Session) OutlineImport(ctx context.Context, in File) (*OutlineImportResult, error) {
	doc, err := schema.ParseOutlines(in.Name, in.Data, s.genres().Names())
	if err != nil {
		return nil, err
	}
	r := &OutlineImportResult{Book: "", File: in.Name, Title: doc.Title, Outlines: []ImportedOutline{}, Volumes: []schema.Volume{}}
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.gather(tx.Snapshot())
		if err != nil {
			return err
		}
		r.Book = string(w.name)
		for _, o := range doc.Outlines {
			row, err := w.importOutline(tx, o, doc.Markdown)
			if err != nil {
				return err
			}
			r.Outlines = append(r.Outlines, row)
			if c := w.chapter(schema.ChapterKey(row.Key)); row.Status == "changed" && c.State == schema.StateCommitted {
				r.Notes = append(r.Notes, schema.Textf("chapter %s is committed; its new outline counts only for a retcon", row.Key))
			}
		}
		if r.Volumes, err = w.importVolumes(tx, in.Name, doc.Volumes); err != nil {
			return err
		}
		tx.Message(s.message(schema.Message{Verb: schema.VerbOutline, Book: string(w.name), Subject: importSubject(r)}))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.Changed = res.Changed; res.Changed {
		r.Commit = res.Commit.String()
	}
	return r, nil
}

func importSubject(r *OutlineImportResult) string {
	n, first, last := 0, "", ""
	for _, o := range r.Outlines {
		if o.Status == "same" {
			continue
		}
		if n++; first == "" {
			first = o.Key
		}
		last = o.Key
	}
	switch n {
	case 0:
		return fmt.Sprintf("卷 %d 个", len(r.Volumes))
	case 1:
		return "章纲 " + first
	}
	return fmt.Sprintf("章纲 %d 份，%s 至 %s", n, first, last)
}

// importOutline writes one outline.
func (w *work) importOutline(tx *repo.Tx, in schema.PlacedOutline, markdown bool) (ImportedOutline, error) {
	key := w.chapter(schema.KeyOfID(in.Chapter)).Key // an unnumbered one as the book spells it
	o := *in.Outline
	o.Chapter = key.ID()
	row := ImportedOutline{Chapter: o.Chapter, Key: string(key), Title: o.Title, Line: in.Line, Nodes: len(o.Nodes()), Status: "new"}
	path := schema.OutlinePath(w.name, o.Chapter)
	old, err := w.outline(key)
	switch {
	case err != nil && schema.CodeOf(err) != schema.CodeInvalid:
		return row, err
	case err != nil: // damaged: what is imported is the repair
		row.Status = "changed"
	case old != nil:
		if o.Note == "" {
			o.Note = old.Note
		}
		if markdown {
			o.Exposure = old.Exposure
		}
		if row.Status = "changed"; reflect.DeepEqual(*old, o) {
			row.Status = "same"
			return row, nil
		}
	}
	if err := writeRecord(tx, path, &o); err != nil {
		return row, w.unsavedOutline(err, key)
	}
	return row, nil
}

// unsavedOutline says how to keep an author's own edit of an outline before it is imported over.
func (w *work) unsavedOutline(err error, key schema.ChapterKey) error {
	if schema.CodeOf(err) != schema.CodeConflict {
		return err
	}
	path := schema.OutlinePath(w.name, key.ID())
	return schema.Wrap(err, schema.CodeConflict, "the outline of chapter %s holds an edit that is not saved", string(key)).
		WithHint("save it first with `git novel outline set %s --file %s`, then import again", arg(key), path)
}

// importVolumes takes the document's volumes into volumes.json.
func (w *work) importVolumes(tx *repo.Tx, file string, volumes []schema.Volume) ([]schema.Volume, error) {
	all, err := w.volumes()
	if err != nil || len(volumes) == 0 {
		return nonNil(all.Volumes), err
	}
	for _, v := range volumes {
		all.Put(v)
	}
	if faults := all.Validate(file); len(faults) > 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "the volumes of %s do not fit those of the book", file).WithDetails(faults...).
			WithHint("`git novel outline volumes` shows the book's; give the headings ranges that fit: # 第二卷 题（41-80章）")
	}
	return nonNil(all.Volumes), writeRecord(tx, schema.VolumesPath(w.name), &all)
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// volumes reads the book's volumes as they lie on disk; none when there is no file. Damaged: CodeInvalid.
func (w *work) volumes() (schema.Volumes, error) {
	var v schema.Volumes
	path := schema.VolumesPath(w.name)
	data, err := w.s.lib.ReadFile(path)
	if schema.CodeOf(err) == schema.CodeNotFound {
		data, _, err = w.snap.Read(path)
		if schema.CodeOf(err) == schema.CodeNotFound {
			return v, nil
		}
	}
	if err != nil {
		return v, err
	}
	return v, schema.Unmarshal(path, data, &v)
}

// VolumesResult lists the volumes of a book.
type VolumesResult struct {
	Book    string          `json:"book"`
	Volumes []schema.Volume `json:"volumes"`
}

// OutlineVolumes lists the volumes of the book with their ranges and roles.
func (s *Session) OutlineVolumes(_ context.Context) (*VolumesResult, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	v, err := w.volumes()
	if err != nil {
		return nil, err
	}
	return &VolumesResult{Book: string(w.name), Volumes: nonNil(v.Volumes)}, nil
}
