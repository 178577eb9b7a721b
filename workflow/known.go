package workflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"git-novel/repo"
	"git-novel/repo/index"
	"git-novel/schema"
	"git-novel/workflow/memory"
)

// known is what the index knows of one book, brought up to date with a snapshot (DESIGN 13). Every question about the memory,
// the reviews and the words of a book is answered from it, with the same answer whether the file was there or not.
type known struct {
	s    *Session
	snap *repo.Snapshot
	name schema.BookName
	tx   *index.Tx
	book *index.Book

	warnings []schema.Text
}

// part is a part of a book's index that is made by itself.
type part interface {
	name() string
	// mark says what the part must be made from now.
	mark(k *known) (string, error)
	// refresh brings the part from the state that old names to the one that now names.
	refresh(k *known, old, now string) error
}

// maxRefresh is how often a part is brought up to date before it is made privately: another process may change it in between.
const maxRefresh = 3

// withKnown runs fn on the index of the command's book, with the parts up to date. fn may run more than once and must set its
// results anew each time.
func (s *Session) withKnown(ctx context.Context, parts []part, fn func(k *known) error) error {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return err
	}
	name, err := s.bookName(snap)
	if err != nil {
		return err
	}
	return s.withKnownOf(ctx, snap, name, parts, fn)
}

// withKnownOf is withKnown for a book of a snapshot. An index file that cannot be read is made anew; one that cannot be had is
// replaced by a private one for this session, which a notice says.
func (s *Session) withKnownOf(ctx context.Context, snap *repo.Snapshot, name schema.BookName, parts []part, fn func(k *known) error) error {
	path := s.abs(schema.IndexDBPath)
	var err error
	if s.index == nil && s.makesNothing {
		if _, serr := os.Lstat(path); errors.Is(serr, fs.ErrNotExist) {
			if s.index, err = index.Private(ctx); err != nil {
				return err
			}
		}
	}
	for range 2 {
		if s.index == nil {
			s.index, err = index.Open(ctx, path)
		}
		if s.index != nil {
			if err = s.consult(ctx, s.index, snap, name, parts, fn); err == nil || !index.Failed(err) {
				return err
			}
			s.closeIndex()
		}
		if !index.Damaged(err) || index.Delete(path) != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return err
	}
	s.notice(schema.Textf("%s cannot be used now and this answer was computed without it: %s", schema.IndexDBPath, err.Error()))
	if s.index, err = index.Private(ctx); err != nil {
		return err
	}
	return s.consult(ctx, s.index, snap, name, parts, fn)
}

func (s *Session) closeIndex() {
	if s.index != nil {
		s.index.Close()
		s.index = nil
	}
}

var errStale = errors.New("the index is not up to date")

// consult reads from the index when it is up to date, and else brings it up to date first.
func (s *Session) consult(ctx context.Context, db *index.DB, snap *repo.Snapshot, name schema.BookName, parts []part, fn func(k *known) error) error {
	for range maxRefresh {
		err := db.Read(ctx, func(tx *index.Tx) error {
			k, err := s.knownIn(tx, snap, name, (*index.Tx).Book)
			if err != nil {
				return err
			}
			for _, p := range parts {
				old, now, err := k.marks(p)
				if err != nil {
					return err
				}
				if old != now {
					return errStale
				}
			}
			return fn(k)
		})
		if !errors.Is(err, errStale) {
			return err
		}
		err = db.Write(ctx, func(tx *index.Tx) error {
			k, err := s.knownIn(tx, snap, name, (*index.Tx).MakeBook)
			if err != nil {
				return err
			}
			return k.refresh(parts)
		})
		if err != nil {
			return err
		}
	}
	// Others keep changing it. One transaction that brings it up to date and asks cannot be disturbed.
	return db.Write(ctx, func(tx *index.Tx) error {
		k, err := s.knownIn(tx, snap, name, (*index.Tx).MakeBook)
		if err != nil {
			return err
		}
		if err := k.refresh(parts); err != nil {
			return err
		}
		return fn(k)
	})
}

func (s *Session) knownIn(tx *index.Tx, snap *repo.Snapshot, name schema.BookName, open func(*index.Tx, string) (*index.Book, error)) (*known, error) {
	b, err := open(tx, string(name))
	if err != nil {
		return nil, err
	}
	return &known{s: s, snap: snap, name: name, tx: tx, book: b}, nil
}

func (k *known) marks(p part) (old, now string, err error) {
	if old, err = k.book.Mark(p.name()); err == nil {
		now, err = p.mark(k)
	}
	return old, now, err
}

func (k *known) refresh(parts []part) error {
	for _, p := range parts {
		old, now, err := k.marks(p)
		if err != nil {
			return err
		}
		if old == now {
			continue
		}
		if err := p.refresh(k, old, now); err != nil {
			return err
		}
		if err := k.book.SetMark(p.name(), now); err != nil {
			return err
		}
	}
	return nil
}

func (k *known) warn(format string, args ...any) {
	k.warnings = append(k.warnings, schema.Text{Format: format, Args: args})
}

// facts lets the memory package keep its rows in the index.
type facts struct{ b *index.Book }

func (f facts) Rows(q memory.Query) ([]memory.Row, error) {
	list, err := f.b.Facts(index.Select(q))
	out := make([]memory.Row, len(list))
	for i, x := range list {
		out[i] = memory.Row(x)
	}
	return out, err
}

func (f facts) Subs(kind, key string) ([]string, error) { return f.b.Subs(kind, key) }

func (f facts) Add(rows []memory.Row) error {
	list := make([]index.Fact, len(rows))
	for i, r := range rows {
		list[i] = index.Fact(r)
	}
	return f.b.Add(list)
}

func (f facts) Replace(old, now memory.Row) error {
	return f.b.Replace(index.Fact(old), index.Fact(now))
}

// forget takes the memory back to what it was before a place.
func (f facts) forget(pos int64) error {
	if err := f.b.Forget(pos); err != nil {
		return err
	}
	kinds, key := memory.EndedKinds()
	for _, kind := range kinds {
		ended, err := f.b.Facts(index.Select{Kind: kind, Key: key, From: memory.EndSub(pos), Before: pos})
		if err != nil {
			return err
		}
		for _, e := range ended {
			if err := f.b.Replace(e, index.Fact(memory.Reopen(memory.Row(e)))); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileMark says which version of a worktree file this is without reading it, "" when that is not certain: the file is absent,
// or so young that a second write could look the same.
func (s *Session) fileMark(path string) string {
	info, err := os.Lstat(s.abs(path))
	if err != nil || s.lib.Now().Sub(info.ModTime()) < racyAge {
		return ""
	}
	return fmt.Sprintf("%d,%d", info.ModTime().UnixNano(), info.Size())
}

// racyAge is how old a file must be before its time and size prove that it is unchanged: no file system is coarser.
const racyAge = 2 * time.Second

// pastStore reads the memory of a snapshot a piece at a time. It holds nothing open in between, so that whoever looks into it
// for minutes is in nobody's way; when another command brought the index to another state, it is brought back.
type pastStore struct {
	s    *Session
	snap *repo.Snapshot
	name schema.BookName
}

func (p pastStore) ask(fn func(f facts) error) error {
	// An agent that is interrupted ends by itself; one question more is answered in a moment.
	err := p.s.withKnownOf(context.Background(), p.snap, p.name, []part{memoryPart{}}, func(k *known) error { return fn(facts{k.book}) })
	if err != nil {
		said := schema.Textf("a part of the memory cannot be read: %s", err.Error())
		if n := len(p.s.notices); n == 0 || p.s.notices[n-1].Format != said.Format {
			p.s.notice(said)
		}
	}
	return err
}

func (p pastStore) Rows(q memory.Query) (out []memory.Row, err error) {
	err = p.ask(func(f facts) (err error) {
		out, err = f.Rows(q)
		return err
	})
	return out, err
}

func (p pastStore) Subs(kind, key string) (out []string, err error) {
	err = p.ask(func(f facts) (err error) {
		out, err = f.Subs(kind, key)
		return err
	})
	return out, err
}

func (pastStore) Add([]memory.Row) error { return errReadOnly }

func (pastStore) Replace(memory.Row, memory.Row) error { return errReadOnly }

var errReadOnly = errors.New("the past is only read")
