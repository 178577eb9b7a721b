package diff

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// checkResult states what holds for every pair of texts.
func checkResult(t interface{ Fatalf(string, ...any) }, a, b string, r *Result) {
	if got, ok := r.Apply(a); !ok || got != b {
		t.Fatalf("Apply(%q) = %q %t\nwant %q\n%+v", a, got, ok, b, r.Edits)
	}
	if got, ok := r.Revert(b); !ok || got != a {
		t.Fatalf("Revert(%q) = %q %t\nwant %q", b, got, ok, a)
	}
	if r.Identical != (a == b) || (a == b) != (len(r.Edits)+len(r.Layout) == 0) {
		t.Fatalf("identical %t with %d edits and %d layout changes", r.Identical, len(r.Edits), len(r.Layout))
	}
	for i := 1; i < len(r.Edits); i++ {
		x, y := r.Edits[i-1], r.Edits[i]
		if y.A.Start < x.A.End || y.B.Start < x.B.End {
			t.Fatalf("edits %d and %d overlap: %+v %+v", i-1, i, x, y)
		}
	}
	for _, e := range r.Edits {
		if e.Old == e.New {
			t.Fatalf("an edit changes nothing: %+v", e)
		}
	}
	left, right := 0, 0
	for _, bl := range r.Blocks() {
		left, right = max(left, bl.ATo), max(right, bl.BTo)
	}
	if left != len(paragraphs(a)) || right != len(paragraphs(b)) {
		t.Fatalf("blocks show %d and %d paragraphs", left, right)
	}
}

func TestTextsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := textGen().Draw(t, "a"), textGen().Draw(t, "b")
		for _, o := range []Options{{}, {NoMoves: true}, {Minimal: true}} {
			checkResult(t, a, b, Texts(a, b, o))
		}
		checkResult(t, a, a, Texts(a, a, Options{}))
	})
}

// Real edits of prose: whole sentences and paragraphs go, come, move, split and join.
func TestTextsRoundTripProse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := novel(rapid.IntRange(0, 50).Draw(t, "seed"), rapid.IntRange(0, 8).Draw(t, "paragraphs"))
		ls := strings.SplitAfter(a, "\n")
		for range rapid.IntRange(0, 6).Draw(t, "steps") {
			i := rapid.IntRange(0, len(ls)-1).Draw(t, "line")
			j := rapid.IntRange(0, len(ls)-1).Draw(t, "other")
			switch rapid.IntRange(0, 6).Draw(t, "what") {
			case 0:
				ls[i], ls[j] = ls[j], ls[i]
			case 1:
				ls[i] = ""
			case 2:
				ls[i] = strings.Replace(ls[i], "。", "。\n\u3000\u3000", 2)
			case 3:
				ls[i] = strings.TrimRight(ls[i], "\n")
			case 4:
				ls[i] = strings.ReplaceAll(ls[i], "\n", "\r\n")
			case 5:
				parts := strings.SplitAfter(ls[i], "。")
				ls[j] += parts[0]
				ls[i] = strings.Join(parts[1:], "")
			default:
				ls[i] = scatter(ls[i]+"。", j, 3)
			}
		}
		b := strings.Join(ls, "")
		checkResult(t, a, b, Texts(a, b, Options{}))
	})
}

func FuzzTexts(f *testing.F) {
	f.Add("他推开门。\n雨停了。\n", "雨停了。\r\n他推开门，走了出去。\n")
	f.Add("\ufeff一。二。三。", "三。一。\n\n二。")
	f.Add("Mr. Lin came in. \"Rain,\" he said.", "Mr. Lin went out.  \"Snow,\" he said.\n")
	f.Add("a\xffb\r", "a\xfe\u0301b\n\r\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 1<<16 {
			t.Skip("long inputs are measured elsewhere")
		}
		r := Texts(a, b, Options{})
		checkResult(t, a, b, r)
		checkResult(t, b, a, Texts(b, a, Options{NoMoves: true}))
		ins, del := EditedChars(a, b)
		if ins-del != len(units(b))-len(units(a)) {
			t.Fatalf("EditedChars %d %d", ins, del)
		}
		Sentences(a)
	})
}

func TestJSONRoundTrip(t *testing.T) {
	t.Parallel()
	a := novel(3, 4)
	b := strings.Replace(scatter(a, 1, 12), "\n", "\r\n", 1)
	r := Texts(a, b, Options{})
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, &back, cmpopts.IgnoreUnexported(Result{})); d != "" {
		t.Error(d)
	}
	if got, ok := back.Apply(a); !ok || got != b {
		t.Error("a result read from JSON does not apply")
	}
}

func TestApplyRefusesAnotherText(t *testing.T) {
	t.Parallel()
	r := Texts("他推开门。", "他关上门。", Options{})
	for _, other := range []string{"", "他关上窗。", "他"} {
		if got, ok := r.Apply(other); ok {
			t.Errorf("Apply(%q) = %q", other, got)
		}
	}
}

// marked counts the characters that a result marks.
func marked(r *Result) int {
	n := 0
	for _, e := range r.Edits {
		n += e.Deleted + e.Inserted
	}
	return n
}

// DESIGN 15 P8: at most 1.1 times the marks of a minimal comparison of characters, for scattered edits.
func TestScatteredEditsStaySmall(t *testing.T) {
	t.Parallel()
	for seed := range 12 {
		a := novel(seed, 34)
		b := scatter(a, seed, 200)
		r := Texts(a, b, Options{})
		checkResult(t, a, b, r)
		ins, del := EditedChars(a, b)
		ratio := float64(marked(r)) / float64(ins+del)
		t.Logf("seed %d: %d marked, minimum %d: %.3f", seed, marked(r), ins+del, ratio)
		if ratio > 1.1 {
			t.Errorf("seed %d: %d marked, minimum %d: %.3f", seed, marked(r), ins+del, ratio)
		}
	}
}

// Real git is the yardstick of P8: what `git diff --word-diff-regex=.` marks, counted in characters.
func TestMarksAgainstGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git program on PATH: its marks cannot be counted")
	}
	dir := t.TempDir()
	for seed := range 4 {
		a := novel(seed+100, 34)
		b := scatter(a, seed, 200)
		for name, text := range map[string]string{"a": a, "b": b} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(git, "diff", "--no-index", "--no-color", "--word-diff=porcelain", "--word-diff-regex=.", "a", "b")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.Output() // exit status 1 says that the files differ
		if len(out) == 0 {
			t.Fatal(err)
		}
		_, out, _ = bytes.Cut(out, []byte("\n@@ "))
		marks := 0
		for line := range bytes.SplitSeq(out, []byte("\n")) {
			if len(line) > 0 && (line[0] == '+' || line[0] == '-') {
				marks += utf8.RuneCount(line[1:])
			}
		}
		if m := marked(Texts(a, b, Options{})); marks == 0 || float64(m) > 1.1*float64(marks) {
			t.Errorf("seed %d: %d marked, git %d", seed, m, marks)
		}
	}
}

func TestPathologicalInputsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: large inputs are not measured")
	}
	t.Parallel()
	long := strings.ReplaceAll(strings.ReplaceAll(novel(9, 1200), "\n", ""), "\u3000", "")
	same := strings.Repeat("他没有说话。\n", 50_000)
	noStops := strings.NewReplacer("。", "", "，", "", "“", "", "”", "").Replace(long)
	big := novel(4, 2300)
	for _, c := range []struct{ name, a, b string }{
		{"one paragraph of a megabyte", long, scatter(long, 1, 300)},
		{"one sentence of a megabyte", noStops, scatter(noStops, 1, 300)},
		{"one sentence without common text", strings.Repeat("雨夜", 170_000), strings.Repeat("灯火", 170_000)},
		{"50,000 equal lines, some gone", same, strings.Repeat("他没有说话。\n", 49_000) + "雨。\n" + strings.Repeat("他没有说话。\n", 400)},
		{"50,000 equal lines, others between", same, strings.ReplaceAll(same, "他没有说话。\n他没有说话。\n", "他没有说话。\n她也没有。\n")},
		{"no common text", big, strings.Map(func(r rune) rune {
			if r >= 0x4e00 && r < 0x9f00 {
				return 0x4e00 + (r*7919)%0x5000
			}
			return r
		}, big)},
		{"two megabytes, lightly edited", big, scatter(big, 5, 300)},
		{"two megabytes, every line end", big, strings.ReplaceAll(big, "\n", "\r\n")},
		{"all of it new", "", big},
	} {
		start := time.Now()
		r := Texts(c.a, c.b, Options{})
		d := time.Since(start)
		t.Logf("%s: %v, %d edits, %d layout changes", c.name, d.Round(time.Millisecond), len(r.Edits), len(r.Layout))
		if d > 20*time.Second {
			t.Errorf("%s took %v", c.name, d)
		}
		checkResult(t, c.a, c.b, r)
	}
}

func BenchmarkTexts(b *testing.B) {
	x := novel(1, 34)
	y := scatter(x, 2, 200)
	b.Run("chapter", func(b *testing.B) {
		for b.Loop() {
			Texts(x, y, Options{})
		}
	})
	x = novel(4, 2300)
	y = scatter(x, 5, 300)
	b.Run("2MB", func(b *testing.B) {
		for b.Loop() {
			Texts(x, y, Options{})
		}
	})
}
