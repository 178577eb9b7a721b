package workflow

import (
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
	return l.issues()
}

// issues is what the review found: whoever repairs needs it.
func (l *loader) issues() error {
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
		return nil //nolint:nilerr // context is built without it
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
