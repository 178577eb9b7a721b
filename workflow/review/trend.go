package review

import (
	"slices"

	"git-novel/schema"
)

// Rounds are all recorded reviews of one chapter, oldest first.
type Rounds struct {
	Key     schema.ChapterKey
	Reviews []*schema.Review
}

// ChapterTrend is what the reviews of one chapter found. An issue that was found in several rounds counts once: of each
// category the round with the most counts.
type ChapterTrend struct {
	Chapter    string                  `json:"chapter"`
	Key        string                  `json:"key"`
	Rounds     int                     `json:"rounds"`
	Issues     int                     `json:"issues_count"`
	Blocking   int                     `json:"blocking_count"` // of the round with the most
	Categories map[schema.Category]int `json:"categories"`
	Severities map[schema.Severity]int `json:"severity_counts"`
	Score      float64                 `json:"overall_score"` // of the last round; for the eye only
}

// CategoryTrend is how often one kind of issue came back.
type CategoryTrend struct {
	Category schema.Category `json:"category"`
	Name     string          `json:"name"`
	Issues   int             `json:"issues"`
	Chapters int             `json:"chapters"` // in how many of the chapters it was found
	Streak   int             `json:"streak"`   // the longest run of chapters on end
	Current  int             `json:"current"`  // the run that reaches the last chapter
	Systemic bool            `json:"systemic"` // the run that is going on is SystemicRun chapters or longer
}

// SystemicRun is how many chapters on end with one kind of issue speak of a cause beyond the chapter (seed harness_v6 4.4).
const SystemicRun = 3

// Trend is what came back over a run of chapters.
type Trend struct {
	Chapters   []ChapterTrend  `json:"chapters"`   // in the order of the book
	Categories []CategoryTrend `json:"categories"` // the most frequent first; those never found are left out
}

// TrendOf counts over chapters, in the order of the book.
func TrendOf(chapters []Rounds) Trend {
	t := Trend{Chapters: []ChapterTrend{}, Categories: []CategoryTrend{}}
	for _, c := range chapters {
		if len(c.Reviews) > 0 {
			t.Chapters = append(t.Chapters, chapterTrend(c))
		}
	}
	for _, cat := range schema.Categories() {
		x := CategoryTrend{Category: cat, Name: categoryName(cat)}
		for _, c := range t.Chapters {
			n := c.Categories[cat]
			if n == 0 {
				x.Current = 0
				continue
			}
			x.Issues += n
			x.Chapters++
			x.Current++
			x.Streak = max(x.Streak, x.Current)
		}
		if x.Systemic = x.Current >= SystemicRun; x.Issues > 0 {
			t.Categories = append(t.Categories, x)
		}
	}
	slices.SortStableFunc(t.Categories, func(a, b CategoryTrend) int {
		if a.Chapters != b.Chapters {
			return b.Chapters - a.Chapters
		}
		return b.Issues - a.Issues
	})
	return t
}

func chapterTrend(c Rounds) ChapterTrend {
	t := ChapterTrend{
		Chapter: c.Key.ID(), Key: string(c.Key), Rounds: len(c.Reviews), Categories: map[schema.Category]int{}, Severities: map[schema.Severity]int{},
	}
	for _, s := range schema.Severities() {
		t.Severities[s] = 0
	}
	for _, r := range c.Reviews {
		cats := map[schema.Category]int{}
		blocking := 0
		for _, i := range r.Issues {
			cats[i.Category]++
			if i.Blocking || i.Severity == schema.SeverityCritical {
				blocking++
			}
		}
		for cat, n := range cats {
			t.Categories[cat] = max(t.Categories[cat], n)
		}
		for s, n := range schema.SeverityCounts(r.Issues) {
			t.Severities[s] = max(t.Severities[s], n)
		}
		t.Blocking = max(t.Blocking, blocking)
		t.Score = schema.OverallScore(r.Issues)
	}
	for _, n := range t.Categories {
		t.Issues += n
	}
	return t
}
