package workflow

import (
	"context"
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/memory"
	"git-novel/workflow/state"
)

// BackfillResult says which chapters the data agent read.
type BackfillResult struct {
	Book    string           `json:"book"`
	Done    []BackfillDone   `json:"done"`
	Skipped int              `json:"skipped"` // have their facts already, or are not adopted
	Failed  []BackfillFailed `json:"failed"`
	Left    int              `json:"left"` // not reached: run the command again
}

// BackfillDone is a chapter that has a memory now.
type BackfillDone struct {
	Chapter string `json:"chapter"`
	Key     string `json:"key"`
	Commit  string `json:"commit"`
}

// BackfillFailed is a chapter whose facts were refused; the others go on.
type BackfillFailed struct {
	Chapter string      `json:"chapter"`
	Key     string      `json:"key"`
	Reason  schema.Text `json:"reason"`
}

// Backfill lets the data agent read the adopted chapters of a range that have no facts yet, one commit each, in the order of
// the book. It may be stopped at any time and goes on where it stopped when it is run again. progress may be nil. With an
// error the result says what was done before it.
func (s *Session) Backfill(ctx context.Context, ranges string, progress func(done, total int)) (*BackfillResult, error) {
	in, err := parseRanges(ranges)
	if err != nil {
		return nil, err
	}
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	lock, err := s.lib.LockBook(ctx, string(w.name))
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	r := &BackfillResult{Book: string(w.name), Done: []BackfillDone{}, Failed: []BackfillFailed{}}
	var todo []*state.Chapter
	for _, c := range w.rules.Chapters {
		n, numbered := c.Number()
		if !numbered || !in.has(n) || c.State == schema.StateNone {
			continue
		}
		if c.Commit == nil || c.Commit.Extracted || !c.Commit.Adopted {
			r.Skipped++
			continue
		}
		todo = append(todo, c)
	}
	b := &backfill{s: s, w: w, fold: memory.New()}
	for i, c := range todo {
		if progress != nil {
			progress(i, len(todo))
		}
		if err := ctx.Err(); err != nil {
			r.Left = len(todo) - i
			return r, err
		}
		res, err := b.chapter(ctx, c)
		switch schema.CodeOf(err) {
		case schema.CodeRule, schema.CodeInvalid, schema.CodeNotFound:
			if err != nil {
				r.Failed = append(r.Failed, BackfillFailed{c.Key.ID(), string(c.Key), firstReason(err)})
				continue
			}
		default:
			if err != nil {
				r.Left = len(todo) - i
				return r, err
			}
		}
		r.Done = append(r.Done, BackfillDone{c.Key.ID(), string(c.Key), res.Commit})
	}
	if progress != nil {
		progress(len(todo), len(todo))
	}
	return r, nil
}

func firstReason(err error) schema.Text {
	return faultsOf(err)[0].Msg
}

// backfill folds the memory forward as it goes: each chapter is read with what those before it say, without reading them all
// again.
type backfill struct {
	s      *Session
	w      *work
	fold   *memory.Fold
	next   int // chapters of the book before it are folded
	number int
	place  int
}

func (b *backfill) chapter(ctx context.Context, c *state.Chapter) (*CommitResult, error) {
	text, err := b.w.chapterText(c)
	if err != nil {
		return nil, err
	}
	b.upTo(c)
	outline, err := b.w.outline(c.Key)
	if err != nil {
		return nil, err
	}
	a, err := b.s.agentData(ctx, b.w, c, outline, text, b.fold.Now)
	if err != nil {
		return nil, err
	}
	res, err := b.s.ChapterCommit(ctx, CommitInput{Chapter: string(c.Key), Artifacts: a, Enrich: true})
	if err != nil {
		return nil, err
	}
	b.put(c, &schema.Commit{Origin: schema.OriginAdopted, Extraction: res.Extraction})
	return res, nil
}

// upTo folds the chapters before c that have facts.
func (b *backfill) upTo(c *state.Chapter) {
	for ; b.next < len(b.w.rules.Chapters) && b.w.rules.Chapters[b.next].Key != c.Key; b.next++ {
		x := b.w.rules.Chapters[b.next]
		if n, ok := x.Number(); ok {
			b.number, b.place = n, 0
		} else {
			b.place++
		}
		if x.State != schema.StateCommitted || x.Commit == nil || !x.Commit.Extracted {
			continue
		}
		rec, err := b.w.commit(x.Key)
		if err != nil {
			b.s.notice(schema.Textf("the record of chapter %s cannot be read and is left out of the memory", string(x.Key)))
			continue
		}
		b.fold.Put(memory.Step{ID: x.Key.ID(), Number: b.number, Place: b.place, Commit: rec})
	}
}

func (b *backfill) put(c *state.Chapter, rec *schema.Commit) {
	n, _ := c.Number()
	b.number, b.place = n, 0
	b.next++
	b.fold.Put(memory.Step{ID: c.Key.ID(), Number: n, Commit: rec})
}

// ranges are spans of chapter numbers, both ends in.
type ranges [][2]int

func (r ranges) has(n int) bool {
	return slices.ContainsFunc(r, func(x [2]int) bool { return n >= x[0] && n <= x[1] })
}

// parseRanges reads 1-200, 7 and lists of them with commas.
func parseRanges(text string) (ranges, error) {
	var out ranges
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '，' || r == '、' }) {
		from, to, span := strings.Cut(strings.NewReplacer("—", "-", "–", "-", "~", "-", "至", "-").Replace(strings.TrimSpace(part)), "-")
		a, ok := schema.ParseNumber(strings.TrimSpace(from))
		b := a
		if span && ok {
			b, ok = schema.ParseNumber(strings.TrimSpace(to))
		}
		if !ok || b < a {
			return nil, schema.Errorf(schema.CodeUsage, "%q is no range of chapters", part).WithHint("write it like 1-200 or 7, several with commas")
		}
		out = append(out, [2]int{a, b})
	}
	if out == nil {
		return nil, schema.Errorf(schema.CodeUsage, "%q is no range of chapters", text).WithHint("write it like 1-200 or 7, several with commas")
	}
	return out, nil
}
