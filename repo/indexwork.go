package repo

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"git-novel/repo/gitcmd"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// staged gives what the index holds for a path, all stages of it.
type staged func(path string) []gitstore.IndexEntry

// gitStaged asks git what is staged, for an index that only git reads.
func (l *Library) gitStaged(ctx context.Context, git *gitcmd.Git) (staged, error) {
	res, err := git.Check(ctx, gitcmd.Cmd{Dir: l.Root(), Args: []string{"ls-files", "-z", "--stage"}, Timeout: time.Minute})
	if err != nil {
		return nil, err
	}
	all := map[string][]gitstore.IndexEntry{}
	for line := range bytes.SplitSeq(res.Stdout, []byte{0}) {
		head, path, ok := strings.Cut(string(line), "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 3 {
			continue
		}
		mode, err1 := strconv.ParseUint(fields[0], 8, 32)
		id, err2 := schema.ParseOID(fields[1])
		stage, err3 := strconv.Atoi(fields[2])
		if err1 != nil || err2 != nil || err3 != nil {
			return nil, schema.Errorf(schema.CodeGit, "git ls-files gave a line that is not understood: %q", head)
		}
		all[path] = append(all[path], gitstore.IndexEntry{Path: path, ID: id, Mode: gitstore.Mode(mode), Stage: stage})
	}
	return func(path string) []gitstore.IndexEntry { return all[path] }, nil
}

// gitStage lets git change its index: an edit without a stat, which git looks up itself when it next needs it.
func (l *Library) gitStage(ctx context.Context, git *gitcmd.Git, edits []gitstore.IndexEdit) error {
	var in bytes.Buffer
	for _, e := range edits {
		if e.Delete {
			fmt.Fprintf(&in, "0 %s\t%s\x00", schema.OID{}, e.Path)
		} else {
			fmt.Fprintf(&in, "%06o %s\t%s\x00", uint32(e.Mode), e.ID, e.Path)
		}
	}
	_, err := git.Check(ctx, gitcmd.Cmd{
		Dir: l.Root(), Stdin: in.Bytes(), Timeout: time.Minute, Args: []string{"update-index", "-z", "--index-info"},
	})
	return err
}

// indexWork is the index during recovery, under git's lock when the native engine reads it.
type indexWork struct {
	r      *recovery
	lock   *gitstore.IndexLock
	staged staged
	edits  []gitstore.IndexEdit
}

func (r *recovery) openIndex(ctx context.Context) (*indexWork, error) {
	if err := r.l.fail("recover lock index"); err != nil {
		return nil, err
	}
	ix, err := r.l.store.ReadIndex()
	if err != nil {
		return nil, err
	}
	if ix.Unsupported == "" {
		lock, err := r.l.store.LockIndex(r.l.o.Wait)
		if err != nil {
			return nil, err
		}
		return &indexWork{r: r, lock: lock, staged: lock.Index().Stages}, nil
	}
	git, ok := r.l.Git()
	if !ok {
		return nil, schema.Errorf(schema.CodeGit, "this repository needs the git program, which is not available: %s", ix.Unsupported).
			WithHint("install git, or switch that setting off for this repository")
	}
	view, err := r.l.gitStaged(ctx, git)
	if err != nil {
		return nil, err
	}
	return &indexWork{r: r, staged: view}, nil
}

func (w *indexWork) close() {
	if w.lock != nil {
		w.lock.Rollback()
	}
}

// edit turns the entry of a path from one blob into another, when the index still has the one, or has the other already
// and only lacks the file's numbers. What the author staged since is left alone.
func (w *indexWork) edit(p journalPath, from, to schema.OID) {
	var now schema.OID
	entries := w.staged(p.Path)
	if len(entries) == 1 && entries[0].Stage == 0 {
		now = entries[0].ID
	} else if len(entries) > 0 {
		if len(w.r.j.Merge) == 0 {
			return
		}
		now = from // the conflict that the merge was to settle
	}
	if now != from && now != to || len(entries) == 0 && to.IsZero() {
		return
	}
	e := gitstore.IndexEdit{Path: p.Path, Mode: p.Mode, ID: to, Delete: to.IsZero()}
	// Git may trust a file's numbers only when the file has exactly this content.
	if data, info, err := w.r.l.read(p.Path); !e.Delete && err == nil && schema.HashBlob(data) == to {
		e.Stat = info
	}
	w.edits = append(w.edits, e)
}

// prepare makes the new index durable beside the old one.
func (w *indexWork) prepare() error {
	if len(w.edits) == 0 || w.lock == nil {
		return nil
	}
	if err := w.r.l.fail("recover index content"); err != nil {
		return err
	}
	if err := w.lock.Apply(w.edits); err != nil {
		return err
	}
	return w.lock.Prepare()
}

// commit gives it its name.
func (w *indexWork) commit(ctx context.Context) error {
	if len(w.edits) == 0 {
		return nil
	}
	if err := w.r.l.fail("recover index"); err != nil {
		return err
	}
	if w.lock != nil {
		return w.lock.Commit()
	}
	git, _ := w.r.l.Git()
	return w.r.l.gitStage(ctx, git, w.edits)
}
