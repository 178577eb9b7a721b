package agent

import (
	"fmt"
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/memory"
	"git-novel/workflow/prose"
)

// DataInput is what builtin:data reads. Only Text is required.
type DataInput struct {
	Number  int             // 0 for an unnumbered chapter
	Text    string          // the chapter
	Outline *schema.Outline // nil: no node is planned
	Memory  *memory.View    // as it stood before this chapter
	Known   []Entity        // names from the settings: EntitiesOf
}

// DataResult is the three artifacts that builtin:data makes.
type DataResult struct {
	Fulfillment    *schema.Fulfillment
	Disambiguation *schema.Disambiguation
	Extraction     *schema.Extraction
}

// Files writes the artifacts in the form that the schema's parsers read.
func (r *DataResult) Files() (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, v := range map[string]any{
		FileFulfillment: r.Fulfillment, FileDisambiguation: r.Disambiguation, FileExtraction: r.Extraction,
	} {
		data, err := schema.Marshal(v)
		if err != nil {
			return nil, err
		}
		out[name] = data
	}
	return out, nil
}

// Data reads what can be shown out of a chapter: which nodes it covers, who appears, which payoffs that are due it has, and
// a summary made of its own sentences. The same input gives the same answer.
func Data(in DataInput) *DataResult {
	d := dataAgent{in: in, text: prose.Parse(in.Text), roster: newRoster(in.Memory, in.Known, in.Outline)}
	d.finder = prose.Finder{Text: d.text, Names: d.roster.names}
	d.appear()
	out := &DataResult{Fulfillment: d.fulfillment(), Disambiguation: &schema.Disambiguation{Pending: d.pending()}}
	out.Extraction = d.extraction()
	return out
}

type dataAgent struct {
	in     DataInput
	text   *prose.Text
	roster *roster
	finder prose.Finder
	seen   []appearance
}

// appearance is one entity that the chapter names.
type appearance struct {
	who       int // in the roster
	count     int
	paragraph int
	mentions  []string // the names used
}

func (d *dataAgent) appear() {
	for i, e := range d.roster.list {
		var own []string
		a := appearance{who: i}
		for _, n := range e.names() {
			if len(d.roster.owner[prose.Fold(n)]) != 1 {
				continue // shared: pending decides
			}
			own = append(own, n)
			if k, _ := d.text.Mentions(n); k > 0 {
				a.mentions = append(a.mentions, n)
			}
		}
		if a.count, a.paragraph = d.text.Mentions(own...); a.count > 0 {
			d.seen = append(d.seen, a)
		}
	}
}

func (d *dataAgent) fulfillment() *schema.Fulfillment {
	f := &schema.Fulfillment{Planned: []schema.Node{}, Covered: []schema.Node{}, Missed: []schema.Node{}, Extra: []schema.Node{}}
	if d.in.Outline == nil {
		return f
	}
	for _, n := range d.in.Outline.Nodes() {
		f.Planned = append(f.Planned, n)
		if d.finder.Find(n.Text).Found {
			f.Covered = append(f.Covered, n)
		} else {
			f.Missed = append(f.Missed, n)
		}
	}
	return f
}

// pending lists names in the text that two known entities share, unless the chapter calls exactly one of them by a name of
// its own.
func (d *dataAgent) pending() []any {
	out := []any{}
	var shared []string
	for key, who := range d.roster.owner {
		if len(who) > 1 {
			shared = append(shared, key)
		}
	}
	slices.Sort(shared)
	for _, key := range shared {
		n, at := d.text.Mentions(key)
		if n == 0 {
			continue
		}
		present := 0
		candidates := []any{}
		for _, i := range d.roster.owner[key] {
			candidates = append(candidates, d.roster.list[i].ID)
			if slices.ContainsFunc(d.seen, func(a appearance) bool { return a.who == i }) {
				present++
			}
		}
		if present == 1 {
			continue
		}
		out = append(out, map[string]any{
			"mention": key, "candidates": candidates, "location": fmt.Sprintf("第%d段", at), "count": n,
			"evidence": d.finder.Find(key).Quote,
		})
	}
	return out
}

func (d *dataAgent) extraction() *schema.Extraction {
	x := &schema.Extraction{
		Events: []schema.Event{}, States: []schema.StateDelta{}, Entities: []schema.EntityDelta{},
		SummaryText: d.summary(), Scenes: d.scenes(), ChapterMeta: map[string]any{
			"word_count": prose.Han(d.text.Body()), "paragraphs": len(d.text.Paragraphs), "producer": BuiltinPrefix + "data",
		},
	}
	if d.text.Heading != "" {
		x.ChapterMeta["heading"] = d.text.Heading
	}
	for _, a := range d.seen {
		e := d.roster.list[a.who]
		x.Appeared = append(x.Appeared, map[string]any{
			"id": e.ID, "mentions": anys(a.mentions), "count": a.count, "first": fmt.Sprintf("第%d段", a.paragraph), "confidence": 1,
		})
		if !e.Known {
			delta := schema.EntityDelta{Entity: e.ID, Action: "create", Type: orDefault(e.Type, "角色"), Tier: orDefault(e.Tier, "次要"), Name: e.Name}
			if len(e.Aliases) > 0 {
				delta.Rest = map[string]any{"aliases": anys(e.Aliases)}
			}
			x.Entities = append(x.Entities, delta)
		}
	}
	if o := d.in.Outline; o != nil {
		x.Strand = o.Content.Strand
		if o.Title != "" {
			x.ChapterMeta["title"] = o.Title
		}
		d.payoffs(x)
	}
	return x
}

// payoffs looks for the payoffs that the outline calls due. One that stands in the text and that the memory has open is
// an event; the others are only noted.
func (d *dataAgent) payoffs(x *schema.Extraction) {
	seen, missing := []any{}, []any{}
	for _, due := range d.in.Outline.Content.MustPayoff {
		if strings.TrimSpace(due) == "" {
			continue
		}
		m := d.finder.Find(due)
		if !m.Found {
			missing = append(missing, due)
			continue
		}
		seen = append(seen, due)
		l, ok := d.openLoop(due)
		if !ok {
			continue
		}
		kind, idKey := schema.EventOpenLoopClosed, "loop_id"
		if l.Kind == memory.KindPromise {
			kind, idKey = schema.EventPromisePaidOff, "promise_id"
		}
		e := schema.Event{Chapter: d.in.Number, Type: string(kind), Subject: l.Subject, Payload: map[string]any{
			idKey: l.ID, "content": l.Content, "payoff": due, "evidence": m.Quote, "location": fmt.Sprintf("第%d段", m.Paragraph),
		}}
		e.ID = schema.EventID(e, len(x.Events)+1)
		x.Events = append(x.Events, e)
	}
	if len(seen)+len(missing) > 0 {
		x.ChapterMeta["payoffs_seen"], x.ChapterMeta["payoffs_missing"] = seen, missing
	}
}

// openLoop gives the one open loop or promise that speaks of the payoff: by id, by content, or one that holds the other's words.
func (d *dataAgent) openLoop(due string) (memory.OpenLoop, bool) {
	if d.in.Memory == nil {
		return memory.OpenLoop{}, false
	}
	want := prose.Fold(due)
	var found []memory.OpenLoop
	for _, l := range d.in.Memory.Loops(memory.StatusActive) {
		for _, have := range []string{prose.Fold(l.Content), prose.Fold(l.Payoff), prose.Fold(l.ID)} {
			if have == want || prose.Han(have) >= 4 && strings.Contains(want, have) || prose.Han(want) >= 4 && strings.Contains(have, want) {
				found = append(found, l)
				break
			}
		}
	}
	if len(found) != 1 {
		return memory.OpenLoop{}, false
	}
	return found[0], true
}

// scenes cuts at lines that hold nothing but a mark.
func (d *dataAgent) scenes() []map[string]any {
	var out []map[string]any
	start := 0
	flush := func(end int) {
		if end <= start {
			return
		}
		ps := d.text.Paragraphs[start:end]
		scene := map[string]any{
			"index": len(out) + 1, "start_line": ps[0].Line, "end_line": ps[len(ps)-1].Line,
			"summary": prose.Cut(ps[0].Text, 40), "characters": d.charactersIn(ps),
		}
		out = append(out, scene)
	}
	for i, p := range d.text.Paragraphs {
		if strings.Trim(p.Text, "*-—－※＊·.…~=＝◆◇○●☆★ 　") == "" {
			flush(i)
			start = i + 1
		}
	}
	flush(len(d.text.Paragraphs))
	return out
}

func (d *dataAgent) charactersIn(ps []prose.Paragraph) []any {
	out := []any{}
	var b strings.Builder
	for _, p := range ps {
		b.WriteString(p.Text + "\n")
	}
	part := prose.Parse("\n" + b.String())
	for _, a := range d.seen {
		e := d.roster.list[a.who]
		if orDefault(e.Type, "角色") != "角色" {
			continue
		}
		if n, _ := part.Mentions(a.mentions...); n > 0 {
			out = append(out, e.ID)
		}
	}
	return out
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}
