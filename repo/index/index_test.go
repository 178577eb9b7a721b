package index

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-novel/schema"
)

func openAt(t *testing.T, path string) *DB {
	t.Helper()
	d, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func write(t *testing.T, d *DB, fn func(b *Book) error) {
	t.Helper()
	err := d.Write(t.Context(), func(tx *Tx) error {
		b, err := tx.MakeBook("雨夜灯")
		if err != nil {
			return err
		}
		return fn(b)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, d *DB, fn func(b *Book) error) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *Tx) error {
		b, err := tx.Book("雨夜灯")
		if err != nil {
			return err
		}
		return fn(b)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWordsMissNothing: of any texts and any words, every text that has the words is among the candidates; also after texts
// were added to a segment that was stored before.
func TestWordsMissNothing(t *testing.T) {
	t.Parallel()
	d, err := Private(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		name := fmt.Sprint("book", n)
		letters := []rune("灯雨夜沈砚渡口Aa１1，。 é\n")
		texts := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom(letters), 0, 30, -1), 1, 12).Draw(rt, "texts")
		cut := rapid.IntRange(0, len(texts)).Draw(rt, "cut")
		first := rapid.SampledFrom([]int{0, 250, 511}).Draw(rt, "first")
		for _, part := range [][2]int{{0, cut}, {cut, len(texts)}} {
			err := d.Write(context.Background(), func(tx *Tx) error {
				b, err := tx.MakeBook(name)
				if err != nil {
					return err
				}
				w := b.NewWordWriter()
				for i := part[0]; i < part[1]; i++ {
					if err := w.Put(Doc{ID: first + i, Text: strings.Split(texts[i], "\n")}); err != nil {
						return err
					}
				}
				return w.Flush()
			})
			if err != nil {
				rt.Fatal(err)
			}
		}
		err := d.Read(context.Background(), func(tx *Tx) error {
			b, err := tx.Book(name)
			if err != nil {
				return err
			}
			for range 10 {
				words := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom(letters[:12]), 1, 3, -1), 1, 2).Draw(rt, "words")
				ids, some, err := b.Find(words, first+len(texts))
				if err != nil {
					return err
				}
				for i, text := range texts {
					has := true
					for _, w := range words {
						has = has && strings.Contains(string(Fold(text)), string(Fold(w)))
					}
					if has && some && !slices.Contains(ids, first+i) {
						rt.Fatalf("%q is not found in %q (%v)", words, text, ids)
					}
				}
				if len(ids) > 0 && (ids[0] < first || !slices.IsSorted(ids)) {
					rt.Fatalf("ids %v", ids)
				}
			}
			return nil
		})
		if err != nil {
			rt.Fatal(err)
		}
	})
}

// TestWordsExclude: a text without the word's pair is no candidate.
func TestWordsExclude(t *testing.T) {
	t.Parallel()
	d := openAt(t, filepath.Join(t.TempDir(), "index.db"))
	write(t, d, func(b *Book) error {
		w := b.NewWordWriter()
		for i, s := range []string{"渡口有船", "口渡", "船在渡。口"} {
			if err := w.Put(Doc{ID: i, Text: []string{s}}); err != nil {
				return err
			}
		}
		return w.Flush()
	})
	read(t, d, func(b *Book) error {
		for word, want := range map[string][]int{"渡口": {0}, "船": {0, 2}, "灯": nil} {
			if ids, _, err := b.Find([]string{word}, 3); err != nil || !slices.Equal(ids, want) {
				t.Errorf("%s: %v %v, want %v", word, ids, err, want)
			}
		}
		if _, some, err := b.Find([]string{"，"}, 3); err != nil || some {
			t.Errorf("a comma excludes something: %v %v", some, err)
		}
		return nil
	})
}

// TestDamagedFiles: a file that is no index, or one of another version, is made anew.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "书库 #1?%", "index.db")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	d := openAt(t, path)
	write(t, d, func(b *Book) error { return b.SetMark("memory", "m1") })
	d.Close()
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the file is not where it was asked for: %v", err)
	}
	d = openAt(t, path)
	read(t, d, func(b *Book) error {
		if m, err := b.Mark("memory"); err != nil || m != "m1" {
			t.Errorf("mark %q %v", m, err)
		}
		return nil
	})
	if _, err := d.conn.ExecContext(t.Context(), "PRAGMA user_version=99"); err != nil {
		t.Fatal(err)
	}
	d.Close()
	empty := func(when string) {
		d := openAt(t, path)
		defer d.Close()
		read(t, d, func(b *Book) error {
			if m, err := b.Mark("memory"); err != nil || m != "" {
				t.Errorf("%s: mark %q %v", when, m, err)
			}
			return nil
		})
	}
	empty("another version")
	if err := os.WriteFile(path, bytes.Repeat([]byte("不是索引"), 999), 0o600); err != nil {
		t.Fatal(err)
	}
	empty("rubbish")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere.db", path); err == nil {
		if _, err := Open(t.Context(), path); schema.CodeOf(err) != schema.CodeInvalid {
			t.Errorf("a link is followed: %v", err)
		}
	}
}

// TestCrash: what a process wrote and did not finish is gone for whoever opens the file after it died.
func TestCrash(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index.db")
	d := openAt(t, path)
	write(t, d, func(b *Book) error { return b.SetMark("memory", "old") })
	copied := filepath.Join(t.TempDir(), "index.db")
	err := d.Write(t.Context(), func(tx *Tx) error {
		b, err := tx.MakeBook("雨夜灯")
		if err != nil {
			return err
		}
		if err := b.SetMark("memory", "new"); err != nil {
			return err
		}
		for i := range 3000 { // more than the cache holds goes to the file before the end
			if err := b.Put(Thing{Kind: "k", Key: fmt.Sprint(i), Data: bytes.Repeat([]byte{byte(i)}, 5000)}); err != nil {
				return err
			}
		}
		for _, suffix := range []string{"", "-journal"} { // what a crash now would leave
			data, err := os.ReadFile(path + suffix)
			if err != nil {
				return err
			}
			if err := os.WriteFile(copied+suffix, data, 0o600); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	read(t, openAt(t, copied), func(b *Book) error {
		m, err := b.Mark("memory")
		if err != nil || m != "old" {
			t.Errorf("mark %q %v", m, err)
		}
		list, err := b.Range("k", 0, 1, 0, false)
		if len(list) > 0 {
			t.Errorf("%d things of an unfinished transaction", len(list))
		}
		return err
	})
}

// TestBusy: a writer that does not end is told from a damaged file.
func TestBusy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index.db")
	a, b := openAt(t, path), openAt(t, path)
	err := a.Write(t.Context(), func(*Tx) error {
		return b.Write(t.Context(), func(*Tx) error { return nil })
	})
	if schema.CodeOf(err) != schema.CodeConflict || Damaged(err) || !Failed(err) {
		t.Errorf("%v: damaged %v, failed %v", err, Damaged(err), Failed(err))
	}
}

// FuzzPages: a page of any bytes is refused or read, and what is written is read back.
func FuzzPages(f *testing.F) {
	f.Add(encodePage([]uint64{1<<8 | 2, 1<<8 | 3, 9 << 8}))
	f.Add([]byte{0xff, 0xff})
	f.Fuzz(func(t *testing.T, page []byte) {
		list, err := appendPage(nil, page)
		if err != nil {
			if !Damaged(err) {
				t.Errorf("%v is not damage", err)
			}
			return
		}
		slices.Sort(list)
		list = slices.Compact(list)
		again, err := appendPage(nil, encodePage(list))
		if err != nil || !slices.Equal(again, list) {
			t.Errorf("%v, %v: %v", list, again, err)
		}
	})
}
