package gitstore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-novel/schema"
)

func TestDiscoverAgreesWithGit(t *testing.T) {
	t.Parallel()
	base := filepath.Join(must[string](t)(filepath.EvalSymlinks(t.TempDir())), "书 库")
	ok(t, os.MkdirAll(filepath.Join(base, "deep/er"), 0o755))
	g := newGit(t, base)
	g.run("init", "-q")
	g.run("commit", "-q", "--allow-empty", "-m", "x")
	g.run("init", "-q", "--bare", "bare.git")
	g.run("worktree", "add", "-q", "wt")
	g.run("init", "-q", "--separate-git-dir", filepath.Join(base, "elsewhere"), "sep")
	g.run("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", base+"/.git", "sub")
	if err := os.Symlink(filepath.Join(base, "deep"), filepath.Join(base, "link")); err != nil {
		t.Log("no symbolic links here:", err)
	}
	for _, d := range []string{"", "deep/er", "link/er", "bare.git", "bare.git/objects", "wt", "sep", "sub", ".git/refs"} {
		dir := filepath.Join(base, d)
		loc, err := Discover(dir)
		if err != nil {
			t.Errorf("%s: %v", d, err)
			continue
		}
		gd := &git{t: t, dir: dir, env: g.env, prog: g.prog}
		want := strings.Split(gd.run("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"), "\n")
		top, err := gd.try(nil, "rev-parse", "--show-toplevel")
		if err != nil {
			top = ""
			if d == ".git/refs" {
				top = base // we say more than git here
			}
		}
		if loc.GitDir != want[0] || loc.CommonDir != want[1] || loc.WorkTree != top {
			t.Errorf("%s: %+v, git says %v %q", d, loc, want, top)
		}
		if _, err := Open(loc, testEnv(t)); err != nil {
			t.Errorf("%s: %v", d, err)
		}
	}
	if _, err := Discover(filepath.Dir(base)); schema.CodeOf(err) != schema.CodeNotLibrary {
		t.Errorf("outside: %v", err)
	}
	writeFile(t, filepath.Join(base, "bad/.git"), "gitdir: ../nowhere\n")
	if _, err := Discover(filepath.Join(base, "bad")); schema.CodeOf(err) != schema.CodeNotLibrary {
		t.Errorf("bad .git file: %v", err)
	}
}

func TestOpenRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	for i, c := range []struct{ key, value, word string }{
		{"extensions.objectFormat", "sha256", "sha256"},
		{"extensions.refStorage", "reftable", "reftable"},
		{"extensions.fromTheFuture", "true", "fromthefuture"},
		{"core.repositoryFormatVersion", "2", "version 2"},
	} {
		writeFile(t, filepath.Join(g.dir, ".git/config"), "[core]\n\trepositoryformatversion = 1\n["+strings.Split(c.key, ".")[0]+"]\n\t"+strings.Split(c.key, ".")[1]+" = "+c.value+"\n")
		_, err := Open(r.Location(), testEnv(t))
		if schema.CodeOf(err) != schema.CodeNotLibrary || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%d: %v", i, err)
		}
	}
	writeFile(t, filepath.Join(g.dir, ".git/config"), "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n\tpartialClone = origin\n\tnoop = 1\n")
	if _, err := Open(r.Location(), testEnv(t)); err != nil {
		t.Error(err)
	}
	if _, err := Open(r.Location(), Env{}); err == nil {
		t.Error("opened without a clock")
	}
}

func TestSafeDirectory(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make a repository of another user")
	}
	r, g := newRepo(t)
	ok(t, os.Chown(g.dir, 12345, 12345))
	vars := map[string]string{"GIT_CONFIG_NOSYSTEM": "1"}
	home := t.TempDir()
	env := Env{Home: home, Clock: testClock, Getenv: func(k string) string { return vars[k] }}
	root := r.Location().WorkTree
	cases := []struct {
		list []string
		safe bool
	}{
		{nil, false},
		{[]string{"*"}, true},
		{[]string{root}, true},
		{[]string{root + "/x"}, false},
		{[]string{filepath.Dir(root) + "/*"}, true},
		{[]string{root, ""}, false},
		{[]string{"*", "", root}, true},
		{[]string{root + "/*"}, false},
	}
	for _, c := range cases {
		text := "[safe]\n"
		for _, v := range c.list {
			text += "\tdirectory = " + v + "\n"
		}
		writeFile(t, filepath.Join(home, ".gitconfig"), text)
		_, err := Open(r.Location(), env)
		if (err == nil) != c.safe {
			t.Errorf("%v: %v", c.list, err)
		}
		var e *schema.Error
		if asError(err, &e) && !strings.Contains(e.Hint.String(), root) {
			t.Errorf("hint: %v", err)
		}
	}
	// The repository's own word does not count, and sudo's user does.
	writeFile(t, filepath.Join(home, ".gitconfig"), "")
	g.env = append(g.env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
	g.run("config", "safe.directory", "*")
	if _, err := Open(r.Location(), env); schema.CodeOf(err) != schema.CodeGit {
		t.Errorf("own config: %v", err)
	}
	vars["SUDO_UID"] = "12345"
	if _, err := Open(r.Location(), env); err != nil {
		t.Errorf("under sudo: %v", err)
	}
}

func TestCreateLikeGitInit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "新 书库", "a")
	env := testEnv(t)
	writeFile(t, filepath.Join(env.Home, ".gitconfig"), "[init]\n\tdefaultBranch = 主线\n")
	r, err := Create(dir, "", env)
	ok(t, err)
	if h := must[Head](t)(r.Head()); h.Ref != "refs/heads/主线" || !h.Unborn {
		t.Errorf("head %+v", h)
	}
	commitFiles(t, r, "first", map[string]string{"a": "a"})
	if _, err := Create(dir, "", env); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("second time: %v", err)
	}
	for _, bad := range []string{"-x", "a b", "a..b", "x.lock", "/"} {
		if _, err := Create(filepath.Join(t.TempDir(), "n"), bad, env); schema.CodeOf(err) != schema.CodeUsage {
			t.Errorf("branch %q: %v", bad, err)
		}
	}
	bare, err := CreateBare(filepath.Join(t.TempDir(), "b.git"), "main", env)
	ok(t, err)
	if loc := bare.Location(); loc.WorkTree != "" {
		t.Errorf("bare: %+v", loc)
	}
	if found, err := Discover(bare.Location().GitDir); err != nil || found != bare.Location() {
		t.Errorf("bare found as %+v, %v", found, err)
	}
	g := newGit(t, dir)
	g.clean()
	ours := g.run("config", "--local", "--list")
	other := newGit(t, t.TempDir())
	other.run("init", "-q")
	if theirs := other.run("config", "--local", "--list"); ours != theirs {
		t.Errorf("config\n%s\ngit's\n%s", ours, theirs)
	}
	g.run("push", "-q", bare.Location().GitDir, "HEAD:refs/heads/main")
	if h := must[Head](t)(bare.Head()); h.ID.String() != g.run("rev-parse", "HEAD") {
		t.Errorf("pushed into our bare repository: %+v", h)
	}
}

func TestAttributesAgreeWithGit(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	writeFile(t, filepath.Join(g.dir, ".gitattributes"), strings.Join([]string{
		"# comment", "* text=auto", "*.md text eol=lf filter=md", "novels/** -text diff=novel merge=novel", "/top.txt ident", "*.bin binary",
		"[attr]mine working-tree-encoding=UTF-16 -filter", "*.u16 mine", "\"with space.md\" ident", "\"\\344\\271\\246.md\" eol=crlf", "a/*.x text", "!neg text", "dir/ ident", "q?.[ch] -text", "**/any ident",
		"x/**/z.md ident", "[a-c]*.t !text", "*.md !filter", "foo[[:digit:]].t ident", "*\\**.t ident",
	}, "\n"))
	writeFile(t, filepath.Join(g.dir, "novels/书/.gitattributes"), "*.txt text=auto eol=crlf\n第*.md ident -merge\n/only.md filter=x\n")
	writeFile(t, filepath.Join(g.dir, ".git/info/attributes"), "special.md -text -ident\n")
	home := strings.TrimPrefix(g.env[0], "HOME=")
	writeFile(t, filepath.Join(home, ".config/git/attributes"), "*.user ident\n*.md working-tree-encoding=UTF-8\n")
	re, err := Open(r.Location(), Env{Home: home, Clock: testClock})
	ok(t, err)
	attrs := re.attributes()
	names := []string{"text", "eol", "filter", "ident", "working-tree-encoding", "diff", "merge", "binary", "mine"}
	for _, p := range []string{
		"a.md", "top.txt", "sub/top.txt", "novels/书/第1章.md", "novels/书/a.txt", "novels/书/x/a.txt", "novels/书/only.md", "novels/书/x/only.md", "p.bin", "e.u16",
		"with space.md", "书.md", "a/b.x", "a/b/c.x", "neg", "dir/f", "q1.c", "q/.c", "any", "k/any", "x/z.md", "x/y/z.md", "x/y/w/z.md", "b.t", "d.t", "special.md", "m.user", "novels", "foo1.t", "foox.t", "a*b.t",
	} {
		got := attrs.of(p)
		out := g.run(append(append([]string{"-c", "core.quotePath=false", "check-attr", "-z"}, names...), "--", p)...)
		fields := strings.Split(out, "\x00")
		for i := 0; i+2 < len(fields); i += 3 {
			v := got[fields[i+1]]
			have := map[byte]string{0: "unspecified", '+': "set", '-': "unset", '=': v.value}[v.state]
			if have != fields[i+2] {
				t.Errorf("%s: %s is %s, git says %s", p, fields[i+1], have, fields[i+2])
			}
		}
	}
}

func TestForeign(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	paths := []string{"novels/书/第01章.md", ".gitignore"}
	check := func(word string) {
		t.Helper()
		reason, foreign := openRepo(t, g.dir).Foreign(paths)
		if foreign != (word != "") || !strings.Contains(reason, word) {
			t.Errorf("want %q, got %q %v", word, reason, foreign)
		}
	}
	check("")
	g.run("config", "commit.gpgSign", "true")
	check("signing")
	g.run("config", "commit.gpgSign", "false")
	hook := filepath.Join(g.dir, ".git/hooks/pre-commit")
	writeFile(t, hook, "#!/bin/sh\nexit 0\n")
	check("")
	ok(t, os.Chmod(hook, 0o755))
	check("pre-commit")
	writeFile(t, hook, "#!/bin/sh\n# git-novel hook\n# git-novel chain: pre-commit.before\n")
	check("")
	writeFile(t, hook+".before", "#!/bin/sh\n")
	ok(t, os.Chmod(hook+".before", 0o755))
	check("pre-commit")
	g.run("config", "core.hooksPath", "my hooks")
	check("")
	writeFile(t, filepath.Join(g.dir, "my hooks/commit-msg"), "#!/bin/sh\n")
	ok(t, os.Chmod(filepath.Join(g.dir, "my hooks/commit-msg"), 0o755))
	check("commit-msg")
	g.run("config", "core.hooksPath", "/dev/null")
	check("")
	attr := filepath.Join(g.dir, ".gitattributes")
	writeFile(t, attr, "*.md filter=lfs\n")
	check("")
	g.run("config", "filter.lfs.clean", "cat")
	check("filter lfs")
	writeFile(t, attr, "*.md filter=lfs\nnovels/** -filter ident\n")
	check("ident")
	writeFile(t, attr, "*.md working-tree-encoding=UTF-16\n")
	check("encoding")
	writeFile(t, attr, "* text=auto\n")
	check("line-end")
	writeFile(t, attr, "* text=auto\nnovels/** -text\n.gitignore -text\n")
	check("")
	g.run("config", "core.autocrlf", "true")
	check("")
	writeFile(t, attr, "novels/** -text\n")
	check("")
	writeFile(t, filepath.Join(g.dir, ".gitignore"), "a\r\nb\r\n")
	check("line-end")
	writeFile(t, filepath.Join(g.dir, ".gitignore"), "a\nb\n")
	check("")
	_ = r
}

// TestAutocrlf: with our -text line, bytes stay bytes, and git finds nothing to change.
func TestAutocrlf(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	g.run("config", "core.autocrlf", "true")
	commitFiles(t, r, "a", map[string]string{".gitattributes": "novels/** -text\n", "novels/书/1.md": "甲\r\n乙\n"})
	past := time.Now().Add(-time.Minute)
	ok(t, os.Chtimes(filepath.Join(g.dir, "novels/书/1.md"), past, past)) // makes git look at the bytes
	g.clean()
	if out := g.run("cat-file", "-p", "HEAD:novels/书/1.md"); out != "甲\r\n乙" {
		t.Errorf("stored %q", out)
	}
}

func TestWildmatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "a/b", false},
		{"**", "a/b", true},
		{"a/**", "a/b/c", true},
		{"a/**", "a", false},
		{"**/c", "a/b/c", true},
		{"**/c", "c", true},
		{"a/**/c", "a/c", true},
		{"a/**/c", "a/b/b/c", true},
		{"a**c", "a/c", false},
		{"a**c", "abc", true},
		{"?", "章", false}, // git matches bytes
		{"???", "章", true},
		{"?", "/", false},
		{"[章节]", "章", false},
		{"[!a]", "b", true},
		{"[a-c]", "b", true},
		{"[]]", "]", true},
		{"[a", "a", false},
		{`\*`, "*", true},
		{`\*`, "a", false},
		{"*.md", ".md", true},
		{"*", "", true},
		{"", "", true},
		{"a*b*c", "aXbYc", true},
		{"a*b*c", "aXcYb", false},
		{"[[:digit:]]x", "1x", true},
		{"[/]", "/", false},
	} {
		if got := wildmatch(c.pattern, c.text, true, false); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.text, got)
		}
	}
	if !wildmatch("*", "a/b", false, false) || !wildmatch("ABC", "abc", true, true) {
		t.Error("flags are ignored")
	}
	start := time.Now()
	wildmatch(strings.Repeat("*a", 40)+"b", strings.Repeat("a", 4000), true, false)
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("a hostile pattern took %v", d)
	}
}

func FuzzWildmatch(f *testing.F) {
	f.Add("a/**/[b-z]?*", "a/x/c/d")
	f.Fuzz(func(_ *testing.T, pattern, text string) { wildmatch(pattern, text, true, true) })
}
