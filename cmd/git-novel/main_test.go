package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"git-novel": main, "person": person})
}

// TestScripts runs every scenario of testdata/script against the real program and, where it is there, the real git. A
// scenario that needs git says so with [!git] skip and a reason.
func TestScripts(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("git")
	hasGit := err == nil
	if !hasGit {
		t.Log("no git program on PATH: the checks of the scenarios that ask git itself are skipped")
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("..", "..", "testdata", "script"),
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			if err := os.MkdirAll(home, 0o755); err != nil {
				return err
			}
			identity := "[user]\n\tname = 沈砚\n\temail = shen@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n"
			if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(identity), 0o644); err != nil {
				return err
			}
			e.Setenv("HOME", home)
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
			e.Setenv("NOVEL_LANG", "en")
			// A PATH without a git program: the folder of git-novel alone stands first in the script's PATH.
			bin, _, _ := strings.Cut(e.Getenv("PATH"), string(os.PathListSeparator))
			e.Setenv("NOGIT", bin)
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			e.Setenv("LC_ALL", "C.UTF-8")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else each of thousands of commands waits a second under -race
			e.Setenv("NL", "一行\n两行")
			e.Setenv("FORGED", "悬疑\n\nNovel-State: none -> chapter_committed")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "git":
				return hasGit, nil
			case "root":
				return os.Geteuid() == 0, nil
			}
			return false, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"han": writeHan, "jsonget": jsonGet, "blob": blobOf, "same": sameTree, "encode": encodeFile, "joined": joinedText, "fill": fillFile, "append": appendTo, "crlf": crlf, "nul": writeNUL, "put": putFile, "copytree": copyTree,
		},
		RequireUniqueNames: true,
	})
}

// writeHan writes a chapter's text of n sentences: han FILE HEADING N. Every sentence is another one, so that no check for
// repeated paragraphs finds anything.
func writeHan(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: han FILE HEADING SENTENCES")
	}
	text, err := prose(args[1], args[2])
	ts.Check(err)
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path, []byte(text), 0o644))
}
