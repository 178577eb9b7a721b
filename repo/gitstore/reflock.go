package gitstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"

	"git-novel/schema"
)

// RefUpdate moves, creates or deletes one ref. Old is what the ref must hold now, zero meaning that it must not exist;
// New zero deletes it. With a Reflog message a line is written, and the log is created when there is none.
type RefUpdate struct {
	Name     string // full name; a symbolic ref stands for its target
	Old, New schema.OID
	Reflog   string
	By       Ident
}

// refLock is one held <ref>.lock.
type refLock struct {
	RefUpdate
	file string // the loose file
	head bool   // HEAD of this worktree names this ref
	held *lockFile
}

// RefLocks holds the lock files of a set of updates. Exactly one of Commit and Rollback ends it; Rollback after Commit does
// nothing.
type RefLocks struct {
	r        *Repo
	locks    []*refLock // in the order of the caller, HEAD's branch last
	headLock *lockFile
	packLock *lockFile
	done     bool
}

// refLockTries means 20, 40, … 140 ms between tries, somewhat over half a second in all.
const refLockTries = 8

// LockRefs takes the lock of every ref, in sorted order, and checks each expected old value under its lock. A ref that
// moved, a held lock and a name that collides with another ref are CodeConflict.
func (r *Repo) LockRefs(updates []RefUpdate) (*RefLocks, error) {
	l := &RefLocks{r: r}
	if err := l.take(updates); err != nil {
		l.Rollback()
		return nil, err
	}
	return l, nil
}

func (l *RefLocks) take(updates []RefUpdate) error {
	head, err := l.r.Head()
	if err != nil {
		return err
	}
	for _, u := range updates {
		if err := CheckRefName(u.Name); err != nil {
			return err
		}
		name, _, _, err := l.r.follow(u.Name)
		if err != nil {
			return err
		}
		u.Name = name
		if u.By.When.IsZero() {
			u.By = l.r.whoever()
		}
		l.locks = append(l.locks, &refLock{
			RefUpdate: u, file: l.r.refFile(name), head: head.Ref == name,
		})
	}
	slices.SortStableFunc(l.locks, func(a, b *refLock) int {
		switch {
		case a.head == b.head:
			return 0
		case a.head:
			return 1
		default:
			return -1
		}
	})
	sorted := slices.Clone(l.locks)
	slices.SortFunc(sorted, func(a, b *refLock) int { return strings.Compare(a.Name, b.Name) })
	for i, k := range sorted {
		if i > 0 && sorted[i-1].Name == k.Name {
			return schema.Errorf(schema.CodeUnexpected, "the ref %s is changed twice in one transaction", k.Name)
		}
		if err := l.lock(k, sorted); err != nil {
			return err
		}
	}
	return l.checkHead(head)
}

// whoever is the committer as far as it is known: a reflog line is no commit and is not refused for want of a name.
func (r *Repo) whoever() Ident {
	if _, by, err := r.Identity(); err == nil {
		return by
	}
	return Ident{Name: "git-novel", When: r.env.Clock()}
}

// lock takes one lock file and checks the ref under it.
func (l *RefLocks) lock(k *refLock, all []*refLock) error {
	if err := l.r.clearWay(k, all); err != nil {
		return err
	}
	held, err := l.r.takeLock(k.file, refLockTries)
	if err != nil {
		return err
	}
	k.held = held
	l.r.env.step("refs.locked")
	now, ok, err := l.r.readRef(k.Name)
	if err != nil {
		return err
	}
	if now.Target != "" {
		return schema.Errorf(schema.CodeConflict, "the ref %s was changed by another program", k.Name).WithHint("run the command again")
	}
	if now.ID != k.Old || ok == k.Old.IsZero() {
		return moved(k, now.ID)
	}
	if k.New.IsZero() {
		return nil
	}
	if err := held.fill([]byte(k.New.String() + "\n")); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", held.name)
	}
	return nil
}

func moved(k *refLock, now schema.OID) error {
	switch {
	case now.IsZero():
		return schema.Errorf(schema.CodeConflict, "the ref %s no longer exists, it was at %s", k.Name, k.Old.Short()).
			WithHint("run the command again; it starts from the new state")
	case k.Old.IsZero():
		return schema.Errorf(schema.CodeConflict, "the ref %s already exists, at %s", k.Name, now.Short()).
			WithHint("run the command again; it starts from the new state")
	default:
		return schema.Errorf(schema.CodeConflict, "the ref %s moved from %s to %s meanwhile", k.Name, k.Old.Short(), now.Short()).
			WithHint("run the command again; it starts from the new state")
	}
}

// clearWay refuses names that collide with an existing ref (a/b with a, a with a/b) and removes empty folders that stand
// where the ref's file must go, as git does.
func (r *Repo) clearWay(k *refLock, all []*refLock) error {
	if k.New.IsZero() || rootRef(k.Name) {
		return nil
	}
	clash := func(other string) error {
		return schema.Errorf(schema.CodeConflict, "the ref %s cannot exist beside %s", k.Name, other)
	}
	parts := strings.Split(k.Name, "/")
	for i := 2; i < len(parts); i++ {
		parent := strings.Join(parts[:i], "/")
		if _, ok, err := r.readRef(parent); err != nil {
			return err
		} else if ok {
			return clash(parent)
		}
	}
	for _, o := range all {
		if strings.HasPrefix(o.Name, k.Name+"/") {
			return clash(o.Name)
		}
	}
	below, err := r.Refs(k.Name + "/")
	if err != nil {
		return err
	}
	if len(below) > 0 {
		return clash(below[0].Name)
	}
	if isDir(k.file) {
		removeEmptyTree(k.file)
	}
	if err := r.makeDirs(filepath.Dir(k.file)); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot make the folder of the ref %s", k.Name)
	}
	return nil
}

// removeEmptyTree removes a folder that holds nothing but empty folders; with anything else in it, it stays.
func removeEmptyTree(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			removeEmptyTree(filepath.Join(dir, e.Name()))
		}
	}
	_ = os.Remove(dir)
}

// checkHead locks HEAD when its branch is among the updates, so that no checkout moves it away meanwhile.
func (l *RefLocks) checkHead(before Head) error {
	if len(l.locks) == 0 || !l.locks[len(l.locks)-1].head {
		return nil
	}
	held, err := l.r.takeLock(l.r.refFile("HEAD"), refLockTries)
	if err != nil {
		return err
	}
	l.headLock = held
	now, err := l.r.Head()
	if err != nil {
		return err
	}
	if now.Ref != before.Ref {
		return schema.Errorf(schema.CodeConflict, "another branch was checked out meanwhile").WithHint("run the command again")
	}
	return nil
}

// Prepare syncs the new values in their lock files, so that Commit only renames. Calling it is not needed; it may run
// beside other work on the repository.
func (l *RefLocks) Prepare() error {
	var g errgroup.Group
	g.SetLimit(syncJobs)
	for _, k := range l.locks {
		if k.New.IsZero() || k.New == k.Old {
			continue
		}
		g.Go(func() error {
			if err := k.held.flush(); err != nil {
				return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", k.held.name)
			}
			return nil
		})
	}
	return g.Wait()
}

// Commit makes the updates visible in the caller's order, the checked-out branch after everything else that is set is
// durable, and deletions last. After an error the updates that were made stay; the caller sees which by reading the refs.
func (l *RefLocks) Commit() error {
	todo, err := l.CommitLater()
	if err != nil {
		return err
	}
	return todo.Sync()
}

// CommitLater is Commit without the last syncs, which the caller owes.
func (l *RefLocks) CommitLater() (Pending, error) {
	if l.done {
		return Pending{}, schema.Errorf(schema.CodeUnexpected, "a ref transaction was ended twice")
	}
	defer l.Rollback() // releases what is still held
	var todo Pending
	if err := l.Prepare(); err != nil {
		return todo, err
	}
	deletes := false
	for _, k := range l.locks {
		if k.New == k.Old || k.New.IsZero() {
			deletes = deletes || k.New != k.Old
			continue
		}
		if k.head {
			// Whatever belongs to the commit on the branch must be there before it.
			if err := todo.Sync(); err != nil {
				return todo, err
			}
			todo = Pending{}
		}
		logs, err := l.r.appendReflogs(&k.RefUpdate, k.head)
		if err != nil {
			return todo, err
		}
		todo.join(logs)
		l.r.env.step("refs.rename")
		if err := k.held.commit(); err != nil {
			return todo, schema.Wrap(err, schema.CodeUnexpected, "cannot set the ref %s", k.Name)
		}
		todo.join(Pending{dirs: []string{filepath.Dir(k.file)}})
	}
	l.r.env.step("refs.sync")
	if !deletes {
		return todo, nil
	}
	if err := todo.Sync(); err != nil {
		return todo, err
	}
	if err := l.deletePacked(); err != nil {
		return todo, err
	}
	for _, k := range l.locks {
		if k.New.IsZero() && !k.Old.IsZero() {
			if err := l.remove(k); err != nil {
				return Pending{}, err
			}
		}
	}
	return Pending{}, nil
}

func syncDirs(dirs []string) error {
	for _, d := range dirs {
		if err := syncDir(d); err != nil {
			return schema.Wrap(err, schema.CodeUnexpected, "cannot sync the folder %s", d)
		}
	}
	return nil
}

// deletePacked takes the deleted refs out of packed-refs. Its lock is held until the loose files are gone too: otherwise a
// "git pack-refs" in between could write the ref down again.
func (l *RefLocks) deletePacked() error {
	gone := map[string]bool{}
	for _, k := range l.locks {
		if k.New.IsZero() && !k.Old.IsZero() {
			gone[k.Name] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	held, err := l.r.takeLock(l.r.packedFile(), 2*refLockTries)
	if err != nil {
		return err
	}
	l.packLock = held
	if _, err := l.r.loadPacked(); err != nil {
		return err
	}
	for name := range gone {
		if _, ok := l.r.packed.find(name); !ok {
			delete(gone, name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	file := l.r.packedFile()
	if err := l.replacePacked(file, l.r.packed.without(gone)); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", file)
	}
	return syncDirs([]string{l.r.loc.CommonDir})
}

// replacePacked writes packed-refs by way of packed-refs.new, the name that git uses; the lock makes it ours.
func (l *RefLocks) replacePacked(file string, data []byte) error {
	f, err := os.OpenFile(file+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	if err := writeSynced(f, data); err != nil {
		return err
	}
	if err := l.r.share(f.Name()); err != nil {
		return err
	}
	l.r.env.step("refs.packed")
	return os.Rename(f.Name(), file)
}

// remove deletes the loose file, the reflog and the folders that became empty.
func (l *RefLocks) remove(k *refLock) error {
	l.r.env.step("refs.delete")
	if err := os.Remove(k.file); err != nil && !absent(err) {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot delete the ref %s", k.Name)
	}
	dir := filepath.Dir(k.file)
	if isDir(dir) {
		if err := syncDirs([]string{dir}); err != nil {
			return err
		}
	}
	log := l.r.logFile(k.Name)
	if err := os.Remove(log); err == nil {
		removeEmptyParents(filepath.Dir(log), filepath.Join(l.r.loc.CommonDir, "logs", "refs"))
	}
	k.held.release()
	removeEmptyParents(dir, filepath.Join(l.r.loc.CommonDir, "refs"))
	return nil
}

func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// removeEmptyParents removes dir and its parents while they are empty, down to but without top and the folders directly
// below it (refs/heads, refs/tags).
func removeEmptyParents(dir, top string) {
	for {
		rel, err := filepath.Rel(top, dir)
		if err != nil || !filepath.IsLocal(rel) || !strings.ContainsRune(rel, filepath.Separator) {
			return
		}
		if os.Remove(dir) != nil {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// Rollback releases the locks and leaves every ref as it is.
func (l *RefLocks) Rollback() {
	for _, k := range l.locks {
		k.held.release()
	}
	l.headLock.release()
	l.packLock.release()
	l.done = true
}
