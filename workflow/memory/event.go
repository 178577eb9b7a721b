package memory

import (
	"fmt"
	"maps"
	"slices"

	"git-novel/schema"
	"git-novel/workflow/prose"
)

func keys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func (s *state) event(m mark, e schema.Event, meta map[string]any) {
	v := values(e.Payload)
	if c, ok := number(v["confidence"]); ok && c >= 0 && c < m.sure {
		m.sure = c
	}
	s.happen(m, e, v, meta)
	switch t := schema.EventType(e.Type); t {
	case schema.EventCharacterState, schema.EventBreakthrough:
		field := v.str("field", "field_path")
		if field == "" {
			if field = "state"; t == schema.EventBreakthrough {
				field = "realm"
			}
		}
		if now := v.any("new", "to", "new_value", "new_state"); now != nil {
			s.set(s.entity(m, e.Subject), m, field, v.any("old", "from", "old_value", "previous_state"), now)
		}
	case schema.EventRelationship:
		from, to := v.str("from_entity", "from"), v.str("to_entity", "to", "target", "object")
		if from == "" {
			from = e.Subject
		}
		if to != "" && to != from {
			s.relate(m, from, to, v.str("relationship_type", "type", "relation", "new"), v.str("description"))
		}
	case schema.EventArtifact:
		s.artifact(m, e.Subject, v)
	case schema.EventRuleRevealed:
		s.reveal(m, e, v)
	case schema.EventRuleBroken:
		s.breakRule(m, e, v)
	case schema.EventPromiseCreated:
		s.plant(m, KindPromise, e, v)
	case schema.EventOpenLoopCreated:
		s.plant(m, KindLoop, e, v)
	case schema.EventPromisePaidOff:
		s.resolve(m, KindPromise, e, v)
	case schema.EventOpenLoopClosed:
		s.resolve(m, KindLoop, e, v)
	}
}

// happen hangs the event on the timeline and flags one that goes back.
func (s *state) happen(m mark, e schema.Event, v values, meta map[string]any) {
	h := happening{mark: m, TimelineEvent: TimelineEvent{
		ID: e.ID, Type: e.Type, Subject: e.Subject, Chapter: e.Chapter,
		Event:    v.str("event", "description", "content", "summary", "promise", "rule", "value", "name"),
		TimeHint: v.str("story_time", "time_hint", "time", "date", "time_anchor"),
	}}
	if h.Chapter == 0 {
		h.Chapter = m.chapter
	}
	if h.Event == "" {
		h.Event = s.eventText(m, e, v)
	}
	kind, at, ok := moment(v)
	if !ok {
		kind, at, ok = moment(values(meta))
		if h.TimeHint == "" {
			h.TimeHint = values(meta).str("story_time", "time_hint", "time", "date", "time_anchor")
		}
	}
	if ok && !v.truth("flashback", "is_flashback") {
		if last, told := s.told(kind); told && at < last {
			h.Backwards = true
			s.warn(m, "event %q goes back in the story's time", h.Event)
		} else {
			s.clock[kind] = at
			s.base.told(m, kind, at)
		}
	}
	s.timeline = append(s.timeline, h)
	s.base.happened(h)
}

// eventText says what happened when the record does not: of whom by name, and of a loop or promise what it was.
func (s *state) eventText(m mark, e schema.Event, v values) string {
	switch schema.EventType(e.Type) {
	case schema.EventPromisePaidOff:
		if found := s.matching(KindPromise, e, v); len(found) == 1 {
			return found[0].content
		}
	case schema.EventOpenLoopClosed:
		if found := s.matching(KindLoop, e, v); len(found) == 1 {
			return found[0].content
		}
	default: // the others are told by who and what changed
	}
	name := s.nameOf(m, e.Subject)
	if now := v.any("new", "to", "new_value", "new_state"); now != nil {
		return fmt.Sprintf("%s → %v", name, now)
	}
	return name
}

// nameOf gives the name that an entity has by now, and ref itself for what is no entity or has no name.
func (s *state) nameOf(m mark, ref string) string {
	e := s.find(ref)
	if e == nil {
		if id := s.lookup(prose.Fold(ref), m.chapter); id != "" {
			e = s.find(id)
		}
	}
	if e == nil || len(e.names) == 0 {
		return ref
	}
	return e.names[len(e.names)-1].name
}

func (s *state) artifact(m mark, subject string, v values) {
	id, name := v.str("artifact_id", "id"), v.str("name", "artifact")
	owner := v.str("owner", "holder")
	if id == "" {
		id = name
	}
	if id == "" { // the subject is the thing itself
		id = subject
	} else if owner == "" && subject != id && subject != name {
		owner = subject
	}
	e := s.entity(m, id)
	s.see(e, m)
	if name != "" {
		s.trait(m, e, traitName, &e.names, name)
		s.call(m, name, e)
	}
	if len(e.typ) == 0 {
		s.trait(m, e, traitType, &e.typ, "物品")
	}
	if owner != "" {
		s.set(e, m, "holder", nil, owner)
	}
}

func (s *state) reveal(m mark, e schema.Event, v values) {
	r := &rule{
		mark: m, id: v.str("rule_id", "id"), subject: e.Subject, field: v.str("field", "rule_name", "name"),
		value: v.str("value", "rule", "content", "description"), domain: v.str("domain"), scope: v.str("scope"),
		ended: -1, status: StatusActive,
	}
	if r.id == "" {
		r.id = e.ID
	}
	if r.value == "" {
		r.value = e.Subject
	}
	s.active = slices.DeleteFunc(s.activeRules(), func(old *rule) bool {
		same := old.id == r.id || old.subject == r.subject && old.field == r.field && old.field != "" && old.domain == r.domain
		if same {
			old.ended, old.status = m.chapter, StatusSuperseded
			s.base.ruleEnded(m, old)
		}
		return same
	})
	s.rules, s.active = append(s.rules, r), append(s.active, r)
	s.base.revealed(r)
}

func (s *state) breakRule(m mark, e schema.Event, v values) {
	id, field, value := v.str("rule_id", "id"), v.str("field", "rule_name"), prose.Fold(v.str("rule", "value", "content"))
	var found []*rule
	for _, r := range s.activeRules() {
		if id != "" && r.id == id {
			found = []*rule{r}
			break
		}
		if value != "" && prose.Fold(r.value) == value || r.subject == e.Subject && (field == "" || r.field == field) {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		s.warn(m, "a broken world rule of %q matches %d known rules", e.Subject, len(found))
		return
	}
	found[0].ended, found[0].status = m.chapter, StatusBroken
	s.base.ruleEnded(m, found[0])
	s.active = slices.DeleteFunc(s.active, func(r *rule) bool { return r == found[0] })
}

func (s *state) plant(m mark, kind string, e schema.Event, v values) {
	l := &loop{
		mark: m, kind: kind, subject: e.Subject, closed: -1,
		id:      v.str("loop_id", "promise_id", "id"),
		content: v.str("content", "description", "promise", "question", "loop"),
		payoff:  v.str("expected_payoff", "payoff", "target"), urgency: Urgency(v.any("urgency", "priority")),
	}
	if l.id == "" {
		l.id = e.ID
	}
	if l.content == "" {
		l.content = e.Subject
	}
	l.folded = prose.Fold(l.content)
	for _, old := range s.openLoops() {
		if old.kind == kind && (old.id == l.id || old.folded == l.folded) {
			return // the same thing told again is no second loop
		}
	}
	s.loops, s.open = append(s.loops, l), append(s.open, l)
	s.base.planted(l)
}

func (s *state) resolve(m mark, kind string, e schema.Event, v values) {
	found := s.matching(kind, e, v)
	if len(found) != 1 {
		s.warn(m, "closing of %q matches %d open elements", e.Subject, len(found))
		return
	}
	s.end(found[0], m)
}

// matching finds the open elements that a closing event may mean: the one of its id, else those of its content, else those
// of its subject.
func (s *state) matching(kind string, e schema.Event, v values) []*loop {
	id := v.str("loop_id", "promise_id", "id")
	content := prose.Fold(v.str("content", "description", "promise", "question", "loop"))
	subject := prose.Fold(e.Subject)
	var byContent, bySubject []*loop
	for _, l := range s.openLoops() {
		if id != "" && l.id == id {
			return []*loop{l}
		}
		if l.kind != kind {
			continue
		}
		if content != "" && l.folded == content || l.folded == subject {
			byContent = append(byContent, l)
		} else if l.subject == e.Subject {
			bySubject = append(bySubject, l)
		}
	}
	if len(byContent) > 0 {
		return byContent
	}
	return bySubject
}

func (s *state) end(l *loop, m mark) {
	l.closed = m.chapter
	s.base.loopClosed(m, l)
	s.open = slices.DeleteFunc(s.open, func(x *loop) bool { return x == l })
}
