package schema

import (
	"crypto/sha1" //nolint:gosec // a short content id, as in the peer's event ids
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// EventType is the kind of an accepted event.
type EventType string

// The event types (reference harness 4.4).
const (
	EventCharacterState  EventType = "character_state_changed"
	EventBreakthrough    EventType = "power_breakthrough"
	EventRelationship    EventType = "relationship_changed"
	EventArtifact        EventType = "artifact_obtained"
	EventRuleRevealed    EventType = "world_rule_revealed"
	EventRuleBroken      EventType = "world_rule_broken"
	EventPromiseCreated  EventType = "promise_created"
	EventPromisePaidOff  EventType = "promise_paid_off"
	EventOpenLoopCreated EventType = "open_loop_created"
	EventOpenLoopClosed  EventType = "open_loop_closed"
)

type eventSpelling struct {
	typ     EventType
	aliases []string
}

// eventSpellings lists the types with their accepted aliases (reference harness 4.4).
func eventSpellings() []eventSpelling {
	return []eventSpelling{
		{EventCharacterState, []string{"character_state", "character_state_change", "state_changed"}},
		{EventBreakthrough, []string{"breakthrough", "power_up"}},
		{EventRelationship, []string{"relationship_change", "relation_changed"}},
		{EventArtifact, []string{"artifact", "item_obtained"}},
		{EventRuleRevealed, []string{"world_rule", "rule_revealed"}},
		{EventRuleBroken, []string{"rule_broken"}},
		{EventPromiseCreated, []string{"promise"}},
		{EventPromisePaidOff, []string{"promise_resolved", "promise_fulfilled"}},
		{EventOpenLoopCreated, []string{
			"mystery_introduction", "mystery_introduced", "unresolved_thread", "scene_open", "open_loop",
		}},
		{EventOpenLoopClosed, []string{"loop_closed"}},
	}
}

// EventTypes lists the canonical types.
func EventTypes() []EventType {
	var list []EventType
	for _, e := range eventSpellings() {
		list = append(list, e.typ)
	}
	return list
}

// ParseEventType reads a type or one of its aliases, in any letter case and with - for _.
func ParseEventType(s string) (EventType, bool) {
	s = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "-", "_")
	for _, e := range eventSpellings() {
		if s == string(e.typ) || slices.Contains(e.aliases, s) {
			return e.typ, true
		}
	}
	return "", false
}

func (o *inObj) events(chapter int) []Event {
	list := []Event{}
	given := map[string]bool{}
	for _, e := range o.objects("accepted_events") {
		ev := e.event(chapter)
		if ev.ID != "" && given[ev.ID] {
			e.fault(nil, "event_id", "the event id %q is given twice", ev.ID)
		}
		given[ev.ID] = true
		list = append(list, ev)
	}
	for i := range list {
		if list[i].ID == "" {
			list[i].ID = EventID(list[i], i+1)
		}
	}
	return list
}

// event reads one event. Keys that the canonical form has no place for go into the payload, which otherwise
// would lose them.
func (o *inObj) event(chapter int) Event {
	o.misspelled("event_id", "chapter", "event_type", "type", "subject", "payload", "entity_id", "from_entity", "to_entity",
		"characters")
	o.chapterNumber(chapter)
	ev := Event{Chapter: chapter, ID: strings.TrimSpace(o.str("event_id")), Payload: map[string]any{}}
	if n, key := o.get("event_type", "type"); n == nil {
		o.fault(nil, key, "is missing; allowed: %s", joinWords(EventTypes()))
	} else {
		t, ok := ParseEventType(n.text)
		if n.kind != inString || !ok {
			o.fault(n, key, "%s is not allowed here; allowed: %s", n.describe(), joinWords(EventTypes()))
		}
		ev.Type = string(t)
	}
	payload := o.sub("payload")
	if payload != nil {
		ev.Payload = payload.n.object()
	}
	if ev.Subject = o.subject(payload); ev.Subject == "" {
		n, _ := o.get("subject")
		o.fault(n, "subject", "accepted_events[%d].subject must be a non-empty string", o.i)
	}
	for _, m := range o.n.members {
		switch m.key {
		case "event_id", "chapter", "event_type", "type", "subject", "payload":
			continue
		}
		if _, taken := ev.Payload[m.key]; !taken && m.val.kind != inNull {
			ev.Payload[m.key] = m.val.any()
		}
	}
	return ev
}

// subject is the first of the fallbacks that is not blank (reference harness 4.4).
func (o *inObj) subject(payload *inObj) string {
	for _, k := range []string{"subject", "entity_id", "from_entity", "to_entity"} {
		if s := o.n.member(k).words(); s != "" {
			return s
		}
	}
	if n, _ := o.get("characters"); n != nil && n.kind == inArray && len(n.items) > 0 {
		if s := n.items[0].words(); s != "" {
			return s
		}
	}
	if payload == nil {
		return ""
	}
	for _, k := range []string{"subject", "entity_id", "owner", "holder", "artifact_id", "name"} {
		if s := payload.n.member(k).words(); s != "" {
			return s
		}
	}
	return ""
}

// words is the trimmed text of a string, "" for anything else.
func (n *inNode) words() string {
	if n == nil || n.kind != inString {
		return ""
	}
	return strings.TrimSpace(n.text)
}

// EventID derives the id of the i-th event of its chapter, counted from 1: evt-ch003-001-<10 hex>. The digits come from
// the event's canonical JSON without id and chapter.
func EventID(e Event, i int) string {
	content, err := MarshalCompact(map[string]any{"event_type": e.Type, "payload": e.Payload, "subject": e.Subject})
	if err != nil { // a payload always comes from JSON; Go values that JSON cannot hold still need an id
		content = fmt.Append(nil, e.Type, e.Subject, e.Payload)
	}
	sum := sha1.Sum(content) //nolint:gosec // see the import
	return fmt.Sprintf("evt-ch%03d-%03d-%s", e.Chapter, i, hex.EncodeToString(sum[:])[:10])
}
