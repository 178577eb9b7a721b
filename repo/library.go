package repo

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"git-novel/repo/gitcmd"
	"git-novel/repo/gitstore"
	"git-novel/repo/lock"
	"git-novel/schema"
)

// Names at the root of a library that make it one.
const (
	novelsDir = "novels"
	dataDir   = ".novel-writer"
)

// Library is an open library. It belongs to one goroutine; open it again for another.
type Library struct {
	o     Options
	loc   gitstore.Location
	store *gitstore.Repo
	root  *os.Root // the worktree
	own   *os.Root // our folder in the common git folder

	active *claims         // of the Update or recovery under way, which makes the lock files
	okDirs map[string]bool // folders that an Update has found to be no links; nil outside one
}

// Open finds the library that dir lies in, going up, and opens it. What a crashed command left is finished or undone
// first and told through Options.Notice; when that is not possible now (another command is at work), it is left for the
// next. Not in a library: CodeNotLibrary.
func Open(ctx context.Context, dir string, o Options) (*Library, error) {
	o = o.normal()
	loc, err := find(dir)
	if err != nil {
		return nil, err
	}
	l, err := open(loc, o)
	if err != nil {
		return nil, err
	}
	if err := l.recoverIdle(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// find goes up from dir to a folder that holds novels/ or .novel-writer/ and is the root of a worktree.
func find(dir string) (gitstore.Location, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return gitstore.Location{}, schema.Wrap(err, schema.CodeUsage, "cannot find the folder %s", dir)
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return gitstore.Location{}, schema.Errorf(schema.CodeNotLibrary, "%s is not a folder", dir).
			WithHint("name a folder inside a library, or make one with: git novel init")
	}
	if resolved, err := filepath.EvalSymlinks(abs); err == nil {
		abs = resolved
	}
	marked := "" // the nearest folder that looks like a library without being a worktree's root
	for d := abs; ; d = filepath.Dir(d) {
		if hasMark(d) {
			if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
				loc, err := gitstore.Discover(d)
				if err != nil {
					return gitstore.Location{}, err
				}
				if sameDir(loc.WorkTree, d) {
					return loc, nil
				}
			}
			if marked == "" {
				marked = d
			}
		}
		if filepath.Dir(d) == d {
			break
		}
	}
	if marked != "" {
		return gitstore.Location{}, schema.Errorf(schema.CodeNotLibrary,
			"%s has the folders of a library but is not the top folder of a git repository", marked).
			WithHint("make it a library with: git novel init")
	}
	return gitstore.Location{}, schema.Errorf(schema.CodeNotLibrary, "%s is not inside a library", dir).
		WithHint("make one with: git novel init")
}

func hasMark(dir string) bool {
	for _, name := range []string{dataDir, novelsDir} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

func sameDir(a, b string) bool {
	if a == "" {
		return false
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// open opens a location without recovery.
func open(loc gitstore.Location, o Options) (*Library, error) {
	if loc.WorkTree == "" {
		return nil, schema.Errorf(schema.CodeNotLibrary, "%s is a bare repository", loc.GitDir).
			WithHint("clone it and work in the clone")
	}
	l := &Library{o: o, loc: loc}
	env := o.Env
	env.Failpoint = func(name string) { _ = o.Failpoint("git " + name) }
	env.CreateLock = l.createLock
	env.Cache = l.OwnDir()
	var err error
	if l.store, err = gitstore.Open(loc, env); err != nil {
		return nil, err
	}
	if l.root, err = os.OpenRoot(loc.WorkTree); err != nil {
		_ = l.store.Close()
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot open the folder %s", loc.WorkTree)
	}
	return l, nil
}

// Close frees what the handle holds open.
func (l *Library) Close() {
	if l.root != nil {
		_ = l.root.Close()
	}
	if l.own != nil {
		_ = l.own.Close()
	}
	_ = l.store.Close()
}

// Root is the absolute path of the library.
func (l *Library) Root() string { return l.loc.WorkTree }

// Store is the git repository of the library, for reading.
func (l *Library) Store() *gitstore.Repo { return l.store }

// Now is the time by the library's clock.
func (l *Library) Now() time.Time { return l.o.Clock() }

// Options are what the library was opened with, defaults filled in.
func (l *Library) Options() Options { return l.o }

// Git is the git program, and whether there is one.
func (l *Library) Git() (*gitcmd.Git, bool) { return l.o.Git, l.o.Git != nil }

// OwnDir is our folder in the common git folder, for journals, caches and locks that are not tracked and belong to all
// worktrees of the repository. It may not exist yet.
func (l *Library) OwnDir() string { return filepath.Join(l.loc.CommonDir, "novel") }

// ownRoot opens OwnDir, making it.
func (l *Library) ownRoot() (*os.Root, error) {
	if l.own != nil {
		return l.own, nil
	}
	if err := os.MkdirAll(l.OwnDir(), 0o755); err != nil { //nolint:gosec // inside .git, with git's own modes
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot make the folder %s", l.OwnDir())
	}
	own, err := os.OpenRoot(l.OwnDir())
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot open the folder %s", l.OwnDir())
	}
	l.own = own
	return own, nil
}

// LockBook takes the lock of a book for long work (batch, write, rename, delete, restore). Held by another: CodeConflict
// with who holds it. It does not keep author's commands out.
func (l *Library) LockBook(ctx context.Context, book string) (*lock.Lock, error) {
	return lock.Book(ctx, l.OwnDir(), book, l.holder())
}

// BookHolder tells who is at long work on a book.
func (l *Library) BookHolder(book string) (lock.Holder, bool, error) {
	return lock.BookHolder(l.OwnDir(), book)
}

func (l *Library) holder() lock.Holder {
	return lock.Holder{PID: os.Getpid(), Command: l.o.Command, Since: l.Now()}
}
