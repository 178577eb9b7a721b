package gitstore

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestIgnores(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	writeFile(t, filepath.Join(g.dir, ".gitignore"), "\xef\xbb\xbf*.tmp\r\n/秘密/\n!留.tmp\n资料/**/旧\n\\#井\n尾 \\ \nfoo/\n")
	writeFile(t, filepath.Join(g.dir, "novels", "书", ".gitignore"), "*.txt\n!笔记.txt\n/私/*\n!/私/公开.md\n")
	writeFile(t, filepath.Join(g.dir, ".git", "info", "exclude"), "草稿.bak\n!a.tmp\n")
	paths := map[string]bool{
		"a.tmp": true, "留.tmp": false, "novels/书/a.tmp": true, "秘密/x": true, "novels/秘密/x": false, "资料/旧": true,
		"资料/一/二/旧": true, "资料/新": false, "#井": true, "foo/bar": true, "novels/foo": false, "novels/书/大纲.txt": true,
		"novels/书/笔记.txt": false, "novels/书/私/账.md": true, "novels/书/私/公开.md": false, "novels/书2/大纲.txt": false,
		"草稿.bak": true, "novels/书/草稿.bak": true, "novels/书/第01章.md": false, "尾  ": true,
	}
	ig := r.Ignores()
	for p, want := range paths {
		writeFile(t, filepath.Join(g.dir, filepath.FromSlash(p)), "x")
		if got := ig.Match(p, false); got != want {
			t.Errorf("%s: ignored is %v, want %v", p, got, want)
		}
	}
	var asked []string
	for p := range paths {
		asked = append(asked, p)
	}
	if diff := cmp.Diff(g.ignored(asked), ours(r, asked)); diff != "" {
		t.Errorf("git (-) and we (+): %s", diff)
	}
}

// ignored asks git which of the paths it ignores.
func (g *git) ignored(paths []string) []string {
	out, err := g.try([]byte(strings.Join(paths, "\x00")), "check-ignore", "--no-index", "-z", "--stdin")
	if err != nil && out != "" {
		g.t.Fatal(err)
	}
	list := strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
	slices.Sort(list)
	return list
}

func ours(r *Repo, paths []string) []string {
	ig := r.Ignores()
	list := []string{}
	for _, p := range paths {
		if ig.Match(p, false) {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

// TestIgnoresLikeGit draws ignore files and compares every answer with git's.
func TestIgnoresLikeGit(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	var paths []string
	for _, dir := range []string{"", "a/", "a/b/", "书/", "书/a/"} {
		for _, name := range []string{"x", "x.md", "雨", "ab", "#x"} {
			p := dir + name
			writeFile(t, filepath.Join(g.dir, filepath.FromSlash(p)), "x")
			paths = append(paths, p)
		}
	}
	piece := rapid.SampledFrom([]string{"a", "b", "x", "雨", "书", "*", "?", "/**/", "/", "/", "!", ".md", "[a-x]", "\\x", " ", "#"})
	line := rapid.Custom(func(t *rapid.T) string {
		// Git takes "a**/b" for "ab" too, which its own manual denies; nobody writes that.
		return strings.ReplaceAll(strings.Join(rapid.SliceOfN(piece, 1, 5).Draw(t, "line"), ""), "*/**", "/**")
	})
	rapid.Check(t, func(rt *rapid.T) {
		for _, dir := range []string{"", "a", "书"} {
			lines := rapid.SliceOfN(line, 0, 3).Draw(rt, "lines in "+dir)
			writeFile(t, filepath.Join(g.dir, dir, ".gitignore"), strings.Join(lines, "\n")+"\n")
		}
		if diff := cmp.Diff(g.ignored(paths), ours(r, paths)); diff != "" {
			rt.Fatalf("git (-) and we (+): %s", diff)
		}
	})
}
