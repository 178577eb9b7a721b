package workflow_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-novel/schema"
	"git-novel/workflow"
)

// library makes a library with one empty book and gives what a front end would open it with.
func library(t *testing.T) workflow.Options {
	t.Helper()
	home := t.TempDir()
	config := "[user]\n\tname = 沈砚\n\temail = shen@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": home}
	o := workflow.Options{
		Dir: filepath.Join(t.TempDir(), "lib"), Wait: 5 * time.Second, Command: "git novel write 1",
		Getenv: func(k string) string { return env[k] }, Now: time.Now,
		LookPath: func(string) (string, error) { return "", exec.ErrNotFound },
	}
	if _, err := workflow.Init(t.Context(), o, o.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, o).BookNew(t.Context(), "雨夜灯"); err != nil {
		t.Fatal(err)
	}
	return o
}

func open(t *testing.T, o workflow.Options) *workflow.Session {
	t.Helper()
	s, err := workflow.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A second write of the same book is refused with who is at it, and an author's own commands go on meanwhile.
func TestWriteHoldsTheBook(t *testing.T) {
	t.Parallel()
	o := library(t)
	in := workflow.WriteInput{Chapter: "1", Text: []byte("雨落在旧城的瓦上。\n")}
	first := true
	for _, err := range open(t, o).Write(t.Context(), in) {
		if !first || err != nil {
			break
		}
		first = false
		for _, err := range open(t, o).Write(t.Context(), in) {
			if schema.CodeOf(err) != schema.CodeConflict || !strings.Contains(err.Error(), "git novel write 1") {
				t.Errorf("the second write: %v", err)
			}
		}
		if _, err := open(t, o).ChapterNew(t.Context(), workflow.ChapterNewInput{Chapter: "番外", Text: []byte("灯亮着。\n")}); err != nil {
			t.Errorf("saving while the book is held: %v", err)
		}
	}
	if first {
		t.Fatal("the first write made no step")
	}
	for _, err := range open(t, o).Write(t.Context(), in) {
		if schema.CodeOf(err) == schema.CodeConflict {
			t.Errorf("the lock outlived its command: %v", err)
		}
	}
}

// A caller that wants no more steps gets none, and what was done stays.
func TestWriteStops(t *testing.T) {
	t.Parallel()
	o := library(t)
	n := 0
	for step, err := range open(t, o).Write(t.Context(), workflow.WriteInput{Chapter: "1", Text: []byte("雨落在旧城的瓦上。\n")}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; step.Step == "2" {
			break
		}
	}
	got, err := open(t, o).StateGet(t.Context(), "1")
	if err != nil || n != 3 || got.Status == nil || *got.Status != schema.StateDrafted {
		t.Errorf("after %d steps: %+v, %v", n, got, err)
	}
}

// A person's steps are refused to whoever is none, whatever else is right with them.
func TestPersonOnly(t *testing.T) {
	t.Parallel()
	o := library(t)
	if _, err := open(t, o).ChapterNew(t.Context(), workflow.ChapterNewInput{Chapter: "1", Text: []byte("雨落在旧城的瓦上。\n")}); err != nil {
		t.Fatal(err)
	}
	for _, actor := range []workflow.Actor{{}, {Run: "r-1"}, {Terminal: true, Run: "r-1"}} {
		o.Actor = actor
		if _, err := open(t, o).ReviewPass(t.Context(), "1", "读过"); schema.CodeOf(err) != schema.CodeRule {
			t.Errorf("%+v passes a review: %v", actor, err)
		}
		if _, err := open(t, o).ReviewOverride(t.Context(), "1", "r1-1", "理由"); schema.CodeOf(err) != schema.CodeRule {
			t.Errorf("%+v overrides: %v", actor, err)
		}
		if _, err := open(t, o).Retcon(t.Context(), workflow.RetconInput{Chapter: "1", Reason: "r", Pass: "读过"}); schema.CodeOf(err) != schema.CodeRule {
			t.Errorf("%+v passes a retcon: %v", actor, err)
		}
	}
	o.Actor = workflow.Actor{Terminal: true}
	r, err := open(t, o).ReviewPass(t.Context(), "1", "读过")
	if err != nil || !r.Advanced {
		t.Errorf("a person at a terminal: %+v, %v", r, err)
	}
}
