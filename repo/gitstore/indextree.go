package gitstore

import (
	"bytes"

	"git-novel/schema"
)

// IndexTree adds the trees that a plain "git commit" of this index would write and gives the root. Entries that are only
// intended to be added are left out, as git does; an index in conflict has no tree (CodeConflict).
func (b *Batch) IndexTree(ix *Index) (schema.OID, error) {
	if ix.Unsupported != "" {
		return schema.OID{}, schema.Errorf(schema.CodeGit, "the git index uses %s, which only git itself can read", ix.Unsupported).
			WithHint("switch it off with: git update-index --no-split-index, git sparse-checkout disable")
	}
	for _, e := range ix.refs {
		if e.stage() != 0 {
			return schema.OID{}, schema.Errorf(schema.CodeConflict, "%s is in conflict in the git index", string(e.path)).
				WithHint("resolve it and run: git add %s", quoteArg(string(e.path)))
		}
	}
	w := indexTrees{b: b, ix: ix}
	id, _, err := w.build(0, len(ix.refs), 0, 0)
	if err == nil && id.IsZero() {
		id = b.add(TreeObject, nil)
	}
	return id, err
}

// StagedTree gives the tree that a plain "git commit" of this index would write, and a view of the repository in which it
// can be read. Nothing is written. The view shares the open files of r and must not be closed.
func (r *Repo) StagedTree(ix *Index) (schema.OID, *Repo, error) {
	b := r.NewBatch()
	b.scratch = true
	id, err := b.IndexTree(ix)
	return id, b.Reader(), err
}

type indexTrees struct {
	b  *Batch
	ix *Index
}

// build makes the tree of the entries [from, to), whose paths share their first skip bytes. The order of the index is the
// order of the tree: a folder sorts by its name and a slash in both.
func (w *indexTrees) build(from, to, skip, depth int) (id schema.OID, some bool, err error) {
	if depth > maxTreeDepth {
		return schema.OID{}, false, schema.Errorf(schema.CodeGit, "folders in the git tree are nested more than %d deep", maxTreeDepth)
	}
	var out []byte
	for i := from; i < to; {
		name := w.ix.refs[i].path[skip:]
		slash := bytes.IndexByte(name, '/')
		if slash < 0 {
			if e := w.ix.decode(i); !e.IntentToAdd {
				if badName(string(name)) != "" {
					return schema.OID{}, false, schema.Errorf(schema.CodeInvalid, "git does not allow the path %q", e.Path)
				}
				out = appendEntry(out, string(name), e.Mode, e.ID)
			}
			i++
			continue
		}
		prefix := w.ix.refs[i].path[:skip+slash+1]
		end := i + 1
		for end < to && bytes.HasPrefix(w.ix.refs[end].path, prefix) {
			end++
		}
		if badName(string(name[:slash])) != "" {
			return schema.OID{}, false, schema.Errorf(schema.CodeInvalid, "git does not allow the path %q", string(w.ix.refs[i].path))
		}
		sub, has, err := w.build(i, end, len(prefix), depth+1)
		if err != nil {
			return schema.OID{}, false, err
		}
		if has {
			out = appendEntry(out, string(name[:slash]), ModeDir, sub)
		}
		i = end
	}
	if len(out) == 0 {
		return schema.OID{}, false, nil
	}
	return w.b.add(TreeObject, out), true, nil
}
