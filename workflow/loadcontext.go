package workflow

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"git-novel/repo/index"
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

type stateOf struct {
	Chapter any           `json:"chapter"`
	State   *schema.State `json:"state"`
}

// status is runtime_status and progress: where the book stands, without the numbers of the past.
func (l *loader) status() error {
	p, err := l.k.progress()
	if err != nil {
		return err
	}
	me := stateOf{Chapter: statusKey(l.at.key)}
	if x, ok, err := l.k.book.Get(thingChapter, l.at.key.ID()); err != nil {
		return err
	} else if ok {
		c, err := placed(x)
		if err != nil {
			return err
		}
		me.State = stateOrNil(c.State)
	}
	l.add(contract.RuntimeStatus, "chapter", rankStatus, me)
	before, err := l.k.book.Range(thingChapter, 0, l.at.pos, 1, true)
	if err != nil {
		return err
	}
	for _, x := range before {
		c, err := placed(x)
		if err != nil {
			return err
		}
		l.add(contract.RuntimeStatus, "previous", rankStatus, stateOf{statusKey(schema.KeyOfID(c.id)), stateOrNil(c.State)})
	}
	for _, id := range p.Debt {
		l.each(contract.RuntimeStatus, "debt", rankStatus, statusKey(schema.KeyOfID(id)))
	}
	if p.Current > 0 {
		l.add(contract.RuntimeStatus, "last_commit", rankStatus, p.Current)
	}
	l.add(contract.Progress, "", rankProgress, map[string]int{
		"current_chapter": p.Current, "chapters": p.Chapters, "committed": p.Committed, "reviewed": p.Reviewed, "drafted": p.Drafted,
	})
	if l.in.Intent != IntentRepair {
		return nil
	}
	// Whoever repairs needs what the review found.
	rec := new(schema.Review)
	data, _, err := l.k.snap.Read(schema.ReviewPath(l.k.name, l.at.key.ID()))
	if schema.CodeOf(err) == schema.CodeNotFound {
		return nil
	}
	if err == nil {
		err = schema.Unmarshal(schema.ReviewPath(l.k.name, l.at.key.ID()), data, rec)
	}
	if err != nil {
		l.k.warn("the review of this chapter cannot be read")
		return nil
	}
	for _, i := range rec.Issues {
		l.each(contract.RuntimeStatus, "issues", rankGoal, i)
	}
	return nil
}

// outlined is outline and author_notes. A writer gets the fields that the policy shows, and hints for the others.
func (l *loader) outlined() error {
	o := l.outline
	if o == nil {
		l.k.warn("the chapter has no outline")
		return nil
	}
	l.add(contract.Outline, "title", rankOutline, o.Title)
	raw, err := json.Marshal(o.Content)
	if err != nil {
		return err
	}
	var lists map[string]any
	if err := json.Unmarshal(raw, &lists); err != nil {
		return err
	}
	for _, f := range schema.OutlineFields() {
		if l.drafting() && !l.exposed.Shown(f) {
			continue
		}
		rank := rankOutline
		if f == "chapter_goal" {
			rank = rankGoal
		}
		values := o.Content.Values(f)
		if _, several := lists[f].([]any); several {
			for _, v := range values {
				l.each(contract.Outline, f, rank, v)
			}
		} else if len(values) > 0 {
			l.add(contract.Outline, f, rank, values[0])
		}
	}
	if l.drafting() {
		for _, h := range l.exposed.Hints() {
			l.each(contract.Outline, "hints", rankOutline, h)
		}
	} else {
		l.add(contract.Outline, "writer_exposure_policy", rankContract, o.Exposure)
	}
	for line := range strings.Lines(o.Note) {
		if line = strings.TrimSpace(line); line != "" {
			l.pieces = append(l.pieces, contract.Text(contract.AuthorNotes, "", true, rankNotes, line, asIs))
		}
	}
	return nil
}

func asIs(s string) any { return s }

// memory is what the commits say that still holds: protagonist, rules, loops, and in memory_pack the people of this chapter,
// who is dead, relations and the last events.
func (l *loader) memory() error {
	v := l.view
	told := map[string]bool{}
	if hero, ok := v.Protagonist(); ok {
		told[hero.ID] = true
		l.add(contract.Protagonist, "", rankHero, hero)
	}
	if l.outline != nil {
		for _, name := range l.outline.Content.KeyEntities {
			if e, ok := v.Entity(name); ok && !told[e.ID] {
				told[e.ID] = true
				l.each(contract.MemoryPack, "entities", rankCast, e)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(told)) {
		list, total := v.LatestRelations(id, lastRelations)
		for _, r := range list {
			l.each(contract.MemoryPack, "relations", rankRelation, r)
		}
		if n := len(list); n > 0 && total > n { // those not even read are about as long
			raw, err := schema.MarshalCompact(list)
			if err != nil {
				return err
			}
			l.left = append(l.left, contract.Dropped{Section: contract.MemoryPack, Items: total - n, Tokens: brief.Tokens(string(raw)) * (total - n) / n})
		}
	}
	rules := v.Rules("", "")
	for _, r := range rules[:min(len(rules), firstRules)] {
		l.each(contract.ActiveRules, "", rankRule, r)
	}
	l.rest(contract.ActiveRules, anys(rules[min(len(rules), firstRules):])...)
	loops := v.Loops(memory.StatusActive)
	for _, o := range loops[:min(len(loops), firstLoops)] {
		l.each(contract.UrgentLoops, "", rankLoop, o)
	}
	l.rest(contract.UrgentLoops, anys(loops[min(len(loops), firstLoops):])...)
	before := l.at.before()
	for _, e := range v.Timeline(before-timelineNear+1, before) {
		l.each(contract.MemoryPack, "timeline", rankEvent, e)
	}
	return nil
}

func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

// recentSummary is one element of recent_summaries.
type recentSummary struct {
	*MemorySummary
	Ending string `json:"ending,omitempty"`
}

// summaries is recent_summaries: the near chapters with their events and settings, the last one with its ending, the middle
// ones shortened. Older ones speak only through what still holds.
func (l *loader) summaries() error {
	list, err := l.k.book.Range(thingChapter, 0, l.at.pos, nearSummaries+midSummaries, true)
	if err != nil {
		return err
	}
	missing := 0
	for i, x := range list {
		key := schema.KeyOfID(x.Key)
		e, ok, err := l.k.summary(key)
		if err != nil {
			return err
		}
		age := len(list) - 1 - i // 0 is the chapter before
		r := summaryOf(key, spot{key: key, pos: x.Pos}, e, ok)
		if age >= nearSummaries {
			r.KeyEvents, r.KeySettings = nil, nil
			r.Summary = contract.CutText(strings.Join(strings.Fields(r.Summary), " "), midLength)
		}
		if !ok {
			missing++
			if age > 0 {
				continue
			}
		}
		rank := rankMiddle
		switch {
		case age == 0:
			rank = rankLast
		case age < nearSummaries:
			rank = rankNear
		}
		out := recentSummary{MemorySummary: r}
		l.pieces = append(l.pieces, contract.Text(contract.Recent, "", true, rank, r.Summary, func(text string) any {
			cut := *out.MemorySummary
			cut.Summary = text
			return recentSummary{MemorySummary: &cut, Ending: out.Ending}
		}))
		if age == 0 {
			if err := l.ending(x); err != nil {
				return err
			}
		}
	}
	if missing > 0 {
		l.k.warn("%d of the last %d chapters have no summary", missing, len(list))
	}
	return nil
}

// ending is how the chapter before ends, word for word: the text goes on from there.
func (l *loader) ending(x index.Thing) error {
	c, err := placed(x)
	if err != nil {
		return err
	}
	data, ok := l.k.chapterText(c)
	if !ok {
		return nil
	}
	r := []rune(strings.TrimSpace(string(data)))
	text := strings.TrimSpace(string(r[max(0, len(r)-endingLength):]))
	l.pieces = append(l.pieces, contract.Piece{
		Section: contract.MemoryPack, Field: "previous_ending", Rank: rankEnding, Value: text, Length: len([]rune(text)),
		Cut: func(n int) any { // the end is what counts
			t := []rune(text)
			return "…" + string(t[len(t)-min(n, len(t))+1:])
		},
	})
	return nil
}

// style is style_contract, author_style_patterns and genre_profile_excerpt.
func (l *loader) style() error {
	text, ok, err := l.k.file(schema.StyleContractPath(l.k.name))
	if err != nil {
		return err
	}
	if !ok {
		l.k.warn("the book has no style contract (settings/风格契约.md)")
	}
	if r := []rune(strings.TrimSpace(text)); len(r) > 0 {
		if len(r) > styleLength {
			l.rest(contract.StyleContract, string(r[styleLength:]))
			l.k.warn("the style contract has %d characters; the first %d are used", len(r), styleLength)
			r = r[:styleLength]
		}
		l.pieces = append(l.pieces, contract.Text(contract.StyleContract, "", false, rankStyle, string(r), asIs))
	}
	if l.in.Intent == IntentReview {
		return nil // a reviewer judges facts
	}
	patterns, err := l.k.patterns()
	if err != nil {
		l.k.warn("%s cannot be read", schema.PatternsPath(l.k.name))
	}
	first := max(0, len(patterns)-maxPatterns) // the last ones learned
	for _, p := range patterns[first:] {
		l.each(contract.StylePatterns, "", rankPattern, p)
	}
	l.rest(contract.StylePatterns, patterns[:first]...)
	if genre := l.k.genreExcerpt(); genre != "" {
		l.pieces = append(l.pieces, contract.Text(contract.Genre, "", false, rankGenre, genre, asIs))
	}
	return nil
}

func (l *loader) signals() error {
	if l.in.Intent == IntentReview {
		return nil
	}
	r, err := l.k.signals(l.at.pos, DefaultSignals, DefaultLastN)
	if err != nil || len(r.Recent) == 0 {
		return err
	}
	for _, p := range r.Recent {
		l.each(contract.ReaderSignals, "recent_reading_power", rankSignal, p)
	}
	l.add(contract.ReaderSignals, "pattern_usage_stats", rankSignal, r.Patterns)
	l.add(contract.ReaderSignals, "hook_type_stats", rankSignal, r.Hooks)
	return nil
}
