package schema

import (
	"bytes"
	"slices"
	"strings"
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
