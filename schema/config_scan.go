package schema

import (
	"bytes"
	"strings"

	"github.com/BurntSushi/toml"
)

// tomlEntry is one statement of a TOML file: a table header, or a key with its value.
type tomlEntry struct {
	path       string // dotted, the header's path included
	table      string // path of the header that it stands below, "" at the top
	header     bool
	array      bool // [[…]]
	start, end int  // the lines of the statement, line end included
	line       int  // of its first line, from 1
	val        [2]int
}

// scanTOML finds the statements of a file that the TOML parser has accepted; of anything else it finds some of them. The
// parser tells no positions of keys, and an edit must leave every other byte alone.
func scanTOML(data []byte) []tomlEntry {
	s := tomlScanner{data: data}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		s.pos = 3
	}
	var list []tomlEntry
	table := ""
	for s.pos < len(data) {
		e := tomlEntry{start: s.pos, table: table}
		s.blank()
		switch s.peek() {
		case 0, '\n', '#':
			s.restOfLine()
			continue
		case '[':
			s.pos++
			e.header = true
			if s.peek() == '[' {
				s.pos++
				e.array = true
			}
			e.path = s.key(']')
			e.table = e.path
			table = e.path
		default:
			e.path = s.key('=')
			if table != "" {
				e.path = table + "." + e.path
			}
			s.blank()
			e.val[0] = s.pos
			s.value()
			e.val[1] = s.pos
		}
		s.restOfLine()
		e.end = s.pos
		e.line = bytes.Count(data[:e.start], []byte("\n")) + 1
		list = append(list, e)
	}
	return list
}

// lineOfKey finds the line that sets a key: its own statement, else the nearest one above it.
func lineOfKey(entries []tomlEntry, key string) int {
	for {
		for _, e := range entries {
			if e.path == key {
				return e.line
			}
		}
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			return 0
		}
		key = key[:i]
	}
}

type tomlScanner struct {
	data []byte
	pos  int
}

func (s *tomlScanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *tomlScanner) has(p string) bool { return bytes.HasPrefix(s.data[s.pos:], []byte(p)) }

func (s *tomlScanner) blank() {
	for c := s.peek(); c == ' ' || c == '\t' || c == '\r'; c = s.peek() {
		s.pos++
	}
}

func (s *tomlScanner) restOfLine() {
	if i := bytes.IndexByte(s.data[s.pos:], '\n'); i >= 0 {
		s.pos += i + 1
	} else {
		s.pos = len(s.data)
	}
}

// key reads a dotted key up to its end character, which it passes, and gives it without quotes and blanks.
func (s *tomlScanner) key(end byte) string {
	var parts []string
	for s.pos < len(s.data) {
		s.blank()
		switch s.peek() {
		case end:
			s.pos++
			return strings.Join(parts, ".")
		case '\n', 0:
			return strings.Join(parts, ".")
		case '.':
			s.pos++
		case '"', '\'':
			from := s.pos
			s.str()
			parts = append(parts, tomlKeyText(s.data[from:s.pos]))
		default:
			from := s.pos
			for s.pos < len(s.data) && !bytes.ContainsRune([]byte(".=]\n \t\r\"'"), rune(s.data[s.pos])) {
				s.pos++
			}
			if s.pos == from { // a stray character: the file is no TOML
				s.pos++
			}
			parts = append(parts, string(s.data[from:s.pos]))
		}
	}
	return strings.Join(parts, ".")
}

// tomlKeyText is what a quoted key says.
func tomlKeyText(quoted []byte) string {
	var v map[string]string
	if _, err := toml.Decode("k = "+string(quoted), &v); err != nil {
		return string(quoted)
	}
	return v["k"]
}

// str passes a string in any of the four kinds of quotes.
func (s *tomlScanner) str() {
	q := string(s.data[s.pos : s.pos+1])
	if triple := q + q + q; s.has(triple) {
		s.pos += 3
		for s.pos < len(s.data) && !s.has(triple) {
			s.character(q == `"`)
		}
		for s.pos < len(s.data) && s.has(q) { // up to two quotes may stand before the closing three
			s.pos++
		}
		return
	}
	s.pos++
	for s.pos < len(s.data) && !s.has(q) && s.peek() != '\n' {
		s.character(q == `"`)
	}
	if s.has(q) {
		s.pos++
	}
}

func (s *tomlScanner) character(escapes bool) {
	if escapes && s.peek() == '\\' && s.pos+1 < len(s.data) {
		s.pos++
	}
	s.pos++
}

// value passes a value; lists and inline tables may hold line breaks and comments.
func (s *tomlScanner) value() {
	depth := 0
	for s.pos < len(s.data) {
		switch c := s.peek(); c {
		case '"', '\'':
			s.str()
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '#':
			if depth == 0 {
				s.trimValue()
				return
			}
			s.restOfLine()
			continue
		case '\n':
			if depth <= 0 {
				s.trimValue()
				return
			}
		}
		s.pos++
	}
	s.trimValue()
}

// trimValue goes back over the blanks between a value and its comment or line end.
func (s *tomlScanner) trimValue() {
	for s.pos > 0 && bytes.IndexByte([]byte(" \t\r"), s.data[s.pos-1]) >= 0 {
		s.pos--
	}
}
