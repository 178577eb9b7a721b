package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-novel/workflow/brief"
)

func text(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"灯", "雨夜", "a", "<b>", "\"", "\n", "，", "限期三天", "限 期\n三天", "x&y", "\u2028", "😀"}), 0, 40).Draw(t, label), "")
}

func pieces(t *rapid.T) []Piece {
	var out []Piece
	for i := range rapid.IntRange(0, 25).Draw(t, "n") {
		p := Piece{Section: rapid.SampledFrom(Sections()).Draw(t, "section"), Rank: rapid.IntRange(0, 5).Draw(t, "rank")}
		// A section is one of: a value, a list, an object of values and lists.
		switch slices.Index(Sections(), p.Section) % 3 {
		case 0:
			p.Field = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "field")
			p.List = p.Field == "b"
		case 1:
			p.List = true
		}
		s := text(t, fmt.Sprint("text", i))
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			p = Text(p.Section, p.Field, p.List, p.Rank, s, func(s string) any { return s })
		case 1:
			p = Text(p.Section, p.Field, p.List, p.Rank, s, func(s string) any { return map[string]any{"summary": s, "key": []string{"灯"}} })
		default:
			p.Value = map[string]any{"v": s, s: i}
		}
		out = append(out, p)
	}
	return out
}

// TestNeverOverBudget: whatever the pieces are, the compact JSON of the sections fits, is valid, and what is counted as used is
// what it takes.
func TestNeverOverBudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list, budget := pieces(t), rapid.IntRange(1, 600).Draw(t, "budget")
		hide := func(s string) string { return strings.ReplaceAll(s, "限期三天", "〔略〕") }
		p := Assemble(list, budget, hide, nil)
		var doc map[string]json.RawMessage
		if err := json.Unmarshal(p.Raw, &doc); err != nil {
			t.Fatalf("%v: %s", err, p.Raw)
		}
		if n := brief.Tokens(string(p.Raw)); n > budget || n != p.Used {
			t.Fatalf("%d tokens of %d, said %d: %s", n, budget, p.Used, p.Raw)
		}
		if strings.Contains(string(p.Raw), "限期三天") {
			t.Fatalf("a hidden value is told: %s", p.Raw)
		}
		whole := Assemble(list, 1<<20, hide, nil)
		if len(whole.Dropped) > 0 {
			t.Fatalf("dropped without need: %v", whole.Dropped)
		}
		if p.Used < whole.Used && len(p.Dropped) == 0 {
			t.Fatalf("less than everything, and nothing is said to be dropped: %s", p.Raw)
		}
	})
}

// TestRankDecides: the better rank goes in, the other is dropped; order in a list is that of the pieces.
func TestRankDecides(t *testing.T) {
	t.Parallel()
	list := []Piece{
		{Section: ActiveRules, List: true, Rank: 2, Value: "规则甲规则甲规则甲"},
		{Section: ActiveRules, List: true, Rank: 1, Value: "规则乙规则乙规则乙"},
		{Section: ActiveRules, List: true, Rank: 1, Value: "规则乙规则乙规则乙"},
		{Section: UrgentLoops, List: true, Rank: 0, Value: "悬念"},
	}
	p := Assemble(list, 1000, nil, nil)
	if got, want := string(p.Raw), `{"active_rules":["规则甲规则甲规则甲","规则乙规则乙规则乙"],"urgent_loops":["悬念"]}`; got != want {
		t.Errorf("got %s", got)
	}
	p = Assemble(list, 25, nil, nil)
	if got, want := string(p.Raw), `{"active_rules":["规则乙规则乙规则乙"],"urgent_loops":["悬念"]}`; got != want {
		t.Errorf("got %s (%d)", got, p.Used)
	}
	if len(p.Dropped) != 1 || p.Dropped[0].Section != ActiveRules || p.Dropped[0].Items != 1 || p.Dropped[0].Tokens < 9 {
		t.Errorf("dropped %v", p.Dropped)
	}
}

// TestCut: a long text takes what is left, and the loss is told.
func TestCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("雨", 500)
	p := Assemble([]Piece{Text(StyleContract, "", false, 0, long, func(s string) any { return s })}, 120, nil, nil)
	if p.Used > 120 || p.Used < 110 || len(p.Dropped) != 1 || p.Dropped[0].Tokens < 370 {
		t.Errorf("used %d, dropped %v", p.Used, p.Dropped)
	}
}
