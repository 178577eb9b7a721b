package schema

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string. A key ends before a colon, a value before a comma or a closing bracket: that tells the quote that
// closes a string in typographic quotes from those of a dialogue inside it.
func (p *inParser) str(key bool) (string, *inSyntax) {
	open, size, _ := p.quote()
	start := p.pos
	p.pos += size
	var b strings.Builder
	for p.pos < len(p.data) {
		r, n := utf8.DecodeRune(p.data[p.pos:])
		switch {
		case r == utf8.RuneError && n == 1:
			return "", p.fail("this is not UTF-8 text")
		case r == '\\':
			if bad := p.escape(&b); bad != nil {
				return "", bad
			}
			continue
		case r == '"' && open == '"', p.loose && isInQuote(r) && p.closes(n, key):
			p.pos += n
			return b.String(), nil
		case r < 0x20 && (!p.breaks || r != '\n' && r != '\r' && r != '\t'):
			return "", p.fail("a line break or control character inside a string must be written as an escape")
		}
		b.WriteRune(r)
		p.pos += n
	}
	p.pos = start
	return "", p.fail("this string is not closed")
}

func isInQuote(r rune) bool { return strings.ContainsRune(`"“”„‟＂`, r) }

// closes reports whether what follows the quote of n bytes at the current place is what follows a whole string.
func (p *inParser) closes(n int, key bool) bool {
	q := inParser{data: p.data, pos: p.pos + n, loose: true}
	q.space()
	switch {
	case q.pos >= len(q.data):
		return false
	case key:
		return q.at(':')
	case q.at('}'), q.at(']'):
		return true
	case !q.at(','):
		return false
	}
	q.pos++
	if q.space(); q.pos >= len(q.data) {
		return false
	}
	if _, _, ok := q.quote(); ok {
		return true
	}
	return strings.IndexByte("{[-0123456789tfn", q.data[q.pos]) >= 0
}

func (p *inParser) escape(b *strings.Builder) *inSyntax {
	if p.pos+1 >= len(p.data) {
		return p.fail("this string is not closed")
	}
	c := p.data[p.pos+1]
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[i])
		p.pos += 2
		return nil
	}
	if c != 'u' {
		return p.fail("%q is not an escape of JSON", string(p.data[p.pos:p.pos+2]))
	}
	r, ok := p.hex4(p.pos + 2)
	if !ok {
		return p.fail("\\u needs four hexadecimal digits")
	}
	p.pos += 6
	if utf16.IsSurrogate(r) {
		low, ok := rune(0), false
		if bytes.HasPrefix(p.data[p.pos:], []byte(`\u`)) {
			low, ok = p.hex4(p.pos + 2)
		}
		r = utf16.DecodeRune(r, low)
		if ok && r != utf8.RuneError {
			p.pos += 6
		}
	}
	b.WriteRune(r)
	return nil
}

func (p *inParser) hex4(at int) (rune, bool) {
	if at+4 > len(p.data) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(p.data[at:at+4]), 16, 16)
	return rune(v), err == nil
}
