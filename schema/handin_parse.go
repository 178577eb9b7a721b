package schema

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// maxHandFaults bounds the faults that are listed of one file; more would help nobody.
const maxHandFaults = 200

type inKind uint8

const (
	inNull inKind = iota
	inBool
	inNumber
	inString
	inArray
	inObject
)

// inNode is one JSON value together with where it stands, so that every fault can name its line.
type inNode struct {
	kind    inKind
	off     int // byte offset in the whole file
	flag    bool
	text    string // a string's value, a number's literal
	items   []*inNode
	members []inMember
}

type inMember struct {
	key string
	off int
	val *inNode
}

func (n *inNode) member(key string) *inNode {
	for _, m := range n.members {
		if m.key == key {
			return m.val
		}
	}
	return nil
}

// inSyntax is the first place where the text is no JSON.
type inSyntax struct {
	off int
	msg Text
}

// inParser reads JSON. Breaks allows line breaks inside strings, loose also typographic quotes as string delimiters: both
// are how models and word processors damage JSON that is otherwise whole.
type inParser struct {
	data   []byte
	pos    int
	breaks bool
	loose  bool
	depth  int
	twice  []inMember
}

// findObject finds the one JSON object in data, with prose and code fences around it ignored. The nested objects of a
// damaged object are never taken for the whole.
func findObject(data []byte) (*inNode, []inMember, *inSyntax) {
	if v := wholeValue(data); v != nil && v.kind != inObject {
		return v, nil, nil
	}
	var (
		found *inNode
		twice []inMember
	)
	for i := 0; i < len(data); {
		j := bytes.IndexByte(data[i:], '{')
		if j < 0 {
			break
		}
		i += j
		if !opensObject(data[i+1:]) {
			i++
			continue
		}
		node, end, dup, bad := parseObjectAt(data, i)
		if bad != nil {
			return nil, nil, bad
		}
		if found != nil {
			return nil, nil, &inSyntax{i, Textf("a second JSON object begins here; hand in exactly one")}
		}
		found, twice, i = node, dup, end
	}
	if found == nil {
		return nil, nil, &inSyntax{0, Textf("there is no JSON object in it")}
	}
	return found, twice, nil
}

// wholeValue reads data as one JSON value and nothing else; nil when it is not.
func wholeValue(data []byte) *inNode {
	p := inParser{data: data}
	p.space()
	if p.pos < len(data) && data[p.pos] == '{' {
		return nil // findObject does it, with better messages
	}
	v, bad := p.value()
	if bad != nil {
		return nil
	}
	if p.space(); p.pos != len(data) {
		return nil
	}
	return v
}

// opensObject tells a brace of JSON from one in prose: only a key or the closing brace may follow it.
func opensObject(rest []byte) bool {
	p := inParser{data: rest, loose: true}
	p.space()
	if p.pos >= len(rest) {
		return false
	}
	_, _, quote := p.quote()
	return quote || rest[p.pos] == '}'
}

// parseObjectAt reads strictly first, so that sound JSON is never reinterpreted. Of several faults the furthest is
// reported: that reading understood most.
func parseObjectAt(data []byte, at int) (node *inNode, end int, twice []inMember, bad *inSyntax) {
	for _, p := range []inParser{{}, {breaks: true}, {breaks: true, loose: true}} {
		p.data, p.pos = data, at
		node, wrong := p.value()
		if wrong == nil {
			return node, p.pos, p.twice, nil
		}
		if bad == nil || wrong.off > bad.off {
			bad = wrong
		}
	}
	return nil, 0, nil, bad
}

func (p *inParser) fail(format string, args ...any) *inSyntax {
	return &inSyntax{p.pos, Textf(format, args...)}
}

func (p *inParser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
			continue
		}
		if !p.loose {
			return
		}
		r, n := utf8.DecodeRune(p.data[p.pos:])
		if r != '\u00a0' && r != '\u3000' && r != '\ufeff' {
			return
		}
		p.pos += n
	}
}

// quote reports the string delimiter at the current place.
func (p *inParser) quote() (r rune, size int, ok bool) {
	r, size = utf8.DecodeRune(p.data[p.pos:])
	switch r {
	case '"':
		return r, size, true
	case '“', '”', '„', '‟', '＂':
		return r, size, p.loose
	}
	return r, size, false
}

func (p *inParser) value() (*inNode, *inSyntax) {
	p.space()
	if p.pos >= len(p.data) {
		return nil, p.fail("the JSON ends too early")
	}
	n := &inNode{off: p.pos}
	switch c := p.data[p.pos]; {
	case c == '{':
		n.kind = inObject
		return n, p.object(n)
	case c == '[':
		n.kind = inArray
		return n, p.array(n)
	case c == '-' || c >= '0' && c <= '9':
		n.kind = inNumber
		return n, p.number(n)
	}
	if _, _, ok := p.quote(); ok {
		s, bad := p.str(false)
		n.kind, n.text = inString, s
		return n, bad
	}
	for _, w := range []struct {
		word string
		kind inKind
		flag bool
	}{{"true", inBool, true}, {"false", inBool, false}, {"null", inNull, false}} {
		if bytes.HasPrefix(p.data[p.pos:], []byte(w.word)) {
			n.kind, n.flag = w.kind, w.flag
			p.pos += len(w.word)
			return n, nil
		}
	}
	return nil, p.fail("a JSON value is expected here")
}

func (p *inParser) enter() *inSyntax {
	p.pos++
	if p.depth++; p.depth > MaxJSONDepth {
		return p.fail("nested deeper than %d levels", MaxJSONDepth)
	}
	return nil
}

func (p *inParser) object(n *inNode) *inSyntax {
	if bad := p.enter(); bad != nil {
		return bad
	}
	defer func() { p.depth-- }()
	seen := map[string]bool{}
	for first := true; ; first = false {
		p.space()
		if first && p.at('}') {
			p.pos++
			return nil
		}
		if p.pos >= len(p.data) {
			return p.fail("the JSON ends too early")
		}
		m := inMember{off: p.pos}
		if _, _, ok := p.quote(); !ok {
			return p.fail("a key in double quotes is expected here")
		}
		var bad *inSyntax
		if m.key, bad = p.str(true); bad != nil {
			return bad
		}
		if p.space(); !p.at(':') {
			return p.fail("a colon is expected after the key %q", m.key)
		}
		p.pos++
		if m.val, bad = p.value(); bad != nil {
			return bad
		}
		if seen[m.key] {
			p.twice = append(p.twice, m)
		} else {
			seen[m.key] = true
			n.members = append(n.members, m)
		}
		if done, bad := p.next('}'); done || bad != nil {
			return bad
		}
	}
}

func (p *inParser) array(n *inNode) *inSyntax {
	if bad := p.enter(); bad != nil {
		return bad
	}
	defer func() { p.depth-- }()
	if p.space(); p.at(']') {
		p.pos++
		return nil
	}
	for {
		v, bad := p.value()
		if bad != nil {
			return bad
		}
		n.items = append(n.items, v)
		if done, bad := p.next(']'); done || bad != nil {
			return bad
		}
	}
}

// next passes the comma before another item, or the closing character.
func (p *inParser) next(closing byte) (done bool, bad *inSyntax) {
	p.space()
	switch {
	case p.at(','):
		p.pos++
		return false, nil
	case p.at(closing):
		p.pos++
		return true, nil
	case p.pos >= len(p.data):
		return false, p.fail("the JSON ends too early")
	}
	return false, p.fail("a comma or %q is expected here", string(closing))
}

func (p *inParser) at(c byte) bool { return p.pos < len(p.data) && p.data[p.pos] == c }

func (p *inParser) number(n *inNode) *inSyntax {
	start := p.pos
	digits := func() bool {
		from := p.pos
		for p.pos < len(p.data) && p.data[p.pos] >= '0' && p.data[p.pos] <= '9' {
			p.pos++
		}
		return p.pos > from
	}
	if p.at('-') {
		p.pos++
	}
	ok := true
	if p.at('0') {
		p.pos++
	} else {
		ok = digits()
	}
	if ok && p.at('.') {
		p.pos++
		ok = digits()
	}
	if ok && (p.at('e') || p.at('E')) {
		p.pos++
		if p.at('+') || p.at('-') {
			p.pos++
		}
		ok = digits()
	}
	if ok && p.pos < len(p.data) && (p.data[p.pos] >= '0' && p.data[p.pos] <= '9' || unicode.IsLetter(rune(p.data[p.pos]))) {
		ok = false
	}
	n.text = string(p.data[start:p.pos])
	if !ok || len(n.text) > 64 {
		p.pos = start
		return p.fail("this is not a JSON number")
	}
	return nil
}
