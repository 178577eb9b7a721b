package gitstore

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"git-novel/schema"
)

func setRefs(r *Repo, updates ...RefUpdate) error {
	for i := range updates {
		if updates[i].By.Name == "" {
			updates[i].By = Ident{Name: "A", Email: "a@b", When: testClock()}
		}
	}
	l, err := r.LockRefs(updates)
	if err != nil {
		return err
	}
	return l.Commit()
}

func TestRefsAgreeWithGit(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	a := commitFiles(t, r, "a", map[string]string{"a": "a"})
	b := commitFiles(t, r, "b", map[string]string{"a": "b"})
	g.run("tag", "light", a.String())
	g.run("tag", "-a", "-m", "x", "heavy", a.String())
	g.run("branch", "side/one", a.String())
	g.run("pack-refs", "--all")
	g.run("update-ref", "refs/heads/side/one", b.String())
	g.run("update-ref", "refs/novel/wip/1", b.String())
	g.run("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main")
	same := func() {
		t.Helper()
		var got []string
		for _, ref := range must[[]Ref](t)(r.Refs("refs/")) {
			got = append(got, ref.ID.String()+" "+ref.Name)
			if id, found, err := r.Ref(ref.Name); err != nil || !found || id != ref.ID {
				t.Errorf("Ref(%s) is %s, %v, %v", ref.Name, id, found, err)
			}
		}
		if want := g.run("for-each-ref", "--format=%(objectname) %(refname)"); strings.Join(got, "\n") != want {
			t.Errorf("refs:\n%s\ngit:\n%s", strings.Join(got, "\n"), want)
		}
	}
	same()
	ok(t, setRefs(r,
		RefUpdate{Name: "refs/heads/trash/雨夜灯-20060102T150405Z", New: a, Reflog: "trash"},
		RefUpdate{Name: "refs/tags/novel/书/0003/r1", New: b},
		RefUpdate{Name: "refs/heads/side/one", Old: b, New: a, Reflog: "move"},
		RefUpdate{Name: "refs/tags/light", Old: a},
	))
	same()
	if out := g.run("reflog", "show", "refs/heads/side/one", "--format=%gs"); !strings.HasPrefix(out, "move") {
		t.Errorf("reflog: %s", out)
	}
	if _, err := os.Stat(filepath.Join(g.dir, ".git/logs/refs/tags/novel")); err == nil {
		t.Error("a tag without a message got a reflog")
	}
	if strings.Contains(string(must[[]byte](t)(os.ReadFile(filepath.Join(g.dir, ".git/packed-refs")))), "light") {
		t.Error("the deleted tag is still packed")
	}
	heavy := must[schema.OID](t)(r.ResolveRev("heavy"))
	if heavy != a {
		t.Errorf("the annotated tag leads to %s", heavy)
	}
	// Deleting packed and loose, with the peeled line of an annotated tag.
	tag, _, err := r.Ref("refs/tags/heavy")
	ok(t, err)
	ok(t, setRefs(r, RefUpdate{Name: "refs/tags/heavy", Old: tag}, RefUpdate{Name: "refs/heads/side/one", Old: a}))
	same()
	if _, err := os.Stat(filepath.Join(g.dir, ".git/refs/heads/side")); err == nil {
		t.Error("the empty folder stayed")
	}
	if _, err := os.Stat(filepath.Join(g.dir, ".git/logs/refs/heads/side")); err == nil {
		t.Error("the reflog of a deleted branch stayed")
	}
	// A name may now take the place of the folder.
	ok(t, os.MkdirAll(filepath.Join(g.dir, ".git/refs/heads/side/x/y"), 0o755))
	ok(t, setRefs(r, RefUpdate{Name: "refs/heads/side", New: a, Reflog: "new"}))
	same()
	if out := g.run("fsck", "--strict", "--no-dangling"); out != "" {
		t.Error(out)
	}
}

func TestRefConflicts(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	a := commitFiles(t, r, "a", map[string]string{"a": "a"})
	b := commitFiles(t, r, "b", map[string]string{"a": "b"})
	g.run("branch", "x/y", a.String())
	g.run("pack-refs", "--all")
	for name, u := range map[string][]RefUpdate{
		"moved":             {{Name: "refs/heads/main", Old: a, New: b}},
		"exists":            {{Name: "refs/heads/x/y", New: b}},
		"gone":              {{Name: "refs/heads/none", Old: a, New: b}},
		"file over folder":  {{Name: "refs/heads/x", New: b}},
		"folder over file":  {{Name: "refs/heads/x/y/z", New: b}},
		"each other":        {{Name: "refs/heads/p", New: b}, {Name: "refs/heads/p/q", New: b}},
		"one of two":        {{Name: "refs/heads/fine", New: b}, {Name: "refs/heads/main", Old: a, New: b}},
		"delete moved":      {{Name: "refs/heads/x/y", Old: b}},
		"delete not there":  {{Name: "refs/heads/none", Old: b}},
		"must not be there": {{Name: "refs/heads/x/y"}},
	} {
		before := g.run("for-each-ref")
		if err := setRefs(r, u...); schema.CodeOf(err) != schema.CodeConflict {
			t.Errorf("%s: %v", name, err)
		}
		if after := g.run("for-each-ref"); after != before {
			t.Errorf("%s changed the refs:\n%s\n%s", name, before, after)
		}
	}
	for _, bad := range []string{"", "main", "refs/heads/..", "refs/heads/a..b", "refs/heads/.a", "refs/heads/a.lock", "refs/heads/a b", "refs/heads/a~1", "../x", "refs/../x", "-x", "refs/heads/@{x", "refs/heads/a/", "refs/heads/a."} {
		if err := setRefs(r, RefUpdate{Name: bad, New: b}); schema.CodeOf(err) != schema.CodeInvalid {
			t.Errorf("name %q: %v", bad, err)
		}
		if _, err := g.try(nil, "check-ref-format", bad); err == nil {
			t.Errorf("git takes the name %q", bad)
		}
	}
	// Somebody's lock is respected, named and left alone.
	lock := filepath.Join(g.dir, ".git/refs/heads/main.lock")
	writeFile(t, lock, "")
	err := setRefs(r, RefUpdate{Name: "refs/heads/main", Old: b, New: a})
	if schema.CodeOf(err) != schema.CodeConflict || !strings.Contains(err.Error(), lock) {
		t.Errorf("held lock: %v", err)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Error("the foreign lock is gone")
	}
	ok(t, os.Remove(lock))
	headLock := filepath.Join(g.dir, ".git/HEAD.lock")
	writeFile(t, headLock, "")
	if err := setRefs(r, RefUpdate{Name: "refs/heads/main", Old: b, New: a}); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("held HEAD.lock: %v", err)
	}
	ok(t, os.Remove(headLock))
	ok(t, setRefs(r, RefUpdate{Name: "refs/heads/main", Old: b, New: a, Reflog: "back"}))
	if locks, _ := filepath.Glob(filepath.Join(g.dir, ".git/**/*.lock")); len(locks) > 0 {
		t.Errorf("left over: %v", locks)
	}
}

func TestManyWritersOneRef(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	commitFiles(t, r, "a", map[string]string{"a": "a"})
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := map[schema.OID]bool{}
	for w := range 6 {
		wg.Go(func() {
			r := openRepo(t, g.dir)
			for i := range 5 {
				b := r.NewBatch()
				head, err := r.Head()
				if err != nil {
					t.Error(err)
					return
				}
				c, err := r.Commit(head.ID)
				if err != nil {
					t.Error(err)
					return
				}
				by := Ident{Name: "A", Email: "a@b", When: testClock()}
				id, err := b.Commit(&Commit{Tree: c.Tree, Parents: []schema.OID{head.ID}, Author: by, Committer: by, Message: fmt.Sprint(w, i)})
				if err == nil {
					err = b.Flush(t.Context())
				}
				if err != nil {
					t.Error(err)
					return
				}
				switch err := setRefs(r, RefUpdate{Name: "refs/heads/main", Old: head.ID, New: id, Reflog: "x"}); {
				case err == nil:
					mu.Lock()
					done[id] = true
					mu.Unlock()
				case schema.CodeOf(err) != schema.CodeConflict:
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	inLog := strings.Fields(g.run("log", "--format=%H"))
	for id := range done {
		if !slices.Contains(inLog, id.String()) {
			t.Errorf("the acknowledged commit %s is not in the history", id)
		}
	}
	if len(inLog) != len(done)+1 {
		t.Errorf("%d commits in the history, %d acknowledged", len(inLog), len(done)+1)
	}
	g.clean()
}

func TestLinkedWorktree(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	a := commitFiles(t, r, "a", map[string]string{"a": "a"})
	g.run("config", "extensions.worktreeConfig", "true")
	wt := filepath.Join(t.TempDir(), "第二 个")
	g.run("worktree", "add", "-q", "-b", "side", wt)
	w := openRepo(t, wt)
	loc := w.Location()
	if loc.GitDir == loc.CommonDir || loc.CommonDir != filepath.Join(must[string](t)(filepath.EvalSymlinks(g.dir)), ".git") {
		t.Errorf("location %+v", loc)
	}
	b := commitFiles(t, w, "b", map[string]string{"b": "b"})
	gw := &git{t: t, dir: wt, env: g.env, prog: g.prog}
	gw.clean()
	if got := gw.run("rev-parse", "HEAD", "main", "side"); got != b.String()+"\n"+a.String()+"\n"+b.String() {
		t.Errorf("refs: %s", got)
	}
	if out := gw.run("reflog", "-1", "--format=%gs"); out != "commit: b" {
		t.Errorf("HEAD reflog of the worktree: %s", out)
	}
	if out := g.run("reflog", "-1", "--format=%gs"); out != "commit: a" {
		t.Errorf("HEAD reflog of the main worktree: %s", out)
	}
	inside, err := Discover(loc.GitDir)
	ok(t, err)
	if inside.WorkTree != loc.WorkTree {
		t.Errorf("discovered from inside the git directory: %+v", inside)
	}
	gw.run("bisect", "start")
	if op, busy := w.Busy(); !busy || op != "bisect" {
		t.Errorf("busy %q", op)
	}
	if op, busy := r.Busy(); busy {
		t.Errorf("main worktree busy with %s", op)
	}
}

func TestHeadStates(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	if h := must[Head](t)(r.Head()); !h.Unborn || h.Ref != "refs/heads/main" || h.Branch() != "main" || !h.ID.IsZero() {
		t.Errorf("unborn: %+v", h)
	}
	a := commitFiles(t, r, "a", map[string]string{"a": "a"})
	g.run("checkout", "-q", "--detach")
	if h := must[Head](t)(r.Head()); !h.Detached || h.ID != a || h.Ref != "" {
		t.Errorf("detached: %+v", h)
	}
	b := r.NewBatch()
	by := Ident{Name: "A", Email: "a@b", When: testClock()}
	next := must[schema.OID](t)(b.Commit(&Commit{Tree: must[*Commit](t)(r.Commit(a)).Tree, Parents: []schema.OID{a}, Author: by, Committer: by, Message: "d"}))
	ok(t, b.Flush(t.Context()))
	ok(t, setRefs(r, RefUpdate{Name: "HEAD", Old: a, New: next, Reflog: "detached move"}))
	if g.run("rev-parse", "HEAD") != next.String() || !strings.Contains(g.run("reflog", "-1"), "detached move") {
		t.Error("the detached HEAD did not move")
	}
	g.run("checkout", "-q", "--orphan", "fresh")
	if h := must[Head](t)(r.Head()); !h.Unborn || h.Branch() != "fresh" {
		t.Errorf("orphan: %+v", h)
	}
	writeFile(t, filepath.Join(g.dir, ".git/refs/heads/broken"), "")
	if _, _, err := r.Ref("refs/heads/broken"); schema.CodeOf(err) != schema.CodeGit {
		t.Errorf("empty ref file: %v", err)
	}
}

func TestBusyStates(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	commitFiles(t, r, "a", map[string]string{"a": "a\n"})
	g.run("branch", "side")
	commitFiles(t, r, "b", map[string]string{"a": "b\n"})
	g.run("checkout", "-q", "side")
	commitFiles(t, r, "c", map[string]string{"a": "c\n"})
	for _, c := range []struct{ op, start, stop string }{
		{"merge", "merge main", "merge --abort"},
		{"rebase", "rebase main", "rebase --abort"},
		{"cherry-pick", "cherry-pick main", "cherry-pick --abort"},
		{"revert", "revert --no-edit HEAD~1", "revert --abort"},
	} {
		_, _ = g.try(nil, strings.Fields(c.start)...)
		if op, busy := r.Busy(); !busy || op != c.op {
			t.Errorf("during %s: %q %v", c.op, op, busy)
		}
		if c.op == "merge" {
			ix := must[*Index](t)(r.ReadIndex())
			if s := ix.Stages("a"); len(s) != 3 || s[0].Stage != 1 || s[2].Stage != 3 {
				t.Errorf("stages %+v", s)
			}
			if _, found := ix.Entry("a"); found {
				t.Error("a path in conflict has no entry of its own")
			}
			if _, err := r.NewBatch().IndexTree(ix); schema.CodeOf(err) != schema.CodeConflict {
				t.Errorf("tree of a conflict: %v", err)
			}
		}
		g.run(strings.Fields(c.stop)...)
		if op, busy := r.Busy(); busy {
			t.Errorf("after %s: %s", c.op, op)
		}
	}
}

func TestReflogReading(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	a := commitFiles(t, r, "a", map[string]string{"a": "a"})
	b := commitFiles(t, r, "b", map[string]string{"a": "b"})
	g.run("reset", "-q", "--hard", a.String())
	log := must[[]ReflogEntry](t)(r.Reflog("HEAD"))
	if len(log) != 3 || log[0].New != a || log[0].Old != b || !strings.HasPrefix(log[0].Message, "reset: moving to") || log[2].Message != "commit: a" {
		t.Errorf("log %+v", log)
	}
	// A line that a crash cut off does not swallow the next one.
	file := filepath.Join(g.dir, ".git/logs/HEAD")
	data := must[[]byte](t)(os.ReadFile(file))
	writeFile(t, file, string(data)+"0123")
	commitFiles(t, r, "c", map[string]string{"a": "c"})
	if log := must[[]ReflogEntry](t)(r.Reflog("HEAD")); len(log) != 4 || log[0].Message != "commit: c" {
		t.Errorf("log %+v", log)
	}
	g.run("config", "core.logAllRefUpdates", "false")
	r2 := openRepo(t, g.dir)
	ok(t, setRefs(r2, RefUpdate{Name: "refs/heads/quiet", New: a, Reflog: "x"}))
	if log := must[[]ReflogEntry](t)(r2.Reflog("refs/heads/quiet")); len(log) != 0 {
		t.Errorf("log %+v", log)
	}
}

func FuzzPackedRefs(f *testing.F) {
	f.Add([]byte("# pack-refs with: peeled fully-peeled sorted \n0123456789012345678901234567890123456789 refs/heads/a\n^0123456789012345678901234567890123456789\n"), "refs/heads/a")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		p, err := parsePacked("packed-refs", data)
		if err != nil {
			return
		}
		n := 0
		p.each("", func(string, schema.OID) { n++ })
		if n != len(p.lines) {
			t.Fatalf("%d of %d lines", n, len(p.lines))
		}
		out := p.without(map[string]bool{name: true})
		q, err := parsePacked("packed-refs", out)
		if err != nil {
			t.Fatalf("%q without %q is %q: %v", data, name, out, err)
		}
		if _, found := q.find(name); found {
			t.Fatalf("%q is still in %q", name, out)
		}
	})
}
