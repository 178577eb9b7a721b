package cli

import (
	"context"
	"errors"
	"io"

	"git-novel/schema"
)

// exitOf maps a failure kind to the exit code of the process (DESIGN 8). It is the only such table.
func exitOf(c schema.Code) int {
	switch c {
	case schema.CodeUnexpected:
		return 1
	case schema.CodeUsage:
		return 2
	case schema.CodeRule:
		return 3
	case schema.CodeNotFound:
		return 4
	case schema.CodeInvalid:
		return 5
	case schema.CodeConflict:
		return 6
	case schema.CodeGit:
		return 7
	case schema.CodeAgent:
		return 8
	case schema.CodeNotLibrary:
		return 10
	case schema.CodeInterrupted:
		return 130
	}
	return 1
}

// printed is an error whose whole answer already stands on stdout: only its exit code is left to give.
type printed struct{ code schema.Code }

func (p printed) Error() string { return string(p.code) }

func interrupted(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return schema.Wrap(err, schema.CodeInterrupted, "interrupted; what was acknowledged before is safe")
	}
	return err
}

// failure is the JSON form of an error.
type failure struct {
	Code    schema.Code    `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint,omitempty"`
	Details []failureFault `json:"details,omitempty"`
}

type failureFault struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Col     int    `json:"col,omitempty"`
	Field   string `json:"field,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message"`
}

// envelopedError is a failure as the older tool's envelope names its parts (reference harness 2.1).
type envelopedError struct {
	Code       schema.Code    `json:"code"`
	Message    string         `json:"message"`
	Suggestion string         `json:"suggestion,omitempty"`
	Details    []failureFault `json:"details,omitempty"`
}

// failure renders an error for a program.
func (e *Env) failure(err error) failure {
	f := failure{Code: schema.CodeOf(err), Message: e.lang.Message(err)}
	if hint := schema.HintOf(err); !hint.IsZero() {
		f.Hint = e.lang.Text(hint)
	}
	for _, d := range schema.DetailsOf(err) {
		f.Details = append(f.Details, failureFault{
			File: d.File, Line: d.Line, Col: d.Col, Field: d.Field, Rule: d.Rule, Message: e.lang.Text(d.Msg),
		})
	}
	return f
}

// report prints an error and gives the exit code.
func (e *Env) report(err error) int {
	if err == nil {
		return 0
	}
	if p, ok := errors.AsType[printed](err); ok {
		return exitOf(p.code)
	}
	f := e.failure(err)
	switch {
	case e.envelope:
		_ = writeLine(e.Stdout, struct {
			Status string         `json:"status"`
			Error  envelopedError `json:"error"`
		}{"error", envelopedError{f.Code, f.Message, f.Hint, f.Details}})
		return exitOf(f.Code)
	case e.json:
		_ = writeJSON(e.Stdout, f)
		return exitOf(f.Code)
	}
	_, _ = io.WriteString(e.Stderr, "git-novel: "+e.lang.Failure(err)+"\n")
	return exitOf(f.Code)
}

// codeMeaning says in a few words what an exit code means, for the README and the man page.
func codeMeaning(c schema.Code) string {
	switch c {
	case schema.CodeUnexpected:
		return "unexpected"
	case schema.CodeUsage:
		return "usage"
	case schema.CodeRule:
		return "refused by a rule, or rejected"
	case schema.CodeNotFound:
		return "not found"
	case schema.CodeInvalid:
		return "invalid input"
	case schema.CodeConflict:
		return "conflict: locked, moved, already exists"
	case schema.CodeGit:
		return "git or the remote failed"
	case schema.CodeAgent:
		return "an agent failed"
	case schema.CodeNotLibrary:
		return "not a library"
	case schema.CodeInterrupted:
		return "interrupted"
	}
	return ""
}
