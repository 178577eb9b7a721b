package gitstore

import (
	"os"
	"path/filepath"
	"testing"

	"git-novel/schema"
)

// TestStagedTree: what a hook sees of the index is what git would commit, it can be read, and nothing is written for it.
func TestStagedTree(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	commitFiles(t, r, "a", map[string]string{"novels/书/第1章.md": "甲\n", "b": "b\n"})
	writeFile(t, filepath.Join(g.dir, "novels/书/第2章.md"), "乙\n")
	writeFile(t, filepath.Join(g.dir, "later"), "x\n")
	g.run("add", "novels")
	g.run("add", "-N", "later")
	before := g.run("count-objects")
	ix := must[*Index](t)(r.ReadIndex())
	tree, view, err := r.StagedTree(ix)
	ok(t, err)
	e, found, err := view.Lookup(tree, "novels/书/第2章.md")
	if err != nil || !found || e.ID != schema.HashBlob([]byte("乙\n")) {
		t.Errorf("%v %v %v", e, found, err)
	}
	if _, found, err := view.Lookup(tree, "later"); err != nil || found {
		t.Errorf("a file that is only intended to be added is in the tree: %v", err)
	}
	if after := g.run("count-objects"); after != before {
		t.Errorf("objects were written: %s, before %s", after, before)
	}
	g.run("rm", "-q", "--cached", "later")
	if want := g.run("write-tree"); tree.String() != want {
		t.Errorf("tree %s, git has %s", tree, want)
	}
}

// TestAddObjects: objects that git keeps apart are found once their place is named, loose and packed.
func TestAddObjects(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	first := commitFiles(t, r, "a", map[string]string{"a": "a\n"})
	apart := filepath.Join(t.TempDir(), "incoming 暂存")
	ok(t, os.MkdirAll(filepath.Join(apart, "pack"), 0o755))
	second := commitFiles(t, r, "b", map[string]string{"a": "b\n"})
	id := second.String()
	loose := filepath.Join(g.dir, ".git", "objects", id[:2], id[2:])
	ok(t, os.MkdirAll(filepath.Join(apart, id[:2]), 0o755))
	ok(t, os.Rename(loose, filepath.Join(apart, id[:2], id[2:])))
	fresh := openRepo(t, g.dir)
	if fresh.Has(second) || !fresh.Has(first) {
		t.Fatal("the object is not apart")
	}
	fresh.AddObjects(apart, filepath.Join(g.dir, ".git", "objects"))
	c, err := fresh.Commit(second)
	if err != nil || len(c.Parents) != 1 || c.Parents[0] != first {
		t.Errorf("%v %v", c, err)
	}
}

// TestConfigOwn: a value of the repository is told from one of the user's.
func TestConfigOwn(t *testing.T) {
	t.Parallel()
	c := &Config{}
	c.add(configVar{key: "core.hookspath", value: "/shared", protect: true})
	if c.FromRepository("core.hooksPath") {
		t.Error("the user's value is taken for the repository's")
	}
	if v, ok := c.Own("core.hooksPath"); ok {
		t.Errorf("own value %q", v)
	}
	c.add(configVar{key: "core.hookspath", value: "here"})
	if v, ok := c.Own("core.hooksPath"); !ok || v != "here" || !c.FromRepository("core.hooksPath") {
		t.Errorf("own value %q %v", v, ok)
	}
	c.add(configVar{key: "core.hookspath", value: "/line", protect: true}) // git -c
	if v, _ := c.Own("core.hooksPath"); v != "here" || c.FromRepository("core.hooksPath") {
		t.Errorf("own value %q, from the repository %v", v, c.FromRepository("core.hooksPath"))
	}
	c.add(configVar{key: "receive.fsckobjects", implicit: true})
	if v, ok := c.Own("receive.fsckObjects"); !ok || v != "true" {
		t.Errorf("a variable without value is %q", v)
	}
}

func TestOurHook(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"#!/bin/sh\n# git-novel hook: pre-commit\n": true,
		"#!/bin/sh\r\n# git-novel hook\r\n":         true,
		"#!/bin/sh\ngit-novel hook pre-commit\n":    false,
		"":                                          false,
	} {
		if _, ours := OurHook([]byte(text)); ours != want {
			t.Errorf("%q: ours %v", text, ours)
		}
	}
}
