package text

import (
	"fmt"
	"strings"

	"git-novel/schema"
)

// Lang is a language of the human output.
type Lang string

// The languages.
const (
	English Lang = "en"
	Chinese Lang = "zh"
)

// Choose picks the language: an explicit flag, then NOVEL_LANG, then the locale (LC_ALL, LC_MESSAGES, LANG), else
// English. It reports false when the flag or NOVEL_LANG names a language that we do not have.
func Choose(flag string, getenv func(string) string) (Lang, bool) {
	for _, asked := range []string{flag, getenv("NOVEL_LANG")} {
		if asked == "" {
			continue
		}
		l, ok := parse(asked)
		return l, ok
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			l, _ := parse(v)
			return l, true
		}
	}
	return English, true
}

func parse(s string) (Lang, bool) {
	s = strings.ToLower(s)
	switch {
	case s == "zh" || strings.HasPrefix(s, "zh_") || strings.HasPrefix(s, "zh-"):
		return Chinese, true
	case s == "en" || strings.HasPrefix(s, "en_") || strings.HasPrefix(s, "en-"):
		return English, true
	}
	return English, false
}

// T renders an English format in the language. Arguments of type schema.Text are rendered first.
func (l Lang) T(format string, args ...any) string {
	if l == Chinese {
		if zh, ok := lookup(format); ok {
			format = zh
		}
	}
	if len(args) == 0 {
		return format
	}
	rendered := make([]any, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case schema.Text:
			rendered[i] = l.Text(v)
		case schema.State:
			rendered[i] = l.State(v)
		default:
			rendered[i] = a
		}
	}
	return fmt.Sprintf(format, rendered...)
}

// Text renders a schema.Text in the language.
func (l Lang) Text(t schema.Text) string { return l.T(t.Format, t.Args...) }

// State is the short name of a chapter state on the board.
func (l Lang) State(s schema.State) string {
	switch s {
	case schema.StateNone:
		return l.T("not started")
	case schema.StateDrafted:
		return l.T("drafted")
	case schema.StateReviewed:
		return l.T("reviewed")
	case schema.StateCommitted:
		return l.T("committed")
	}
	return string(s)
}

// Fault renders a fault as file:line:col: field: message.
func (l Lang) Fault(f schema.Fault) string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File)
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", f.Line, f.Col)
		}
		b.WriteString(": ")
	}
	if f.Field != "" {
		b.WriteString(f.Field + ": ")
	}
	b.WriteString(l.Text(f.Msg))
	return b.String()
}
