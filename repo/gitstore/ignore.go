package gitstore

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ignoreRule is one line of an ignore file.
type ignoreRule struct {
	pattern  string
	negated  bool
	dirOnly  bool
	basename bool // the pattern has no slash and matches the last component
}

// ignoreFile is one ignore file with the folder that its patterns are relative to.
type ignoreFile struct {
	dir   string // slash separated, "" is the root
	rules []ignoreRule
}

// Ignores answers which paths of the worktree git ignores: by the .gitignore files from the path's folder up to the root,
// then info/exclude, then core.excludesFile. It is a snapshot of those files and belongs to one goroutine. Whether a path
// is tracked, and so not ignored whatever the patterns say, is the caller's to know.
type Ignores struct {
	r     *Repo
	base  []ignoreFile // highest precedence first: info/exclude, the user's
	byDir map[string]ignoreFile
	known map[string]bool // folders that were asked about
	fold  bool
}

const maxIgnoreFile = 1 << 20

// Ignores reads the ignore files that are not in the worktree; the others are read as they are needed.
func (r *Repo) Ignores() *Ignores {
	g := &Ignores{r: r, byDir: map[string]ignoreFile{}, known: map[string]bool{}, fold: r.config.Bool("core.ignorecase", false)}
	g.base = append(g.base, loadIgnores(filepath.Join(r.loc.CommonDir, "info", "exclude"), ""))
	user, ok := r.config.Get("core.excludesfile")
	if !ok && r.env.xdg() != "" {
		user = filepath.Join(r.env.xdg(), "git", "ignore")
	}
	if user != "" {
		g.base = append(g.base, loadIgnores(r.env.expand(user), ""))
	}
	return g
}

// Match reports whether the patterns ignore a path, slash separated and relative to the worktree. What lies in an ignored
// folder is ignored, and no pattern brings it back.
func (g *Ignores) Match(p string, isDir bool) bool {
	if dir := path.Dir(p); dir != "." && g.folder(dir) {
		return true
	}
	return g.last(p, isDir)
}

func (g *Ignores) folder(dir string) bool {
	if ignored, ok := g.known[dir]; ok {
		return ignored
	}
	ignored := g.Match(dir, true)
	g.known[dir] = ignored
	return ignored
}

// last gives the word of the last line that matches, in the order of precedence.
func (g *Ignores) last(p string, isDir bool) bool {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		if ignored, ok := g.ask(g.file(dir), p, isDir); ok {
			return ignored
		}
		if dir == "" {
			break
		}
	}
	for _, f := range g.base {
		if ignored, ok := g.ask(f, p, isDir); ok {
			return ignored
		}
	}
	return false
}

func (g *Ignores) ask(f ignoreFile, p string, isDir bool) (ignored, ok bool) {
	rel := p
	if f.dir != "" {
		rel = strings.TrimPrefix(p, f.dir+"/")
	}
	for _, rule := range slices.Backward(f.rules) {
		if rule.dirOnly && !isDir {
			continue
		}
		text := rel
		if rule.basename {
			text = path.Base(p)
		}
		if wildmatch(rule.pattern, text, true, g.fold) {
			return !rule.negated, true
		}
	}
	return false, false
}

// file reads the .gitignore of a worktree folder; a link in its place is not followed, as in git.
func (g *Ignores) file(dir string) ignoreFile {
	if f, ok := g.byDir[dir]; ok {
		return f
	}
	f := ignoreFile{dir: dir}
	if g.r.loc.WorkTree != "" {
		name := filepath.Join(g.r.loc.WorkTree, filepath.FromSlash(dir), ".gitignore")
		if st, err := os.Lstat(name); err == nil && st.Mode().IsRegular() {
			f = loadIgnores(name, dir)
		}
	}
	g.byDir[dir] = f
	return f
}

// loadIgnores reads an ignore file; one that is missing or far too large is empty.
func loadIgnores(file, dir string) ignoreFile {
	out := ignoreFile{dir: dir}
	data, err := readBounded(file, maxIgnoreFile)
	if err != nil {
		return out
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for line := range strings.SplitSeq(string(data), "\n") {
		if rule, ok := parseIgnore(strings.TrimSuffix(line, "\r")); ok {
			out.rules = append(out.rules, rule)
		}
	}
	return out
}

func parseIgnore(line string) (ignoreRule, bool) {
	if line == "" || line[0] == '#' {
		return ignoreRule{}, false
	}
	line = trimIgnore(line)
	var r ignoreRule
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		r.negated, line = true, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		r.dirOnly, line = true, rest
	}
	r.basename = !strings.Contains(line, "/")
	r.pattern = strings.TrimPrefix(line, "/")
	return r, r.pattern != ""
}

// trimIgnore takes spaces off the end of a line, up to one that a backslash keeps.
func trimIgnore(line string) string {
	end := len(line)
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	if strings.Trim(line, " ") == "" {
		return ""
	}
	return line[:end]
}
