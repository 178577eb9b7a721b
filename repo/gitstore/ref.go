package gitstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"git-novel/schema"
)

// Head is what is checked out.
type Head struct {
	Ref      string     // refs/heads/…; empty when detached
	ID       schema.OID // zero on an unborn branch
	Detached bool
	Unborn   bool
}

// Branch is the branch name without refs/heads/.
func (h Head) Branch() string { return strings.TrimPrefix(h.Ref, "refs/heads/") }

// Ref is a named object.
type Ref struct {
	Name   string
	ID     schema.OID
	Target string // for a symbolic ref, the name it points to
}

// maxSymrefs is git's limit on the length of a chain of symbolic refs.
const maxSymrefs = 5

// headTarget reads the branch that HEAD names, without the rest of the repository.
func headTarget(gitDir string) (string, bool) {
	line, ok, err := readLine(filepath.Join(gitDir, "HEAD"))
	if err != nil || !ok {
		return "", false
	}
	target, ok := strings.CutPrefix(line, "ref:")
	return strings.TrimSpace(target), ok
}

// refFile is where the loose file of a ref lies.
func (r *Repo) refFile(name string) string {
	if perWorktree(name) {
		return filepath.Join(r.loc.GitDir, filepath.FromSlash(name))
	}
	return filepath.Join(r.loc.CommonDir, filepath.FromSlash(name))
}

// logFile is where the reflog of a ref lies.
func (r *Repo) logFile(name string) string {
	if perWorktree(name) {
		return filepath.Join(r.loc.GitDir, "logs", filepath.FromSlash(name))
	}
	return filepath.Join(r.loc.CommonDir, "logs", filepath.FromSlash(name))
}

// Head reads HEAD as it is now.
func (r *Repo) Head() (Head, error) {
	ref, ok, err := r.readRef("HEAD")
	if err != nil {
		return Head{}, err
	}
	if !ok {
		return Head{}, schema.Errorf(schema.CodeGit, "%s has no HEAD", r.loc.GitDir)
	}
	if ref.Target == "" {
		return Head{ID: ref.ID, Detached: true}, nil
	}
	target, id, found, err := r.follow(ref.Target)
	if err != nil {
		return Head{}, err
	}
	return Head{Ref: target, ID: id, Unborn: !found}, nil
}

// Ref gives the object that a full ref name stands for now, symbolic refs followed.
func (r *Repo) Ref(name string) (schema.OID, bool, error) {
	if err := CheckRefName(name); err != nil {
		return schema.OID{}, false, err
	}
	_, id, ok, err := r.follow(name)
	return id, ok, err
}

// follow goes through symbolic refs to the last name, which need not exist.
func (r *Repo) follow(name string) (last string, id schema.OID, ok bool, err error) {
	for range maxSymrefs + 1 {
		ref, found, err := r.readRef(name)
		if err != nil || !found {
			return name, schema.OID{}, false, err
		}
		if ref.Target == "" {
			return name, ref.ID, true, nil
		}
		if name = ref.Target; CheckRefName(name) != nil {
			return "", schema.OID{}, false, badRef(ref.Name)
		}
	}
	return "", schema.OID{}, false, badRef(name)
}

func badRef(name string) error {
	return schema.Errorf(schema.CodeGit, "the git ref %s is damaged", name).
		WithHint("see its history with: git reflog show %s, and set it again with git update-ref", name)
}

// readRef reads one ref, loose before packed. A loose file may be packed and deleted between the two looks; then the
// packed file is new and has it.
func (r *Repo) readRef(name string) (Ref, bool, error) {
	for range 3 {
		ref, ok, err := r.readLooseRef(name)
		if err != nil || ok {
			return ref, ok, err
		}
		if perWorktree(name) {
			return Ref{}, false, nil
		}
		changed, err := r.loadPacked()
		if err != nil {
			return Ref{}, false, err
		}
		if id, ok := r.packed.find(name); ok {
			return Ref{Name: name, ID: id}, true, nil
		}
		if !changed {
			break
		}
	}
	return Ref{}, false, nil
}

func (r *Repo) readLooseRef(name string) (Ref, bool, error) {
	file := r.refFile(name)
	data, err := readBounded(file, maxSmallFile)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return Ref{}, false, nil
	case isDir(file):
		return Ref{}, false, nil
	default:
		return Ref{}, false, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	ref, ok := parseLooseRef(name, data)
	if !ok {
		return Ref{}, false, badRef(name)
	}
	return ref, true, nil
}

// parseLooseRef reads "ref: NAME" or an id, followed by nothing or white space.
func parseLooseRef(name string, data []byte) (Ref, bool) {
	s := string(data)
	if target, ok := strings.CutPrefix(s, "ref:"); ok {
		target = strings.TrimSpace(target)
		return Ref{Name: name, Target: target}, target != ""
	}
	if len(s) < 40 || len(s) > 40 && !strings.ContainsRune(" \t\r\n", rune(s[40])) {
		return Ref{}, false
	}
	id, err := schema.ParseOID(s[:40])
	return Ref{Name: name, ID: id}, err == nil
}

// Refs lists the refs whose full name starts with prefix, sorted by name, loose and packed, symbolic ones followed.
// Damaged loose refs are left out when a name cannot even be read, and reported as an error otherwise.
func (r *Repo) Refs(prefix string) ([]Ref, error) {
	found := map[string]Ref{}
	if _, err := r.loadPacked(); err != nil {
		return nil, err
	}
	// Loose refs after the packed ones would miss a ref that is packed in between; so packed is read again at the end.
	loose := map[string]bool{}
	roots := []string{r.loc.CommonDir}
	if r.loc.GitDir != r.loc.CommonDir {
		roots = append(roots, r.loc.GitDir)
	}
	for i, root := range roots {
		err := walkRefs(root, refWalkStart(prefix), func(name string) {
			if (i == 1) == perWorktree(name) || len(roots) == 1 {
				loose[name] = true
			}
		})
		if err != nil {
			return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot list the refs of %s", root)
		}
	}
	if _, err := r.loadPacked(); err != nil {
		return nil, err
	}
	r.packed.each(prefix, func(name string, id schema.OID) { found[name] = Ref{Name: name, ID: id} })
	for name := range loose {
		if !strings.HasPrefix(name, prefix) || !validRefPath(name) {
			continue
		}
		ref, ok, err := r.readRef(name)
		if err != nil {
			return nil, err
		}
		if !ok {
			delete(found, name)
			continue
		}
		if ref.Target != "" {
			_, id, ok, err := r.follow(ref.Target)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue // points to an unborn branch
			}
			ref.ID = id
		}
		found[name] = ref
	}
	out := make([]Ref, 0, len(found))
	for _, ref := range found {
		out = append(out, ref)
	}
	slices.SortFunc(out, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// refWalkStart is the deepest folder that holds everything with the prefix.
func refWalkStart(prefix string) string {
	if i := strings.LastIndexByte(prefix, '/'); i > 0 && strings.HasPrefix(prefix, "refs/") {
		return prefix[:i]
	}
	return "refs"
}

// walkRefs names the loose ref files below dir, lock files left out.
func walkRefs(root, dir string, fn func(name string)) error {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
		return err
	}
	for _, e := range entries {
		name := dir + "/" + e.Name()
		switch {
		case e.IsDir():
			if err := walkRefs(root, name, fn); err != nil {
				return err
			}
		case !strings.HasSuffix(name, ".lock"):
			fn(name)
		}
	}
	return nil
}
