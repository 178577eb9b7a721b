package workflow

import (
	"context"
	"slices"

	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow/review"
)

// DefaultTrend is how many chapters `review trend` looks at when it is not told.
const DefaultTrend = 10

// TrendResult says what reviews of the last chapters found again and again.
type TrendResult struct {
	Book string `json:"book"`
	Last int    `json:"last"` // how many chapters were asked for
	review.Trend
}

// ReviewRecurring counts the issues of the last chapters that have a review, over all rounds that the history holds: an issue
// that was repaired before the chapter went on still speaks of the way the book is written.
func (s *Session) ReviewRecurring(_ context.Context, last int) (*TrendResult, error) {
	if last < 1 {
		return nil, schema.Errorf(schema.CodeUsage, "--last must be at least 1")
	}
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	var chapters []review.Rounds
	for _, c := range slices.Backward(w.rules.Chapters) {
		if len(chapters) == last {
			break
		}
		if c.Review == nil {
			continue
		}
		rec, err := w.review(c.Key)
		if err != nil {
			s.notice(schema.Textf("the review of chapter %s cannot be read and is left out", string(c.Key)))
			continue
		}
		chapters = append(chapters, review.Rounds{Key: c.Key, Reviews: []*schema.Review{rec}})
	}
	slices.Reverse(chapters)
	if err := s.earlierRounds(w, chapters); err != nil {
		return nil, err
	}
	return &TrendResult{Book: string(w.name), Last: last, Trend: review.TrendOf(chapters)}, nil
}

// earlierRounds fills in the rounds that the reviews on record replaced, from the commits that recorded them. What the
// history does not hold any more is left out.
func (s *Session) earlierRounds(w *work, chapters []review.Rounds) error {
	open := map[string]*review.Rounds{}
	for i := range chapters {
		if chapters[i].Reviews[0].Round > 1 {
			open[chapters[i].Key.ID()] = &chapters[i]
		}
	}
	if len(open) == 0 || w.snap.Commit().IsZero() {
		return nil
	}
	looked := 0
	return s.lib.Store().Log(w.snap.Commit(), func(k *gitstore.Commit) (bool, error) {
		looked++
		m, ok := schema.ParseMessage(k.Message)
		c := open[m.ChapterID]
		if !ok || m.Book != string(w.name) || c == nil {
			return looked < maxTrendBack, nil
		}
		rec := s.reviewIn(w, k, m.ChapterID)
		if oldest := c.Reviews[0]; rec != nil && rec.Round < oldest.Round {
			c.Reviews = slices.Insert(c.Reviews, 0, rec)
		}
		if c.Reviews[0].Round <= 1 {
			delete(open, m.ChapterID)
		}
		return len(open) > 0 && looked < maxTrendBack, nil
	})
}

// maxTrendBack bounds how many commits are looked at for earlier rounds.
const maxTrendBack = 20000

// reviewIn is the review that a commit holds of a chapter, nil when it has none or one that cannot be read.
func (s *Session) reviewIn(w *work, k *gitstore.Commit, id string) *schema.Review {
	path := schema.ReviewPath(w.name, id)
	e, ok, err := s.lib.Store().Lookup(k.Tree, path)
	if err != nil || !ok {
		return nil
	}
	data, err := s.lib.Store().Blob(e.ID)
	if err != nil {
		return nil
	}
	rec := new(schema.Review)
	if schema.Unmarshal(path, data, rec) != nil || len(rec.Validate(path)) > 0 {
		return nil
	}
	return rec
}
