package diff

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"
	"pgregory.net/rapid"
)

// textGen draws texts over few letters, so that common parts are many, with what Chinese prose has in it.
func textGen() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"他", "她", "走", "了", "雨", "夜", "灯", "，", "。", "！", "“", "”", "……", "\n", "\r\n", "\n\n　　", " ", "a", "b",
			"😀", "é", "e\u0301", "\ufeff", "\xff", "他推开门。", "雨下了一整夜，灯一直亮着。", "没有人说话。\n",
		}), 0, 40).Draw(t, "parts")
		return strings.Join(parts, "")
	})
}

// tableDistance is the textbook dynamic programme.
func tableDistance[T comparable](a, b []T) int {
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i, x := range a {
		cur := make([]int, len(b)+1)
		cur[0] = i + 1
		for j, y := range b {
			if x == y {
				cur[j+1] = prev[j]
			} else {
				cur[j+1] = 1 + min(prev[j+1], cur[j])
			}
		}
		prev = cur
	}
	return prev[len(b)]
}

func TestEditedCharsIsMinimal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := textGen().Draw(t, "a"), textGen().Draw(t, "b")
		want := tableDistance(units(a), units(b))
		ins, del := EditedChars(a, b)
		if ins+del != want || ins-del != len(units(b))-len(units(a)) {
			t.Fatalf("EditedChars = +%d -%d, want a sum of %d", ins, del, want)
		}
		if got := len(units(a)) + len(units(b)) - 2*commonLength(units(a), units(b)); got != want {
			t.Fatalf("bit-parallel distance %d, want %d", got, want)
		}
		if d, ok := greedy(units(a), units(b), want); !ok || d != want {
			t.Fatalf("greedy distance %d %t, want %d", d, ok, want)
		}
		limit := rapid.IntRange(0, 60).Draw(t, "limit")
		if _, _, ok := EditedCharsMax(a, b, limit); ok != (want <= limit) {
			t.Fatalf("limit %d: within %t, distance %d", limit, ok, want)
		}
	})
}

func TestCompareTokensIsMinimal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.SliceOfN(rapid.Int32Range(0, 4), 0, 60)
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		ca, cb := compareTokens(a, b, 1<<30)
		var keptA, keptB []int32
		marked := 0
		for i, x := range a {
			if ca[i] {
				marked++
			} else {
				keptA = append(keptA, x)
			}
		}
		for j, x := range b {
			if cb[j] {
				marked++
			} else {
				keptB = append(keptB, x)
			}
		}
		if !slices.Equal(keptA, keptB) {
			t.Fatalf("kept %v and %v", keptA, keptB)
		}
		if want := tableDistance(a, b); marked != want {
			t.Fatalf("marked %d, want %d", marked, want)
		}
	})
}

func TestEditedCharsTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		a, b     string
		ins, del int
	}{
		{"same", "雨夜灯", "雨夜灯", 0, 0},
		{"empty", "", "", 0, 0},
		{"all new", "", "雨夜", 2, 0},
		{"all gone", "雨夜", "", 0, 2},
		{"one replaced", "他走了。", "她走了。", 1, 1},
		{"astral runes count two units", "灯", "灯😀", 2, 0},
		{"surrogate halves are units", "😀", "😁", 1, 1},
		{"line ends count here", "一\n二", "一\r\n二", 1, 0},
		{"bad bytes differ", "a\xffb", "a\xfeb", 1, 1},
	} {
		ins, del := EditedChars(c.a, c.b)
		if ins != c.ins || del != c.del {
			t.Errorf("%s: +%d -%d, want +%d -%d", c.name, ins, del, c.ins, c.del)
		}
		if ins, del := EditedChars(c.b, c.a); ins != c.del || del != c.ins {
			t.Errorf("%s reversed: +%d -%d", c.name, ins, del)
		}
	}
}

func TestProseEdits(t *testing.T) {
	t.Parallel()
	base := "\u3000\u3000他推开门。\n\n雨停了。\n"
	for _, c := range []struct {
		name, b string
		want    int
	}{
		{"crlf", strings.ReplaceAll(base, "\n", "\r\n"), 0},
		{"lone cr", strings.ReplaceAll(base, "\n", "\r"), 0},
		{"bom", "\ufeff" + base, 0},
		{"trailing blanks", strings.ReplaceAll(base, "。\n", "。 \t\u3000\n"), 0},
		{"blank line filled with blanks", strings.ReplaceAll(base, "\n\n", "\n  \n"), 0},
		{"no final line end", strings.TrimSuffix(base, "\n"), 0},
		{"more line ends at the end", base + "\n\n", 0},
		{"an empty line fewer", strings.ReplaceAll(base, "\n\n", "\n"), 1},
		{"indentation", strings.TrimPrefix(base, "\u3000\u3000"), 2},
		{"a typo", strings.ReplaceAll(base, "门", "窗"), 2},
	} {
		ins, del, ok := ProseEdits(base, c.b, 20)
		if !ok || ins+del != c.want {
			t.Errorf("%s: %d %t, want %d", c.name, ins+del, ok, c.want)
		}
	}
	if _, _, ok := ProseEdits(base, base+strings.Repeat("雨", 21), 20); ok {
		t.Error("21 characters are within 20")
	}
}

// The distance agrees with go-diff on prose, whose own algorithm is exact without a deadline.
func TestEditedCharsAgainstGoDiff(t *testing.T) {
	t.Parallel()
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0
	for seed := range 6 {
		a := novel(seed, 20)
		b := scatter(a, seed, 60)
		want := 0
		for _, d := range dmp.DiffMainRunes([]rune(a), []rune(b), false) {
			if d.Type != diffmatchpatch.DiffEqual {
				want += len([]rune(d.Text))
			}
		}
		if ins, del := EditedChars(a, b); ins+del != want {
			t.Errorf("seed %d: %d, go-diff %d", seed, ins+del, want)
		}
	}
}

func TestEditedCharsIsFast(t *testing.T) {
	t.Parallel()
	a := novel(1, 34)
	b := scatter(a, 2, 2000)
	start := time.Now()
	EditedChars(a, b)
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("10,000 characters with 2,000 edits took %v", d)
	}
	x, y := strings.Repeat("雨", 100_000), strings.Repeat("夜", 100_000)
	start = time.Now()
	if ins, del := EditedChars(x, y); ins != 100_000 || del != 100_000 {
		t.Errorf("+%d -%d", ins, del)
	}
	if _, _, ok := EditedCharsMax(x, y, 20); ok {
		t.Error("nothing in common is within 20")
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("no common text took %v", d)
	}
}

func BenchmarkEditedChars(b *testing.B) {
	x := novel(1, 34)
	for _, edits := range []int{200, 2000} {
		y := scatter(x, 2, edits)
		b.Run(map[int]string{200: "200", 2000: "2000"}[edits], func(b *testing.B) {
			for b.Loop() {
				EditedChars(x, y)
			}
		})
	}
}
