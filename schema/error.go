package schema

import (
	"errors"
	"fmt"
	"strings"
)

// Code says what kind of failure an Error is. Front ends map it, in one table each, to an exit code, a tool error or an
// HTTP status (DESIGN 8).
type Code string

// The failure kinds. Every one has an exit code, a zh and an en name in the front ends.
const (
	CodeUnexpected  Code = "unexpected"
	CodeUsage       Code = "usage"
	CodeRule        Code = "rule"      // refused by a rule of DESIGN 5, or an artifact set that was rejected
	CodeNotFound    Code = "not-found" // the named book, chapter, revision or record does not exist
	CodeInvalid     Code = "invalid"   // input that does not parse or validate
	CodeConflict    Code = "conflict"  // locked, moved, already exists
	CodeGit         Code = "git"       // git or a remote failed
	CodeAgent       Code = "agent"
	CodeNotLibrary  Code = "not-a-library"
	CodeInterrupted Code = "interrupted"
)

// Codes lists every Code, for the tables' totality tests.
func Codes() []Code {
	return []Code{
		CodeUnexpected, CodeUsage, CodeRule, CodeNotFound, CodeInvalid, CodeConflict, CodeGit, CodeAgent, CodeNotLibrary,
		CodeInterrupted,
	}
}

// Text is a sentence for a person: an English format and its arguments. The front end's catalogue maps the format to
// Chinese, so that the code reads plainly and every translation stands in one place.
type Text struct {
	Format string
	Args   []any
}

// Textf makes a Text. The format must be a constant: the catalogue is keyed by it.
func Textf(format string, args ...any) Text { return Text{Format: format, Args: args} }

// String is the English sentence.
func (t Text) String() string {
	if len(t.Args) == 0 {
		return t.Format
	}
	return fmt.Sprintf(t.Format, t.Args...)
}

// IsZero reports an empty Text.
func (t Text) IsZero() bool { return t.Format == "" }

// MarshalText lets a Text travel in JSON as its English sentence.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Fault is one thing wrong with an input or a tree: where it is and what it is. Line and Col start at 1; 0 is unknown.
type Fault struct {
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Col   int    `json:"col,omitempty"` // in runes
	Field string `json:"field,omitempty"`
	Rule  string `json:"rule,omitempty"` // stable id of the rule, e.g. "evidence-stale"
	Msg   Text   `json:"message"`
}

// String renders the fault in English as file:line:col: field: message.
func (f Fault) String() string {
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
	b.WriteString(f.Msg.String())
	return b.String()
}

// Error is the one error type that leaves a package of this program.
type Error struct {
	Code    Code
	Msg     Text    // what happened
	Hint    Text    // what to do next, optional
	Details []Fault // every fault, when there are several
	Err     error   // the cause, for errors.Is and errors.As
}

// Errorf makes an Error. A %w in the format is not supported: attach a cause with Wrap or Because.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Msg: Textf(format, args...)}
}

// Wrap makes an Error with a cause whose own text follows the message.
func Wrap(err error, code Code, format string, args ...any) *Error {
	return &Error{Code: code, Msg: Textf(format, args...), Err: err}
}

// WithHint returns the error with what the reader should do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = Textf(format, args...)
	return e
}

// WithDetails returns the error with further faults.
func (e *Error) WithDetails(faults ...Fault) *Error {
	e.Details = append(e.Details, faults...)
	return e
}

// DetailsOf lists the faults of an error and of its causes.
func DetailsOf(err error) []Fault {
	var out []Fault
	for e, ok := errors.AsType[*Error](err); ok; e, ok = errors.AsType[*Error](e.Err) {
		out = append(out, e.Details...)
	}
	return out
}

// HintOf is what the reader should do next: the hint of the error, else of the nearest cause that has one.
func HintOf(err error) Text {
	for e, ok := errors.AsType[*Error](err); ok; e, ok = errors.AsType[*Error](e.Err) {
		if !e.Hint.IsZero() {
			return e.Hint
		}
	}
	return Text{}
}

// Error is the English text, with the cause and the details.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Msg.String())
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	for _, d := range e.Details {
		b.WriteString("\n  " + d.String())
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf gives the Code of the outermost Error in err's chain, CodeUnexpected when there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeUnexpected
}
