package schema

import (
	"slices"
	"strings"
	"unicode"
)

// Verbs of our commits (DESIGN 6).
const (
	VerbInit     = "init"
	VerbAdopt    = "adopt"
	VerbImport   = "import"
	VerbBook     = "book"
	VerbDraft    = "draft"
	VerbSave     = "save"
	VerbOutline  = "outline"
	VerbReview   = "review"
	VerbOverride = "override"
	VerbCommit   = "commit"
	VerbRetcon   = "retcon"
	VerbRename   = "rename"
	VerbDiscard  = "discard"
	VerbRetract  = "retract"
	VerbSummary  = "summary"
	VerbConfig   = "config"
	VerbTrash    = "trash"
	VerbRestore  = "restore"
	VerbBatch    = "batch"
	VerbMerge    = "merge"
)

// Verbs lists them in the order of DESIGN 6.
func Verbs() []string {
	return []string{
		VerbInit, VerbAdopt, VerbImport, VerbBook, VerbDraft, VerbSave, VerbOutline, VerbReview, VerbOverride, VerbCommit,
		VerbRetcon, VerbRename, VerbDiscard, VerbRetract, VerbSummary, VerbConfig, VerbTrash, VerbRestore, VerbBatch, VerbMerge,
	}
}

// Trailer keys.
const (
	TrailerBook        = "Novel-Book"
	TrailerChapter     = "Novel-Chapter"
	TrailerState       = "Novel-State"
	TrailerText        = "Novel-Text"
	TrailerOverride    = "Novel-Override"
	TrailerReason      = "Novel-Reason"
	TrailerAcknowledge = "Novel-Acknowledge"
)

// Trailer is one "Key: value" line at the end of a commit message. A value may have several lines, none of them blank.
type Trailer struct {
	Key   string
	Value string
}

// Message is the message of one of our commits. Empty parts are left out.
type Message struct {
	Verb    string
	Book    string
	Chapter string // key text, as people read it: 第03章
	Subject string // what happened, one line
	Body    string // free paragraphs between subject and trailers

	ChapterID string // Novel-Chapter; worked out from Chapter when empty
	From, To  State  // Novel-State, written when they differ
	Text      OID    // Novel-Text
	Extra     []Trailer
}

// String is the whole message, with a newline at the end.
func (m Message) String() string {
	var b strings.Builder
	b.WriteString(m.title())
	b.WriteByte('\n')
	if body := bodyText(m.Body); body != "" {
		b.WriteString("\n" + body + "\n")
	}
	trailers := m.trailers()
	if len(trailers) > 0 {
		b.WriteByte('\n')
	}
	for _, t := range trailers {
		b.WriteString(t.Key + ": " + foldValue(t.Value) + "\n")
	}
	return b.String()
}

func (m Message) title() string {
	place := oneLine(strings.TrimSpace(m.Book + " " + m.Chapter))
	title := oneLine(m.Verb)
	if title != "" && place != "" {
		title += "(" + place + ")"
	}
	subject := oneLine(m.Subject)
	if title != "" && subject != "" {
		title += ": "
	}
	return title + subject
}

func (m Message) trailers() []Trailer {
	var out []Trailer
	add := func(key, value string) {
		if value != "" {
			out = append(out, Trailer{key, value})
		}
	}
	id := m.ChapterID
	if id == "" && m.Chapter != "" {
		id = ChapterKey(m.Chapter).ID()
	}
	add(TrailerBook, oneLine(m.Book))
	add(TrailerChapter, oneLine(id))
	if m.From != m.To {
		add(TrailerState, m.From.Trailer()+" -> "+m.To.Trailer())
	}
	if !m.Text.IsZero() {
		add(TrailerText, m.Text.String())
	}
	for _, t := range m.Extra {
		if isTrailerKey(t.Key) && foldValue(t.Value) != "" {
			out = append(out, t)
		}
	}
	return out
}

// Trailer gives the last value of a trailer of Extra.
func (m Message) Trailer(key string) (string, bool) {
	for _, t := range slices.Backward(m.Extra) {
		if strings.EqualFold(t.Key, key) {
			return t.Value, true
		}
	}
	return "", false
}

// ParseMessage takes a commit message apart. It is false when the message has none of our trailers and its subject does
// not start with one of our verbs. Of a trailer given several times, as after a squash, the last one fills the field.
func ParseMessage(text string) (Message, bool) {
	var m Message
	text = strings.ReplaceAll(text, "\r\n", "\n")
	trailers, head := splitTrailers(text)
	ours := false
	for _, t := range trailers {
		switch {
		case strings.EqualFold(t.Key, TrailerBook):
			m.Book = oneLine(t.Value)
		case strings.EqualFold(t.Key, TrailerChapter):
			m.ChapterID = oneLine(t.Value)
		case strings.EqualFold(t.Key, TrailerState):
			from, to, ok := parseStateTrailer(t.Value)
			if !ok {
				m.Extra = append(m.Extra, t)
				continue
			}
			m.From, m.To = from, to
		case strings.EqualFold(t.Key, TrailerText):
			id, err := ParseOID(t.Value)
			if err != nil {
				m.Extra = append(m.Extra, t)
				continue
			}
			m.Text = id
		default:
			m.Extra = append(m.Extra, t)
			if !strings.HasPrefix(t.Key, "Novel-") {
				continue
			}
		}
		ours = true
	}
	title, body, _ := strings.Cut(strings.TrimLeft(head, "\n"), "\n")
	m.Body = strings.Trim(body, "\n")
	known := m.parseTitle(strings.TrimSpace(title))
	return m, ours || known
}

// parseTitle reads verb(place): subject and reports a verb of ours.
func (m *Message) parseTitle(title string) bool {
	verb, rest := title, ""
	if i := strings.IndexAny(title, "(:"); i >= 0 {
		verb, rest = title[:i], title[i:]
	}
	if !slices.Contains(Verbs(), verb) {
		m.Subject = title
		return false
	}
	m.Verb = verb
	if place, ok := strings.CutPrefix(rest, "("); ok {
		// A name never holds an ASCII colon (SanitizeSegment), so the first "): " ends the place.
		place, m.Subject, ok = strings.Cut(place, "): ")
		if !ok {
			place = strings.TrimSuffix(place, ")")
		}
		switch {
		case m.Book == "":
			m.Book = place // without the trailer nobody can say where a book with spaces ends
		case place == m.Book:
		default:
			m.Chapter = strings.TrimPrefix(place, m.Book+" ")
		}
		return true
	}
	m.Subject = strings.TrimSpace(strings.TrimPrefix(rest, ":"))
	return true
}

func parseStateTrailer(v string) (from, to State, ok bool) {
	a, b, ok := strings.Cut(v, " -> ")
	if !ok {
		return "", "", false
	}
	word := func(s string) (State, bool) {
		if s = strings.TrimSpace(s); s == StateNone.Trailer() {
			return StateNone, true
		}
		st, err := ParseState(s)
		return st, err == nil
	}
	from, okA := word(a)
	to, okB := word(b)
	return from, to, okA && okB
}

// splitTrailers finds the trailer block as git does: the last paragraph, when it is all trailers, or has a line that git
// itself writes and is a quarter trailers. head is the text before it.
func splitTrailers(text string) (trailers []Trailer, head string) {
	text = strings.TrimRight(text, "\n \t")
	lines := strings.Split(text, "\n")
	start := len(lines)
	for start > 0 && strings.TrimSpace(lines[start-1]) != "" {
		start--
	}
	if start == 0 { // the subject is no trailer
		return nil, text
	}
	other, gits := 0, 0
	for _, l := range lines[start:] {
		key, value, ok := strings.Cut(l, ":")
		switch {
		case strings.HasPrefix(l, "#"):
		case (l[0] == ' ' || l[0] == '\t') && len(trailers) > 0:
			last := &trailers[len(trailers)-1]
			last.Value = strings.TrimLeft(last.Value+"\n"+strings.TrimSpace(l), "\n")
		case ok && isTrailerKey(strings.TrimRight(key, " \t")):
			trailers = append(trailers, Trailer{strings.TrimRight(key, " \t"), strings.TrimSpace(value)})
			if strings.HasPrefix(l, "Signed-off-by: ") {
				gits++
			}
		case strings.HasPrefix(l, "(cherry picked from commit "):
			gits++
		default:
			other++
		}
	}
	if len(trailers) == 0 || other > 0 && (gits == 0 || len(trailers)*3 < other) {
		return nil, text
	}
	return trailers, strings.TrimRight(strings.Join(lines[:start], "\n"), "\n")
}

func isTrailerKey(s string) bool {
	for _, c := range []byte(s) {
		if c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != ""
}

// foldValue keeps the lines of a value as continuation lines. A blank line would end the trailer block, so there is none.
func foldValue(v string) string {
	var lines []string
	for l := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if l = oneLine(l); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n ")
}

// oneLine makes one line: line ends and control characters become blanks, and the ends are trimmed.
func oneLine(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, s))
}

// bodyText cleans free text: no control characters, no blank line at the ends, and no line that git takes for the start of a
// patch.
func bodyText(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
		if strings.HasPrefix(l, "---") {
			lines[i] = " " + lines[i]
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
