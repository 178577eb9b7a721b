package schema

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRefEscape(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"雨夜灯", "雨夜灯"},
		{"雨 夜", "雨%20夜"},
		{"100%", "100%25"},
		{"a.lock", "a%2Elock"},
		{"a.LOCK", "a%2ELOCK"},
		{".a", "%2Ea"},
		{"a.", "a%2E"},
		{"a..b", "a%2E.b"},
		{"x@{1}", "x@%7B1}"},
		{"@", "%40"},
		{"-d", "%2Dd"},
		{"~^:?*[\\/\x7f\n", "%7E%5E%3A%3F%2A%5B%5C%2F%7F%0A"},
		{"a{b}", "a{b}"},
	}
	for _, tt := range tests {
		if got := RefEscape(tt.in); got != tt.want {
			t.Errorf("RefEscape(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if back, ok := RefUnescape(tt.want); !ok || back != tt.in {
			t.Errorf("RefUnescape(%q) = %q, %v", tt.want, back, ok)
		}
	}
	for _, bad := range []string{"%", "%2", "%zz", "%41", "%2e", "a b", "a.."} {
		if got, ok := RefUnescape(bad); ok {
			t.Errorf("RefUnescape(%q) = %q", bad, got)
		}
	}
}

// validComponent has the rules of git check-ref-format(1) for one component.
func validComponent(s string) bool {
	return s != "" && s != "@" && !strings.HasPrefix(s, ".") && !strings.HasPrefix(s, "-") && !strings.HasSuffix(s, ".lock") &&
		!strings.HasSuffix(s, ".") && !strings.Contains(s, "..") && !strings.Contains(s, "@{") &&
		!strings.ContainsAny(s, " ~^:?*[\\/\x7f") && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' })
}

func checkRef(t interface{ Fatalf(string, ...any) }, s string) {
	if s == "" {
		return
	}
	esc := RefEscape(s)
	if !validComponent(esc) {
		t.Fatalf("RefEscape(%q) = %q is no ref component", s, esc)
	}
	if back, ok := RefUnescape(esc); !ok || back != s {
		t.Fatalf("RefUnescape(%q) = %q, %v; want %q", esc, back, ok, s)
	}
}

func refish() *rapid.Generator[string] {
	part := rapid.SampledFrom([]string{".", "..", "lock", ".lock", "@", "{", "%", "/", "-", " ", "雨", "\x00", "\x7f", "~", "a", "\xff"})
	return rapid.Map(rapid.SliceOfN(part, 1, 8), func(p []string) string { return strings.Join(p, "") })
}

func TestRefProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := refish().Draw(t, "a"), refish().Draw(t, "b")
		checkRef(t, a)
		if a != b && RefEscape(a) == RefEscape(b) {
			t.Fatalf("%q and %q give one component", a, b)
		}
	})
}

func FuzzRefEscape(f *testing.F) {
	f.Add("a.lock")
	f.Add("@{")
	f.Fuzz(func(t *testing.T, s string) { checkRef(t, s) })
}

func TestRefNamesAgainstGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git on PATH: the rules of check-ref-format are checked by TestRefProperties only")
	}
	long := BookName(strings.Repeat("字", 66))
	refs := []string{
		"refs/heads/" + TrashBranch("雨夜灯", "", "20260102T150405Z"),
		"refs/heads/" + TrashBranch(long, ChapterKey(long), "20260102T150405Z-12"),
		"refs/heads/" + TrashBranch("a.lock", "x@{1}", "20260102T150405Z"),
		"refs/tags/" + ChapterTag("雨 夜.lock", "0003", 2),
	}
	for i := range 200 {
		refs = append(refs, "refs/heads/trash/"+RefEscape(refish().Example(i)))
	}
	for _, ref := range refs {
		if err := exec.Command(git, "check-ref-format", ref).Run(); err != nil {
			t.Errorf("git refuses %q", ref)
		}
		for part := range strings.SplitSeq(ref, "/") {
			if len(part)+len(".lock") > 255 && !strings.Contains(ref, "\xff") {
				t.Errorf("a part of %q is too long for a file", ref)
			}
		}
	}
}

func TestTrashBranch(t *testing.T) {
	t.Parallel()
	if got := TrashBranch("雨夜灯", "第03章", "20260102T150405Z"); got != "trash/雨夜灯-第03章-20260102T150405Z" {
		t.Errorf("got %s", got)
	}
	long := strings.Repeat("字", 66)
	a, b := TrashBranch(BookName(long), "甲"+ChapterKey(long[:180]), "t"), TrashBranch(BookName(long), "乙"+ChapterKey(long[:180]), "t")
	if a == b || len(a) > len("trash/")+maxRefComponent {
		t.Errorf("long names: %s, %s", a, b)
	}
	if got := ChapterTag("雨夜灯", "0003", 2); got != "novel/雨夜灯/0003/r2" {
		t.Errorf("got %s", got)
	}
}
