package gitstore

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"git-novel/schema"
)

// TestCrashAtEveryStep keeps a copy of the disk as it is before each step of a commit, which is what a crash at that step
// leaves. In every copy git must find the old or the new history and never damage; only lock and temporary files may be
// left over, and the next commit must work.
func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	old := commitFiles(t, r, "old", map[string]string{"a": "a", "d/b": "b"})
	g.run("branch", "packed")
	g.run("pack-refs", "--all")
	type copied struct{ step, dir string }
	var copies []copied
	r.env.Failpoint = func(step string) {
		dir := filepath.Join(t.TempDir(), "copy")
		ok(t, os.CopyFS(dir, os.DirFS(g.dir)))
		copies = append(copies, copied{step, dir})
	}
	commitFiles(t, r, "new", map[string]string{"a": "a2", "d/b": "", "e/f": "f"})
	packed, _, err := r.Ref("refs/heads/packed")
	ok(t, err)
	ok(t, setRefs(r, RefUpdate{Name: "refs/heads/packed", Old: packed}, RefUpdate{Name: "refs/heads/trash/x", New: packed, Reflog: "trash"}))
	if len(copies) < 15 {
		t.Errorf("only %d steps", len(copies))
	}
	for i, c := range copies {
		g := &git{t: t, dir: c.dir, env: g.env, prog: g.prog}
		ok(t, filepath.WalkDir(filepath.Join(c.dir, ".git"), func(p string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(p, ".lock") {
				return os.Remove(p) // what a person does after the crash, as the message says
			}
			return err
		}))
		if out := g.run("fsck", "--strict", "--full", "--no-dangling"); out != "" {
			t.Errorf("crash at %d (%s): %s", i, c.step, out)
		}
		if head, subject := g.run("rev-parse", "HEAD"), g.run("log", "-1", "--format=%s"); subject != "new" && head != old.String() {
			t.Errorf("crash at %d (%s): HEAD is %s %s", i, c.step, head, subject)
		}
		g.run("ls-files", "-s") // the index is whole
		if refs := g.run("for-each-ref"); strings.Count(refs, "\n")+1 < 2 {
			t.Errorf("crash at %d (%s): a ref is lost:\n%s", i, c.step, refs)
		}
		commitFiles(t, openRepo(t, c.dir), "next", map[string]string{"next": "next"})
		if out := g.run("log", "-1", "--format=%s"); out != "next" {
			t.Errorf("crash at %d (%s): the next commit is not there", i, c.step)
		}
	}
}

// TestConcurrentGC commits while git packs, prunes and packs refs all the time.
func TestConcurrentGC(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	commitFiles(t, r, "0", map[string]string{"n/0": "0"})
	g.run("config", "gc.auto", "0")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, args := range [][]string{{"repack", "-q", "-a", "-d"}, {"pack-refs", "--all"}, {"prune-packed", "-q"}} {
				if out, err := g.try(nil, args...); err != nil && !strings.Contains(out, "lock") {
					t.Errorf("git %v: %s", args, out)
				}
			}
		}
	})
	defer func() {
		close(stop)
		wg.Wait()
		if !t.Failed() {
			g.clean()
		}
	}()
	for i := 1; i <= 25; i++ {
		commitFiles(t, r, fmt.Sprint(i), map[string]string{fmt.Sprint("n/", i): fmt.Sprint(i)})
		head := must[Head](t)(r.Head())
		n := 0
		ok(t, r.Log(head.ID, func(c *Commit) (bool, error) {
			n++
			return true, r.Walk(c.Tree, "", func(_ string, e Entry) error {
				_, err := r.Blob(e.ID)
				return err
			})
		}))
		if n != i+1 {
			t.Fatalf("%d commits in the log, want %d", n, i+1)
		}
	}
}

func TestSharedRepository(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t, "--shared=group")
	files := map[string]string{}
	for i := range 2 * PackThreshold {
		files[fmt.Sprint("many/", i)] = fmt.Sprint(i)
	}
	commitFiles(t, r, "pack", files)
	id := commitFiles(t, r, "loose", map[string]string{"b": "b"})
	ok(t, filepath.WalkDir(filepath.Join(g.dir, ".git"), func(p string, d fs.DirEntry, err error) error {
		ok(t, err)
		st := must[os.FileInfo](t)(d.Info())
		rel, _ := filepath.Rel(g.dir, p)
		ours := strings.HasPrefix(rel, ".git/objects/") || strings.HasPrefix(rel, ".git/refs/") || strings.HasPrefix(rel, ".git/logs/") || rel == ".git/index"
		if want := os.FileMode(0o040); ours && st.Mode().Perm()&want == 0 {
			t.Errorf("%s is %v", rel, st.Mode())
		}
		if ours && d.IsDir() && (st.Mode().Perm()&0o020 == 0 || st.Mode()&os.ModeSetgid == 0) {
			t.Errorf("%s is %v", rel, st.Mode())
		}
		return nil
	}))
	_ = id
	g.clean()
}

// TestFlushFailsCleanly: a full or read-only disk leaves nothing half written.
func TestFlushFailsCleanly(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		// Root may write anywhere, so a file stands where the folder must go.
		r, g := newRepo(t)
		b := r.NewBatch()
		id := b.Blob([]byte("x"))
		writeFile(t, filepath.Join(g.dir, ".git/objects", id.String()[:2]), "in the way")
		if err := b.Flush(t.Context()); schema.CodeOf(err) != schema.CodeUnexpected || err == nil {
			t.Errorf("flush: %v", err)
		}
		if tmp, _ := filepath.Glob(filepath.Join(g.dir, ".git/objects/tmp*")); len(tmp) > 0 {
			t.Errorf("left over: %v", tmp)
		}
		ok(t, os.Remove(filepath.Join(g.dir, ".git/objects", id.String()[:2])))
		ok(t, b.Flush(t.Context()))
		if !r.Has(id) {
			t.Error("the second try did not write")
		}
		return
	}
	r, g := newRepo(t)
	b := r.NewBatch()
	b.Blob([]byte("x"))
	ok(t, os.Chmod(filepath.Join(g.dir, ".git/objects"), 0o500))
	if err := b.Flush(t.Context()); schema.CodeOf(err) != schema.CodeUnexpected {
		t.Errorf("flush: %v", err)
	}
	ok(t, os.Chmod(filepath.Join(g.dir, ".git/objects"), 0o700))
}
