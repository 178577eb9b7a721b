package hooks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow"
)

// at is a process in a folder, with git's variables.
func at(t *testing.T, dir string, vars map[string]string) workflow.Options {
	t.Helper()
	home := t.TempDir()
	now := func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }
	return workflow.Options{
		Dir: dir, Wait: -1, Now: now, LookPath: func(string) (string, error) { return "", os.ErrNotExist },
		Getenv: func(k string) string {
			switch k {
			case "HOME":
				return home
			case "GIT_CONFIG_NOSYSTEM":
				return "1"
			}
			return vars[k]
		},
	}
}

func create(t *testing.T, bare bool) string {
	t.Helper()
	dir := t.TempDir()
	o := at(t, dir, nil)
	creator := gitstore.Create
	if bare {
		creator = gitstore.CreateBare
	}
	r, err := creator(dir, "main", env(o))
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	return dir
}

// TestOutsideALibrary: a client's hook lets git go on where nothing is to be checked, a server's refuses.
func TestOutsideALibrary(t *testing.T) {
	t.Parallel()
	for _, name := range ClientNames() {
		r, err := Run(t.Context(), name, []string{"x"}, strings.NewReader(""), at(t, t.TempDir(), nil))
		if err != nil || len(r.Notes) > 0 {
			t.Errorf("%s: %v %v", name, r, err)
		}
	}
	if _, err := Run(t.Context(), PreReceive, nil, strings.NewReader(""), at(t, t.TempDir(), nil)); schema.CodeOf(err) != schema.CodeNotLibrary {
		t.Errorf("%s: %v", PreReceive, err)
	}
	if _, err := Run(t.Context(), "update", nil, strings.NewReader(""), at(t, t.TempDir(), nil)); schema.CodeOf(err) != schema.CodeUsage {
		t.Errorf("update: %v", err)
	}
}

// TestAnotherGitDir: git --git-dir names another repository than the one around the folder; judging one by the other's
// history would be nonsense.
func TestAnotherGitDir(t *testing.T) {
	t.Parallel()
	one, two := create(t, false), create(t, false)
	r, err := Run(t.Context(), PreCommit, nil, strings.NewReader(""), at(t, one, map[string]string{"GIT_DIR": filepath.Join(two, ".git")}))
	if err != nil || len(r.Notes) != 1 {
		t.Errorf("%v %v", r, err)
	}
	r, err = Run(t.Context(), PreCommit, nil, strings.NewReader(""), at(t, one, map[string]string{"GIT_DIR": ".git"}))
	if err != nil || len(r.Notes) != 0 {
		t.Errorf("%v %v", r, err)
	}
}

func TestMergeUnderWay(t *testing.T) {
	t.Parallel()
	dir := create(t, false)
	if err := os.WriteFile(filepath.Join(dir, ".git", "MERGE_HEAD"), []byte(idA+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), PreCommit, nil, strings.NewReader(""), at(t, dir, nil))
	if err != nil || len(r.Notes) != 1 || !strings.Contains(r.Notes[0].String(), "merge") {
		t.Errorf("%v %v", r, err)
	}
}

// TestServerFailsClosed: what cannot be read, or is not there, is refused.
func TestServerFailsClosed(t *testing.T) {
	t.Parallel()
	dir := create(t, true)
	zero := strings.Repeat("0", 40)
	for name, input := range map[string]string{
		"no list":     "nonsense\n",
		"lost object": zero + " " + idA + " refs/heads/main\n",
		"lost old":    idA + " " + idB + " refs/heads/main\n",
	} {
		if _, err := Run(t.Context(), PreReceive, nil, strings.NewReader(input), at(t, dir, map[string]string{"GIT_DIR": "."})); err == nil {
			t.Errorf("%s: the push goes through", name)
		}
	}
	for name, input := range map[string]string{"nothing": "", "a branch that is not there": zero + " " + zero + " refs/heads/x\n"} {
		if _, err := Run(t.Context(), PreReceive, nil, strings.NewReader(input), at(t, dir, map[string]string{"GIT_DIR": "."})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Run(t.Context(), PreReceive, nil, brokenReader{}, at(t, dir, nil)); err == nil {
		t.Error("an input that breaks off goes through")
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }
