package gitstore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"git-novel/schema"
)

// lsFiles is git's view of the index, stage entries included.
func lsFiles(g *git) string { return g.run("-c", "core.quotePath=false", "ls-files", "-s") }

func ourFiles(ix *Index) string {
	var b strings.Builder
	for e := range ix.Entries("") {
		fmt.Fprintf(&b, "%06o %s %d\t%s\n", uint32(e.Mode), e.ID, e.Stage, e.Path)
	}
	return strings.TrimRight(b.String(), "\n")
}

func TestIndexReadsLikeGit(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "4"} {
		r, g := newRepo(t)
		g.run("config", "index.version", version)
		long := strings.Repeat("很长的名字", 30)
		for _, p := range []string{"a-", "a.b", "a/b", "a/第一章.md", "z/" + strings.Join([]string{long[:240], long[:240], long[:240]}, "/"), "m" + strings.Repeat("n/", 2100) + "x"} {
			if len(p) > 1000 {
				id := strings.TrimSpace(g.run("hash-object", "-w", "--stdin"))
				g.run("update-index", "--add", "--cacheinfo", "100644,"+id+","+p)
				continue
			}
			writeFile(t, filepath.Join(g.dir, p), p)
		}
		g.run("add", "a", "a-", "a.b", "z")
		g.run("update-index", "--chmod=+x", "a.b")
		g.run("update-index", "--assume-unchanged", "a/b")
		writeFile(t, filepath.Join(g.dir, "later"), "")
		g.run("add", "-N", "later")
		ix := must[*Index](t)(r.ReadIndex())
		if got, want := ourFiles(ix), lsFiles(g); got != want {
			t.Errorf("version %s:\n%s\ngit:\n%s", version, got, want)
		}
		if e, _ := ix.Entry("a/b"); !e.AssumeValid {
			t.Error("assume-unchanged is lost")
		}
		if e, found := ix.Entry("later"); !found || !e.IntentToAdd {
			t.Error("intent-to-add is lost")
		}
		if _, found := ix.Entry("a/"); found {
			t.Error("a folder is an entry")
		}
		// git's debug listing shows the stat data that is used to recognise unchanged files.
		e, _ := ix.Entry("a.b")
		if out := g.run("ls-files", "--debug", "a.b"); !strings.Contains(out, fmt.Sprintf("mtime: %d:%d", e.MTimeSec, e.MTimeNsec)) ||
			!strings.Contains(out, fmt.Sprintf("size: %d", e.Size)) {
			t.Errorf("stat %+v, git: %s", e, out)
		}
	}
}

// TestIndexPatchAgainstGit does random edits with the engine and with git's own plumbing and compares the results.
func TestIndexPatchAgainstGit(t *testing.T) {
	t.Parallel()
	newGit(t, t.TempDir()) // skips without git
	names := []string{"a", "b/c", "b/d", "b/第01章.md", "b/第02章.md", "b-", "c/d/e/f", "c/d/g", "日/月"}
	for _, version := range []string{"2", "4"} {
		t.Run("v"+version, func(t *testing.T) {
			t.Parallel()
			r, g := newRepo(t)
			g.run("config", "index.version", version)
			id := oid(t, g.run("hash-object", "-w", "--stdin"))
			other, err := g.try([]byte("x"), "hash-object", "-w", "--stdin")
			ok(t, err)
			ids := []schema.OID{id, oid(t, other)}
			file := filepath.Join(g.dir, ".git/index")
			rapid.Check(t, func(rt *rapid.T) {
				_ = os.Remove(file)
				var start strings.Builder
				for _, n := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(rt, "start") {
					fmt.Fprintf(&start, "100644 %s\t%s\x00", id, n)
				}
				if out, err := g.try([]byte(start.String()), "update-index", "--add", "-z", "--index-info"); err != nil {
					rt.Fatal(out)
				}
				if out, err := g.try(nil, "write-tree"); err != nil { // fills the cache tree
					rt.Fatal(out)
				}
				ix, err := r.ReadIndexAt(file)
				if err != nil {
					rt.Fatal(err)
				}
				var edits []IndexEdit
				want := map[string]schema.OID{}
				for e := range ix.Entries("") {
					want[e.Path] = e.ID
				}
				for _, n := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(rt, "edits") {
					if rapid.Bool().Draw(rt, "delete") {
						edits = append(edits, IndexEdit{Path: n, Delete: true})
						delete(want, n)
						continue
					}
					e := IndexEdit{Path: n, Mode: ModeFile, ID: rapid.SampledFrom(ids).Draw(rt, "id")}
					edits = append(edits, e)
					want[n] = e.ID
				}
				slices.SortFunc(edits, func(a, b IndexEdit) int { return strings.Compare(a.Path, b.Path) })
				out, err := ix.patched(edits, nil, false)
				if err != nil {
					rt.Fatal(err)
				}
				if err := os.WriteFile(file, out, 0o644); err != nil {
					rt.Fatal(err)
				}
				again, err := parseIndex(out)
				if err != nil || !again.sumOK() {
					rt.Fatalf("our own index does not parse: %v", err)
				}
				var lines []string
				for p, id := range want {
					lines = append(lines, fmt.Sprintf("100644 %s 0\t%s", id, p))
				}
				slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[49:], b[49:]) })
				if got := lsFiles(g); got != strings.Join(lines, "\n") {
					rt.Fatalf("git reads\n%s\nwant\n%s", got, strings.Join(lines, "\n"))
				}
				// With the cache tree that we kept, git must build the same tree as without it.
				tree, err1 := g.try(nil, "write-tree")
				b := r.NewBatch()
				ours, err2 := b.IndexTree(again)
				if err1 != nil || err2 != nil || tree != ours.String() {
					rt.Fatalf("tree %s (%v), ours %s (%v)", tree, err1, ours, err2)
				}
			})
		})
	}
}

func TestIndexExtensions(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	commitFiles(t, r, "a", map[string]string{"d/a": "a", "d/b": "b", "e/f": "f"})
	g.run("config", "core.untrackedCache", "true")
	g.run("update-index", "--untracked-cache")
	writeFile(t, filepath.Join(g.dir, "d/stray"), "stray")
	g.run("status")
	g.run("write-tree")
	exts := func() []string {
		var out []string
		for _, x := range must[*Index](t)(r.ReadIndex()).exts {
			out = append(out, x.sig)
		}
		return out
	}
	if got := exts(); !slices.Contains(got, "UNTR") || !slices.Contains(got, "TREE") {
		t.Fatalf("extensions %v, the test needs both", got)
	}
	commitFiles(t, r, "b", map[string]string{"d/a": "a2"})
	if got := exts(); !slices.Contains(got, "UNTR") || !slices.Contains(got, "TREE") {
		t.Errorf("after a replacement: %v", got)
	}
	if out := g.run("status", "--porcelain"); out != "?? d/stray" {
		t.Errorf("status: %q", out)
	}
	commitFiles(t, r, "c", map[string]string{"d/stray": "no longer", "d/b": ""})
	g.clean()
	writeFile(t, filepath.Join(g.dir, "e/new"), "new")
	if out := g.run("status", "--porcelain"); out != "?? e/new" {
		t.Errorf("status: %q", out)
	}
}

func TestIndexThatOnlyGitCanChange(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	commitFiles(t, r, "a", map[string]string{"a": "a", "d/b": "b"})
	check := func(word string) {
		t.Helper()
		r := openRepo(t, g.dir)
		reason, foreign := r.Foreign([]string{"a"})
		if !foreign || !strings.Contains(reason, word) {
			t.Errorf("%s: reason %q, %v", word, reason, foreign)
		}
		l := must[*IndexLock](t)(r.LockIndex(0))
		defer l.Rollback()
		if err := l.Apply([]IndexEdit{{Path: "a", Delete: true}}); schema.CodeOf(err) != schema.CodeGit {
			t.Errorf("%s: %v", word, err)
		}
		if id, err := r.FileBlob("a"); err != nil || id != schema.HashBlob([]byte("a")) {
			t.Errorf("%s: FileBlob %s %v", word, id, err)
		}
	}
	g.run("update-index", "--split-index")
	check("split")
	g.run("update-index", "--no-split-index")
	g.run("sparse-checkout", "set", "--cone", "--sparse-index", "x")
	check("sparse")
	g.run("sparse-checkout", "disable")
	if reason, foreign := openRepo(t, g.dir).Foreign([]string{"a"}); foreign {
		t.Error(reason)
	}
}

func TestIndexWithoutChecksum(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	commitFiles(t, r, "a", map[string]string{"a": "a"})
	file := filepath.Join(g.dir, ".git/index")
	data := must[[]byte](t)(os.ReadFile(file))
	clear(data[len(data)-20:])
	ok(t, os.WriteFile(file, data, 0o644))
	commitFiles(t, r, "b", map[string]string{"b": "b"})
	if data := must[[]byte](t)(os.ReadFile(file)); allZero(data[len(data)-20:]) {
		t.Error("the checksum is missing though nobody asked for that")
	}
	ok(t, r.SetConfig("index.skipHash", "true"))
	commitFiles(t, r, "c", map[string]string{"c": "c"})
	if data := must[[]byte](t)(os.ReadFile(file)); !allZero(data[len(data)-20:]) {
		t.Error("index.skipHash is ignored")
	}
	// A wrong checksum is damage, which must not be signed anew.
	ok(t, r.UnsetConfig("index.skipHash"))
	data = must[[]byte](t)(os.ReadFile(file))
	data[len(data)-1] ^= 1
	ok(t, os.WriteFile(file, data, 0o644))
	l := must[*IndexLock](t)(r.LockIndex(0))
	defer l.Rollback()
	if err := l.Apply([]IndexEdit{{Path: "a", Delete: true}}); schema.CodeOf(err) != schema.CodeGit {
		t.Errorf("wrong checksum: %v", err)
	}
}

func TestIndexLockIsGits(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	commitFiles(t, r, "a", map[string]string{"a": "a"})
	l := must[*IndexLock](t)(r.LockIndex(0))
	if out, err := g.try(nil, "add", "a"); err == nil {
		t.Errorf("git went past our lock: %s", out)
	}
	start := time.Now()
	_, err := openRepo(t, g.dir).LockIndex(100 * time.Millisecond)
	if schema.CodeOf(err) != schema.CodeConflict || !strings.Contains(err.Error(), "index.lock") {
		t.Errorf("second lock: %v", err)
	}
	if d := time.Since(start); d < 100*time.Millisecond {
		t.Errorf("waited only %v", d)
	}
	l.Rollback()
	l.Rollback()
	g.run("add", "a")
	l = must[*IndexLock](t)(r.LockIndex(0))
	ok(t, l.Commit())
	if _, err := os.Stat(filepath.Join(g.dir, ".git/index.lock")); err == nil {
		t.Error("the lock stayed")
	}
}

func TestIndexNeverDropsStagedWork(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	commitFiles(t, r, "a", map[string]string{"a": "a"})
	writeFile(t, filepath.Join(g.dir, "x/y"), "staged")
	writeFile(t, filepath.Join(g.dir, "f"), "staged")
	g.run("add", "x", "f")
	before := lsFiles(g)
	for _, p := range []string{"x", "f/g", "x/y/z"} {
		l := must[*IndexLock](t)(r.LockIndex(0))
		if err := l.Apply([]IndexEdit{{Path: p, Mode: ModeFile, ID: schema.HashBlob(nil)}}); schema.CodeOf(err) != schema.CodeConflict {
			t.Errorf("%s: %v", p, err)
		}
		l.Rollback()
	}
	if lsFiles(g) != before {
		t.Error("the index changed")
	}
	l := must[*IndexLock](t)(r.LockIndex(0))
	ok(t, l.Apply([]IndexEdit{{Path: "x/y", Delete: true}, {Path: "x", Mode: ModeFile, ID: schema.HashBlob([]byte("a"))}}))
	ok(t, l.Commit())
	if out := lsFiles(g); strings.Contains(out, "x/y") || !strings.Contains(out, "\tx") {
		t.Error(out)
	}
}

// TestRacyFiles: a change that neither size nor time shows must be seen, by us and by git, before and after we wrote the
// index.
func TestRacyFiles(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	for i := range 20 {
		name := "racy" + strconv.Itoa(i)
		path := filepath.Join(g.dir, name)
		writeFile(t, path, "one")
		st := must[os.FileInfo](t)(os.Stat(path))
		g.run("add", name)
		// Same size, same time to the nanosecond, other content: only the index's own time can tell.
		ix := must[os.FileInfo](t)(os.Stat(filepath.Join(g.dir, ".git/index")))
		writeFile(t, path, "two")
		ok(t, os.Chtimes(path, st.ModTime(), st.ModTime()))
		ok(t, os.Chtimes(filepath.Join(g.dir, ".git/index"), st.ModTime(), st.ModTime()))
		_ = ix
		if id := must[schema.OID](t)(r.FileBlob(name)); id != schema.HashBlob([]byte("two")) {
			t.Fatalf("%s: the change is not seen", name)
		}
		commitFiles(t, r, name, map[string]string{"other": name})
		if id := must[schema.OID](t)(r.FileBlob(name)); id != schema.HashBlob([]byte("two")) {
			t.Fatalf("%s: the change is not seen after the index was written", name)
		}
		if out := g.run("diff", "--name-only"); !strings.Contains(out, name) {
			t.Fatalf("%s: git does not see the change after we wrote the index: %q", name, out)
		}
		g.run("add", name)
	}
}

func TestFileBlobUsesTheIndex(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	commitFiles(t, r, "a", map[string]string{"d/a": "hello"})
	path := filepath.Join(g.dir, "d/a")
	past := time.Now().Add(-time.Hour)
	ok(t, os.Chtimes(path, past, past))
	g.run("update-index", "--refresh")
	// Make the file unreadable in effect: other content under the same stat data proves that the cache answers.
	ix := must[*Index](t)(r.ReadIndex())
	e, _ := ix.Entry("d/a")
	st := must[os.FileInfo](t)(os.Stat(path))
	if !r.statRules().same(&e, st) {
		t.Fatalf("entry %+v does not match its file", e)
	}
	if id := must[schema.OID](t)(r.FileBlob("d/a")); id != e.ID {
		t.Errorf("id %s", id)
	}
	ok(t, os.Chmod(path, 0o755))
	if r.statRules().same(&e, must[os.FileInfo](t)(os.Stat(path))) {
		t.Error("the executable bit is not seen")
	}
	for p, code := range map[string]schema.Code{"none": schema.CodeNotFound, "d/none": schema.CodeNotFound, "d/a/x": schema.CodeNotFound, "d": schema.CodeInvalid} {
		if _, err := r.FileBlob(p); schema.CodeOf(err) != code {
			t.Errorf("%s: %v", p, err)
		}
	}
	outside := filepath.Join(t.TempDir(), "secret")
	writeFile(t, outside, "secret")
	if err := os.Symlink(outside, filepath.Join(g.dir, "link")); err == nil {
		if _, err := r.FileBlob("link"); schema.CodeOf(err) != schema.CodeInvalid {
			t.Errorf("a link: %v", err)
		}
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(g.dir, "linkdir")); err == nil {
		if id, err := r.FileBlob("linkdir/secret"); err == nil {
			t.Errorf("read %s through a link that leads outside", id)
		}
	}
}

func FuzzIndex(f *testing.F) {
	f.Add(testIndex(2), "a/b", true)
	f.Add(testIndex(4), "a/c", false)
	f.Fuzz(func(t *testing.T, data []byte, path string, del bool) {
		ix, err := parseIndex(data)
		if err != nil {
			return
		}
		for e := range ix.Entries("") {
			_ = ix.Stages(e.Path)
		}
		if ix.Unsupported != "" || path == "" || strings.Contains(path, "\x00") {
			return
		}
		out, err := ix.patched([]IndexEdit{{Path: path, Mode: ModeFile, ID: schema.OID{1}, Delete: del}}, nil, false)
		if err != nil {
			return
		}
		again, err := parseIndex(out)
		if err != nil || !again.sumOK() {
			t.Fatalf("patched index does not parse: %v", err)
		}
		if _, found := again.Entry(path); found == del {
			t.Fatalf("entry %q found: %v", path, found)
		}
	})
}

// testIndex is a small index with two entries and a cache tree.
func testIndex(version int) []byte {
	ix := &Index{Version: version}
	edits := []IndexEdit{{Path: "a/b", Mode: ModeFile, ID: schema.OID{1}}, {Path: "a/c", Mode: ModeExec, ID: schema.OID{2}}}
	data, err := ix.patched(edits, nil, false)
	if err != nil {
		panic(err)
	}
	var ext bytes.Buffer
	ext.WriteString("\x002 1\n01234567890123456789a\x002 0\n01234567890123456789")
	body := append([]byte(nil), data[:len(data)-20]...)
	body = append(body, "TREE"...)
	body = binary.BigEndian.AppendUint32(body, uint32(ext.Len()))
	body = append(body, ext.Bytes()...)
	return append(body, make([]byte, 20)...)
}
