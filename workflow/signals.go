package workflow

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow/review"
)

// ReadingPower is how a chapter holds its reader, as its commit says in chapter_meta (reference harness 2.4).
type ReadingPower struct {
	Chapter         int      `json:"chapter"` // 0 for an unnumbered chapter
	Key             string   `json:"key"`
	HookType        string   `json:"hook_type"`
	HookStrength    string   `json:"hook_strength"` // strong, medium, weak
	Coolpoints      []string `json:"coolpoint_patterns"`
	Micropayoffs    []string `json:"micropayoffs"`
	HardViolations  []string `json:"hard_violations"`
	SoftSuggestions []string `json:"soft_suggestions"`
	Transition      bool     `json:"is_transition"`
	Overrides       int      `json:"override_count"`
	Debt            float64  `json:"debt_balance"`
}

// ReaderSignals is the answer of `index get-reader-signals`.
type ReaderSignals struct {
	Recent   []ReadingPower `json:"recent_reading_power"`
	Patterns map[string]int `json:"pattern_usage_stats"`
	Hooks    map[string]int `json:"hook_type_stats"`
}

// readingPowerOf takes the reading power out of a commit's chapter_meta, where it stands by itself or under reading_power.
// It is false when the commit says nothing of it.
func readingPowerOf(id string, c *schema.Commit) (ReadingPower, bool) {
	meta := c.Extraction.ChapterMeta
	if sub, ok := meta["reading_power"].(map[string]any); ok {
		meta = sub
	}
	key := schema.KeyOfID(id)
	p := ReadingPower{Key: string(key)}
	p.Chapter, _ = key.Number()
	said := false
	word := func(k string) (s string) {
		s, _ = meta[k].(string)
		said = said || s != ""
		return s
	}
	words := func(k string) []string {
		list := []string{}
		switch v := meta[k].(type) {
		case []any:
			for _, x := range v {
				switch x := x.(type) {
				case string:
					list = append(list, x)
				case map[string]any:
					for _, field := range []string{"text", "description", "type", "name"} {
						if s, ok := x[field].(string); ok && s != "" {
							list = append(list, s)
							break
						}
					}
				}
			}
		case string:
			if v != "" {
				list = append(list, v)
			}
		}
		said = said || len(list) > 0
		return list
	}
	p.HookType, p.HookStrength = word("hook_type"), word("hook_strength")
	if hook, ok := meta["hook"].(map[string]any); ok { // the hook as one object
		for field, into := range map[string]*string{"type": &p.HookType, "strength": &p.HookStrength} {
			if s, _ := hook[field].(string); *into == "" && s != "" {
				*into, said = s, true
			}
		}
	}
	p.Coolpoints, p.Micropayoffs = words("coolpoint_patterns"), words("micropayoffs")
	p.HardViolations, p.SoftSuggestions = words("hard_violations"), words("soft_suggestions")
	if b, ok := meta["is_transition"].(bool); ok {
		p.Transition, said = b, true
	}
	if c.Review != nil {
		p.Overrides = len(c.Review.Overrides)
	}
	if f, ok := meta["debt_balance"].(float64); ok {
		p.Debt, said = f, true
	}
	return p, said
}

// Defaults of the reader signals and the review queries (reference harness 2.4).
const (
	DefaultSignals = 5
	DefaultLastN   = 20
)

// ReaderSignals gives the reading power of the last chapters, and how often patterns and hooks were used in the last lastN
// of them.
func (s *Session) ReaderSignals(ctx context.Context, limit, lastN int) (r *ReaderSignals, err error) {
	if limit < 1 || lastN < 1 {
		return nil, schema.Errorf(schema.CodeUsage, "--limit and --last-n must be at least 1")
	}
	err = s.withKnown(ctx, []part{memoryPart{}}, func(k *known) (err error) {
		r, err = k.signals(endPos, limit, lastN)
		return err
	})
	return r, err
}

// signals reads the reading power before a place.
func (k *known) signals(before int64, limit, lastN int) (*ReaderSignals, error) {
	list, err := k.book.Range(thingSignal, 0, before, max(limit, lastN), true)
	if err != nil {
		return nil, err
	}
	r := &ReaderSignals{Recent: []ReadingPower{}, Patterns: map[string]int{}, Hooks: map[string]int{}}
	for i, x := range slices.Backward(list) { // newest first
		var p ReadingPower
		if err := decode(x, &p); err != nil {
			return nil, err
		}
		age := len(list) - 1 - i
		if age < limit {
			r.Recent = append(r.Recent, p)
		}
		if age >= lastN {
			continue
		}
		for _, c := range p.Coolpoints {
			r.Patterns[c]++
		}
		if p.HookType != "" {
			r.Hooks[p.HookType]++
		}
	}
	return r, nil
}

// ReviewMetrics lists the metrics rows of the last reviewed chapters, newest first, with the time of the commit that recorded
// each review.
func (s *Session) ReviewMetrics(ctx context.Context, limit int) (rows []review.MetricsRow, err error) {
	if limit < 1 {
		return nil, schema.Errorf(schema.CodeUsage, "--limit must be at least 1")
	}
	err = s.withKnown(ctx, []part{memoryPart{}}, func(k *known) error {
		list, err := k.reviews(limit)
		if err != nil {
			return err
		}
		times, err := k.recorded(list)
		if err != nil {
			return err
		}
		rows = make([]review.MetricsRow, 0, len(list))
		for i, x := range slices.Backward(list) {
			if at, ok := times[i]; ok {
				x.Row.Timestamp = at.Format("2006-01-02T15:04:05")
			}
			rows = append(rows, x.Row)
		}
		return nil
	})
	return rows, err
}

// placedReview is a knownReview of a chapter.
type placedReview struct {
	id string
	knownReview
}

func (k *known) reviews(limit int) ([]placedReview, error) {
	list, err := k.book.Range(thingReview, 0, endPos, limit, true)
	if err != nil {
		return nil, err
	}
	out := make([]placedReview, len(list))
	for i, x := range list {
		out[i].id = x.Key
		if err := decode(x, &out[i].knownReview); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// recorded finds the commits that brought reviews into git, by position in the list. It goes back in the history only as far
// as it must.
func (k *known) recorded(list []placedReview) (map[int]time.Time, error) {
	out := map[int]time.Time{}
	if len(list) == 0 || k.snap.Commit().IsZero() {
		return out, nil
	}
	want := map[string]int{}
	for i, x := range list {
		want[x.id] = i
	}
	store := k.s.lib.Store()
	at := func(tree schema.OID, id string) (schema.OID, error) {
		e, _, err := store.Lookup(tree, schema.ReviewPath(k.name, id))
		return e.ID, err
	}
	err := store.Log(k.snap.Commit(), func(c *gitstore.Commit) (bool, error) {
		m, ours := schema.ParseMessage(c.Message)
		for id, i := range want {
			if ours && m.ChapterID != "" && m.ChapterID != id {
				continue
			}
			blob, err := at(c.Tree, id)
			if err != nil || blob != list[i].Blob {
				return err == nil, err
			}
			for _, p := range c.Parents {
				parent, err := store.Commit(p)
				if err != nil {
					return false, err
				}
				if blob, err = at(parent.Tree, id); err != nil {
					return false, err
				}
				if blob == list[i].Blob {
					break
				}
			}
			if len(c.Parents) == 0 || blob != list[i].Blob {
				out[i] = c.Committer.When
				delete(want, id)
			}
		}
		return len(want) > 0, nil
	})
	return out, err
}

// ReviewTrend is how the reviews of the last chapters went. The scores serve the eye; no gate reads them.
type ReviewTrend struct {
	Count      int                         `json:"count"`
	From       int                         `json:"start_chapter"`
	To         int                         `json:"end_chapter"`
	Overall    float64                     `json:"overall_avg"`
	Dimensions map[schema.Category]float64 `json:"dimension_avg"`
	Severities map[schema.Severity]int     `json:"severity_totals"`
	Issues     int                         `json:"issues_total"`
	Blocking   int                         `json:"blocking_total"`
	Categories []CategoryTrend             `json:"category_counts"` // the most frequent first
	Recent     []TrendPoint                `json:"recent_ranges"`   // oldest first
}

// CategoryTrend is in how many of the reviews a category has issues.
type CategoryTrend struct {
	Category schema.Category `json:"category"`
	Chapters int             `json:"chapters"`
	// Recurring marks a category with issues in at least three of the chapters and in a third of them: a habit, not a slip.
	Recurring bool `json:"recurring"`
}

// TrendPoint is one review in the trend.
type TrendPoint struct {
	Chapter  int     `json:"chapter"`
	Overall  float64 `json:"overall_score"`
	Issues   int     `json:"issues_count"`
	Blocking int     `json:"blocking_count"`
}

// ReviewTrend sums the reviews of the last n reviewed chapters up.
func (s *Session) ReviewTrend(ctx context.Context, n int) (t *ReviewTrend, err error) {
	if n < 1 {
		return nil, schema.Errorf(schema.CodeUsage, "--last-n must be at least 1")
	}
	err = s.withKnown(ctx, []part{memoryPart{}}, func(k *known) error {
		list, err := k.reviews(n)
		if err == nil {
			t = trendOf(list)
		}
		return err
	})
	return t, err
}

func trendOf(list []placedReview) *ReviewTrend {
	t := &ReviewTrend{
		Count: len(list), Dimensions: map[schema.Category]float64{}, Severities: map[schema.Severity]int{},
		Categories: []CategoryTrend{}, Recent: []TrendPoint{},
	}
	chapters := map[schema.Category]int{}
	for i, x := range list {
		r := x.Row
		if i == 0 {
			t.From = r.Chapter
		}
		t.To = r.Chapter
		t.Overall += r.OverallScore
		for c, v := range r.DimensionScores {
			t.Dimensions[c] += v
		}
		for sv, c := range r.SeverityCounts {
			t.Severities[sv] += c
		}
		t.Issues += r.IssuesCount
		t.Blocking += r.BlockingCount
		for _, c := range r.Categories {
			chapters[c]++
		}
		t.Recent = append(t.Recent, TrendPoint{r.Chapter, r.OverallScore, r.IssuesCount, r.BlockingCount})
	}
	if len(list) == 0 {
		return t
	}
	n := float64(len(list))
	t.Overall = cents(t.Overall / n)
	for c := range t.Dimensions {
		t.Dimensions[c] = cents(t.Dimensions[c] / n)
	}
	for _, c := range slices.Sorted(maps.Keys(chapters)) {
		k := chapters[c]
		t.Categories = append(t.Categories, CategoryTrend{c, k, k >= 3 && 3*k >= len(list)})
	}
	slices.SortStableFunc(t.Categories, func(a, b CategoryTrend) int { return b.Chapters - a.Chapters })
	return t
}

// cents rounds to two decimals.
func cents(f float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', 2, 64), 64)
	if err != nil {
		return f
	}
	return v
}
