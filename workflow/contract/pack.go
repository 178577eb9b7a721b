package contract

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"git-novel/workflow/brief"
)

// The sections, in the order of the pack. The names are the seed's.
const (
	StoryContracts = "story_contracts"
	RuntimeStatus  = "runtime_status"
	MemoryPack     = "memory_pack"
	Outline        = "outline"
	Recent         = "recent_summaries"
	Protagonist    = "protagonist"
	Progress       = "progress"
	ActiveRules    = "active_rules"
	UrgentLoops    = "urgent_loops"
	ReaderSignals  = "reader_signals"
	Genre          = "genre_profile_excerpt"
	StylePatterns  = "author_style_patterns"
	StyleContract  = "style_contract"
	AuthorNotes    = "author_notes"
)

// Sections lists the names in their order.
func Sections() []string {
	return []string{
		StoryContracts, RuntimeStatus, MemoryPack, Outline, Recent, Protagonist, Progress, ActiveRules, UrgentLoops, ReaderSignals,
		Genre, StylePatterns, StyleContract, AuthorNotes,
	}
}

// Piece is one thing that may go into the pack. It goes to Section itself, or to its field; with List it is an element of a
// list there. Pieces of one place keep their order. A lower Rank goes in first.
type Piece struct {
	Section, Field string
	List           bool
	Rank           int
	Value          any
	// Cut gives the value with its text cut to so many characters; nil when it is whole or not at all. Length is how many
	// characters it has.
	Cut    func(runes int) any
	Length int
}

// Dropped says how much of a section was left out: pieces, and their estimated tokens. A piece that was cut counts as one,
// with what it lost.
type Dropped struct {
	Section string `json:"section"`
	Items   int    `json:"items"`
	Tokens  int    `json:"tokens"`
}

// Pack is the result.
type Pack struct {
	Sections map[string]json.RawMessage `json:"-"`
	Raw      json.RawMessage            `json:"sections"` // the sections in their order
	Used     int                        `json:"budget_used_tokens"`
	Dropped  []Dropped                  `json:"dropped"`
	Hidden   int                        `json:"-"` // pieces that a hidden value was taken out of
}

// leastCut is the smallest piece, in characters, that a long text is cut to.
const leastCut = 40

// place is where pieces are collected.
type place struct {
	section, field string
	list           bool
	parts          []part
}

type part struct {
	index int // of the piece, for the order
	raw   []byte
}

type assembler struct {
	hide    func(string) string
	left    int // quarters of a token
	places  map[[2]string]*place
	open    map[string]bool // sections that have something
	seen    map[string]bool // contents that are in
	dropped map[string]*Dropped
	hidden  int
}

// Assemble fills a pack of at most budget estimated tokens. hide takes hidden values out of a string; nil hides nothing. Left
// lists what was left out before pieces were made.
func Assemble(pieces []Piece, budget int, hide func(string) string, left []Dropped) *Pack {
	a := &assembler{
		hide: hide, left: 4*max(budget, 0) - quarters([]byte("{}")), places: map[[2]string]*place{}, open: map[string]bool{},
		seen: map[string]bool{}, dropped: map[string]*Dropped{},
	}
	for _, d := range left {
		a.drop(d.Section, d.Items, 4*d.Tokens)
	}
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return pieces[x].Rank - pieces[y].Rank })
	for _, i := range order {
		a.put(i, pieces[i])
	}
	return a.pack()
}

// put takes a piece in when it fits, cuts it when it may be cut, and else drops it.
func (a *assembler) put(i int, p Piece) {
	raw, ok := a.encode(p.Value, true)
	if !ok {
		return
	}
	content := p.Section + "\x00" + p.Field + "\x00" + string(raw)
	if p.List && a.seen[content] {
		return
	}
	cost := a.cost(p, raw)
	if cost <= a.left {
		a.seen[content] = true
		a.take(i, p, raw, cost)
		return
	}
	if p.Cut != nil && p.Length > leastCut {
		lo, hi := leastCut-1, p.Length // the longest cut that fits
		for lo < hi {
			mid := (lo + hi + 1) / 2
			if short, ok := a.encode(p.Cut(mid), false); ok && a.cost(p, short) <= a.left {
				lo = mid
			} else {
				hi = mid - 1
			}
		}
		if lo >= leastCut {
			short, _ := a.encode(p.Cut(lo), false)
			used := a.cost(p, short)
			a.take(i, p, short, used)
			a.drop(p.Section, 1, cost-used)
			return
		}
	}
	a.drop(p.Section, 1, cost)
}

// cost is an upper bound of what the piece adds to the pack, in quarters: itself, a comma, and the brackets and keys that it
// is the first to need.
func (a *assembler) cost(p Piece, raw []byte) int {
	n := quarters(raw) + 1
	if !a.open[p.Section] {
		n += quarters([]byte(`"":,`)) + quarters([]byte(p.Section)) + 2
	}
	if a.places[[2]string{p.Section, p.Field}] == nil {
		if p.Field != "" {
			key, _ := encode(p.Field)
			n += quarters(key) + 2
		}
		if p.List {
			n += 2
		}
	}
	return n
}

func (a *assembler) take(i int, p Piece, raw []byte, cost int) {
	a.left -= cost
	a.open[p.Section] = true
	key := [2]string{p.Section, p.Field}
	if a.places[key] == nil {
		a.places[key] = &place{section: p.Section, field: p.Field, list: p.List}
	}
	a.places[key].parts = append(a.places[key].parts, part{i, raw})
}

func (a *assembler) drop(section string, items, quarter int) {
	d := a.dropped[section]
	if d == nil {
		d = &Dropped{Section: section}
		a.dropped[section] = d
	}
	d.Items += items
	d.Tokens += (quarter + 3) / 4
}

// encode makes compact JSON of a value with hidden values taken out. It is false for what cannot be encoded and for what
// holds nothing.
func (a *assembler) encode(v any, count bool) ([]byte, bool) {
	raw, err := encode(v)
	if err != nil || empty(raw) {
		return nil, false
	}
	if a.hide == nil {
		return raw, true
	}
	clean := hideIn(raw, a.hide)
	if !bytes.Equal(clean, raw) && count {
		a.hidden++
	}
	return clean, !empty(clean)
}

func empty(raw []byte) bool {
	switch string(raw) {
	case "null", `""`, "{}", "[]":
		return true
	}
	return false
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// hideIn rewrites the strings of compact JSON.
func hideIn(raw []byte, hide func(string) string) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			out = append(out, raw[i])
			i++
			continue
		}
		end := i + 1
		for raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		lit := raw[i : end+1]
		i = end + 1
		var s string
		if err := json.Unmarshal(lit, &s); err != nil {
			continue // cannot be: we wrote it
		}
		clean := hide(s)
		if clean == s {
			out = append(out, lit...)
			continue
		}
		if quoted, err := encode(clean); err == nil {
			out = append(out, quoted...)
		}
	}
	return out
}

func (a *assembler) pack() *Pack {
	p := &Pack{Sections: map[string]json.RawMessage{}, Dropped: []Dropped{}, Hidden: a.hidden}
	var all bytes.Buffer
	all.WriteByte('{')
	for _, name := range Sections() {
		if d := a.dropped[name]; d != nil && d.Items > 0 {
			p.Dropped = append(p.Dropped, *d)
		}
		raw := a.section(name)
		if raw == nil {
			continue
		}
		p.Sections[name] = raw
		if all.Len() > 1 {
			all.WriteByte(',')
		}
		all.WriteString(`"` + name + `":`)
		all.Write(raw)
	}
	all.WriteByte('}')
	p.Raw = all.Bytes()
	p.Used = (quarters(p.Raw) + 3) / 4
	return p
}

// section writes a section: the value or list of the place without a field, or an object of its fields.
func (a *assembler) section(name string) []byte {
	if whole := a.places[[2]string{name, ""}]; whole != nil {
		return whole.json()
	}
	var fields []*place
	for _, pl := range a.places {
		if pl.section == name {
			pl.sort()
			fields = append(fields, pl)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	slices.SortFunc(fields, func(x, y *place) int { return x.parts[0].index - y.parts[0].index })
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		key, _ := encode(f.field)
		b.Write(key)
		b.WriteByte(':')
		b.Write(f.json())
	}
	b.WriteByte('}')
	return b.Bytes()
}

func (pl *place) sort() {
	slices.SortFunc(pl.parts, func(x, y part) int { return x.index - y.index })
}

func (pl *place) json() []byte {
	pl.sort()
	if !pl.list {
		return pl.parts[len(pl.parts)-1].raw
	}
	raws := make([]string, len(pl.parts))
	for i, p := range pl.parts {
		raws[i] = string(p.raw)
	}
	return []byte("[" + strings.Join(raws, ",") + "]")
}

// quarters counts in quarters of a token.
func quarters(raw []byte) int { return brief.Quarters(string(raw)) }

// Text is a piece with a long text, which may be cut.
func Text(section, field string, list bool, rank int, text string, value func(string) any) Piece {
	return Piece{
		Section: section, Field: field, List: list, Rank: rank, Value: value(text), Length: len([]rune(text)),
		Cut: func(n int) any { return value(CutText(text, n)) },
	}
}

// CutText cuts a text to n characters, the sign that it was cut included.
func CutText(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimSpace(string(r[:max(n-1, 0)])) + "…"
}
