package schema

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// SpliceSummary puts one entry into a summaries file and gives the new file: what RenderSummaries would write, without
// decoding the others as long as the file is in the form that RenderSummaries writes. A finished serial has megabytes of
// summaries and one of them changes per chapter (DESIGN 15). Anything else, such as a file that a person edited, is decoded,
// cleaned and written whole. An empty file starts a new one. Errors are CodeInvalid: the entry has no slot, or the file is
// damaged (ParseSummaries is false); the caller then saves its bytes and calls again with none.
func SpliceSummary(book BookName, file []byte, entry SummaryEntry) ([]byte, error) {
	e := newSlotEntry(entry)
	if e.slot == "" {
		return nil, Errorf(CodeInvalid, "the summary has no chapter")
	}
	sp := splicer{data: file, want: e}
	if len(file) > 0 && utf8.Valid(file) && sp.scan(book) {
		raw, err := renderEntry(e.SummaryEntry)
		if err != nil {
			return nil, err
		}
		return sp.splice(raw), nil
	}
	entries, ok := ParseSummaries(file)
	if !ok {
		return nil, Errorf(CodeInvalid, "the summaries of book %s are damaged", string(book)).
			WithHint("`git novel recover` gets the last good version")
	}
	return RenderSummaries(book, PutSummary(entries, entry))
}

// renderEntry is the entry as it stands in the list, from its opening to its closing brace.
func renderEntry(e SummaryEntry) ([]byte, error) {
	raw, err := MarshalNoNewline(e)
	if err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(raw, []byte("\n"), []byte("\n    ")), nil
}

// splicer reads a file that has to be exactly of the form of RenderSummaries, and finds the place of one entry in it.
type splicer struct {
	data []byte
	pos  int
	want slotEntry

	from, to int  // what the entry replaces: a whole entry, or nothing at the place where it belongs
	placed   bool // from is known
	replaces bool
	count    int
	last     slotEntry
}

// eat takes s if it stands at pos.
func (p *splicer) eat(s string) bool {
	if len(p.data)-p.pos < len(s) || string(p.data[p.pos:p.pos+len(s)]) != s {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *splicer) scan(book BookName) bool {
	if !p.eat("{\n  \"book\": ") {
		return false
	}
	name, plain, ok := p.str()
	if !ok || !plain || string(name) != string(book) || !p.eat(",\n  \"summaries\": [") {
		return false
	}
	if p.eat("]\n}") {
		p.from = p.pos - len("]\n}")
		p.to = p.from
		return p.pos == len(p.data)
	}
	for {
		if !p.eat("\n    ") || !p.entry() {
			return false
		}
		if !p.eat(",") {
			break
		}
	}
	if !p.placed {
		p.from, p.to = p.pos, p.pos
	}
	return p.eat("\n  ]\n}") && p.pos == len(p.data)
}

// entry reads one entry; it must stand after the last one in the order of the file.
func (p *splicer) entry() bool {
	start := p.pos
	if !p.eat("{\n      \"chapter\": ") {
		return false
	}
	key, plain, ok := p.str()
	if !ok || !plain || !p.place(key, start) {
		return false
	}
	if !p.eat(",\n      \"summary\": ") || !p.text() {
		return false
	}
	if p.eat(",\n      \"keyEvents\": ") && !p.list() || p.eat(",\n      \"keySettings\": ") && !p.list() {
		return false
	}
	if p.eat(",\n      \"updatedAt\": ") {
		from := p.pos
		if !p.text() || p.pos-from == len(`""`) { // an empty time is not written
			return false
		}
	}
	if !p.eat("\n    }") {
		return false
	}
	if p.replaces && p.to == 0 {
		p.to = p.pos
	}
	return true
}

// place looks where the entry that starts at start stands against the wanted one. It is false when the key is no slot key or
// out of order.
func (p *splicer) place(key []byte, start int) bool {
	e := slotEntry{number: -1}
	if n, ok := plainKey(string(key)); ok { // by far the most: no string is kept
		if len(key) > len("第00章") && key[len("第")] == '0' {
			return false
		}
		e.number = n
	} else {
		e.slot = string(key)
		e.number = slotNumber(e.slot)
		if k, ok := SummaryKey(e.slot); !ok || k != e.slot {
			return false
		}
	}
	if p.count > 0 && compareSlots(p.last, e) >= 0 {
		return false
	}
	p.last = e
	p.count++
	if p.placed {
		return true
	}
	switch c := compareSlots(p.want, e); {
	case c == 0:
		p.from, p.placed, p.replaces = start, true, true
	case c < 0:
		p.from, p.to, p.placed = start, start, true
	}
	return true
}

// splice makes the new file of the entry's bytes.
func (p *splicer) splice(raw []byte) []byte {
	before, after := p.data[:p.from], p.data[p.to:]
	var lead, trail string
	switch {
	case p.replaces:
	case p.count == 0:
		lead, trail = "\n    ", "\n  "
	case p.placed:
		trail = ",\n    "
	default:
		lead = ",\n    "
	}
	out := make([]byte, 0, len(p.data)+len(raw)+len(lead)+len(trail))
	out = append(append(out, before...), lead...)
	out = append(append(out, raw...), trail...)
	return append(out, after...)
}

func (p *splicer) text() bool {
	_, _, ok := p.str()
	return ok
}

func (p *splicer) list() bool {
	if p.eat("[]") {
		return true
	}
	if !p.eat("[") {
		return false
	}
	for {
		if !p.eat("\n        ") || !p.text() {
			return false
		}
		if !p.eat(",") {
			return p.eat("\n      ]")
		}
	}
}

// str reads a string token and gives its raw content; plain says that it has no escape.
func (p *splicer) str() (raw []byte, plain, ok bool) {
	if !p.eat(`"`) {
		return nil, false, false
	}
	start := p.pos
	plain = true
	for {
		i := plainPrefix(p.data[p.pos:])
		p.pos += i
		if p.pos >= len(p.data) {
			return nil, false, false
		}
		switch p.data[p.pos] {
		case '"':
			p.pos++
			return p.data[start : p.pos-1], plain, true
		case '\\':
			plain = false
			n := escapeLen(p.data[p.pos:])
			if n == 0 {
				return nil, false, false
			}
			p.pos += n
		default: // a control character
			return nil, false, false
		}
	}
}

// escapeLen is the length of an escape that our encoder writes, 0 for any other: the file is then not ours and is decoded.
func escapeLen(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	if bytes.IndexByte([]byte(`"\bfnrt`), s[1]) >= 0 {
		return 2
	}
	if r, ok := hex4(s); ok && r < ' ' && !bytes.ContainsRune([]byte("\b\t\n\f\r"), r) && bytes.Equal(s[2:6], bytes.ToLower(s[2:6])) {
		return 6
	}
	return 0
}

// plainPrefix is the length of the part of s before the first quote, backslash or control character, eight bytes at a time.
func plainPrefix(s []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// The lowest high bit that is set marks the first byte looked for; above it there may be false ones.
		hit := ((w - ones*' ') &^ w) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)
		if hit &= highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return i
}
