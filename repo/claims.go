package repo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"git-novel/repo/atomicfile"
	"git-novel/schema"
)

// heldDir lies in our folder of the common git folder.
const heldDir = "held"

// claims are the lock files and the work folder that one Update has made. Each has a record in heldDir from before it
// exists until after it is gone, so that the next command can tell what a dead process left from what others hold.
//
// A lock file is made by giving it a second name: the record's own file is linked to the lock's name, which fails like an
// exclusive creation when the name is taken. While the record's file exists its inode cannot be used again, so "same file"
// proves that the lock is ours. Lock records are not synced by themselves: file systems that keep links keep their order,
// and the journal's sync of the folder above covers the rest.
type claims struct {
	own   *os.Root
	dir   string // the path of own
	locks map[string]claim
	fail  func(step string) error
}

// claim is one record; on disk it is heldDir/<key>.json.
type claim struct {
	Key  string `json:"key"`
	Kind string `json:"kind"`           // claimLock, claimStage or claimScratch
	Path string `json:"path"`           // of the file, or of the work folder below Root
	Root string `json:"root,omitempty"` // the worktree of a work folder

	early *os.File
}

const (
	claimLock    = "lock"
	claimStage   = "stage"
	claimScratch = "scratch"

	scratchPrefix = "novel-index-"
)

func (l *Library) newClaims() (*claims, error) {
	own, err := l.ownRoot()
	if err != nil {
		return nil, err
	}
	if _, err := atomicfile.MkdirAll(own, heldDir, 0o755); err != nil {
		return nil, err
	}
	return &claims{own: own, dir: l.OwnDir(), locks: map[string]claim{}, fail: l.fail}, nil
}

func (c *claims) record(kind, root, p string) (claim, error) {
	if err := c.fail("claim record"); err != nil {
		return claim{}, err
	}
	cl := claim{Key: rand.Text(), Kind: kind, Root: root, Path: p}
	data, err := json.Marshal(cl)
	if err != nil {
		return claim{}, schema.Wrap(err, schema.CodeUnexpected, "cannot write the record of %s", p)
	}
	f, err := c.own.OpenFile(path.Join(heldDir, cl.Key+".json"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = f.Write(data)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		_ = c.own.Remove(path.Join(heldDir, cl.Key+".json"))
		return claim{}, schema.Wrap(err, schema.CodeUnexpected, "cannot write the record of %s", p)
	}
	return cl, nil
}

// early takes a lock before git's engine asks for it; create hands it over then.
func (c *claims) early(lockPath string) error {
	f, err := c.create(lockPath)
	if err != nil {
		return err
	}
	cl := c.locks[lockPath]
	cl.early = f
	c.locks[lockPath] = cl
	return nil
}

// create makes a lock file exclusively. A name that is taken is fs.ErrExist.
func (c *claims) create(lockPath string) (*os.File, error) {
	if cl, ok := c.locks[lockPath]; ok && cl.early != nil {
		f := cl.early
		cl.early = nil
		c.locks[lockPath] = cl
		return f, nil
	}
	c.drop(lockPath) // a lock of this name that was given back earlier in this Update
	cl, err := c.record(claimLock, "", lockPath)
	if err != nil {
		return nil, err
	}
	mine := filepath.Join(c.dir, heldDir, cl.Key+".lock")
	f, err := os.OpenFile(mine, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // git's own mode for lock files
	if err != nil {
		c.forget(cl)
		return nil, err
	}
	_ = f.Close()
	if err := c.fail("claim link"); err != nil {
		c.forget(cl)
		return nil, err
	}
	err = os.Link(mine, lockPath)
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		// No hard links here. The lock is taken as git takes it; after a crash it is git's message that names it.
		c.forget(cl)
		return os.OpenFile(lockPath, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // as above
	}
	if err != nil {
		c.forget(cl)
		return nil, err
	}
	f, err = os.OpenFile(lockPath, os.O_RDWR, 0)
	if err != nil {
		_ = os.Remove(lockPath)
		c.forget(cl)
		return nil, err
	}
	c.locks[lockPath] = cl
	return f, nil
}

// wait takes an early lock, trying for so long.
func (c *claims) wait(ctx context.Context, lockPath string, wait time.Duration) error {
	var waited time.Duration
	for pause := 2 * time.Millisecond; ; pause = min(pause*2, 50*time.Millisecond) {
		err := c.early(lockPath)
		if err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return schema.Wrap(err, schema.CodeUnexpected, "cannot make the lock file %s", lockPath)
		}
		if waited >= wait {
			return schema.Errorf(schema.CodeConflict, "git is at work here: the lock file %s exists", lockPath).
				WithHint("wait until the other git command ends; when none runs, remove that file")
		}
		if err := pauseFor(ctx, pause); err != nil {
			return err
		}
		waited += pause
	}
}

// pauseFor waits, or ends early with CodeInterrupted.
func pauseFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return interrupted(ctx)
	case <-t.C:
		return nil
	}
}

func interrupted(ctx context.Context) error {
	return schema.Wrap(ctx.Err(), schema.CodeInterrupted, "interrupted; nothing was changed")
}

// createLock makes the lock files of the git engine, on record while an Update or a recovery is under way.
func (l *Library) createLock(lockPath string) (*os.File, error) {
	if l.active == nil {
		return os.OpenFile(lockPath, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // git's own mode for lock files
	}
	return l.active.create(lockPath)
}

// stage makes a work folder below the worktree root, out of git's sight.
func (c *claims) stage(l *Library) (string, error) {
	dir := path.Join(dataDir, "tmp", "tx-"+strings.ToLower(rand.Text()[:12]))
	if _, err := c.record(claimStage, l.loc.WorkTree, dir); err != nil {
		return "", err
	}
	if _, err := atomicfile.MkdirAll(l.root, dir, 0o755); err != nil {
		return "", err
	}
	return dir, nil
}

// scratch names a private index in a git folder.
func (c *claims) scratch(gitDir string) (string, error) {
	file := filepath.Join(gitDir, scratchPrefix+rand.Text()[:12])
	_, err := c.record(claimScratch, "", file)
	return file, err
}

// drop gives one lock back.
func (c *claims) drop(lockPath string) {
	cl, ok := c.locks[lockPath]
	if !ok {
		return
	}
	if cl.early != nil {
		_ = cl.early.Close()
	}
	delete(c.locks, lockPath)
	c.clear(cl)
}

// release gives everything back.
func (c *claims) release() {
	for p := range c.locks {
		c.drop(p)
	}
	_, _ = c.clearAll()
}

// clearAll clears every record that is there. The library lock is held, so all of them are of this process or of dead
// ones. It returns the lock files that it removed.
func (c *claims) clearAll() ([]string, error) {
	d, err := c.own.Open(heldDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read the folder %s", filepath.Join(c.dir, heldDir))
	}
	names, err := d.Readdirnames(-1)
	_ = d.Close()
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read the folder %s", filepath.Join(c.dir, heldDir))
	}
	var removed []string
	for _, name := range names {
		key, ok := strings.CutSuffix(name, ".json")
		if !ok {
			continue
		}
		data, err := c.own.ReadFile(path.Join(heldDir, name))
		if err != nil {
			continue
		}
		var cl claim
		if json.Unmarshal(data, &cl) != nil || cl.Key != key {
			// Killed while the record was written: what it was for does not exist yet.
			cl = claim{Key: key}
		}
		if c.clear(cl) {
			removed = append(removed, cl.Path)
		}
	}
	return removed, nil
}

// clear removes what a record stands for, if it is still there, and the record. True: a lock file was removed.
func (c *claims) clear(cl claim) (removed bool) {
	switch cl.Kind {
	case claimLock:
		mine, err1 := c.own.Lstat(path.Join(heldDir, cl.Key+".lock"))
		there, err2 := os.Lstat(cl.Path)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			removed = os.Remove(cl.Path) == nil
		}
	case claimStage:
		clearStage(cl.Root, cl.Path)
	case claimScratch:
		if strings.HasPrefix(filepath.Base(cl.Path), scratchPrefix) {
			_ = os.Remove(cl.Path)
			_ = os.Remove(cl.Path + ".lock")
		}
	}
	c.forget(cl)
	return removed
}

func (c *claims) forget(cl claim) {
	_ = c.own.Remove(path.Join(heldDir, cl.Key+".lock"))
	_ = c.own.Remove(path.Join(heldDir, cl.Key+".json"))
}

// clearStage removes a work folder. The path comes from a file, so it is held to what stage makes.
func clearStage(worktree, dir string) {
	if path.Dir(dir) != path.Join(dataDir, "tmp") || !strings.HasPrefix(path.Base(dir), "tx-") {
		return
	}
	root, err := os.OpenRoot(worktree)
	if err != nil {
		return
	}
	_ = root.RemoveAll(dir)
	_ = root.Close()
}

// leftovers reports whether a dead process left records, without a lock.
func (l *Library) leftovers() bool {
	d, err := os.Open(filepath.Join(l.OwnDir(), heldDir))
	if err != nil {
		return false
	}
	names, _ := d.Readdirnames(1)
	_ = d.Close()
	return len(names) > 0
}
