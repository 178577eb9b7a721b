package guard

import "strings"

// word is one word of a command line.
type word struct {
	text   string
	op     bool // an operator: ; & && | || ( ) { } newline, or a redirect
	quoted bool
}

// lexer takes a command line apart the way a POSIX shell does, near enough: it never fails, what it cannot read is a word.
type lexer struct {
	src    string
	pos    int
	vars   map[string]string
	out    []word
	nested []string // command substitutions
	bodies []string // here-documents, in order
	ends   []string // their end marks, not read yet
}

const maxLine = 1 << 20 // bytes of a command line that are looked at

func lex(src string, vars map[string]string) *lexer {
	if len(src) > maxLine {
		src = src[:maxLine]
	}
	l := &lexer{src: src, vars: vars}
	for l.pos < len(l.src) {
		l.next()
	}
	return l
}

func (l *lexer) op(s string) {
	l.out = append(l.out, word{text: s, op: true})
	l.pos += len(s)
}

func (l *lexer) next() {
	rest := l.src[l.pos:]
	switch c := rest[0]; {
	case c == ' ' || c == '\t' || c == '\r':
		l.pos++
	case strings.HasPrefix(rest, "\\\n"):
		l.pos += 2
	case c == '\n':
		l.op("\n")
		l.hereDocs()
	case c == '#':
		if nl := strings.IndexByte(rest, '\n'); nl >= 0 {
			l.pos += nl
		} else {
			l.pos = len(l.src)
		}
	case c == ';' || c == '(' || c == ')':
		l.op(rest[:1])
	case strings.HasPrefix(rest, "&>>"), strings.HasPrefix(rest, "<<<"):
		l.op(rest[:3])
	case strings.HasPrefix(rest, "<<"):
		l.heredoc()
	case hasAny(rest, "&&", "||", "&>", ">>", ">|", ">&", "<>", "<&", "|&", "<(", ">("):
		l.op(rest[:2])
	case c == '&' || c == '|' || c == '>' || c == '<':
		l.op(rest[:1])
	default:
		l.word()
	}
}

func hasAny(s string, heads ...string) bool {
	for _, h := range heads {
		if strings.HasPrefix(s, h) {
			return true
		}
	}
	return false
}

// heredoc notes that a here-document follows the line.
func (l *lexer) heredoc() {
	l.pos += 2
	if l.pos < len(l.src) && l.src[l.pos] == '-' {
		l.pos++
	}
	for l.pos < len(l.src) && (l.src[l.pos] == ' ' || l.src[l.pos] == '\t') {
		l.pos++
	}
	n := len(l.out)
	if l.pos < len(l.src) && l.src[l.pos] != '\n' {
		l.word()
	}
	if len(l.out) > n {
		l.ends = append(l.ends, l.out[n].text)
		l.out = l.out[:n]
	}
}

// hereDocs reads the bodies of the here-documents that the line before began.
func (l *lexer) hereDocs() {
	for _, end := range l.ends {
		var body strings.Builder
		for l.pos < len(l.src) {
			line, _, _ := strings.Cut(l.src[l.pos:], "\n")
			l.pos = min(l.pos+len(line)+1, len(l.src))
			if strings.Trim(line, "\t\r") == end {
				break
			}
			body.WriteString(line + "\n")
		}
		l.bodies = append(l.bodies, body.String())
	}
	l.ends = nil
}

func (l *lexer) word() {
	var b strings.Builder
	w := word{}
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case strings.IndexByte(" \t\r\n;&|<>()", c) >= 0:
			// A number before a redirect is the redirect's: 2>file.
			if (c == '>' || c == '<') && b.Len() == 1 && b.String() >= "0" && b.String() <= "9" && !w.quoted {
				return
			}
			w.text = b.String()
			l.out = append(l.out, w)
			return
		case c == '\\':
			if l.pos+1 < len(l.src) && l.src[l.pos+1] != '\n' {
				b.WriteByte(l.src[l.pos+1])
			}
			l.pos += 2
		case c == '\'':
			w.quoted = true
			body, _, _ := strings.Cut(l.src[l.pos+1:], "'")
			b.WriteString(body)
			l.pos += len(body) + 2
		case c == '"':
			w.quoted = true
			l.pos++
			for l.pos < len(l.src) && l.src[l.pos] != '"' {
				l.expand(&b, true)
			}
			l.pos++
		default:
			l.expand(&b, false)
		}
	}
	l.pos = min(l.pos, len(l.src))
	w.text = b.String()
	l.out = append(l.out, w)
}

// expand reads one character, a variable or a command substitution.
func (l *lexer) expand(b *strings.Builder, inQuotes bool) {
	rest := l.src[l.pos:]
	switch {
	case strings.HasPrefix(rest, "$("):
		end := closing(rest, 1)
		l.nested = append(l.nested, rest[2:max(2, end)])
		b.WriteByte('*') // what it prints is not known
		l.pos = min(l.pos+end+1, len(l.src))
	case rest[0] == '`':
		body, _, _ := strings.Cut(rest[1:], "`")
		l.nested = append(l.nested, body)
		b.WriteByte('*')
		l.pos = min(l.pos+len(body)+2, len(l.src))
	case rest[0] == '$':
		name, n := variable(rest[1:])
		if v, ok := l.vars[name]; ok {
			b.WriteString(v)
		} else {
			b.WriteString(rest[:n+1])
		}
		l.pos += n + 1
	case rest[0] == '\\' && inQuotes && len(rest) > 1:
		if strings.IndexByte("$`\"\\\n", rest[1]) < 0 {
			b.WriteByte('\\')
		}
		if rest[1] != '\n' {
			b.WriteByte(rest[1])
		}
		l.pos += 2
	default:
		b.WriteByte(rest[0])
		l.pos++
	}
}

// variable reads NAME or {NAME} and says how many bytes it took.
func variable(s string) (name string, n int) {
	if strings.HasPrefix(s, "{") {
		if end := strings.IndexByte(s, '}'); end > 0 {
			return s[1:end], end + 1
		}
		return "", 0
	}
	for n < len(s) && (s[n] == '_' || s[n] >= '0' && s[n] <= '9' || s[n] >= 'A' && s[n] <= 'Z' || s[n] >= 'a' && s[n] <= 'z') {
		n++
	}
	return s[:n], n
}

// closing finds the parenthesis that closes the one at open; the end of s when there is none.
func closing(s string, open int) int {
	depth, quote := 0, byte(0)
	for i := open; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '\\':
			i++
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}
