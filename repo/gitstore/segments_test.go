package gitstore

import (
	"bytes"
	"fmt"
	"hash/adler32"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"git-novel/schema"
)

// grown is a text of n lines, large enough for segments.
func grown(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "第%04d章：雨落在第%d盏灯上，灯下的人数到第%d滴。\n", i, i*7919%1000, i*31%97)
	}
	return b.Bytes()
}

// write puts one version of a file into the repository and reads it back, through the engine and through git.
func writeVersion(t *testing.T, r *Repo, g *git, data []byte) schema.OID {
	t.Helper()
	b := r.NewBatch()
	id := b.Blob(data)
	_, err := b.PatchTree(schema.OID{}, []Edit{{Path: "摘要.json", Mode: ModeFile, ID: id}})
	ok(t, err)
	ok(t, b.Flush(t.Context()))
	got, err := r.Blob(id)
	ok(t, err)
	if !bytes.Equal(got, data) {
		t.Fatalf("%d bytes came back as %d", len(data), len(got))
	}
	out, err := g.try(nil, "cat-file", "blob", id.String())
	ok(t, err)
	if out != string(bytes.TrimSpace(data)) {
		t.Fatal("git reads something else")
	}
	return id
}

func TestSegmentsAreReused(t *testing.T) {
	t.Parallel()
	r, g := newRepo(t)
	r.env.Cache = t.TempDir()
	text := grown(12000)
	first := writeVersion(t, r, g, text)
	table := func() *segmentTable {
		tab, file := r.lastSegments("摘要.json")
		if file != nil {
			ok(t, file.Close())
		}
		return tab
	}
	old := table()
	if len(old.list) < 3 {
		t.Fatalf("%d bytes make %d segments", len(text), len(old.list))
	}
	writeVersion(t, r, g, append(bytes.Clone(text), "最后一行\n"...))
	b := r.NewBatch()
	longer := b.Blob(append(bytes.Clone(text), "最后两行\n"...))
	b.byID[longer].path = "摘要.json"
	b.deflateSegments(b.byID[longer])
	if got, want := int(b.table.copied.Load()), len(old.list)-1; got != want {
		t.Errorf("%d segments were copied, want %d", got, want)
	}
	writeVersion(t, r, g, append([]byte("新的开头\n"), text...))

	// What cannot be trusted is not used: the object is right all the same.
	changed := bytes.Replace(text, []byte("第11999章"), []byte("第一万两千章"), 1)
	writeVersion(t, r, g, text[:len(text)-10])
	file := loosePath(r.db.root, table().id)
	raw, err := os.ReadFile(file)
	ok(t, err)
	raw[table().list[0].at+100] ^= 1
	ok(t, os.Chmod(file, 0o644))
	ok(t, os.WriteFile(file, raw, 0o444))
	writeVersion(t, r, g, changed)
	ok(t, os.Remove(file)) // a damaged object is no part of the check below
	names, err := filepath.Glob(filepath.Join(r.env.Cache, "segments-*"))
	ok(t, err)
	if len(names) != 1 {
		t.Fatalf("cache files: %v", names)
	}
	cached, err := os.ReadFile(names[0])
	ok(t, err)
	for _, damage := range [][]byte{nil, cached[:40], append([]byte("x"), cached[1:]...), append(cached[:len(cached)-1:len(cached)-1], cached[len(cached)-1]^1)} {
		ok(t, os.WriteFile(names[0], damage, 0o644))
		if tab := table(); len(tab.list) > 0 {
			t.Error("a damaged cache file is read")
		}
	}
	writeVersion(t, r, g, append(bytes.Clone(changed), '!'))
	if out, err := g.try(nil, "fsck", "--strict"); err != nil {
		t.Errorf("git fsck: %v %s", err, out)
	}
	if !r.Has(first) {
		t.Error("the first version is gone")
	}
}

func TestJoinAdler(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.SliceOf(rapid.Byte()).Draw(t, "a"), rapid.SliceOf(rapid.Byte()).Draw(t, "b")
		if rapid.Bool().Draw(t, "long") {
			b = bytes.Repeat(append(b, 0xff), 700)
		}
		want := adler32.Checksum(append(bytes.Clone(a), b...))
		if got := joinAdler(adler32.Checksum(a), adler32.Checksum(b), len(b)); got != want {
			t.Fatalf("%d and %d bytes: %08x, want %08x", len(a), len(b), got, want)
		}
	})
}
