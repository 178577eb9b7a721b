package workflow

import (
	"context"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
)

// OutlineResult says where an outline was stored.
type OutlineResult struct {
	Book    string          `json:"book"`
	Chapter string          `json:"chapter"`
	Key     string          `json:"key"`
	Outline *schema.Outline `json:"outline"`
	Commit  string          `json:"commit"`
}

// OutlineSet stores a chapter's outline, or adds the author's inspiration to the one that is there. The chapter need not
// exist yet.
func (s *Session) OutlineSet(ctx context.Context, chapter string, in File, note string) (*OutlineResult, error) {
	key, err := schema.ParseChapterKey(chapter)
	if err != nil {
		return nil, err
	}
	var given *schema.Outline
	markdown := false
	if in.Data != nil {
		if given, markdown, err = schema.ParseOutlineOf(in.Name, in.Data, key.ID(), s.genres().Names()); err != nil {
			return nil, err
		}
	}
	var r *OutlineResult
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.gather(tx.Snapshot())
		if err != nil {
			return err
		}
		path := schema.OutlinePath(w.name, key.ID())
		o := given
		if o == nil {
			if o, err = w.outline(key); err != nil {
				return err
			}
		}
		if o == nil {
			return schema.Errorf(schema.CodeNotFound, "chapter %s has no outline to add a note to", string(key)).
				WithHint("store one first: `git novel outline set %s --file F`", arg(key))
		}
		if given != nil {
			// The author's inspiration outlives a new outline; a damaged old one has none to give.
			old, err := w.outline(key)
			if err == nil && old != nil && strings.TrimSpace(o.Note) == "" {
				o.Note = old.Note
			}
			if err == nil && old != nil && markdown {
				o.Exposure = old.Exposure
			}
		}
		if note = strings.TrimSpace(note); note != "" {
			o.Note = strings.TrimSpace(o.Note + "\n" + note)
		}
		r = &OutlineResult{Book: string(w.name), Chapter: key.ID(), Key: string(key), Outline: o}
		// The author's own edit of the file is what the note is added to, so its unknown keys stay and it is replaced.
		keep := in.Data
		if given == nil {
			if keep, err = s.lib.ReadFile(path); schema.CodeOf(err) == schema.CodeNotFound {
				keep, err = tx.Read(path)
			}
			if err != nil {
				return err
			}
		}
		if err := replaceRecord(tx, path, o, keep); err != nil {
			return err
		}
		tx.Message(s.message(schema.Message{Verb: schema.VerbOutline, Book: string(w.name), Chapter: string(key), Subject: orElse(o.Title, "章纲")}))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Commit = res.Commit.String()
	return r, nil
}

// OutlineShow gives a chapter's outline.
func (s *Session) OutlineShow(_ context.Context, chapter string) (*schema.Outline, error) {
	key, err := schema.ParseChapterKey(chapter)
	if err != nil {
		return nil, err
	}
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	o, err := w.outline(key)
	if err == nil && o == nil {
		err = schema.Errorf(schema.CodeNotFound, "chapter %s has no outline", string(key)).
			WithHint("store one with `git novel outline set %s --file F`", arg(key))
	}
	return o, err
}

// takeOutline lets an author's own edit of a chapter's outline enter git with the transition that was judged by it.
func (w *work) takeOutline(tx *repo.Tx, key schema.ChapterKey) error {
	path := schema.OutlinePath(w.name, key.ID())
	now, err := w.s.lib.FileBlob(path)
	if err != nil {
		if schema.CodeOf(err) == schema.CodeNotFound {
			return nil // there is no outline on disk
		}
		return err
	}
	if old, ok, err := w.snap.Blob(path); err != nil || ok && old == now {
		return err
	}
	data, err := w.s.lib.ReadFile(path)
	if err != nil {
		return err
	}
	if _, err := schema.ParseOutline(path, data, key.ID()); err != nil {
		return err
	}
	_, err = tx.Take(path)
	return err
}
