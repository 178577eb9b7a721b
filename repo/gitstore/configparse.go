package gitstore

import (
	"bytes"
	"strings"

	"git-novel/schema"
)

// configParser reads git's config syntax. Positions are byte offsets, so that configedit can cut and splice the file.
type configParser struct {
	file    string
	data    []byte
	pos     int
	line    int
	at      int    // line where the current construct starts, for faults
	section string // canonical prefix of the current section with its final dot
}

// configSpan is where a variable or section header stands in the file, for editing.
type configSpan struct {
	header     bool
	section    string // canonical, with subsection, final dot
	key        string
	start, end int // from the first byte of the construct to behind its last line's newline
}

// parseConfig reads a config file and gives each variable to emit. Errors name file and line.
func parseConfig(file string, data []byte, emit func(configVar) error) error {
	return parseConfigSpans(file, data, func(v configVar, s configSpan) error {
		if s.header {
			return nil
		}
		return emit(v)
	})
}

func parseConfigSpans(file string, data []byte, emit func(configVar, configSpan) error) error {
	p := &configParser{file: file, data: data, line: 1}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		p.pos = 3
	}
	for {
		p.skipBlank()
		if p.pos >= len(p.data) {
			return nil
		}
		start := p.pos
		p.at = p.line
		switch p.data[p.pos] {
		case '#', ';':
			p.skipLine()
		case '[':
			if err := p.header(); err != nil {
				return err
			}
			err := emit(configVar{}, configSpan{header: true, section: p.section, start: start, end: p.pos})
			if err != nil {
				return err
			}
		default:
			v, err := p.variable()
			if err != nil {
				return err
			}
			v.line = p.at
			span := configSpan{section: p.section, key: v.key, start: start, end: p.pos}
			if err := emit(v, span); err != nil {
				return err
			}
		}
	}
}

func (p *configParser) fault() error {
	return schema.Errorf(schema.CodeInvalid, "bad git config line %d in %s", p.at, p.file).
		WithHint("correct that line; git itself refuses the file too")
}

func (p *configParser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

// next consumes one byte; CRLF counts as one newline.
func (p *configParser) next() (byte, bool) {
	if p.pos >= len(p.data) {
		return 0, false
	}
	c := p.data[p.pos]
	p.pos++
	if c == '\r' && p.peek() == '\n' {
		c = '\n'
		p.pos++
	}
	if c == '\n' {
		p.line++
	}
	return c, true
}

func (p *configParser) skipBlank() {
	for p.pos < len(p.data) && isConfigSpace(p.data[p.pos]) {
		_, _ = p.next()
	}
}

func (p *configParser) skipLine() {
	for {
		if c, ok := p.next(); !ok || c == '\n' {
			return
		}
	}
}

func isConfigSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}

func isKeyByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}

// header reads [section], [section "subsection"] and the old [section.subsection].
func (p *configParser) header() error {
	_, _ = p.next()
	var name strings.Builder
	for {
		c, ok := p.next()
		switch {
		case !ok || c == '\n':
			return p.fault()
		case c == ']':
			if name.Len() == 0 {
				return p.fault()
			}
			p.section = strings.ToLower(name.String()) + "."
			return nil
		case c == ' ' || c == '\t':
			return p.subsection(name.String())
		case isKeyByte(c) || c == '.':
			name.WriteByte(c)
		default:
			return p.fault()
		}
	}
}

func (p *configParser) subsection(name string) error {
	for p.peek() == ' ' || p.peek() == '\t' {
		_, _ = p.next()
	}
	if c, ok := p.next(); !ok || c != '"' || name == "" {
		return p.fault()
	}
	var sub strings.Builder
	for {
		c, ok := p.next()
		if !ok || c == '\n' {
			return p.fault()
		}
		if c == '"' {
			break
		}
		if c == '\\' {
			if c, ok = p.next(); !ok || c == '\n' {
				return p.fault()
			}
		}
		sub.WriteByte(c)
	}
	if c, ok := p.next(); !ok || c != ']' {
		return p.fault()
	}
	p.section = strings.ToLower(name) + "." + sub.String() + "."
	return nil
}

// variable reads "name", "name = value" with its comment and continuation lines.
func (p *configParser) variable() (configVar, error) {
	c := p.peek()
	if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
		return configVar{}, p.fault()
	}
	start := p.pos
	for p.pos < len(p.data) && isKeyByte(p.data[p.pos]) {
		p.pos++
	}
	v := configVar{key: p.section + strings.ToLower(string(p.data[start:p.pos]))}
	for p.peek() == ' ' || p.peek() == '\t' {
		p.pos++
	}
	if p.pos >= len(p.data) {
		v.implicit = true
		return v, nil
	}
	switch c := p.peek(); c {
	case '\n', '\r':
		v.implicit = true
		p.skipLine()
		return v, nil
	case '#', ';':
		v.implicit = true
		p.skipLine()
		return v, nil
	case '=':
		p.pos++
	default:
		return configVar{}, p.fault()
	}
	value, err := p.value()
	v.value = value
	return v, err
}

// value reads to the end of the logical line: blanks outside quotes are trimmed at both ends, comments dropped.
func (p *configParser) value() (string, error) {
	var b []byte
	keep := 0 // length up to which trailing blanks belong to the value
	quote, comment := false, false
	for {
		c, ok := p.next()
		if !ok || c == '\n' {
			if quote {
				return "", p.fault()
			}
			return string(b[:keep]), nil
		}
		if comment {
			continue
		}
		if !quote && isConfigSpace(c) {
			if len(b) > 0 {
				b = append(b, c)
			}
			continue
		}
		if !quote && (c == '#' || c == ';') {
			comment = true
			continue
		}
		switch c {
		case '"':
			quote = !quote
			keep = len(b)
			continue
		case '\\':
			e, ok := p.next()
			if !ok {
				return string(b[:keep]), nil
			}
			switch e {
			case '\n':
				continue
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			case 'n':
				c = '\n'
			case '\\', '"':
				c = e
			default:
				return "", p.fault()
			}
		}
		b = append(b, c)
		keep = len(b)
	}
}
