package gitstore

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-novel/schema"
)

func TestObjectIDsAgreeWithGit(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	b := r.NewBatch()
	blob := b.Blob([]byte("第一章\r\n正文\n"))
	want, err := g.try([]byte("第一章\r\n正文\n"), "hash-object", "-w", "--stdin", "--no-filters")
	ok(t, err)
	if blob.String() != want {
		t.Errorf("blob id %s, git says %s", blob, want)
	}
	sub := must[schema.OID](t)(b.Tree([]Entry{{Name: "x", Mode: ModeExec, ID: blob}}))
	ok(t, b.Flush(t.Context()))
	entries := []Entry{
		{"b", ModeDir, sub}, {"b.txt", ModeFile, blob}, {"b-", ModeFile, blob}, {"a", ModeLink, blob}, {"第03章 雨夜.md", ModeFile, blob},
	}
	tree := must[schema.OID](t)(b.Tree(entries))
	var in strings.Builder
	for _, e := range entries {
		typ := "blob"
		if e.IsDir() {
			typ = "tree"
		}
		fmt.Fprintf(&in, "%06o %s %s\t%s\x00", uint32(e.Mode), typ, e.ID, e.Name)
	}
	want, err = g.try([]byte(in.String()), "mktree", "-z")
	ok(t, err)
	if tree.String() != want {
		t.Errorf("tree id %s, git says %s", tree, want)
	}
}

func TestTreeNamesThatGitForbids(t *testing.T) {
	t.Parallel()
	r, _ := newRepo(t)
	b := r.NewBatch()
	id := b.Blob(nil)
	bad := []string{
		"", ".", "..", ".git", ".GIT", ".Git", "a/b", "a\x00b", ".git ", ".git.", ".git . .", "git~1", "GIT~1", ".git::$INDEX_ALLOCATION",
		".g\u200cit", ".\u202agit\ufeff", "\u200d.gIt", `x\.git`, `x\git~1 `, strings.Repeat("长", 2000),
	}
	for _, name := range bad {
		if _, err := b.Tree([]Entry{{name, ModeFile, id}}); schema.CodeOf(err) != schema.CodeInvalid {
			t.Errorf("name %q: error %v", name, err)
		}
		if _, err := b.PatchTree(schema.OID{}, []Edit{{Path: "d/" + name, Mode: ModeFile, ID: id}}); err == nil {
			t.Logf("path %q", "d/"+name)
			if !strings.Contains(name, "/") {
				t.Errorf("PatchTree took the name %q", name)
			}
		}
	}
	for _, name := range []string{".gitignore", ".gitattributes", "git", "git~2", ".gitx", "。git", ".gi\u0301t", "..a", `a\b`} {
		if _, err := b.Tree([]Entry{{name, ModeFile, id}}); err != nil {
			t.Errorf("name %q: %v", name, err)
		}
	}
	_, err := b.Tree([]Entry{{"a", ModeFile, id}, {"a", ModeDir, id}, {"..", ModeFile, id}, {"c", 7, id}})
	var e *schema.Error
	if !asError(err, &e) || len(e.Details) != 3 {
		t.Errorf("want three faults at once, got %v", err)
	}
}

func TestPackedAndDeltaObjects(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	body := strings.Repeat("雨夜，他推开门。\n", 400)
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("novels/书/第%02d章.md", i)] = body + fmt.Sprint(i)
		commitFiles(t, r, fmt.Sprint("c", i), map[string]string{fmt.Sprintf("novels/书/第%02d章.md", i): body + fmt.Sprint(i)})
	}
	head := must[Head](t)(r.Head())
	// The open handle knows nothing of what git does now: every object moves into a pack with deltas.
	g.run("gc", "-q", "--aggressive", "--prune=now")
	if out := g.run("verify-pack", "-v", packOf(t, g)); !strings.Contains(out, "chain length") {
		t.Fatal("the pack has no deltas, so this proves nothing")
	}
	r2 := openRepo(t, g.dir)
	for _, repo := range []*Repo{r, r2} {
		c := must[*Commit](t)(repo.Commit(head.ID))
		n := 0
		ok(t, repo.Walk(c.Tree, "", func(p string, e Entry) error {
			data, err := repo.Blob(e.ID)
			if err == nil && string(data) != files[p] {
				t.Errorf("%s has other content", p)
			}
			if size, serr := repo.BlobSize(e.ID); serr != nil || size != int64(len(data)) {
				t.Errorf("%s: size %d %v, want %d", p, size, serr, len(data))
			}
			n++
			return err
		}))
		if n != 40 {
			t.Errorf("%d files", n)
		}
		if !repo.Has(head.ID) || repo.Has(schema.OID{1}) {
			t.Error("Has is wrong")
		}
	}
	// Many questions switch to reading all names at once: the answers must stay the same.
	for range 100 {
		if !r2.Has(head.ID) {
			t.Fatal("object lost")
		}
	}
	// A pack without its index does not disturb.
	writeFile(t, filepath.Join(g.dir, ".git/objects/pack/pack-1234567890123456789012345678901234567890.pack"), "PACK....")
	// Nor does an index without a pack, which a crash may leave.
	idx, err := os.ReadFile(strings.TrimSuffix(filepath.Join(g.dir, packOf(t, g)), ".pack") + ".idx")
	ok(t, err)
	writeFile(t, filepath.Join(g.dir, ".git/objects/pack/pack-0000000000000000000000000000000000000000.idx"), string(idx))
	r3 := openRepo(t, g.dir)
	if _, err := r3.Commit(head.ID); err != nil {
		t.Error(err)
	}
}

func packOf(t *testing.T, g *git) string {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(g.dir, ".git/objects/pack/pack-*.pack"))
	ok(t, err)
	if len(packs) == 0 {
		t.Fatal("no pack")
	}
	rel, err := filepath.Rel(g.dir, packs[len(packs)-1])
	ok(t, err)
	return rel
}

func TestOldPackIndexVersion(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	id := commitFiles(t, r, "one", map[string]string{"a": "a", "b": "b"})
	g.run("-c", "pack.indexVersion=1", "gc", "-q")
	r2 := openRepo(t, g.dir)
	c := must[*Commit](t)(r2.Commit(id))
	if _, found, err := r2.Lookup(c.Tree, "b"); err != nil || !found {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestAlternates(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	id := commitFiles(t, r, "one", map[string]string{"a": "a"})
	clone := filepath.Join(t.TempDir(), "克 隆")
	g.run("clone", "-q", "--shared", ".", clone)
	c := must[*Commit](t)(openRepo(t, clone).Commit(id))
	if c.Subject() != "one" {
		t.Errorf("subject %q", c.Subject())
	}
}

func TestBatchWritesOnePack(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	loose := commitFiles(t, r, "few", map[string]string{"0.md": "x"})
	files := map[string]string{"empty.md": "\n"}
	for i := range 300 {
		files[fmt.Sprintf("novels/书/第%04d章.md", i)] = strings.Repeat(fmt.Sprintf("第%d章的正文。", i), 50)
	}
	commitFiles(t, r, "many", files)
	g.clean()
	packs, _ := filepath.Glob(filepath.Join(g.dir, ".git/objects/pack/*"))
	if len(packs) != 2 {
		t.Errorf("pack files: %v", packs)
	}
	if out := g.run("verify-pack", packOf(t, g)); out != "" {
		t.Error(out)
	}
	if out := g.run("count-objects"); !strings.HasPrefix(out, "3 objects") {
		t.Errorf("loose objects: %s", out)
	}
	if tmp, _ := filepath.Glob(filepath.Join(g.dir, ".git/objects/*tmp*")); len(tmp) > 0 {
		t.Errorf("left over: %v", tmp)
	}
	if !r.Has(loose) {
		t.Error("the loose commit is gone")
	}
	if st, err := os.Stat(filepath.Join(g.dir, packOf(t, g))); err != nil || st.Mode().Perm()&0o222 != 0 {
		t.Errorf("the pack can be written to: %v %v", st.Mode(), err)
	}
}

func TestBatchReaderSeesUnwritten(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	b := r.NewBatch()
	ids := map[schema.OID][]byte{}
	for i := range 20 { // enough to begin a pack while the batch grows
		data := []byte(strings.Repeat(fmt.Sprint("字", i), spillSize/50))
		ids[b.Blob(data)] = data
	}
	temps := func() int {
		files, err := filepath.Glob(filepath.Join(g.dir, ".git/objects/pack/tmp_*"))
		ok(t, err)
		return len(files)
	}
	if temps() != 1 {
		t.Fatalf("%d unfinished packs", temps())
	}
	gone := r.NewBatch()
	for i := range 9 {
		gone.Blob(bytes.Repeat([]byte{byte(i)}, spillSize/8))
	}
	if temps() != 2 {
		t.Errorf("%d unfinished packs", temps())
	}
	gone.Discard()
	gone.Discard()
	if temps() != 1 || gone.Len() != 0 {
		t.Errorf("%d unfinished packs after Discard", temps())
	}
	empty := b.Blob(nil)
	view := b.Reader()
	for id, want := range ids {
		if got, err := view.Blob(id); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: %d bytes, %v", id, len(got), err)
		}
		if r.Has(id) {
			t.Fatal("written too early")
		}
	}
	if got, err := view.Blob(empty); err != nil || len(got) != 0 {
		t.Errorf("empty blob: %q %v", got, err)
	}
	if _, err := view.Tree(empty); schema.CodeOf(err) != schema.CodeGit {
		t.Errorf("a blob read as a tree: %v", err)
	}
	ok(t, b.Flush(t.Context()))
	for id, want := range ids {
		if got, err := view.Blob(id); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s after Flush: %d bytes, %v", id, len(got), err)
		}
	}
	if temps() != 0 {
		t.Error("temporary files stayed")
	}
	g.run("commit", "-q", "--allow-empty", "-m", "x")
	if out := g.run("fsck", "--strict", "--full", "--no-dangling"); out != "" {
		t.Error(out)
	}
	// All of it again: nothing is written, no pack is left.
	for _, data := range ids {
		b.Blob(data)
	}
	ok(t, b.Flush(t.Context()))
	if packs, _ := filepath.Glob(filepath.Join(g.dir, ".git/objects/pack/*")); len(packs) != 2 {
		t.Errorf("files: %v", packs)
	}
}

func TestDamagedObjectsAreReported(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	id := commitFiles(t, r, "one", map[string]string{"a": "some text that is long enough"})
	c := must[*Commit](t)(r.Commit(id))
	e, _, err := r.Lookup(c.Tree, "a")
	ok(t, err)
	file := loosePath(filepath.Join(g.dir, ".git/objects"), e.ID)
	data, err := os.ReadFile(file)
	ok(t, err)
	for _, bad := range [][]byte{nil, data[:len(data)/2], []byte("garbage"), append(slices.Clone(data[:8]), 0, 0, 0, 0)} {
		ok(t, os.Chmod(file, 0o644))
		ok(t, os.WriteFile(file, bad, 0o644))
		if _, err := openRepo(t, g.dir).Blob(e.ID); schema.CodeOf(err) != schema.CodeGit {
			t.Errorf("%d bytes: %v", len(bad), err)
		}
	}
	if _, err := r.Blob(schema.OID{9}); schema.CodeOf(err) != schema.CodeGit {
		t.Errorf("missing object: %v", err)
	}
}

func TestDiffAgreesWithGit(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	a := commitFiles(t, r, "a", map[string]string{
		"same/x": "x", "d/1": "1", "d/2": "2", "f": "f", "t": "t", "novels/书/1.md": "1", "novels/书.md": "1", "a.b": "1", "a/b": "2",
	})
	commitFiles(t, r, "b", map[string]string{
		"d/1": "1!", "d/2": "", "d/3/4": "4", "t": "", "novels/书/2.md": "2", "novels/书.md": "", "a.b": "9", "a-b": "0",
	})
	b := commitFiles(t, r, "c", map[string]string{"t/u": "u"})
	ca, cb := must[*Commit](t)(r.Commit(a)), must[*Commit](t)(r.Commit(b))
	for _, prefix := range []string{"", "d", "novels", "d/1", "none", "t"} {
		var got []string
		ok(t, r.Diff(ca.Tree, cb.Tree, prefix, func(c Change) error {
			s := "M"
			if c.Old.IsZero() {
				s = "A"
			} else if c.New.IsZero() {
				s = "D"
			}
			got = append(got, s+"\t"+c.Path)
			return nil
		}))
		args := []string{"-c", "core.quotePath=false", "diff-tree", "-r", "--no-renames", "--name-status", a.String(), b.String()}
		if prefix != "" {
			args = append(args, "--", prefix)
		}
		if want := g.run(args...); strings.Join(got, "\n") != want {
			t.Errorf("prefix %q:\n%s\ngit:\n%s", prefix, strings.Join(got, "\n"), want)
		}
	}
	var all []string
	ok(t, r.Diff(schema.OID{}, cb.Tree, "", func(c Change) error { all = append(all, c.Path); return nil }))
	if want := g.run("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD"); strings.Join(all, "\n") != want {
		t.Errorf("against nothing: %v", all)
	}
}

func TestCommitRoundTrip(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	id := commitFiles(t, r, "review(雨夜灯 第03章): 第2轮 0 阻断\n\nNovel-Book: 雨夜灯\nNovel-Chapter: 0003\n", map[string]string{"a": "a"})
	c := must[*Commit](t)(r.Commit(id))
	b := r.NewBatch()
	if again := must[schema.OID](t)(b.Commit(c)); again != id {
		t.Errorf("the same commit written again is %s", again)
	}
	if out := g.run("log", "-1", "--format=%an|%ae|%aI|%s|%(trailers:key=Novel-Chapter,valueonly)"); out != "作者|author@example.com|2026-03-04T05:06:07+08:00|review(雨夜灯 第03章): 第2轮 0 阻断|0003\n" &&
		strings.TrimSpace(out) != "作者|author@example.com|2026-03-04T05:06:07+08:00|review(雨夜灯 第03章): 第2轮 0 阻断|0003" {
		t.Errorf("git reads %q", out)
	}
	signed := "tree " + c.Tree.String() + "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\ngpgsig -----BEGIN\n \n abc\n -----END\n\nmsg\n"
	sid := must[schema.OID](t)(b.Raw(CommitObject, []byte(signed)))
	sc := must[*Commit](t)(b.Reader().Commit(sid))
	sig, payload, isSigned := sc.Signature()
	if !isSigned || sig != "-----BEGIN\n\nabc\n-----END\n" || strings.Contains(string(payload), "gpgsig") || !strings.HasSuffix(string(payload), "+0000\n\nmsg\n") {
		t.Errorf("signature %q, payload %q", sig, payload)
	}
	if _, _, isSigned := c.Signature(); isSigned {
		t.Error("an unsigned commit counts as signed")
	}
}

func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 a\x0001234567890123456789"))
	f.Add([]byte("40000 b\x0001234567890123456789100755 c\x0001234567890123456789"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseTree(data)
		if err != nil {
			return
		}
		again, err := encodeTree(entries)
		if err != nil {
			return
		}
		back, err := parseTree(again)
		if err != nil || len(back) != len(entries) {
			t.Fatalf("%q encoded as %q: %v", data, again, err)
		}
	})
}

func FuzzCommit(f *testing.F) {
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 12 +0800\ncommitter A <a@b> 12 -0130\n\nm\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseCommit(data)
		if err != nil {
			return
		}
		_, _, _ = c.Signature()
		if c.Author.When.IsZero() || c.Committer.When.IsZero() {
			return
		}
		out, err := encodeCommit(c)
		if err != nil {
			return
		}
		if back, err := parseCommit(out); err != nil || back.Tree != c.Tree || len(back.Parents) != len(c.Parents) {
			t.Fatalf("%q encoded as %q: %v", data, out, err)
		}
	})
}
