package hooks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-novel/repo"
	"git-novel/repo/gitcmd"
	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow"
)

// hooksPathKey is git's setting for where hooks lie.
const hooksPathKey = "core.hooksPath"

// place is a repository and the folder of its hooks.
type place struct {
	store  *gitstore.Repo
	lib    *repo.Library // nil for a bare repository
	dir    string
	server bool
	alien  string // core.hooksPath when it does not come from this repository's own config
}

// env is the process as the git engine sees it.
func env(o workflow.Options) gitstore.Env {
	home := o.Getenv("HOME")
	if home == "" {
		home = o.Getenv("USERPROFILE")
	}
	return gitstore.Env{Home: home, XDGConfigHome: o.Getenv("XDG_CONFIG_HOME"), Getenv: o.Getenv, Clock: o.Now}
}

func gitProgram(o workflow.Options) *gitcmd.Git {
	g, ok := gitcmd.Find(o.LookPath, o.Getenv)
	if !ok {
		return nil
	}
	return g
}

func folder(o workflow.Options) string {
	if o.Root != "" {
		return o.Root
	}
	return o.Dir
}

// open finds the repository that the command means: a library, or a bare repository.
func open(ctx context.Context, o workflow.Options) (*place, error) {
	p := &place{}
	loc, err := gitstore.Discover(folder(o))
	if err == nil && loc.WorkTree == "" {
		if p.store, err = gitstore.Open(loc, env(o)); err != nil {
			return nil, err
		}
		p.server = true
	} else {
		p.lib, err = repo.Open(ctx, folder(o), repo.Options{Wait: o.Wait, Command: o.Command, Clock: o.Now, Git: gitProgram(o), Env: env(o)})
		if err != nil {
			return nil, err
		}
		p.store = p.lib.Store()
	}
	p.dir = p.store.HooksDir()
	if path, ok := p.store.Config().Get(hooksPathKey); ok && path != "" && !p.store.Config().FromRepository(hooksPathKey) {
		p.alien = p.dir
	}
	return p, nil
}

func (p *place) close() {
	if p.lib != nil {
		p.lib.Close()
		return
	}
	_ = p.store.Close()
}

// own is the folder of hooks that belongs to the repository itself.
func (p *place) own() string { return filepath.Join(p.store.Location().CommonDir, "hooks") }

// localCommand is what gives the repository a folder of its own for hooks.
func (p *place) localCommand() string {
	top := p.store.Location().WorkTree
	if top == "" {
		top = p.store.Location().GitDir
	}
	return "git -C " + argument(top) + " config --local " + hooksPathKey + " " + argument(p.own())
}

// argument quotes a word for a shell when it needs it.
func argument(s string) string {
	if strings.ContainsAny(s, " \t'\"\\$&|;<>()*?[]#~`!") {
		return shellQuote(s)
	}
	return s
}

// root opens the folder of hooks; with create it is made.
func openFolder(dir string, create bool) (*os.Root, error) {
	if create {
		if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // git's own mode for this folder
			return nil, schema.Wrap(err, schema.CodeGit, "cannot make the folder of hooks %s", dir).
				WithHint("core.hooksPath says where it is: git config --show-origin core.hooksPath")
		}
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no folder, no hooks
	}
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeGit, "cannot open the folder of hooks %s", dir).
			WithHint("core.hooksPath says where it is: git config --show-origin core.hooksPath")
	}
	return root, nil
}

// file is one name in the folder of hooks.
type file struct {
	there   bool
	ours    bool
	exec    bool
	content string
	kept    bool // a hook from before lies beside it
}

// maxScript bounds what is read of a hook script; ours are far smaller.
const maxScript = 64 << 10

// look reads one hook. A link is followed to tell what it is, also out of the folder, but never written through.
func look(dir, hook string) (file, error) {
	var f file
	_, err := os.Lstat(filepath.Join(dir, keptName(hook)))
	f.kept = err == nil
	name := filepath.Join(dir, hook)
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return f, nil
	} else if err != nil {
		return f, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", name)
	}
	f.there = true
	st, err := os.Stat(name)
	if err != nil {
		return f, nil //nolint:nilerr // a link that leads nowhere: somebody's, and not run by git
	}
	f.exec = gitstore.Executable(st)
	if !st.Mode().IsRegular() || st.Size() > maxScript {
		return f, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return f, nil //nolint:nilerr // not ours to read, so not ours
	}
	f.content = string(data)
	_, f.ours = gitstore.OurHook(data)
	return f, nil
}
