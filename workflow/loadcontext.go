package workflow

import (
	"context"
	"encoding/json"

	"git-novel/schema"
	"git-novel/workflow/brief"
	"git-novel/workflow/contract"
	"git-novel/workflow/memory"
)

// Intents of load-context.
const (
	IntentDraft  = "draft"
	IntentReview = "review"
	IntentRepair = "repair"
)

// ContextInput asks for the context of a chapter, which need not exist yet.
type ContextInput struct {
	Chapter string
	Budget  int    // estimated tokens; 0: DefaultBudget
	Intent  string // "" is draft
}

// ContextPack is the answer of `memory-contract load-context`: what there is to know before a chapter, within a budget.
type ContextPack struct {
	Chapter  any                `json:"chapter"` // the number, or the key of an unnumbered chapter
	Intent   string             `json:"intent"`
	Budget   int                `json:"budget_tokens"`
	Used     int                `json:"budget_used_tokens"`
	Sections json.RawMessage    `json:"sections"`
	Dropped  []contract.Dropped `json:"dropped"`
	Warnings []schema.Text      `json:"warnings"`
	Source   string             `json:"source"` // the commit that the records were read from
	Range    memory.Range       `json:"chapter_range"`
	Sure     float64            `json:"confidence"`
}

// How much of the past goes in (DESIGN 13: near chapters in detail, middle ones by summary, far ones only as active facts).
const (
	nearSummaries  = 3
	midSummaries   = 9
	midLength      = 90 // characters of a middle summary
	endingLength   = 300
	firstRules     = 5
	firstLoops     = 3
	styleLength    = 2000
	lastRelations  = 12 // of each person
	timelineNear   = 3  // chapters whose events are listed
	maxPatterns    = 20
	maxContextFile = 64 << 10 // bytes of a contract
)

// Ranks of the pieces: what a chapter cannot be written without goes in first.
const (
	rankStatus = iota
	rankGoal
	rankOutline
	rankNotes
	rankLoop
	rankLast
	rankHero
	rankRule
	rankMaster
	rankCast
	rankStyle
	rankNear
	rankEnding
	rankProgress
	rankPattern
	rankContract
	rankRelation
	rankEvent
	rankMiddle
	rankSignal
	rankGenre
)

// LoadContext assembles the context of a chapter. The pack never takes more than the budget; what does not fit is listed.
func (s *Session) LoadContext(ctx context.Context, in ContextInput) (*ContextPack, error) {
	if in.Budget == 0 {
		in.Budget = DefaultBudget
	}
	if in.Budget < 1 {
		return nil, schema.Errorf(schema.CodeUsage, "--budget-tokens must be at least 1")
	}
	switch in.Intent {
	case "":
		in.Intent = IntentDraft
	case IntentDraft, IntentReview, IntentRepair:
	default:
		return nil, schema.Errorf(schema.CodeUsage, "%q is no intent", in.Intent).WithHint("use draft, review or repair")
	}
	var out *ContextPack
	err := s.withKnown(ctx, []part{memoryPart{}, summariesPart{}}, func(k *known) error {
		l := &loader{k: k, in: in}
		if err := l.load(); err != nil {
			return err
		}
		out = l.pack()
		return l.view.Err()
	})
	return out, err
}

// loader collects the pieces of one pack.
type loader struct {
	k       *known
	in      ContextInput
	at      spot
	view    *memory.View
	outline *schema.Outline
	pieces  []contract.Piece
	left    []contract.Dropped
	exposed *brief.Exposure
}

func (l *loader) load() (err error) {
	if l.at, err = l.k.spotOf(l.in.Chapter); err != nil {
		return err
	}
	l.view = l.k.viewBefore(l.at)
	if l.outline, err = l.k.s.lib.Outline(l.k.snap, l.k.name, l.at.key); err != nil {
		// A damaged outline hides nothing that we could name: without it nothing may be shown that it might hide.
		return err
	}
	l.exposed = brief.ExposureOf(l.outline)
	for _, collect := range []func() error{
		l.status, l.outlined, l.contracts, l.memory, l.summaries, l.style, l.signals,
	} {
		if err := collect(); err != nil {
			return err
		}
	}
	damaged, err := l.k.damagedRecords(l.at.pos)
	for _, p := range damaged {
		l.k.warn("%s cannot be read and is left out of the memory", p)
	}
	return err
}

// drafting reports that the pack is for somebody who writes the text: the exposure policy holds.
func (l *loader) drafting() bool { return l.in.Intent != IntentReview }

func (l *loader) pack() *ContextPack {
	hide := l.exposed.Hide
	if !l.drafting() || !l.exposed.Hides() {
		hide = nil
	}
	p := contract.Assemble(l.pieces, l.in.Budget, hide, l.left)
	if p.Hidden > 0 {
		l.k.warn("%d items told a field that the exposure policy transforms; the words were left out", p.Hidden)
	}
	if l.k.warnings == nil {
		l.k.warnings = []schema.Text{}
	}
	return &ContextPack{
		Chapter: statusKey(l.at.key), Intent: l.in.Intent, Budget: l.in.Budget, Used: p.Used, Sections: p.Raw, Dropped: p.Dropped,
		Warnings: l.k.warnings, Source: l.k.snap.Commit().String(), Range: memory.Range{From: 0, To: max(l.at.before(), 0)}, Sure: 1,
	}
}

func (l *loader) add(section, field string, rank int, v any) {
	l.pieces = append(l.pieces, contract.Piece{Section: section, Field: field, Rank: rank, Value: v})
}

func (l *loader) each(section, field string, rank int, v any) {
	l.pieces = append(l.pieces, contract.Piece{Section: section, Field: field, List: true, Rank: rank, Value: v})
}

// rest counts what a section never takes, so that the reader knows of it.
func (l *loader) rest(section string, values ...any) {
	d := contract.Dropped{Section: section, Items: len(values)}
	for _, v := range values {
		if raw, err := schema.MarshalCompact(v); err == nil {
			d.Tokens += brief.Tokens(string(raw))
		}
	}
	if d.Items > 0 {
		l.left = append(l.left, d)
	}
}
