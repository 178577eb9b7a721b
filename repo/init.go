package repo

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"git-novel/repo/atomicfile"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// Names of the hidden commands that git calls through the drivers of .git/config.
const (
	MergeDriverCommand = "merge-driver" // git-novel merge-driver BASE OURS THEIRS MARKERSIZE PATH: 0 merged, 1 conflict
	TextconvCommand    = "textconv"     // git-novel textconv FILE: a readable form on stdout
)

// drivers are the local settings that make plain git use us for our trees. Both fall back to git's own way when git-novel
// is not on PATH or is too old to know the command: a library stays usable with git-novel uninstalled (DESIGN 1).
func drivers() [][2]string {
	return [][2]string{
		{"merge.novel.name", "git-novel: merge by sentence and record"},
		{
			"merge.novel.driver",
			`f() { git-novel ` + MergeDriverCommand + ` "$@" 2>/dev/null; s=$?; [ $s -le 1 ] && return $s; ` +
				`git merge-file -q --marker-size="$4" -L ours -L base -L theirs "$2" "$1" "$3"; }; f %O %A %B %L %P`,
		},
		{"diff.novel.textconv", `f() { git-novel ` + TextconvCommand + ` "$1" 2>/dev/null || cat "$1"; }; f`},
	}
}

// InitOptions say how a library is made.
type InitOptions struct {
	Options
	// Branch is the first branch of a repository that is made; "" is init.defaultBranch, else main.
	Branch string
}

// InitResult is what Init found and did.
type InitResult struct {
	Created bool     // a repository was made
	Unborn  bool     // there is no commit yet
	Blocks  []string // of .gitignore and .gitattributes, those that now differ from before

	made   []string          // folders that were made, the outer ones first; the library's own is "."
	before map[string][]byte // what the files of Blocks held; nil for one that was not there
}

// Init makes dir a library, or opens the one that is there: see InitWith.
func Init(ctx context.Context, dir string, o Options) (*Library, error) {
	l, _, err := InitWith(ctx, dir, InitOptions{Options: o})
	return l, err
}

// InitWith makes dir a library: a new or empty folder gets a repository of its own, also inside another one; a folder with
// files that is in no repository gets one around them; the top folder of a repository is adopted with its history. A
// folder with files inside somebody's repository is refused: adopting it would take part of a history.
//
// It makes no commit. The blocks of .gitignore and .gitattributes are on disk afterwards; the caller commits them with
// everything else in one Update that calls Tx.TakeBlocks. Killed anywhere, it can be run again.
func InitWith(ctx context.Context, dir string, o InitOptions) (*Library, *InitResult, error) {
	o.Options = o.normal()
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, schema.Wrap(err, schema.CodeUsage, "cannot find the folder %s", dir)
	}
	res := &InitResult{before: map[string][]byte{}}
	if _, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) {
		res.made = append(res.made, ".")
	}
	if err := os.MkdirAll(abs, 0o755); err != nil { //nolint:gosec // the author's own folder
		return nil, nil, schema.Wrap(err, schema.CodeUsage, "cannot make the folder %s", dir)
	}
	if resolved, err := filepath.EvalSymlinks(abs); err == nil {
		abs = resolved
	}
	loc, err := site(abs)
	if err != nil {
		return nil, nil, err
	}
	if loc.WorkTree == "" {
		store, err := gitstore.Create(abs, o.Branch, o.Env)
		if err != nil {
			return nil, nil, err
		}
		loc = store.Location()
		err = store.SetConfig("core.quotePath", "false")
		_ = store.Close()
		if err != nil {
			return nil, nil, err
		}
		res.Created = true
	}
	l, err := open(loc, o.Options)
	if err != nil {
		return nil, nil, err
	}
	if err := l.makeLibrary(ctx, res); err != nil {
		l.UndoInit(res)
		l.Close()
		return nil, nil, err
	}
	return l, res, nil
}

// UndoInit takes back what InitWith made, for a caller that then made no commit of it: our blocks, folders that are empty,
// and the repository, when InitWith made it and nothing is in it. What cannot be taken back stays; init can be run again.
func (l *Library) UndoInit(res *InitResult) {
	for _, file := range res.Blocks {
		now, _, err := l.read(file)
		old := res.before[file]
		switch {
		case err != nil || !bytes.Equal(now, mergeBlock(old, blockLines(file))):
		case old == nil:
			_ = l.root.Remove(file)
		default:
			_ = atomicfile.Write(l.root, file, old, 0o644)
		}
	}
	for _, d := range slices.Backward(res.made) {
		if d != "." {
			_ = l.root.Remove(d) // an empty one only
		}
	}
	if res.Created {
		removeUnused(l.loc.GitDir)
	}
	if slices.Contains(res.made, ".") {
		_ = os.Remove(l.Root())
	}
}

// removeUnused removes a repository that holds no ref, no index and no object. It is moved aside first, so that nobody can
// put anything into it while it is looked at.
func removeUnused(gitDir string) {
	aside := gitDir + "-unused"
	if os.Rename(gitDir, aside) != nil {
		return
	}
	used := false
	for _, name := range []string{"index", "packed-refs", "worktrees", "modules"} {
		_, err := os.Lstat(filepath.Join(aside, name))
		used = used || err == nil
	}
	for _, dir := range []string{"refs", "objects"} {
		err := filepath.WalkDir(filepath.Join(aside, dir), func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				used = true
			}
			return err
		})
		used = used || err != nil
	}
	if used {
		_ = os.Rename(aside, gitDir)
		return
	}
	_ = os.RemoveAll(aside)
}

// site finds the repository of a folder to be made a library; the zero Location asks for a new one.
func site(dir string) (gitstore.Location, error) {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		loc, err := gitstore.Discover(dir)
		if err != nil {
			return gitstore.Location{}, err
		}
		if sameDir(loc.WorkTree, dir) {
			return loc, nil
		}
		return gitstore.Location{}, schema.Errorf(schema.CodeConflict, "%s belongs to a git repository whose files lie in %s", dir, loc.WorkTree).
			WithHint("run git novel init there")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return gitstore.Location{}, schema.Wrap(err, schema.CodeUnexpected, "cannot look at %s", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return gitstore.Location{}, schema.Wrap(err, schema.CodeUnexpected, "cannot read the folder %s", dir)
	}
	if len(entries) == 0 {
		return gitstore.Location{}, nil
	}
	loc, err := gitstore.Discover(dir)
	switch {
	case schema.CodeOf(err) == schema.CodeNotLibrary:
		return gitstore.Location{}, nil
	case err != nil:
		return gitstore.Location{}, err
	case loc.WorkTree == "":
		return gitstore.Location{}, schema.Errorf(schema.CodeConflict, "%s is inside a bare git repository", dir).
			WithHint("name a new or empty folder elsewhere")
	}
	return gitstore.Location{}, schema.Errorf(schema.CodeConflict,
		"%s is a folder with files inside the git repository %s; a part of a repository cannot become a library", dir, loc.WorkTree).
		WithHint("run git novel init in %s, or in a new or empty folder", loc.WorkTree)
}

// makeLibrary sets up what a library needs besides commits.
func (l *Library) makeLibrary(ctx context.Context, res *InitResult) error {
	if err := l.recoverIdle(ctx); err != nil {
		return err
	}
	for _, d := range []string{novelsDir, dataDir} {
		if info, err := l.root.Lstat(d); err == nil && !info.IsDir() {
			if info.Mode()&fs.ModeSymlink != 0 {
				return l.linkError(d)
			}
			return schema.Errorf(schema.CodeConflict, "%s is in the way: a library needs a folder of this name", d).
				WithHint("rename or move it")
		}
	}
	for _, d := range []string{novelsDir, dataDir} {
		if _, err := l.root.Lstat(d); errors.Is(err, fs.ErrNotExist) {
			res.made = append(res.made, d)
		}
		dirty, err := atomicfile.MkdirAll(l.root, d, 0o755)
		if err != nil {
			return err
		}
		for _, p := range dirty {
			if err := atomicfile.SyncDir(l.root, p); err != nil {
				return err
			}
		}
	}
	if err := l.SetDrivers(); err != nil {
		return err
	}
	head, err := l.store.Head()
	if err != nil {
		return err
	}
	res.Unborn = head.Unborn
	res.Blocks, err = l.writeBlocks(res.before)
	return err
}

// SetDrivers sets the merge and diff drivers in .git/config, which is not cloned (DESIGN 3). Settings that are right
// already are not written.
func (l *Library) SetDrivers() error {
	cfg := l.store.Config()
	for _, kv := range drivers() {
		if have, ok := cfg.Get(kv[0]); ok && have == kv[1] {
			continue
		}
		if err := l.store.SetConfig(kv[0], kv[1]); err != nil {
			return err
		}
	}
	return nil
}
