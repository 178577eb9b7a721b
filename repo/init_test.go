package repo_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-novel/repo"
	"git-novel/schema"
)

func initWith(t *testing.T, dir string) (*repo.Library, *repo.InitResult) {
	t.Helper()
	l, res, err := repo.InitWith(context.Background(), dir, repo.InitOptions{Options: options(filepath.Dir(dir))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, res
}

func adopt(t *testing.T, l *repo.Library, take ...string) {
	t.Helper()
	update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("init(书库): x\n")
		if err := tx.TakeBlocks(); err != nil {
			return err
		}
		for _, p := range take {
			if _, err := tx.Take(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// The native engine makes a whole library without a git program, and git agrees with it.
func TestInitNewFolder(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := filepath.Join(t.TempDir(), "新 书库", "里面")
	l, res := initWith(t, dir)
	if !res.Created || !res.Unborn || strings.Join(res.Blocks, " ") != ".gitignore .gitattributes" {
		t.Errorf("result %+v", res)
	}
	adopt(t, l)
	o := oracle{t: t, dir: dir}
	o.sound("")
	if got := o.git("symbolic-ref", "HEAD"); got != "refs/heads/main\n" {
		t.Errorf("branch %s", got)
	}
	if got := o.git("config", "--local", "core.quotePath"); got != "false\n" {
		t.Errorf("core.quotePath %s", got)
	}
	again, res := initWith(t, dir)
	if res.Created || res.Unborn || len(res.Blocks) != 0 || again.Root() != l.Root() {
		t.Errorf("again: %+v", res)
	}
	edit(t, l, "novels/雨夜灯/第01章.md", "雨\n")
	edit(t, l, ".novel-writer/tmp/x", "忽略\n")
	edit(t, l, ".novel-writer/index.db-wal", "忽略\n")
	o.sound("?? novels/\n")
	if got, want := o.git("check-attr", "text", "diff", "merge", "--", "novels/雨夜灯/第01章.md"), "text: unset diff: novel merge: novel"; !sameAttrs(got, want) {
		t.Errorf("attributes %q", got)
	}
}

func sameAttrs(got, want string) bool {
	var fields []string
	for line := range strings.Lines(got) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		fields = append(fields, rest)
	}
	return strings.Join(fields, " ") == want
}

// Plain git stays usable for everybody who has no git-novel: the drivers fall back to git's own way.
func TestDriversFallBack(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	o.git("checkout", "-q", "-b", "other")
	edit(t, l, chapter, "甲。\n")
	o.git("commit", "-q", "-am", "a")
	if got := o.git("log", "-1", "-p"); !strings.Contains(got, "+甲。") {
		t.Errorf("git log -p without git-novel:\n%s", got)
	}
	o.git("checkout", "-q", "main")
	edit(t, l, chapter, "开头。\n")
	o.git("commit", "-q", "-am", "b")
	if out, err := o.try("merge", "-q", "-m", "m", "other"); err == nil {
		t.Fatalf("a merge of touching lines was clean: %s", out)
	}
	got := disk(t, l, chapter)
	for _, want := range []string{"<<<<<<<", "开头。", "甲。", ">>>>>>>"} {
		if !strings.Contains(got, want) {
			t.Errorf("the conflict lacks %q:\n%s", want, got)
		}
	}
}

func TestInitFolderWithChapters(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := filepath.Join(t.TempDir(), "lib")
	file := filepath.Join(dir, "novels", "旧书", "第01章.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("一\r\n二"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, res := initWith(t, dir)
	if !res.Created {
		t.Errorf("result %+v", res)
	}
	adopt(t, l, "novels/旧书/第01章.md")
	o := oracle{t: t, dir: dir}
	o.sound("")
	if got := o.git("show", "HEAD:novels/旧书/第01章.md"); got != "一\r\n二" {
		t.Errorf("the text became %q", got)
	}
}

func TestInitAdoptsRepository(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := filepath.Join(t.TempDir(), "lib")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	o := oracle{t: t, dir: dir}
	o.git("init", "-q", "-b", "trunk", "--template=")
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.bak"), 0o644); err != nil {
		t.Fatal(err)
	}
	o.git("add", "-A")
	o.git("commit", "-q", "-m", "before")
	l, res := initWith(t, dir)
	if res.Created || res.Unborn {
		t.Errorf("result %+v", res)
	}
	adopt(t, l)
	o.sound("")
	if got := o.git("rev-list", "--count", "trunk"); got != "2\n" {
		t.Errorf("%s commits", got)
	}
	if got := disk(t, l, ".gitignore"); !strings.HasPrefix(got, "*.bak\n# >>> git-novel") {
		t.Errorf(".gitignore:\n%s", got)
	}
	if _, err := o.try("config", "--local", "core.quotePath"); err == nil {
		t.Error("core.quotePath was set in a repository that we did not make")
	}
}

func TestInitInsideAnother(t *testing.T) {
	t.Parallel()
	needGit(t)
	outer := filepath.Join(t.TempDir(), "outer")
	if err := os.MkdirAll(filepath.Join(outer, "sub", "novels"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := oracle{t: t, dir: outer}
	o.git("init", "-q", "--template=")
	before := files(t, outer)
	_, err := repo.Init(context.Background(), filepath.Join(outer, "sub"), options(filepath.Dir(outer)))
	if schema.CodeOf(err) != schema.CodeConflict || !strings.Contains(err.Error(), outer) {
		t.Errorf("a sub-folder with files: %v", err)
	}
	if now := files(t, outer); now != before {
		t.Errorf("the refusal changed:\n%s", now)
	}
	inner := filepath.Join(outer, "demo")
	l, res := initWith(t, inner)
	adopt(t, l)
	if !res.Created || !strings.HasSuffix(l.Root(), "demo") {
		t.Errorf("%+v at %s", res, l.Root())
	}
	(oracle{t: t, dir: inner}).sound("")
}

func TestOpenFindsTheLibrary(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	ctx := context.Background()
	deep := filepath.Join(l.Root(), "novels", "雨夜灯")
	again, err := repo.Open(ctx, deep, options(filepath.Dir(l.Root())))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Root() != l.Root() {
		t.Errorf("root %s, want %s", again.Root(), l.Root())
	}
	for _, dir := range []string{filepath.Dir(l.Root()), filepath.Join(l.Root(), "nothing")} {
		if _, err := repo.Open(ctx, dir, options("")); schema.CodeOf(err) != schema.CodeNotLibrary {
			t.Errorf("%s: %v", dir, err)
		}
	}
	// A nested repository without our folders is passed over; its library lies above.
	o.dir = filepath.Join(l.Root(), "novels", "雨夜灯", "素材")
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	o.git("init", "-q", "--template=")
	nested, err := repo.Open(ctx, o.dir, options(filepath.Dir(l.Root())))
	if err != nil {
		t.Fatal(err)
	}
	defer nested.Close()
	if nested.Root() != l.Root() {
		t.Errorf("from a nested repository: %s", nested.Root())
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	l, _ := started(t)
	fresh := disk(t, l, ".gitignore")
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", fresh},
		{"author's lines before and after", "a\r\n" + fresh + "# mine\n!b\n", "a\r\n" + fresh + "# mine\n!b\n"},
		{"no newline at the end", "a", "a\n" + fresh},
		{"older block", "a\n# >>> git-novel: old words\n/old/\n# <<< git-novel\nb\n", "a\n" + fresh + "b\n"},
		{"block twice", fresh + "a\n" + fresh, fresh + "a\n"},
		{"end mark lost", "a\n# >>> git-novel\n/.novel-writer/tmp/\nauthor\n", "a\nauthor\n" + fresh},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, o := started(t)
			edit(t, l, ".gitignore", c.in)
			adopt(t, l)
			if got := disk(t, l, ".gitignore"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			o.sound("")
		})
	}
}

func TestInitRefuses(t *testing.T) {
	t.Parallel()
	needGit(t)
	for name, c := range map[string]struct {
		setup func(o oracle)
		want  string
	}{
		"sha-256":   {func(o oracle) { o.git("init", "-q", "--template=", "--object-format=sha256") }, "sha256"},
		"bare":      {func(o oracle) { o.git("init", "-q", "--template=", "--bare") }, "bare"},
		"file":      {func(o oracle) { o.git("init", "-q", "--template="); touch(o.t, o.dir, "novels") }, "novels"},
		"half link": {func(o oracle) { o.git("init", "-q", "--template="); link(o.t, o.dir, ".novel-writer") }, "symbolic link"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "lib")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			c.setup(oracle{t: t, dir: dir})
			before := files(t, dir)
			_, err := repo.Init(context.Background(), dir, options(filepath.Dir(dir)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
			if now := files(t, dir); now != before {
				t.Errorf("changed:\n%s", now)
			}
		})
	}
}

func touch(t testing.TB, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, dir, name string) {
	t.Helper()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, name)); err != nil {
		t.Skip("no symlinks here:", err)
	}
}

// Nothing here needs a git program.
func TestWithoutGit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "书 库")
	l, _ := initWith(t, dir)
	adopt(t, l)
	first := put(t, l, map[string]string{chapter: "雨夜。\n"})
	second := update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("rename(雨夜灯): x\n")
		return tx.Rename(chapter, "novels/雨夜灯/第01章 晴.md")
	})
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if s.Commit() != second.Commit || first.Commit == second.Commit {
		t.Errorf("HEAD is %s", s.Commit())
	}
	if b, _, err := s.Read("novels/雨夜灯/第01章 晴.md"); err != nil || string(b) != "雨夜。\n" {
		t.Errorf("%q, %v", b, err)
	}
	if _, _, err := s.Read(chapter); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("the old name: %v", err)
	}
	old, err := l.SnapshotAt(first.Commit)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := old.List("novels/雨夜灯"); err != nil || len(entries) != 1 || entries[0].Name != filepath.Base(chapter) {
		t.Errorf("%v, %v", entries, err)
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
