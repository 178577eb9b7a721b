package schema

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxFaults bounds the faults of one document: a reader needs the first ones, and a hostile file could have millions.
const maxFaults = 100

// jsonDecoder reads one document in one pass: grammar, limits and duplicate keys while it fills the Go value. Line and
// column are worked out only when something is wrong.
type jsonDecoder struct {
	file    string
	data    []byte
	pos     int
	depth   int
	input   bool // misspelled keys are faults
	lenient bool // as JavaScript: the last of duplicate keys counts, half a surrogate pair or a bad byte is U+FFFD

	path    []pathElem
	faults  []Fault
	broken  bool // a syntax fault: nothing after it can be read
	scratch []byte
	types   typeTable
}

type pathElem struct {
	key   string
	index int // used when key is empty and isIdx
	isIdx bool
}

func (d *jsonDecoder) field() string {
	var b strings.Builder
	for _, p := range d.path {
		switch {
		case p.isIdx:
			b.WriteByte('[')
			b.WriteString(itoa(p.index))
			b.WriteByte(']')
		case b.Len() > 0:
			b.WriteByte('.')
			b.WriteString(p.key)
		default:
			b.WriteString(p.key)
		}
	}
	return b.String()
}

// placeOf gives line and column of a byte offset, both from 1, the column in runes.
func placeOf(data []byte, pos int) (line, col int) {
	before := data[:min(pos, len(data))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(before[start:]) + 1
}

// faultAt records a fault at a byte offset.
func (d *jsonDecoder) faultAt(pos int, msg Text) {
	if len(d.faults) >= maxFaults {
		return
	}
	line, col := placeOf(d.data, pos)
	d.faults = append(d.faults, Fault{File: d.file, Line: line, Col: col, Field: d.field(), Msg: msg})
}

// stop records a fault after which the document cannot be read on. It is false, for return.
func (d *jsonDecoder) stop(pos int, msg Text) bool {
	if !d.broken {
		d.faultAt(pos, msg)
		d.broken = true
	}
	return false
}

// err is nil or the error that carries the faults.
func (d *jsonDecoder) err() error {
	if len(d.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(d.faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Col - b.Col
	})
	name := d.file
	if name == "" {
		name = "JSON"
	}
	if d.broken {
		return Errorf(CodeInvalid, "%s is not well-formed JSON", name).WithDetails(d.faults...)
	}
	return Errorf(CodeInvalid, "%s does not have the form it must have", name).WithDetails(d.faults...)
}

// document reads one value with read and refuses what follows it.
func (d *jsonDecoder) document(read func() bool) bool {
	d.data = trimBOM(d.data)
	if d.lenient {
		d.data = bytes.ToValidUTF8(d.data, []byte("\uFFFD"))
	} else if !utf8.Valid(d.data) {
		pos := 0
		for pos < len(d.data) {
			r, size := utf8.DecodeRune(d.data[pos:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			pos += size
		}
		return d.stop(pos, Textf("the text is not valid UTF-8"))
	}
	d.space()
	if !read() {
		return false
	}
	d.space()
	if d.pos < len(d.data) {
		return d.stop(d.pos, Textf("something follows the end of the document: %s", d.excerpt(d.pos)))
	}
	return len(d.faults) == 0
}

func (d *jsonDecoder) space() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

func (d *jsonDecoder) peek() byte {
	if d.pos < len(d.data) {
		return d.data[d.pos]
	}
	return 0
}

// excerpt quotes what stands at pos, for a message.
func (d *jsonDecoder) excerpt(pos int) string {
	return shorten(string(d.data[pos:min(len(d.data), pos+200)]))
}

// shorten gives at most 24 runes of the first line.
func shorten(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	n := 0
	for i := range s {
		if n == 24 {
			return strings.TrimRight(s[:i], "\r\uFFFD") + "…"
		}
		n++
	}
	return strings.TrimRight(s, "\r\uFFFD")
}

func (d *jsonDecoder) unexpected() bool {
	if d.pos >= len(d.data) {
		return d.stop(d.pos, Textf("the document ends too early"))
	}
	return d.stop(d.pos, Textf("unexpected text: %s", d.excerpt(d.pos)))
}

func (d *jsonDecoder) enter() bool {
	d.depth++
	if d.depth > MaxJSONDepth {
		return d.stop(d.pos, Textf("nested deeper than %d levels", MaxJSONDepth))
	}
	return true
}

// object reads an object; each is called with the decoded name, valid until the next call, the raw key and its offset, and
// reads the value.
func (d *jsonDecoder) object(each func(name, key []byte, at int) bool) bool {
	if d.peek() != '{' {
		return d.unexpected()
	}
	if !d.enter() {
		return false
	}
	d.pos++
	d.space()
	if d.peek() == '}' {
		d.pos++
		d.depth--
		return true
	}
	for {
		start := d.pos
		name, ok := d.str()
		if !ok {
			return false
		}
		key := d.data[start:d.pos]
		d.space()
		if d.peek() != ':' {
			return d.unexpected()
		}
		d.pos++
		d.space()
		if !each(name, key, start) {
			return false
		}
		d.space()
		switch d.peek() {
		case ',':
			d.pos++
			d.space()
		case '}':
			d.pos++
			d.depth--
			return true
		default:
			return d.unexpected()
		}
	}
}

// list reads a list; each reads one element.
func (d *jsonDecoder) list(each func(i int) bool) bool {
	if d.peek() != '[' {
		return d.unexpected()
	}
	if !d.enter() {
		return false
	}
	d.pos++
	d.space()
	if d.peek() == ']' {
		d.pos++
		d.depth--
		return true
	}
	for i := 0; ; i++ {
		if !each(i) {
			return false
		}
		d.space()
		switch d.peek() {
		case ',':
			d.pos++
			d.space()
		case ']':
			d.pos++
			d.depth--
			return true
		default:
			return d.unexpected()
		}
	}
}

// skip reads a value without keeping it.
func (d *jsonDecoder) skip() bool {
	switch c := d.peek(); {
	case c == '{':
		var keys keySet
		return d.object(func(name, _ []byte, at int) bool {
			d.duplicate(&keys, string(name), at)
			return d.skip()
		})
	case c == '[':
		return d.list(func(int) bool { return d.skip() })
	case c == '"':
		_, ok := d.str()
		return ok
	case c == '-' || c >= '0' && c <= '9':
		_, ok := d.number()
		return ok
	default:
		_, ok := d.literal()
		return ok
	}
}

func (d *jsonDecoder) duplicate(keys *keySet, name string, at int) {
	if !d.lenient && keys.add(name) {
		d.path = append(d.path, pathElem{key: name})
		d.faultAt(at, Textf("the key %q appears twice", name))
		d.path = d.path[:len(d.path)-1]
	}
}

// literal reads true, false or null and gives its first letter.
func (d *jsonDecoder) literal() (byte, bool) {
	for _, w := range [...]string{"null", "true", "false"} {
		if !bytes.HasPrefix(d.data[d.pos:], []byte(w)) {
			continue
		}
		if end := d.pos + len(w); end < len(d.data) && isWordByte(d.data[end]) {
			break
		}
		d.pos += len(w)
		return w[0], true
	}
	return 0, d.unexpected()
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// number reads a number token.
func (d *jsonDecoder) number() ([]byte, bool) {
	start, p := d.pos, d.pos
	digits := func() bool {
		from := p
		for p < len(d.data) && d.data[p] >= '0' && d.data[p] <= '9' {
			p++
		}
		return p > from
	}
	at := func(set string) bool { return p < len(d.data) && strings.IndexByte(set, d.data[p]) >= 0 }
	bad := func() ([]byte, bool) {
		d.pos = p
		return nil, d.unexpected()
	}
	if at("-") {
		p++
	}
	if at("0") {
		p++
	} else if !digits() {
		return bad()
	}
	if at(".") {
		p++
		if !digits() {
			return bad()
		}
	}
	if at("eE") {
		p++
		if at("+-") {
			p++
		}
		if !digits() {
			return bad()
		}
	}
	if p < len(d.data) && isWordByte(d.data[p]) {
		return bad()
	}
	d.pos = p
	return d.data[start:p], true
}

// str reads a string token and decodes it. The answer is valid until the next call.
func (d *jsonDecoder) str() ([]byte, bool) {
	if d.peek() != '"' {
		return nil, d.unexpected()
	}
	start := d.pos + 1
	for p := start; p < len(d.data); p++ {
		switch c := d.data[p]; {
		case c == '"':
			d.pos = p + 1
			return d.data[start:p], true
		case c == '\\':
			return d.escaped(start, p)
		case c < ' ':
			return nil, d.stop(p, Textf("a control character (U+%04X) inside a string", int(c)))
		}
	}
	return nil, d.stop(len(d.data), Textf("the document ends inside a string"))
}

// escaped decodes a string that has its first backslash at p.
func (d *jsonDecoder) escaped(start, p int) ([]byte, bool) {
	out := append(d.scratch[:0], d.data[start:p]...)
	for p < len(d.data) {
		c := d.data[p]
		switch {
		case c == '"':
			d.pos = p + 1
			d.scratch = out
			return out, true
		case c < ' ':
			return nil, d.stop(p, Textf("a control character (U+%04X) inside a string", int(c)))
		case c != '\\':
			out = append(out, c)
			p++
			continue
		}
		if p+1 >= len(d.data) {
			break
		}
		if i := strings.IndexByte(`"\/bfnrt`, d.data[p+1]); i >= 0 {
			out = append(out, "\"\\/\b\f\n\r\t"[i])
			p += 2
			continue
		}
		r, size := d.unicodeEscape(p)
		if size == 0 {
			return nil, d.stop(p, Textf("an escape that JSON does not know: %s", d.excerpt(p)))
		}
		if r == utf8.RuneError && size == 6 && !d.lenient && !bytes.EqualFold(d.data[p+2:p+6], []byte("fffd")) {
			d.faultAt(p, Textf("half of a surrogate pair stands alone: %s", string(d.data[p:p+6])))
		}
		out = utf8.AppendRune(out, r)
		p += size
	}
	return nil, d.stop(len(d.data), Textf("the document ends inside a string"))
}

// unicodeEscape decodes \uXXXX, or a pair of them, at p. Size 0 is no such escape.
func (d *jsonDecoder) unicodeEscape(p int) (rune, int) {
	hi, ok := hex4(d.data[p:])
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(hi) {
		return hi, 6
	}
	if lo, ok := hex4(d.data[p+6:]); ok {
		if r := utf16.DecodeRune(hi, lo); r != utf8.RuneError {
			return r, 12
		}
	}
	return utf8.RuneError, 6
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// keySet finds duplicate keys. Keys in rising order, as we write maps, need no table.
type keySet struct {
	list   []string
	table  map[string]struct{}
	random bool
}

func (s *keySet) add(k string) (dup bool) {
	if n := len(s.list); !s.random {
		if n == 0 || k > s.list[n-1] {
			s.list = append(s.list, k)
			return false
		}
		s.random = true
	}
	if s.table == nil && len(s.list) < 16 {
		if slices.Contains(s.list, k) {
			return true
		}
		s.list = append(s.list, k)
		return false
	}
	if s.table == nil {
		s.table = make(map[string]struct{}, 2*len(s.list))
		for _, x := range s.list {
			s.table[x] = struct{}{}
		}
	}
	if _, ok := s.table[k]; ok {
		return true
	}
	s.table[k] = struct{}{}
	return false
}
