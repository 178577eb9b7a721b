package review

import (
	"testing"

	"git-novel/schema"

	"github.com/google/go-cmp/cmp"
)

func TestTrendOf(t *testing.T) {
	t.Parallel()
	rev := func(cats ...schema.Category) *schema.Review {
		r := &schema.Review{}
		for _, c := range cats {
			r.Issues = append(r.Issues, schema.Issue{Severity: schema.SeverityMedium, Category: c})
		}
		return r
	}
	const a, l, p = schema.CategoryAIFlavor, schema.CategoryLogic, schema.CategoryPacing
	got := TrendOf([]Rounds{
		{Key: "第01章", Reviews: []*schema.Review{rev(l, l, a), rev(l)}}, // the second round finds one of the same again
		{Key: "第02章", Reviews: []*schema.Review{rev(a), rev()}},
		{Key: "第03章"}, // not reviewed: no chapter of the trend
		{Key: "第04章", Reviews: []*schema.Review{rev(a, p)}},
	})
	want := []CategoryTrend{
		{Category: a, Name: "AI 味", Issues: 3, Chapters: 3, Streak: 3, Current: 3, Systemic: true},
		{Category: l, Name: "逻辑", Issues: 2, Chapters: 1, Streak: 1},
		{Category: p, Name: "节奏", Issues: 1, Chapters: 1, Streak: 1, Current: 1},
	}
	if d := cmp.Diff(want, got.Categories); d != "" {
		t.Error(d)
	}
	if len(got.Chapters) != 3 || got.Chapters[0].Issues != 3 || got.Chapters[0].Rounds != 2 || got.Chapters[1].Score != 100 {
		t.Errorf("%+v", got.Chapters)
	}
	if empty := TrendOf(nil); empty.Chapters == nil || empty.Categories == nil {
		t.Error("nil lists")
	}
}
