package text

import (
	"errors"
	"strings"

	"git-novel/schema"
)

// Message is the sentence of an error and of its causes in the language, without the details.
func (l Lang) Message(err error) string {
	var se *schema.Error
	if !errors.As(err, &se) {
		return err.Error()
	}
	m := l.Text(se.Msg)
	if se.Err != nil {
		m += ": " + l.Message(se.Err)
	}
	return m
}

// Failure is an error as a few lines for a reader: the sentence, every fault, and what to do next.
func (l Lang) Failure(err error) string {
	var b strings.Builder
	b.WriteString(l.Message(err))
	for _, d := range schema.DetailsOf(err) {
		b.WriteString("\n  - " + l.Fault(d))
	}
	if hint := schema.HintOf(err); !hint.IsZero() {
		b.WriteString("\n" + l.T("hint:") + " " + l.Text(hint))
	}
	return b.String()
}
