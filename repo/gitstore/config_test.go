package gitstore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-novel/schema"
)

// listConfig is our merged configuration in the form of "git config --list -z".
func listConfig(c *Config) string {
	var b strings.Builder
	for _, v := range c.vars {
		if v.implicit {
			fmt.Fprintf(&b, "%s\x00", v.key)
		} else {
			fmt.Fprintf(&b, "%s\n%s\x00", v.key, v.value)
		}
	}
	return b.String()
}

func TestConfigReadsLikeGit(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		"\ufeff[core]", "\tquotePath = false ; comment", "  bare", "[User]", "name = \"  作 者 \" # c", "email=a@b.c", "[Section \"Sub.Section\\\"x\\\\\"]",
		"\tKey-1 = a\\tb\\nc\\\\d\\\"e", "\tlong = one \\", "   two   three  ", "\tquoted = \"a # b ; c\"tail", "\tempty =", "\tempty2 = \"\"",
		"[old.Style] x = 1", "[alias]\tlg = !git log \"--format=%h %s\"", "[trailing]\ta = b\\", "", "[crlf]\r", "\ta = b\r", "\tc\r", "[a]b=c", "[last]\tv = x",
	}, "\n")
	r, g := newRepo(t)
	file := filepath.Join(t.TempDir(), "cfg")
	writeFile(t, file, text)
	want := g.run("config", "--list", "-z", "-f", file)
	c := &Config{}
	ok(t, parseConfig(file, []byte(text), func(v configVar) error { c.add(v); return nil }))
	if got := listConfig(c); got != want {
		t.Errorf("we read\n%q\ngit\n%q", got, want)
	}
	for _, bad := range []string{"[core", "[core]\nx y", "[a \"b]\nc=d", "[core]\n1x = 2", "[a]\nb = \"open", "[a]\nb = \\q", "[]\nx=1", "[a b]\nx=1", "[a]\n\nb = 1\n = 2"} {
		writeFile(t, file, bad)
		if _, err := g.try(nil, "config", "--list", "-f", file); err == nil {
			t.Errorf("git takes %q", bad)
		}
		err := parseConfig(file, []byte(bad), func(configVar) error { return nil })
		if schema.CodeOf(err) != schema.CodeInvalid || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	_ = r
}

func TestConfigSourcesAndIncludes(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	g.run("remote", "add", "origin", "https://example.com/books/x.git")
	home := t.TempDir()
	sys := filepath.Join(t.TempDir(), "system")
	xdg := filepath.Join(home, ".config", "git", "config")
	root := must[string](t)(filepath.EvalSymlinks(g.dir))
	writeFile(t, sys, "[a]\n\tv = system\n[user]\n\tname = sys\n")
	writeFile(t, xdg, "[a]\n\tv = xdg\n")
	writeFile(t, filepath.Join(home, ".gitconfig"), strings.Join([]string{
		"[a]", "v = home", "[include]", "path = inc/plain", "path = ~/inc/tilde", "path = /no/such/file",
		"[includeIf \"gitdir:" + root + "/\"]", "path = inc/gitdir",
		"[includeIf \"gitdir:" + strings.ToUpper(root) + "/.git\"]", "path = inc/gitdir-case",
		"[includeIf \"gitdir/i:" + strings.ToUpper(root) + "/.git\"]", "path = inc/gitdir-i",
		"[includeIf \"gitdir:" + filepath.Base(root) + "/\"]", "path = inc/gitdir-rel",
		"[includeIf \"gitdir:~/\"]", "path = inc/not-home",
		"[includeIf \"onbranch:ma*\"]", "path = inc/branch",
		"[includeIf \"onbranch:other/\"]", "path = inc/not-branch",
		"[includeIf \"hasconfig:remote.*.url:https://example.com/**\"]", "path = inc/remote",
		"[includeIf \"hasconfig:remote.*.url:https://other.com/**\"]", "path = inc/not-remote",
		"[includeIf \"unknown:x\"]", "path = inc/not-unknown",
	}, "\n"))
	for _, n := range []string{"plain", "tilde", "gitdir", "gitdir-case", "gitdir-i", "gitdir-rel", "not-home", "branch", "not-branch", "remote", "not-remote", "not-unknown"} {
		writeFile(t, filepath.Join(home, "inc", n), "[seen]\n\tby = "+n+"\n[include]\n\tpath = deeper\n")
	}
	writeFile(t, filepath.Join(home, "inc", "deeper"), "[deep]\n\ter = true\n")
	g.run("config", "extensions.worktreeConfig", "true")
	g.run("config", "a.v", "local")
	writeFile(t, filepath.Join(g.dir, ".git/config.worktree"), "[a]\n\tv = worktree\n")
	vars := map[string]string{
		"GIT_CONFIG_SYSTEM": sys, "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "Env.Key", "GIT_CONFIG_VALUE_0": "v0", "GIT_CONFIG_KEY_1": "env.key", "GIT_CONFIG_VALUE_1": "",
	}
	env := Env{Home: home, Clock: testClock, Getenv: func(k string) string { return vars[k] }}
	g.env = []string{"HOME=" + home, "LC_ALL=C"}
	for k, v := range vars {
		g.env = append(g.env, k+"="+v)
	}
	re, err := Open(r.Location(), env)
	ok(t, err)
	if got, want := listConfig(re.Config()), g.run("config", "--list", "-z", "--includes"); got != want {
		t.Errorf("we read\n%s\ngit\n%s", strings.ReplaceAll(got, "\x00", "\n--\n"), strings.ReplaceAll(want, "\x00", "\n--\n"))
	}
	if v, _ := re.Config().Get("A.V"); v != "worktree" {
		t.Errorf("a.v = %q", v)
	}
	// GIT_CONFIG_GLOBAL stands in for both user files; NOSYSTEM leaves out the system's.
	vars["GIT_CONFIG_GLOBAL"], vars["GIT_CONFIG_NOSYSTEM"] = sys, "true"
	re, err = Open(r.Location(), env)
	ok(t, err)
	if got := re.Config().All("a.v"); strings.Join(got, " ") != "system local worktree" {
		t.Errorf("a.v = %v", got)
	}
	// An endless include is refused with the file's name.
	writeFile(t, sys, "[include]\n\tpath = "+sys+"\n")
	if _, err := Open(r.Location(), env); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("endless include: %v", err)
	}
}

func TestConfigFromGitDashC(t *testing.T) {
	t.Parallel()
	_, g := newRepo(t)
	raw := g.run("-c", "user.name=O'Neil! x", "-c", "core.bare", "-c", "a.B.c=", "-c", "alias.p=!printf %s \"$GIT_CONFIG_PARAMETERS\"", "p")
	c := &Config{}
	for _, v := range parseParameters(raw) {
		c.add(v)
	}
	if v, _ := c.Get("user.name"); v != "O'Neil! x" || !c.Bool("core.bare", false) {
		t.Errorf("from %q: name %q", raw, v)
	}
	if v, found := c.Get("a.B.c"); !found || v != "" {
		t.Errorf("from %q: %q %v", raw, v, found)
	}
	for _, old := range []string{"'a.b=c d' 'e.f'", "'a.b'='c d' 'e.f'="} {
		vars := parseParameters(old)
		if len(vars) != 2 || vars[0].value != "c d" || !vars[1].implicit {
			t.Errorf("%s: %+v", old, vars)
		}
	}
}

func TestConfigTypes(t *testing.T) {
	t.Parallel()
	c := &Config{}
	text := "[t]\na\nb=yes\nc=0\nd=off\ne=2k\nf=1g\ng=junk\nh=\ni=0x10\nj=-3\n"
	ok(t, parseConfig("x", []byte(text), func(v configVar) error { c.add(v); return nil }))
	for key, want := range map[string]bool{"t.a": true, "t.b": true, "t.c": false, "t.d": false, "t.h": false, "t.e": true} {
		if got := c.Bool(key, !want); got != want {
			t.Errorf("%s = %v", key, got)
		}
	}
	if !c.Bool("t.g", true) || c.Bool("t.none", false) {
		t.Error("defaults are ignored")
	}
	for key, want := range map[string]int{"t.e": 2048, "t.f": 1 << 30, "t.g": 7, "t.i": 16, "t.j": -3, "t.none": 7} {
		if got := c.Int(key, 7); got != want {
			t.Errorf("%s = %d", key, got)
		}
	}
}

// TestSetConfigAgainstGit sets random values and reads them back with git.
func TestSetConfigAgainstGit(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	start := "# top\n[core]\n\tbare = false ; keep\n[merge \"novel\"] name = x\n\n[user]\n\tname = A\n\tname = B\n[core]\n\tx = 1"
	file := filepath.Join(g.dir, ".git/config")
	rapid.Check(t, func(rt *rapid.T) {
		if err := os.WriteFile(file, []byte(start), 0o644); err != nil {
			rt.Fatal(err)
		}
		want := map[string]string{}
		for range rapid.IntRange(1, 4).Draw(rt, "n") {
			key := rapid.SampledFrom([]string{"core.bare", "core.quotePath", "merge.novel.driver", "merge.novel.name", "user.name", "new.Sec.x", "new.a\"b\\c.x", "core.x"}).Draw(rt, "key")
			value := rapid.StringMatching(`[a "\\#;=字\t]{0,8}`).Draw(rt, "value")
			if key == "core.bare" {
				value = "false"
			}
			if err := r.SetConfig(key, value); err != nil {
				rt.Fatal(err)
			}
			want[key] = value
		}
		for key, value := range want {
			out, err := g.try(nil, "config", "--get-all", "-z", key)
			if err != nil || out != value+"\x00" {
				data, _ := os.ReadFile(file)
				rt.Fatalf("%s: git reads %q (%v), want %q in\n%s", key, out, err, value, data)
			}
		}
		if data, _ := os.ReadFile(file); !strings.HasPrefix(string(data), "# top\n[core]\n\tbare = false ; keep\n") {
			rt.Fatalf("the head of the file changed:\n%s", data)
		}
		if err := r.UnsetConfig("user.name"); err != nil {
			rt.Fatal(err)
		}
		if out, err := g.try(nil, "config", "--get-all", "user.name"); err == nil {
			rt.Fatalf("still there: %s", out)
		}
	})
	for _, bad := range []string{"", "x", "a.", ".b", "a.1", "a b.c", "a.b_c", "a.b\n.c"} {
		if err := r.SetConfig(bad, "v"); schema.CodeOf(err) != schema.CodeUsage {
			t.Errorf("key %q: %v", bad, err)
		}
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	vars := map[string]string{"GIT_CONFIG_NOSYSTEM": "1"}
	env := Env{Home: t.TempDir(), Clock: testClock, Getenv: func(k string) string { return vars[k] }}
	open := func() *Repo {
		t.Helper()
		re, err := Open(r.Location(), env)
		ok(t, err)
		return re
	}
	_, _, err := open().Identity()
	var e *schema.Error
	if schema.CodeOf(err) != schema.CodeUsage || !asError(err, &e) || strings.Count(e.Hint.String(), "git config ") != 2 {
		t.Errorf("no identity: %v", err)
	}
	g.run("config", "user.name", " .作者, ")
	if _, _, err := open().Identity(); schema.CodeOf(err) != schema.CodeUsage {
		t.Errorf("no address: %v", err)
	}
	vars["EMAIL"] = "env@example.com"
	if a, _, err := open().Identity(); err != nil || a.Email != "env@example.com" || a.Name != "作者" {
		t.Errorf("EMAIL: %+v %v", a, err)
	}
	g.run("config", "user.useConfigOnly", "true")
	if _, _, err := open().Identity(); schema.CodeOf(err) != schema.CodeUsage {
		t.Errorf("useConfigOnly: %v", err)
	}
	g.run("config", "user.email", "<u@example.com>")
	g.run("config", "committer.name", "Editor")
	vars["GIT_AUTHOR_EMAIL"] = "author@example.com"
	vars["GIT_COMMITTER_DATE"] = "2005-04-07T22:13:13+02:00"
	a, c, err := open().Identity()
	if err != nil || a.Email != "author@example.com" || c.Email != "u@example.com" || c.Name != "Editor" || !a.When.Equal(testClock()) {
		t.Errorf("author %+v committer %+v %v", a, c, err)
	}
	g.env = append(g.env, "GIT_COMMITTER_DATE="+vars["GIT_COMMITTER_DATE"])
	g.env = append(g.env, "GIT_COMMITTER_NAME=", "GIT_COMMITTER_EMAIL=")
	for _, date := range []string{"@1112904793 +0200", "1112904793 +0200", "Thu, 07 Apr 2005 22:13:13 +0200", "2005-04-07 22:13:13 +0200"} {
		vars["GIT_COMMITTER_DATE"] = date
		if _, d, err := open().Identity(); err != nil || d.line() != c.line() {
			t.Errorf("date %q: %q %v, want %q", date, d.line(), err, c.line())
		}
	}
	vars["GIT_COMMITTER_DATE"] = "soon"
	if _, _, err := open().Identity(); schema.CodeOf(err) != schema.CodeUsage {
		t.Errorf("bad date: %v", err)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("[a \"b\"]\n\tc = d \\\n e # x\n[f]g"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = parseConfigSpans("x", data, func(_ configVar, s configSpan) error {
			if s.start < 0 || s.end > len(data) || s.start >= s.end {
				t.Fatalf("span %+v in %d bytes", s, len(data))
			}
			return nil
		})
	})
}
