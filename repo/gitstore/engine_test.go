package gitstore

import (
	"strings"
	"testing"
)

func TestCommitsThatGitAgreesWith(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "3", "4"} {
		t.Run("index v"+version, func(t *testing.T) {
			t.Parallel()
			r, g := newRepo(t)
			g.run("config", "index.version", version)
			first := commitFiles(t, r, "one", map[string]string{"a.txt": "a\n", "novels/书/第01章.md": "甲\n", "novels/书/第02章.md": "乙\n"})
			g.clean()
			if got := g.run("rev-parse", "HEAD"); got != first.String() {
				t.Errorf("HEAD is %s, want %s", got, first)
			}
			g.run("update-index", "--index-version", version)
			if version == "3" {
				g.run("update-index", "--skip-worktree", "a.txt")
			}
			writeFile(t, g.dir+"/staged.txt", "staged")
			g.run("add", "staged.txt")
			writeFile(t, g.dir+"/loose.txt", "loose")
			commitFiles(t, r, "two", map[string]string{
				"novels/书/第01章.md": "甲改\n", "novels/书/第02章.md": "", "novels/书/第015章.md": "丙\n", "b/c/d.txt": "d\n", "a.txt.b": "x",
			})
			if got, want := g.run("status", "--porcelain"), "A  staged.txt\n?? loose.txt"; got != want {
				t.Errorf("status:\n%s\nwant\n%s", got, want)
			}
			ix := must[*Index](t)(r.ReadIndex())
			if want := map[string]int{"2": 2, "3": 3, "4": 4}[version]; ix.Version != want {
				t.Errorf("index version %d, want %d", ix.Version, want)
			}
			if e, _ := ix.Entry("a.txt"); (version == "3") != e.SkipWorktree {
				t.Errorf("skip-worktree flag of a.txt is %v", e.SkipWorktree)
			}
			g.run("reset", "-q", "--", "staged.txt")
			if out := g.run("diff-index", "--cached", "HEAD"); out != "" {
				t.Errorf("index differs from HEAD: %s", out)
			}
			if out := g.run("fsck", "--strict", "--no-dangling"); out != "" {
				t.Errorf("fsck: %s", out)
			}
			if out := g.run("reflog", "--format=%H %gs"); !strings.Contains(out, "commit: two") {
				t.Errorf("reflog of HEAD: %s", out)
			}
			if out := g.run("reflog", "show", "main", "--format=%gs"); out != "commit: two\ncommit: one" {
				t.Errorf("reflog of main: %s", out)
			}
		})
	}
}
