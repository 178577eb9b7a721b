package gitcmd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"git-novel/schema"
)

func git(t *testing.T, env map[string]string) *Git {
	t.Helper()
	g, ok := Find(exec.LookPath, func(k string) string {
		if v, ok := env[k]; ok {
			return v
		}
		if k == "PATH" {
			return os.Getenv("PATH")
		}
		return ""
	})
	if !ok {
		t.Skip("git is not on PATH")
	}
	return g
}

// script makes a program that stands in for git.
func script(t *testing.T, body string) *Git {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script as a program")
	}
	file := filepath.Join(t.TempDir(), "git")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	g, ok := Find(func(string) (string, error) { return file, nil }, func(k string) string {
		if k == "PATH" {
			return os.Getenv("PATH")
		}
		return ""
	})
	if !ok {
		t.Fatal("not found")
	}
	return g
}

func TestFind(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	for name, look := range map[string]func(string) (string, error){
		"absent":   func(string) (string, error) { return "", exec.ErrNotFound },
		"relative": func(string) (string, error) { return "git", nil },
		"nil":      nil,
	} {
		if _, ok := Find(look, none); ok {
			t.Errorf("%s: found", name)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	g := git(t, map[string]string{
		"GIT_DIR": "/elsewhere", "GIT_INDEX_FILE": "/elsewhere", "GIT_AUTHOR_NAME": "作者", "NOVEL_SECRET": "s", "HOME": "/h",
	})
	env := g.environ(Cmd{Env: []string{"GIT_INDEX_FILE=/mine"}})
	for _, want := range []string{"GIT_AUTHOR_NAME=作者", "HOME=/h", "GIT_INDEX_FILE=/mine", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing in %q", want, env)
		}
	}
	for _, bad := range []string{"/elsewhere", "NOVEL_SECRET"} {
		if strings.Contains(strings.Join(env, "\n"), bad) {
			t.Errorf("%s reaches git: %q", bad, env)
		}
	}
	if slices.Contains(g.environ(Cmd{Prompt: true}), "GIT_TERMINAL_PROMPT=0") {
		t.Error("a run that may prompt is told not to")
	}
}

func TestRunAndCheck(t *testing.T) {
	t.Parallel()
	g := git(t, nil)
	ctx := context.Background()
	dir := t.TempDir()
	if _, err := g.Check(ctx, Cmd{Dir: dir, Args: []string{"init", "-q"}}); err != nil {
		t.Fatal(err)
	}
	res, err := g.Check(ctx, Cmd{Dir: dir, Args: []string{"hash-object", "--stdin"}, Stdin: []byte("雨\n")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimSpace(string(res.Stdout)), schema.HashBlob([]byte("雨\n")).String(); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
	res, err = g.Run(ctx, Cmd{Dir: dir, Args: []string{"rev-parse", "--verify", "-q", "nothing"}})
	if err != nil || res.Code == 0 {
		t.Errorf("a failing run: code %d, %v; want a code and no error", res.Code, err)
	}
	_, err = g.Check(ctx, Cmd{Dir: dir, Args: []string{"cat-file", "-p", "nothing"}})
	if schema.CodeOf(err) != schema.CodeGit || !strings.Contains(err.Error(), "Not a valid object name") {
		t.Errorf("Check: %v; want git's own words", err)
	}
	if v, err := g.Version(ctx); err != nil || len(v) < 2 || v[0] < 2 {
		t.Errorf("version %v, %v", v, err)
	}
}

// A helper that keeps the pipe open in the background must not outlive the deadline.
func TestTimeoutKillsGroup(t *testing.T) {
	t.Parallel()
	g := script(t, "sleep 30 & sleep 30; true\n")
	start := time.Now()
	_, err := g.Run(context.Background(), Cmd{Args: []string{"fetch"}, Timeout: 200 * time.Millisecond})
	if schema.CodeOf(err) != schema.CodeGit {
		t.Errorf("error %v, want code git", err)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("took %s", d)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	g := script(t, "sleep 30\n")
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := g.Run(ctx, Cmd{Args: []string{"push"}})
	if schema.CodeOf(err) != schema.CodeInterrupted || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want interrupted", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	g := script(t, "while :; do echo 0123456789012345678901234567890123456789; done\n")
	_, err := g.Run(context.Background(), Cmd{Args: []string{"log"}, MaxOutput: 1000, Timeout: 20 * time.Second})
	if schema.CodeOf(err) != schema.CodeGit || !strings.Contains(err.Error(), "more than 1000 bytes") {
		t.Errorf("error %v", err)
	}
}

func TestFailureHidesArguments(t *testing.T) {
	t.Parallel()
	g := script(t, "exit 3\n")
	_, err := g.Check(context.Background(), Cmd{Args: []string{"push", "https://me:secret@host/x"}})
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "git push failed with exit code 3") {
		t.Errorf("error %v", err)
	}
}

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]int{
		"git version 2.39.5":                   {2, 39, 5},
		"git version 2.50.1 (Apple Git-155)":   {2, 50, 1},
		"git version 2.45.2.windows.1":         {2, 45, 2},
		"nonsense":                             nil,
		"git version 99999999999999999999.1.1": {9999999, 1, 1},
	} {
		if got := parseVersion(in); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
}
