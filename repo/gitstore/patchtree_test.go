package gitstore

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-novel/schema"
)

// TestPatchTreeAgainstModel compares PatchTree with a map of paths, and the result with the tree that git writes.
func TestPatchTreeAgainstModel(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	names := []string{"a", "b", "a.b", "a-b", "ab", "第1章.md", "第10章.md"}
	b := r.NewBatch() // one for all runs: syncing is slow
	rapid.Check(t, func(rt *rapid.T) {
		model := map[string]Edit{}
		root := schema.OID{}
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			edits := map[string]Edit{}
			for range rapid.IntRange(0, 6).Draw(rt, "edits") {
				path := strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 1, 3).Draw(rt, "path"), "/")
				if rapid.Bool().Draw(rt, "delete") {
					edits[path] = Edit{Path: path, Delete: true}
				} else {
					body := rapid.SampledFrom([]string{"1", "2", "3"}).Draw(rt, "body")
					edits[path] = Edit{Path: path, Mode: ModeFile, ID: b.Blob([]byte(body))}
				}
			}
			want, fine := applyModel(model, edits)
			next, err := b.PatchTree(root, slices.Collect(maps.Values(edits)))
			if fine != (err == nil) {
				rt.Fatalf("edits %v on %v: error %v, model says fine is %v", edits, model, err, fine)
			}
			if err != nil {
				if schema.CodeOf(err) != schema.CodeConflict {
					rt.Fatal(err)
				}
				continue
			}
			model, root = want, next
			view := b.Reader()
			got := map[string]schema.OID{}
			if err := view.Walk(root, "", func(p string, e Entry) error { got[p] = e.ID; return nil }); err != nil {
				rt.Fatal(err)
			}
			if len(got) != len(model) {
				rt.Fatalf("tree has %v, model %v", got, model)
			}
			for p, e := range model {
				if got[p] != e.ID {
					rt.Fatalf("tree has %v, model %v", got, model)
				}
			}
		}
		if root.IsZero() {
			return
		}
		// The canonical encoding of the same files, made from scratch, is the same tree.
		fresh, err := b.PatchTree(schema.OID{}, slices.Collect(maps.Values(model)))
		if err != nil || fresh != root {
			rt.Fatalf("patched tree %s, made from scratch %s (%v)", root, fresh, err)
		}
	})
	ok(t, b.Flush(t.Context()))
	g.run("commit", "-q", "--allow-empty", "-m", "x")
	if out := g.run("fsck", "--strict", "--no-dangling"); out != "" {
		t.Errorf("fsck: %s", out)
	}
}

// applyModel applies edits to a map of files; fine is false when a file and a folder would collide.
func applyModel(model map[string]Edit, edits map[string]Edit) (map[string]Edit, bool) {
	out := maps.Clone(model)
	for p, e := range edits {
		if e.Delete {
			delete(out, p)
			for q := range out {
				if strings.HasPrefix(q, p+"/") {
					delete(out, q)
				}
			}
		}
	}
	for p, e := range edits {
		if !e.Delete {
			out[p] = e
		}
	}
	for p := range out {
		for q := range out {
			if strings.HasPrefix(q, p+"/") {
				return nil, false
			}
		}
	}
	return out, true
}

func TestPatchTreeMovesWholeFolders(t *testing.T) {
	t.Parallel()
	r, _ := newRepo(t)
	b := r.NewBatch()
	x := b.Blob([]byte("x"))
	root := must[schema.OID](t)(b.PatchTree(schema.OID{}, []Edit{{Path: "old/a/1", Mode: ModeFile, ID: x}, {Path: "old/2", Mode: ModeFile, ID: x}}))
	view := b.Reader()
	dir, _, err := view.Lookup(root, "old")
	ok(t, err)
	moved := must[schema.OID](t)(b.PatchTree(root, []Edit{
		{Path: "old", Delete: true}, {Path: "new", Mode: ModeDir, ID: dir.ID}, {Path: "new/a/3", Mode: ModeFile, ID: x},
	}))
	var got []string
	ok(t, view.Walk(moved, "", func(p string, _ Entry) error { got = append(got, p); return nil }))
	if want := []string{"new/2", "new/a/1", "new/a/3"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	none := must[schema.OID](t)(b.PatchTree(moved, []Edit{{Path: "new", Delete: true}, {Path: "nothing/here", Delete: true}}))
	if none != EmptyTree() {
		t.Errorf("tree without files is %s", none)
	}
}
