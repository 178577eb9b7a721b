package hooks

import (
	"strings"
	"testing"

	"git-novel/repo/gitstore"
	"git-novel/schema"

	"github.com/google/go-cmp/cmp"
)

const (
	idA = "1111111111111111111111111111111111111111"
	idB = "2222222222222222222222222222222222222222"
)

func TestPathList(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"":                              nil,
		"/a":                            {"/a"},
		"/a:/b c":                       {"/a", "/b c"},
		`"/a:b":/c`:                     {"/a:b", "/c"},
		`"/\346\265\213":"/x"`:          {"/测", "/x"},
		`/a::/b:`:                       {"/a", "/b"},
		`"not closed:/b`:                {`"not closed`, "/b"},
		"./objects/incoming-1:/srv/obj": {"./objects/incoming-1", "/srv/obj"},
	} {
		if got := pathList(in); !cmp.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	ups, err := parseUpdates(idA + " " + idB + " refs/heads/我的 书\n")
	if err != nil || len(ups) != 1 || ups[0].ref != "refs/heads/我的 书" || ups[0].old.String() != idA {
		t.Errorf("%v %v", ups, err)
	}
	for _, bad := range []string{"x", idA + " " + idB + "\n", idA + " " + idB + " HEAD\n", "zz " + idB + " refs/heads/a\n"} {
		if _, err := parseUpdates(bad); schema.CodeOf(err) != schema.CodeInvalid {
			t.Errorf("update %q: %v", bad, err)
		}
	}
	push, err := parsePushed("refs/heads/main " + idA + " refs/heads/main " + idB + "\n(delete) " + strings.Repeat("0", 40) + " refs/heads/x " + idB + "\n")
	if err != nil || len(push) != 2 || !push[1].id.IsZero() || push[1].ref != "refs/heads/x" {
		t.Errorf("%v %v", push, err)
	}
	if _, err := parsePushed("a b c\n"); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("push: %v", err)
	}
	raw, err := parseRaw([]byte(":100644 120000 " + idA + " " + idB + " T\x00novels/书/第1章.md\x00"))
	if err != nil || len(raw) != 1 || raw[0].Path != "novels/书/第1章.md" || raw[0].Mode != 0o120000 {
		t.Errorf("%v %v", raw, err)
	}
	if _, err := parseRaw([]byte(":1 2 3\x00a\x00")); schema.CodeOf(err) != schema.CodeGit {
		t.Errorf("raw: %v", err)
	}
}

// TestScript: every script is recognised as ours and names what it chains, whatever it remembers.
func TestScript(t *testing.T) {
	t.Parallel()
	for _, hook := range allNames() {
		text := script(hook, "/opt/it's here/git-novel", []string{fsckKey + "=0"})
		chained, ours := gitstore.OurHook([]byte(text))
		if !ours || !cmp.Equal(chained, []string{hook + ".before-git-novel"}) {
			t.Errorf("%s: ours %v, chained %q", hook, ours, chained)
		}
		if got := remembered(text); !cmp.Equal(got, map[string]string{fsckKey: "0"}) {
			t.Errorf("%s remembers %q", hook, got)
		}
		if !strings.Contains(text, `'/opt/it'\''s here/git-novel'`) {
			t.Errorf("%s does not quote the program:\n%s", hook, text)
		}
		if closed := strings.Contains(text, "exit 1"); closed != (hook == PreReceive) {
			t.Errorf("%s without git-novel: refuses %v", hook, closed)
		}
	}
	if _, ours := gitstore.OurHook([]byte("#!/bin/sh\nexec git-novel hook pre-commit\n")); ours {
		t.Error("a script of somebody's that calls us is taken for ours")
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]bool{
		"refs/heads/main": true, "refs/heads/trash": true, "refs/tags/v1": true, "refs/heads/trash/x-1": false,
		"refs/heads/novel-wip/a": false, "refs/novel/wip/a": false, "refs/notes/commits": false,
	} {
		if history(ref) != want {
			t.Errorf("%s: %v", ref, !want)
		}
	}
}

func TestChapterOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"novels/书/第03章 雨夜.md":                                 "3",
		".novel-writer/books/书/chapters/0012/review.json":     "12",
		".novel-writer/books/书/chapters/番外 雨夜/commit.json":    "'番外 雨夜'",
		".novel-writer/books/书/state.json":                    "N",
		"README.md":                                           "N",
		".novel-writer/books/书/chapters/0012/settings/x.json": "N",
	} {
		if got := chapterOf(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// FuzzInput: what git hands over is read or refused, and never more lines come out than went in.
func FuzzInput(f *testing.F) {
	f.Add(idA + " " + idB + " refs/heads/main\n")
	f.Add("refs/heads/main " + idA + " refs/heads/main " + idB + "\n")
	f.Add(":100644 120000 " + idA + " " + idB + " T\x00a\x00")
	f.Add(`"a:b":c`)
	f.Fuzz(func(t *testing.T, in string) {
		lines := strings.Count(in, "\n") + 1
		if ups, err := parseUpdates(in); err == nil && len(ups) > lines {
			t.Errorf("%d updates of %d lines", len(ups), lines)
		}
		if push, err := parsePushed(in); err == nil && len(push) > lines {
			t.Errorf("%d pushes of %d lines", len(push), lines)
		}
		if raw, err := parseRaw([]byte(in)); err == nil && 2*len(raw) > strings.Count(in, "\x00") {
			t.Errorf("%d changes of %q", len(raw), in)
		}
		for _, p := range pathList(in) {
			if p == "" && !strings.Contains(in, `""`) {
				t.Errorf("an empty path of %q", in)
			}
		}
	})
}
