package gitstore

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// HookMarker begins a line of every hook script that git-novel installs. Such a hook is ours and is not run by the native
// engine: it would only check again what the engine has checked. A script of somebody's that merely calls git-novel has
// no such line and is not ours.
const HookMarker = "# git-novel hook"

// HookChainMarker begins a line that names a hook which our script runs too, relative to its own folder.
const HookChainMarker = "# git-novel chain: "

// commitHooks are the hooks that git runs in "git commit".
func commitHooks() []string {
	return []string{
		"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction", "post-index-change",
	}
}

// Foreign tells whether a commit of the given paths needs the git program: commit signing is on, somebody's commit hook
// is installed, a filter or a line-end conversion applies to a path, or the index is split or sparse. The reason is a
// short English phrase.
func (r *Repo) Foreign(paths []string) (reason string, foreign bool) {
	if r.config.Bool("commit.gpgsign", false) {
		return "commit signing is on (commit.gpgSign)", true
	}
	for _, name := range commitHooks() {
		if file := filepath.Join(r.HooksDir(), name); foreignHook(file, 0) {
			return "the hook " + file, true
		}
	}
	if reason := r.foreignAttributes(paths); reason != "" {
		return reason, true
	}
	ix, err := r.ReadIndex()
	if err == nil && ix.Unsupported != "" {
		return ix.Unsupported, true
	}
	return "", false
}

// HooksDir is where git looks for hooks: core.hooksPath, which is relative to the worktree, else hooks in the common
// directory.
func (r *Repo) HooksDir() string {
	dir, ok := r.config.Get("core.hookspath")
	if !ok || dir == "" {
		return filepath.Join(r.loc.CommonDir, "hooks")
	}
	dir = filepath.FromSlash(r.env.expand(dir))
	if filepath.IsAbs(dir) {
		return dir
	}
	base := r.loc.WorkTree
	if base == "" {
		base = r.loc.GitDir
	}
	return filepath.Join(base, dir)
}

// maxHook bounds how much of a hook is read to find the marker.
const maxHook = 64 << 10

// foreignHook reports a hook that git would run and that is not ours, or ours in front of somebody's.
func foreignHook(file string, depth int) bool {
	st, err := os.Stat(file)
	if err != nil || !executable(st) {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxHook))
	chained, ours := OurHook(data)
	if err != nil || !ours || depth > 3 {
		return true
	}
	for _, name := range chained {
		next := filepath.FromSlash(name)
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(file), next)
		}
		if foreignHook(next, depth+1) {
			return true
		}
	}
	return false
}

// OurHook tells whether a hook script is one that git-novel installed, and which hooks it runs besides itself, as its
// lines name them.
func OurHook(script []byte) (chained []string, ours bool) {
	for line := range bytes.SplitSeq(script, []byte("\n")) {
		if bytes.HasPrefix(line, []byte(HookMarker)) {
			ours = true
		}
		if name, ok := bytes.CutPrefix(line, []byte(HookChainMarker)); ok {
			chained = append(chained, strings.TrimSpace(string(name)))
		}
	}
	return chained, ours
}

// Executable reports that git would run a hook file of this kind.
func Executable(st os.FileInfo) bool { return executable(st) }

// foreignAttributes looks for anything by which git would store other bytes than those on disk.
func (r *Repo) foreignAttributes(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	attrs := r.attributes()
	crlf, _ := r.config.Get("core.autocrlf")
	auto := strings.EqualFold(crlf, "input") || r.config.Bool("core.autocrlf", false)
	for _, p := range paths {
		of := attrs.of(p)
		if f := of["filter"]; f.is('=') && r.hasFilter(f.value) {
			return "the filter " + f.value + " on " + p
		}
		if of["ident"].is('+') {
			return "the attribute ident on " + p
		}
		if enc := of["working-tree-encoding"]; enc.is('=') && !strings.EqualFold(enc.value, "utf-8") && !strings.EqualFold(enc.value, "utf8") {
			return "the attribute working-tree-encoding on " + p
		}
		text := of["text"]
		if text.state == 0 {
			text = of["crlf"] // the old name
		}
		explicit := text.is('+') || text.is('=') || text.state == 0 && of["eol"].is('=')
		if text.is('-') || !explicit && !auto {
			continue
		}
		switch has, exists := r.hasCRLF(p); {
		case has, explicit && !exists:
			return "line-end conversion on " + p
		}
	}
	return ""
}

// hasFilter reports a filter driver that is configured; git ignores the others.
func (r *Repo) hasFilter(name string) bool {
	for _, k := range []string{"clean", "process"} {
		if v, ok := r.config.Get("filter." + name + "." + k); ok && v != "" {
			return true
		}
	}
	return false
}

// hasCRLF reports a worktree file with a CRLF in it: only such a file is changed by the conversion.
func (r *Repo) hasCRLF(path string) (has, exists bool) {
	root, err := r.worktree()
	if err != nil {
		return false, false
	}
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return false, false
	}
	defer func() { _ = f.Close() }()
	data, err := readAllBounded(f, maxObject)
	return err != nil || bytes.Contains(data, []byte("\r\n")), true
}
