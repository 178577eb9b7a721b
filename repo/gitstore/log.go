package gitstore

import (
	"bytes"
	"container/heap"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"git-novel/schema"
)

// Log calls fn for from and its ancestors until more is false: newest first by commit date, and never a commit before its
// children. Linear history streams; from the first merge on all of it is read once, so that the order holds whatever the
// clocks said. Shallow repositories end where they end.
func (r *Repo) Log(from schema.OID, fn func(*Commit) (more bool, err error)) error {
	return r.LogTips([]schema.OID{from}, nil, fn)
}

// LogTips is Log from several tips. Commits for which hide is true are left out and not followed further; hide may be nil.
func (r *Repo) LogTips(tips []schema.OID, hide func(schema.OID) bool, fn func(*Commit) (more bool, err error)) error {
	if hide == nil {
		hide = func(schema.OID) bool { return false }
	}
	for len(tips) == 1 {
		if hide(tips[0]) {
			return nil
		}
		c, err := r.logCommit(tips[0])
		if err != nil {
			return err
		}
		if more, err := fn(c); err != nil || !more {
			return err
		}
		tips = c.Parents
	}
	if len(tips) == 0 {
		return nil
	}
	return r.logGraph(tips, hide, fn)
}

// logCommit is Commit with the parents cut off where a shallow repository ends.
func (r *Repo) logCommit(id schema.OID) (*Commit, error) {
	c, err := r.Commit(id)
	if err != nil {
		return nil, err
	}
	if r.shal == nil {
		if r.shal, err = r.readShallow(); err != nil {
			return nil, err
		}
	}
	if r.shal[id] {
		c.Parents = nil
	}
	return c, nil
}

func (r *Repo) readShallow() (map[schema.OID]bool, error) {
	set := map[schema.OID]bool{}
	file := filepath.Join(r.loc.CommonDir, "shallow")
	data, err := readBounded(file, maxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return set, nil
	}
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if id, err := schema.ParseOID(string(bytes.TrimSpace(line))); err == nil {
			set[id] = true
		}
	}
	return set, nil
}

// logNode is what the graph walk remembers of a commit.
type logNode struct {
	parents  []schema.OID
	when     int64
	children int // not yet reported
	order    int // of discovery, to break ties
}

// logGraph reads the whole graph, then reports commits whose children are all reported, newest first.
func (r *Repo) logGraph(tips []schema.OID, hide func(schema.OID) bool, fn func(*Commit) (more bool, err error)) error {
	nodes := map[schema.OID]*logNode{}
	todo := append([]schema.OID(nil), tips...)
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		if nodes[id] != nil || hide(id) {
			continue
		}
		c, err := r.logCommit(id)
		if err != nil {
			return err
		}
		nodes[id] = &logNode{parents: c.Parents, when: unix(c.Committer.When), order: len(nodes)}
		todo = append(todo, c.Parents...)
	}
	for _, n := range nodes {
		for _, p := range n.parents {
			if pn := nodes[p]; pn != nil {
				pn.children++
			}
		}
	}
	q := &logQueue{}
	queued := map[schema.OID]bool{}
	for _, id := range tips {
		if n := nodes[id]; n != nil && n.children == 0 && !queued[id] {
			queued[id] = true
			heap.Push(q, logItem{id, n})
		}
	}
	for q.Len() > 0 {
		item := heap.Pop(q).(logItem)
		c, err := r.logCommit(item.id)
		if err != nil {
			return err
		}
		if more, err := fn(c); err != nil || !more {
			return err
		}
		for _, p := range item.parents {
			pn := nodes[p]
			if pn == nil {
				continue
			}
			if pn.children--; pn.children == 0 {
				heap.Push(q, logItem{p, pn})
			}
		}
	}
	return nil
}

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

type logItem struct {
	id schema.OID
	*logNode
}

// logQueue is a heap: newest first, first found first among equals.
type logQueue []logItem

func (q logQueue) Len() int { return len(q) }
func (q logQueue) Less(i, j int) bool {
	if q[i].when != q[j].when {
		return q[i].when > q[j].when
	}
	return q[i].order < q[j].order
}
func (q logQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push is for container/heap.
func (q *logQueue) Push(x any) { *q = append(*q, x.(logItem)) }

// Pop is for container/heap.
func (q *logQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// IsAncestor reports that a is b or an ancestor of b.
func (r *Repo) IsAncestor(a, b schema.OID) (bool, error) {
	found := false
	err := r.reach(b, func(id schema.OID) bool {
		found = found || id == a
		return !found
	})
	return found, err
}

// reach visits id and its ancestors, each once, until fn returns false.
func (r *Repo) reach(id schema.OID, fn func(schema.OID) bool) error {
	seen := map[schema.OID]bool{id: true}
	todo := []schema.OID{id}
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		if !fn(id) {
			return nil
		}
		c, err := r.logCommit(id)
		if err != nil {
			return err
		}
		for _, p := range c.Parents {
			if !seen[p] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
	}
	return nil
}

// MergeBase gives the best common ancestor of a and b: one that no other common ancestor descends from, the newest of
// several. ok is false when the histories share nothing.
func (r *Repo) MergeBase(a, b schema.OID) (base schema.OID, ok bool, err error) {
	if a == b {
		return a, true, nil
	}
	ofA := map[schema.OID]bool{}
	if err := r.reach(a, func(id schema.OID) bool { ofA[id] = true; return true }); err != nil {
		return schema.OID{}, false, err
	}
	// In an order where children come first, the first common ancestor has no common ancestor above it.
	err = r.Log(b, func(c *Commit) (bool, error) {
		if ofA[c.ID] {
			base, ok = c.ID, true
		}
		return !ok, nil
	})
	return base, ok, err
}
