package workflow

import (
	"context"
	"encoding/json"
	"errors"

	"git-novel/repo/diff"
	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// DiffInput names the two sides of a comparison. A side is "draft" (the mirror's segments), a state ("drafted", "reviewed",
// "committed": the text at that transition), a git revision, or "" (from: the draft when there is one, else the text of the
// last commit that differs; to: the text on disk).
type DiffInput struct {
	Chapter  string
	From, To string
}

// DiffResult is a comparison with the names of its sides.
type DiffResult struct {
	Book    string
	Chapter string
	From    schema.Text
	To      schema.Text
	Result  *diff.Result
}

// MarshalJSON puts the comparison's own fields beside the names.
func (r *DiffResult) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Book    string      `json:"book"`
		Chapter string      `json:"chapter"`
		From    schema.Text `json:"from"`
		To      schema.Text `json:"to"`
		*diff.Result
	}{r.Book, r.Chapter, r.From, r.To, r.Result})
}

// Diff compares two versions of a chapter.
func (s *Session) Diff(_ context.Context, in DiffInput) (*DiffResult, error) {
	w, c, err := s.lookAt(in.Chapter)
	if err != nil {
		return nil, err
	}
	to, toName, err := s.side(w, c, in.To)
	if err != nil {
		return nil, err
	}
	from, fromName, err := s.diffFrom(w, c, in.From, to)
	if err != nil {
		return nil, err
	}
	return &DiffResult{
		Book: string(w.name), Chapter: c.Key.ID(), From: fromName, To: toName, Result: diff.Texts(from, to, diff.Options{}),
	}, nil
}

// diffFrom reads the left side. Without a word for it, it is the draft, else the newest text in the history that differs
// from the right side.
func (s *Session) diffFrom(w *work, c *state.Chapter, word, to string) (string, schema.Text, error) {
	if word != "" {
		return s.side(w, c, word)
	}
	text, name, err := s.side(w, c, "draft")
	if schema.CodeOf(err) != schema.CodeNotFound || err == nil {
		return text, name, err
	}
	return s.earlier(w, c, schema.HashBlob([]byte(to)))
}

// side reads one side of a comparison.
func (s *Session) side(w *work, c *state.Chapter, word string) (string, schema.Text, error) {
	switch word {
	case "":
		text, err := w.chapterBytes(c)
		if errors.Is(err, errMissing) {
			text, _, err = w.snap.Read(c.Path)
			return string(text), schema.Textf("the last commit"), err
		}
		return string(text), schema.Textf("the text on disk"), err
	case "draft":
		text, err := s.draftText(w, c.Key)
		return text, schema.Textf("the draft"), err
	case "drafted", "reviewed", "committed", string(schema.StateDrafted), string(schema.StateReviewed), string(schema.StateCommitted):
		return s.atTransition(w, c, word)
	}
	id, err := s.lib.Store().ResolveRev(word)
	if err != nil {
		return "", schema.Text{}, schema.Wrap(err, schema.CodeNotFound, "%q is neither draft, a state nor a revision", word).
			WithHint("use draft, drafted, reviewed, committed, or a git revision such as HEAD~3")
	}
	text, err := s.textAt(w, c, id)
	return text, schema.Textf("revision %s", id.Short()), err
}

// atTransition finds the text that a chapter had when it reached a state, by the newest commit that made the move.
func (s *Session) atTransition(w *work, c *state.Chapter, word string) (string, schema.Text, error) {
	want := schema.State(word)
	if want.Rank() < 0 {
		want = schema.State("chapter_" + word)
	}
	found := schema.OID{}
	if !w.snap.Commit().IsZero() {
		err := s.lib.Store().Log(w.snap.Commit(), func(k *gitstore.Commit) (bool, error) {
			m, ok := schema.ParseMessage(k.Message)
			if ok && m.Book == string(w.name) && m.ChapterID == c.Key.ID() && m.From != m.To && m.To == want {
				found = k.ID
				return false, nil
			}
			return true, nil
		})
		if err != nil {
			return "", schema.Text{}, err
		}
	}
	if found.IsZero() && want == schema.StateCommitted && c.Adopted() {
		var err error
		if found, err = s.adoption(w, c); err != nil {
			return "", schema.Text{}, err
		}
	}
	if found.IsZero() {
		return "", schema.Text{}, schema.Errorf(schema.CodeNotFound, "the history has no commit in which chapter %s became %s", string(c.Key), string(want))
	}
	text, err := s.textAt(w, c, found)
	return text, schema.Textf("when it became %s", want), err
}

// adoption finds the commit in which an adopted chapter entered, which names no single chapter: the oldest one with its
// record.
func (s *Session) adoption(w *work, c *state.Chapter) (schema.OID, error) {
	found, path := schema.OID{}, schema.CommitPath(w.name, c.Key.ID())
	err := s.lib.Store().Log(w.snap.Commit(), func(k *gitstore.Commit) (bool, error) {
		_, there, err := s.lib.Store().Lookup(k.Tree, path)
		if there {
			found = k.ID
		}
		return there, err
	})
	return found, err
}

// earlier finds the newest version of the chapter in the history that is not the given text.
func (s *Session) earlier(w *work, c *state.Chapter, not schema.OID) (string, schema.Text, error) {
	text, name := "", schema.Text{}
	seen := schema.OID{}
	if !w.snap.Commit().IsZero() {
		err := s.lib.Store().Log(w.snap.Commit(), func(k *gitstore.Commit) (bool, error) {
			blob, err := s.chapterAt(w, c, k)
			if err != nil || blob.IsZero() || blob == seen {
				return err == nil, err
			}
			seen = blob
			if blob == not {
				return true, nil
			}
			data, err := s.lib.Store().Blob(blob)
			text, name = string(data), schema.Textf("revision %s", k.ID.Short())
			return false, err
		})
		if err != nil {
			return "", name, err
		}
	}
	if name.IsZero() {
		return "", name, schema.Errorf(schema.CodeNotFound, "chapter %s has no draft and no earlier text", string(c.Key))
	}
	return text, name, nil
}

// textAt reads the chapter's text in a commit, whatever its file was called there.
func (s *Session) textAt(w *work, c *state.Chapter, id schema.OID) (string, error) {
	k, err := s.lib.Store().Commit(id)
	if err != nil {
		return "", err
	}
	blob, err := s.chapterAt(w, c, k)
	if err != nil {
		return "", err
	}
	if blob.IsZero() {
		return "", schema.Errorf(schema.CodeNotFound, "chapter %s does not exist in revision %s", string(c.Key), id.Short())
	}
	data, err := s.lib.Store().Blob(blob)
	return string(data), err
}

// chapterAt finds the chapter's file in a commit: under today's path, else by its key among the files of the book.
func (s *Session) chapterAt(w *work, c *state.Chapter, k *gitstore.Commit) (schema.OID, error) {
	store := s.lib.Store()
	if c.Path != "" {
		e, ok, err := store.Lookup(k.Tree, c.Path)
		if err != nil || ok {
			return e.ID, err
		}
	}
	dir, ok, err := store.Lookup(k.Tree, schema.BookDir(w.name))
	if err != nil || !ok {
		return schema.OID{}, err
	}
	entries, err := store.Tree(dir.ID)
	if err != nil {
		return schema.OID{}, err
	}
	for _, e := range entries {
		if f, ok := schema.ParseChapterFile(e.Name); ok && e.Mode.IsFile() && schema.SameKey(f.Key, c.Key) {
			return e.ID, nil
		}
	}
	return schema.OID{}, nil
}
