package schema

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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
