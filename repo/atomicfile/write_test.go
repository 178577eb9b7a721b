package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"git-novel/repo/atomicfile"
	"git-novel/schema"
)

func root(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	r, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r, dir
}

func content(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestWriteReplaces(t *testing.T) {
	t.Parallel()
	r, dir := root(t)
	for _, want := range []string{"一", "二二", ""} {
		if err := atomicfile.Write(r, "雨 夜.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := content(t, filepath.Join(dir, "雨 夜.md")); got != want {
			t.Errorf("content %q, want %q", got, want)
		}
	}
	if got := names(t, dir); got != "雨 夜.md" {
		t.Errorf("folder holds %q; temporary files must not stay", got)
	}
}

func TestWriteFailsClean(t *testing.T) {
	t.Parallel()
	r, dir := root(t)
	if err := os.MkdirAll(filepath.Join(dir, "taken", "child"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.Write(r, "taken", []byte("x"), 0o644)
	if err == nil {
		t.Fatal("a folder was replaced by a file")
	}
	if e := (*schema.Error)(nil); !errors.As(err, &e) {
		t.Errorf("error %T is not a *schema.Error", err)
	}
	if got := names(t, dir); got != "taken" {
		t.Errorf("folder holds %q after a failed write", got)
	}
}

func TestConfined(t *testing.T) {
	t.Parallel()
	r, dir := root(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Skip("no symlinks here:", err)
	}
	for _, name := range []string{"../x", "out/x"} {
		if err := atomicfile.Write(r, name, []byte("x"), 0o644); err == nil {
			t.Errorf("%s: written outside the root", name)
		}
		if err := atomicfile.Append(r, name, []byte("x"), 0o644); err == nil {
			t.Errorf("%s: appended outside the root", name)
		}
	}
	if got := names(t, outside); got != "" {
		t.Errorf("outside holds %q", got)
	}
}

func TestCreateIsExclusive(t *testing.T) {
	t.Parallel()
	r, dir := root(t)
	const n = 8
	var wg sync.WaitGroup
	won := make(chan int, n)
	for i := range n {
		wg.Go(func() {
			err := atomicfile.Create(r, "one", []byte{byte('0' + i)}, 0o644)
			switch {
			case err == nil:
				won <- i
			case !errors.Is(err, fs.ErrExist):
				t.Errorf("loser's error is %v, want one that is fs.ErrExist", err)
			}
		})
	}
	wg.Wait()
	close(won)
	if len(won) != 1 {
		t.Fatalf("%d creators won, want 1", len(won))
	}
	if got, want := content(t, filepath.Join(dir, "one")), string(rune('0'+<-won)); got != want {
		t.Errorf("content %q, want the winner's %q", got, want)
	}
	if got := names(t, dir); got != "one" {
		t.Errorf("folder holds %q", got)
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	r, dir := root(t)
	for _, s := range []string{"a\n", "乙\n"} {
		if err := atomicfile.Append(r, "log", []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := content(t, filepath.Join(dir, "log")); got != "a\n乙\n" {
		t.Errorf("content %q", got)
	}
}

func TestMkdirAllNamesWhatToSync(t *testing.T) {
	t.Parallel()
	r, _ := root(t)
	dirty, err := atomicfile.MkdirAll(r, "a/b/c", 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(dirty, " "); got != ". a a/b" {
		t.Errorf("folders to sync %q, want %q", got, ". a a/b")
	}
	if dirty, err = atomicfile.MkdirAll(r, "a/b/c", 0o755); err != nil || len(dirty) != 0 {
		t.Errorf("again: %v, %v; want nothing to do", dirty, err)
	}
	if err := atomicfile.Write(r, "a/file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := atomicfile.MkdirAll(r, "a/file/x", 0o755); err == nil {
		t.Error("a folder was made below a file")
	}
}

func TestStagedHolds(t *testing.T) {
	t.Parallel()
	r, dir := root(t)
	st, err := atomicfile.Stage(r, ".", []byte("text"), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Place("f"); err != nil {
		t.Fatal(err)
	}
	info, err := r.Lstat("f")
	if err != nil {
		t.Fatal(err)
	}
	if !st.Holds(info) {
		t.Error("the placed file is not known again")
	}
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if info, err = r.Lstat("f"); err != nil {
		t.Fatal(err)
	}
	if st.Holds(info) {
		t.Error("an edited file is taken for the staged one")
	}
}
