package review

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-novel/schema"
)

// MetricsRow is one row of review metrics (reference harness 4.2, DESIGN 7). The scores serve sorting and trends; no gate
// reads them.
type MetricsRow struct {
	Chapter         int                         `json:"chapter"` // 0 for an unnumbered chapter
	StartChapter    int                         `json:"start_chapter"`
	EndChapter      int                         `json:"end_chapter"`
	OverallScore    float64                     `json:"overall_score"`
	DimensionScores map[schema.Category]float64 `json:"dimension_scores"`
	SeverityCounts  map[schema.Severity]int     `json:"severity_counts"`
	CriticalIssues  []string                    `json:"critical_issues"`
	ReportFile      string                      `json:"report_file"`
	Notes           string                      `json:"notes"`
	IssuesCount     int                         `json:"issues_count"`
	BlockingCount   int                         `json:"blocking_count"`
	Categories      []schema.Category           `json:"categories"` // sorted by name
	Timestamp       string                      `json:"timestamp"`  // local time without zone, as the format has it; "" when not given
}

// Metrics derives the row of a recorded review. at is when the review was recorded: the time of its commit.
func Metrics(r *schema.Review, report string, at time.Time) MetricsRow {
	n, err := strconv.Atoi(r.Chapter)
	if err != nil {
		n = 0
	}
	m := MetricsRow{
		Chapter: n, StartChapter: n, EndChapter: n, OverallScore: schema.OverallScore(r.Issues),
		DimensionScores: schema.DimensionScores(r.Issues), SeverityCounts: schema.SeverityCounts(r.Issues),
		CriticalIssues: []string{}, ReportFile: report, IssuesCount: len(r.Issues), BlockingCount: r.OpenBlocking(),
		Categories: []schema.Category{},
	}
	for _, i := range r.Issues {
		if i.Severity == schema.SeverityCritical {
			m.CriticalIssues = append(m.CriticalIssues, i.Description)
		}
		if !slices.Contains(m.Categories, i.Category) {
			m.Categories = append(m.Categories, i.Category)
		}
	}
	slices.Sort(m.Categories)
	names := make([]string, len(m.Categories))
	for i, c := range m.Categories {
		names[i] = string(c)
	}
	m.Notes = fmt.Sprintf("%s | issues=%d | blocking=%d | categories=%s", r.Summary, m.IssuesCount, m.BlockingCount, strings.Join(names, ","))
	if !at.IsZero() {
		m.Timestamp = at.Format("2006-01-02T15:04:05")
	}
	return m
}
