package repo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-novel/repo"
)

// TestNoTempPacks: a large transition that fails leaves nothing in the object folder, and what a killed one left goes with
// the next recovery, while git's own files stay.
func TestNoTempPacks(t *testing.T) {
	t.Parallel()
	l, o := library(t)
	pack := filepath.Join(o.dir, ".git", "objects", "pack")
	fail := errors.New("no")
	_, err := l.Update(context.Background(), func(tx *repo.Tx) error {
		for i := range 300 {
			text := fmt.Sprintf("第%d章\n%s\n", i, strings.Repeat("雨", 100))
			if err := tx.Write(fmt.Sprintf("novels/书/第%03d章.md", i), []byte(text)); err != nil {
				return err
			}
		}
		return fail
	})
	if !errors.Is(err, fail) {
		t.Fatal(err)
	}
	if names := packNames(t, pack); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
	if err := os.MkdirAll(pack, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tmp_pack_novel_1", "tmp_pack_abc"} {
		if err := os.WriteFile(filepath.Join(pack, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l.Store().RemoveTempPacks()
	if names := packNames(t, pack); len(names) != 1 || names[0] != "tmp_pack_abc" {
		t.Errorf("after recovery: %v", names)
	}
}

func packNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
