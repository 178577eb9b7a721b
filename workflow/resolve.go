package workflow

import (
	"context"
	"path"
	"slices"
	"time"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// ResolveResult says which of several files of one chapter stayed.
type ResolveResult struct {
	Book    string         `json:"book"`
	Chapter string         `json:"chapter"`
	Key     string         `json:"key"`
	Path    string         `json:"path"`
	Kept    []string       `json:"kept_in_draft"` // the files whose texts now stand in the draft mirror
	Commit  string         `json:"commit,omitempty"`
	Next    []state.Action `json:"next,omitempty"`
}

// ChapterResolve ends two or more files of one chapter: one text stays, the others go into the draft mirror, and no state
// moves. take is A, B … in the order of the file names, or a file's name. Of a committed chapter only the text that is in
// git can stay; another one enters by retcon.
func (s *Session) ChapterResolve(ctx context.Context, chapter, take string) (*ResolveResult, error) {
	var r *ResolveResult
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.gather(tx.Snapshot())
		if err != nil {
			return err
		}
		c, err := w.resolve(chapter)
		if err != nil {
			return err
		}
		if err := w.rules.Decide(c.Key, state.ResolveEvent{}).Error(schema.Textf("chapter %s cannot be resolved", string(c.Key))); err != nil {
			return err
		}
		files, err := s.lib.ChapterPaths(tx.Snapshot(), w.name, c.Key)
		if err != nil {
			return err
		}
		chosen, err := chooseFile(files, take)
		if err != nil {
			return err
		}
		r = &ResolveResult{Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), Path: chosen}
		return s.resolveFiles(ctx, tx, w, c, files, r)
	})
	if err != nil {
		return nil, err
	}
	r.Commit = res.Commit.String()
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	r.Next = state.Next(w.rules, w.chapter(schema.ChapterKey(r.Key)))
	return r, nil
}

// resolveFiles keeps the text of r.Path at the place of the file that git has, and moves the other texts into the mirror.
func (s *Session) resolveFiles(ctx context.Context, tx *repo.Tx, w *work, c *state.Chapter, files []string, r *ResolveResult) error {
	tracked := c.Path
	if c.State == schema.StateNone {
		tracked = r.Path
	}
	text, err := s.lib.ReadFile(r.Path)
	if err != nil {
		return err
	}
	if c.State == schema.StateCommitted && r.Path != tracked && schema.HashBlob(text) != c.Text {
		return schema.Errorf(schema.CodeRule, "chapter %s is committed with the text of %s: another one enters only by retcon", string(c.Key), tracked).
			WithHint("move %s out of the folder, then: git novel retcon %s --reason R --file F", r.Path, w.rules.Arg(c.Key))
	}
	for _, f := range files {
		if f == r.Path {
			continue
		}
		other, err := s.lib.ReadFile(f)
		if err != nil {
			return err
		}
		_, err = s.lib.AppendMarker(ctx, w.name, string(c.Key), func(mirror []byte, at time.Time) []byte {
			return schema.KeptBlock(mirror, c.Key, "同章的另一份正文："+path.Base(f), string(other), at)
		})
		if err != nil {
			return err
		}
		r.Kept = append(r.Kept, f)
		if f != tracked {
			if err := repo.RemoveKept(tx, f); err != nil {
				return err
			}
		}
	}
	if r.Path != tracked {
		if err := repo.RemoveKept(tx, r.Path); err != nil {
			return err
		}
		if err := tx.Replace(tracked, text, c.Text); err != nil {
			return err
		}
		r.Path = tracked
	}
	if err := s.takeDrafts(tx, w, c.Key); err != nil {
		return err
	}
	tx.Message(s.message(schema.Message{
		Verb: schema.VerbMerge, Book: string(w.name), Chapter: string(c.Key), Subject: "同章两份取一", Text: schema.HashBlob(text),
	}))
	return nil
}

// chooseFile finds the file that a person means by A, B … or by its name.
func chooseFile(files []string, take string) (string, error) {
	i := slices.IndexFunc(files, func(f string) bool { return path.Base(f) == take || f == take })
	if len(take) == 1 {
		if n := int(take[0]|0x20) - 'a'; n >= 0 && n < len(files) {
			i = n
		}
	}
	if i >= 0 {
		return files[i], nil
	}
	err := schema.Errorf(schema.CodeUsage, "--take says which text stays: A, B … or the file's name")
	for n, f := range files {
		err = err.WithDetails(schema.Fault{File: f, Msg: schema.Textf("this is %s", string(rune('A'+n)))})
	}
	return "", err
}
