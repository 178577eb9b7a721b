package workflow

import (
	"context"
	"errors"

	"git-novel/schema"
	"git-novel/workflow/memory"
)

// The memory contract: v0's calls and v1's additions (DESIGN 13). Each answers from the index, from what the accepted
// commits up to a chapter say.

// ErrNoEntity is inside the error of a question about an entity that no record names.
var ErrNoEntity = errors.New("no such entity")

// remember runs fn on the memory at the end of a chapter, of the last one when at is empty.
func (s *Session) remember(ctx context.Context, at string, fn func(k *known, v *memory.View) error) error {
	return s.withKnown(ctx, []part{memoryPart{}}, func(k *known) error {
		v, err := k.viewAt(at)
		if err != nil {
			return err
		}
		if err := fn(k, v); err != nil {
			return err
		}
		return v.Err()
	})
}

// MemoryEntity gives an entity by id, name or alias. Unknown: CodeNotFound.
func (s *Session) MemoryEntity(ctx context.Context, id, at string) (e memory.EntitySnapshot, err error) {
	err = s.remember(ctx, at, func(_ *known, v *memory.View) error {
		var found bool
		if e, found = v.Entity(id); !found && v.Err() == nil {
			return schema.Wrap(ErrNoEntity, schema.CodeNotFound, "the memory knows no entity %s", id).
				WithHint("`git novel search %s` finds where the texts name it", id)
		}
		return nil
	})
	return e, err
}

// MemoryRules lists the world rules that hold, of a domain with its sub-domains and of a scope.
func (s *Session) MemoryRules(ctx context.Context, domain, scope, at string) (list []memory.Rule, err error) {
	err = s.remember(ctx, at, func(_ *known, v *memory.View) error {
		list = v.Rules(domain, scope)
		return nil
	})
	return list, err
}

// MemoryLoops lists open loops and promises, most urgent first. Status is active (also when empty), closed or all.
func (s *Session) MemoryLoops(ctx context.Context, status, at string) (list []memory.OpenLoop, err error) {
	switch status {
	case "", memory.StatusActive, memory.StatusClosed, "all":
	default:
		return nil, schema.Errorf(schema.CodeUsage, "%q is no status of a loop", status).WithHint("use active, closed or all")
	}
	err = s.remember(ctx, at, func(_ *known, v *memory.View) error {
		list = v.Loops(status)
		return nil
	})
	return list, err
}

// MemoryTimeline lists the events of the chapters from..to, both ends in.
func (s *Session) MemoryTimeline(ctx context.Context, from, to int) (list []memory.TimelineEvent, err error) {
	if from < 0 || to < from {
		return nil, schema.Errorf(schema.CodeUsage, "the timeline goes from a chapter to a later one, not from %d to %d", from, to)
	}
	err = s.remember(ctx, "", func(_ *known, v *memory.View) error {
		list = v.Timeline(from, to)
		return nil
	})
	return list, err
}

// MemoryRelations lists how entities stand to each other: all of them, or those that one has a part in.
func (s *Session) MemoryRelations(ctx context.Context, id, at string) (list []memory.Relation, err error) {
	err = s.remember(ctx, at, func(_ *known, v *memory.View) error {
		if id != "" {
			if _, ok := v.Entity(id); !ok && v.Err() == nil {
				return schema.Wrap(ErrNoEntity, schema.CodeNotFound, "the memory knows no entity %s", id).
					WithHint("`git novel search %s` finds where the texts name it", id)
			}
		}
		list = v.Relations(id)
		return nil
	})
	return list, err
}

// MemoryWarnings lists what the records say that the memory could not follow, and records that cannot be read.
func (s *Session) MemoryWarnings(ctx context.Context) (list []schema.Text, err error) {
	err = s.remember(ctx, "", func(k *known, v *memory.View) error {
		list = []schema.Text{}
		for _, w := range v.Warnings() {
			list = append(list, schema.Textf("chapter %s: %s", w.Source, w.Msg))
		}
		paths, err := k.damagedRecords(endPos)
		for _, p := range paths {
			list = append(list, schema.Textf("%s cannot be read and is left out of the memory", p))
		}
		return err
	})
	return list, err
}

// MemorySummary is the answer of `memory-contract read-summary`. Summary is empty when there is none.
type MemorySummary struct {
	Chapter     any          `json:"chapter"` // the number, or the key of an unnumbered chapter
	Summary     string       `json:"summary"`
	KeyEvents   []string     `json:"key_events,omitempty"`
	KeySettings []string     `json:"key_settings,omitempty"`
	Source      string       `json:"source"`
	Range       memory.Range `json:"chapter_range"`
	Confidence  float64      `json:"confidence"`
}

// MemorySummary gives a chapter's summary.
func (s *Session) MemorySummary(ctx context.Context, chapter string) (r *MemorySummary, err error) {
	key, err := schema.ParseChapterKey(chapter)
	if err != nil {
		return nil, err
	}
	err = s.withKnown(ctx, []part{memoryPart{}, summariesPart{}}, func(k *known) error {
		e, ok, err := k.summary(key)
		if err != nil {
			return err
		}
		at, err := k.spotOf(chapter)
		if err != nil {
			return err
		}
		r = summaryOf(key, at, e, ok)
		return nil
	})
	return r, err
}

func summaryOf(key schema.ChapterKey, at spot, e schema.SummaryEntry, ok bool) *MemorySummary {
	number := int(at.pos >> 20)
	r := &MemorySummary{Chapter: statusKey(key), Summary: e.Summary, Source: key.ID(), Range: memory.Range{From: number, To: number}}
	if ok {
		r.Confidence = 1
	}
	if e.KeyEvents != nil {
		r.KeyEvents = *e.KeyEvents
	}
	if e.KeySettings != nil {
		r.KeySettings = *e.KeySettings
	}
	return r
}
