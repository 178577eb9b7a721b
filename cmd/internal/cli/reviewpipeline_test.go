package cli

import (
	"strings"
	"testing"

	"git-novel/cmd/internal/text"
	"git-novel/schema"
	"git-novel/workflow"
	"git-novel/workflow/review"
)

// TestTrendChart: on a terminal the trend has a column for each chapter, as high as it has issues; elsewhere only the table.
func TestTrendChart(t *testing.T) {
	t.Parallel()
	r := &workflow.TrendResult{Book: "雨夜灯", Trend: review.Trend{
		Chapters: []review.ChapterTrend{
			{Key: "第01章", Issues: 8, Categories: map[schema.Category]int{schema.CategoryAIFlavor: 8}},
			{Key: "第02章", Categories: map[schema.Category]int{}},
			{Key: "第03章", Issues: 1, Categories: map[schema.Category]int{schema.CategoryAIFlavor: 1}},
		},
		Categories: []review.CategoryTrend{{Category: schema.CategoryAIFlavor, Name: "AI 味", Issues: 9, Chapters: 2, Streak: 1}},
	}}
	for _, tty := range []bool{true, false} {
		e := testEnv(text.English)
		e.StdoutTTY = tty
		e.Getenv = func(k string) string { return map[string]string{"NO_COLOR": "1"}[k] }
		p := &printer{env: e}
		p.trend(r)
		if got := strings.Contains(p.String(), "█·▁"); got != tty {
			t.Errorf("terminal %v:\n%s", tty, p.String())
		}
		if !strings.Contains(p.String(), "ai_flavor  2 of 3") {
			t.Errorf("no table:\n%s", p.String())
		}
	}
}
