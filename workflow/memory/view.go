package memory

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"git-novel/workflow/prose"
)

// View is the memory as it stood at the end of a chapter. Its methods return copies.
type View struct {
	s  *state
	at int
}

// Chapter is the number the view looks from.
func (v *View) Chapter() int { return v.at }

func (v *View) lastName(ns []named) string {
	out := ""
	for _, n := range ns {
		if n.chapter <= v.at {
			out = n.name
		}
	}
	return out
}

func (v *View) snapshot(e *entity) (EntitySnapshot, bool) {
	if e.born.chapter > v.at {
		return EntitySnapshot{}, false
	}
	out := EntitySnapshot{
		ID: e.id, Name: cmp.Or(v.lastName(e.names), e.id), Type: cmp.Or(v.lastName(e.typ), "角色"),
		Tier: cmp.Or(v.lastName(e.tier), "装饰"), Protagonist: e.hero >= 0 && e.hero <= v.at,
		Aliases: []string{}, Attributes: map[string]any{}, Recent: []StateChange{}, Dead: v.dead(e) >= 0,
	}
	for _, n := range slices.Concat(e.names, e.aliases) { // an earlier name is still a name
		if n.chapter <= v.at && n.name != out.Name && !slices.Contains(out.Aliases, n.name) {
			out.Aliases = append(out.Aliases, n.name)
		}
	}
	sure := e.born
	for _, c := range e.changes {
		if c.chapter > v.at {
			continue
		}
		out.Attributes[c.field] = c.new
		out.Recent = append(out.Recent, StateChange{c.field, c.old, c.new, c.chapter, c.source})
		sure = c.mark
	}
	out.Recent = out.Recent[max(0, len(out.Recent)-5):]
	for _, n := range e.seen {
		if n > v.at {
			break
		}
		if out.First == 0 {
			out.First = n
		}
		out.Last = n
	}
	out.Meta = Meta{Source: sure.source, Range: Range{From: e.born.chapter, To: v.at}, Confidence: sure.sure}
	return out, true
}

// dead gives the chapter of the death that holds at the view, -1 when the entity lives.
func (v *View) dead(e *entity) int {
	at := -1
	for _, g := range e.gone {
		switch {
		case g >= 0 && g <= v.at:
			at = g
		case g < 0 && -g-1 <= v.at:
			at = -1
		}
	}
	return at
}

// Entity finds an entity by id, name or alias.
func (v *View) Entity(ref string) (EntitySnapshot, bool) {
	e := v.s.find(ref)
	if e == nil || e.born.chapter > v.at {
		if e = v.s.find(v.s.lookup(prose.Fold(ref), v.at)); e == nil {
			return EntitySnapshot{}, false
		}
	}
	return v.snapshot(e)
}

// Entities lists everything known, in order of first mention.
func (v *View) Entities() []EntitySnapshot {
	var out []EntitySnapshot
	for _, id := range v.s.everyone() {
		if e, ok := v.snapshot(v.s.find(id)); ok {
			out = append(out, e)
		}
	}
	return out
}

// Protagonist gives the protagonist, when a record names one.
func (v *View) Protagonist() (EntitySnapshot, bool) {
	for _, id := range v.s.heroes() {
		if e := v.s.find(id); e.hero >= 0 && e.hero <= v.at {
			return v.snapshot(e)
		}
	}
	return EntitySnapshot{}, false
}

// Names gives every name of the entity that ref names, canonical first; nil when nobody is called so.
func (v *View) Names(ref string) []string {
	e, ok := v.Entity(ref)
	if !ok {
		return nil
	}
	return append([]string{e.Name}, e.Aliases...)
}

// Deaths lists who is dead at the view.
func (v *View) Deaths() []Death {
	var out []Death
	for _, id := range v.s.mortals() {
		e := v.s.find(id)
		if at := v.dead(e); at >= 0 && e.born.chapter <= v.at {
			out = append(out, Death{ID: id, Names: v.Names(id), Chapter: at})
		}
	}
	return out
}

// Rules lists the world rules that hold at the view. An empty domain or scope, and scope "all", leave nothing out; a
// domain takes its sub-domains in (magic takes magic.fire).
func (v *View) Rules(domain, scope string) []Rule {
	out := []Rule{}
	for _, r := range v.s.allRules() {
		if r.chapter > v.at || r.ended >= 0 && r.ended <= v.at {
			continue
		}
		if domain != "" && r.domain != domain && !strings.HasPrefix(r.domain, domain+".") {
			continue
		}
		if scope != "" && scope != "all" && r.scope != "" && r.scope != scope {
			continue
		}
		out = append(out, Rule{
			ID: r.id, Subject: r.subject, Field: r.field, Value: r.value, Domain: r.domain, Scope: r.scope,
			Status: StatusActive, Chapter: r.chapter, Meta: r.meta(v.at),
		})
	}
	return out
}

// Loops lists open loops and promises as they stood, most urgent first, then oldest first. Status is active, closed or
// all; an empty one is active.
func (v *View) Loops(status string) []OpenLoop { return v.loops(status, "") }

// Promises lists promises only.
func (v *View) Promises(status string) []OpenLoop { return v.loops(status, KindPromise) }

func (v *View) loops(status, kind string) []OpenLoop {
	status = cmp.Or(status, StatusActive)
	out := []OpenLoop{}
	for _, l := range v.s.theLoops(status == StatusActive) {
		if l.chapter > v.at || kind != "" && l.kind != kind {
			continue
		}
		o := OpenLoop{
			ID: l.id, Kind: l.kind, Subject: l.subject, Content: l.content, Status: StatusActive, Planted: l.chapter,
			Payoff: l.payoff, Urgency: l.urgency, Meta: l.meta(v.at),
		}
		if l.closed >= 0 && l.closed <= v.at {
			o.Status, o.Closed, o.Range.To = StatusClosed, l.closed, l.closed
		}
		if status == "all" || status == o.Status {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(a, b OpenLoop) int {
		return cmp.Or(cmp.Compare(b.Urgency, a.Urgency), cmp.Compare(a.Planted, b.Planted))
	})
	return out
}

// Timeline lists the events of chapters from..to that the view knows, in the order told.
func (v *View) Timeline(from, to int) []TimelineEvent {
	out := []TimelineEvent{}
	for _, h := range v.s.happenings(from, to) {
		if h.chapter > v.at || h.Chapter < from || h.Chapter > to {
			continue
		}
		e := h.TimelineEvent
		e.Meta = h.meta(h.chapter)
		out = append(out, e)
	}
	return out
}

// Relations lists how things stand between entities: the latest word on each pair and direction. An empty ref gives all,
// otherwise those that ref (id, name or alias) has a part in.
func (v *View) Relations(ref string) []Relation {
	if ref != "" {
		if e, ok := v.Entity(ref); ok {
			ref = e.ID
		}
	}
	latest := map[[2]string]int{}
	relations := v.s.relationsOf(ref)
	for i, r := range relations {
		if r.chapter <= v.at && (ref == "" || r.from == ref || r.to == ref) {
			latest[[2]string{r.from, r.to}] = i
		}
	}
	out := make([]Relation, 0, len(latest))
	for _, i := range slices.Sorted(maps.Values(latest)) {
		out = append(out, relations[i].as(v.at))
	}
	return out
}

// LatestRelations lists the n relations of an entity that changed last, oldest first, and how many it has. It costs the same
// however many those are.
func (v *View) LatestRelations(ref string, n int) (list []Relation, total int) {
	e, ok := v.Entity(ref)
	if !ok {
		return []Relation{}, 0
	}
	if v.s.base == nil {
		all := v.Relations(e.ID)
		return all[max(0, len(all)-n):], len(all)
	}
	subs, total := v.s.base.latestRelations(e.ID, n)
	list = make([]Relation, 0, len(subs))
	for _, r := range v.s.storedRelations(e.ID, subs) {
		list = append(list, r.as(v.at))
	}
	return list, total
}

func (r relation) as(at int) Relation {
	return Relation{From: r.from, To: r.to, Type: r.typ, Description: r.desc, Chapter: r.chapter, Meta: r.meta(at)}
}
