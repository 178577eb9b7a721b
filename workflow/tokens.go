package workflow

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"slices"
	"time"

	"git-novel/schema"
	"git-novel/workflow/brief"
)

// The token ledger says what our output costs an agent, by chapter and step (issue of the harness, point 9). It is an
// estimate, git-ignored, of one machine, and bounded like the event log.
const (
	tokenLog    = schema.TmpDir + "/tokens.jsonl"
	tokenLogOld = schema.TmpDir + "/tokens.old.jsonl"

	tokenBytes = 8 << 20 // of both files: some 60,000 commands
)

// Tokens estimates the tokens of an output (DESIGN 13).
func Tokens(s string) int { return brief.Tokens(s) }

// Spent is one line of the token ledger.
type Spent struct {
	Time    string `json:"time"` // RFC 3339, UTC
	Book    string `json:"book,omitempty"`
	Chapter string `json:"chapter,omitempty"` // id; "" for what is about no chapter
	Step    string `json:"step,omitempty"`    // of the six-step flow: 0.5 to 6
	Command string `json:"command"`
	Run     string `json:"run,omitempty"`
	Tokens  int    `json:"tokens"`
}

// Spend adds what a command's output cost. chapter is what a person would type, or "". That it cannot be written, as in a
// library that may only be read, fails nothing.
func (s *Session) Spend(chapter, step, command string, tokens int) {
	if tokens <= 0 {
		return
	}
	e := Spent{Time: s.lib.Now().UTC().Format(time.RFC3339), Step: step, Command: command, Run: s.o.Actor.Run, Tokens: tokens}
	if snap, err := s.lib.Snapshot(); err == nil {
		if name, err := s.bookName(snap); err == nil {
			e.Book = string(name)
		}
	}
	if chapter != "" {
		key, err := schema.ParseChapterKey(chapter)
		if err != nil {
			return // not a chapter, so the command failed on it
		}
		e.Chapter = key.ID()
	}
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	appendLog(s.lib.Root(), tokenLog, tokenLogOld, tokenBytes/2, line)
}

// TokenRow is what one chapter cost.
type TokenRow struct {
	Chapter string         `json:"chapter"`
	Key     string         `json:"key"`
	Tokens  int            `json:"tokens"`
	Outputs int            `json:"outputs"` // how many
	Steps   map[string]int `json:"steps"`   // tokens by step; "" is what belongs to none
}

// TokenStats is the token ledger of a book, by chapter in the order in which they were first worked on: looking up an
// old chapter does not make it the newest of the trend.
type TokenStats struct {
	Book    string     `json:"book"`
	Rows    []TokenRow `json:"chapters"`
	Other   int        `json:"other"`   // about no chapter
	Total   int        `json:"total"`   // all of it
	Average int        `json:"average"` // of the chapters
	Recent  int        `json:"recent"`  // average of the last 10
}

// recentRows is how many chapters the recent average is of.
const recentRows = 10

// TokenStats reads the token ledger.
func (s *Session) TokenStats(_ context.Context) (*TokenStats, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, err
	}
	name, err := s.bookName(snap)
	if err != nil {
		return nil, err
	}
	r := &TokenStats{Book: string(name), Rows: []TokenRow{}}
	at := map[string]*TokenRow{}
	first := map[string]int{}
	for i, e := range s.spent() {
		if e.Book != "" && e.Book != r.Book {
			continue
		}
		r.Total += e.Tokens
		if e.Chapter == "" {
			r.Other += e.Tokens
			continue
		}
		row := at[e.Chapter]
		if row == nil {
			row = &TokenRow{Chapter: e.Chapter, Key: string(schema.KeyOfID(e.Chapter)), Steps: map[string]int{}}
			at[e.Chapter] = row
			first[e.Chapter] = i
		}
		row.Tokens += e.Tokens
		row.Outputs++
		row.Steps[e.Step] += e.Tokens
	}
	for _, row := range at {
		r.Rows = append(r.Rows, *row)
	}
	slices.SortFunc(r.Rows, func(a, b TokenRow) int { return cmp.Compare(first[a.Chapter], first[b.Chapter]) })
	r.Average, r.Recent = average(r.Rows), average(r.Rows[max(0, len(r.Rows)-recentRows):])
	return r, nil
}

func average(rows []TokenRow) int {
	if len(rows) == 0 {
		return 0
	}
	sum := 0
	for _, row := range rows {
		sum += row.Tokens
	}
	return sum / len(rows)
}

func (s *Session) spent() []Spent {
	root, err := os.OpenRoot(s.lib.Root())
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	var out []Spent
	for _, name := range []string{tokenLogOld, tokenLog} {
		for line := range bytes.SplitSeq(readBounded(root, name, tokenBytes), []byte("\n")) {
			var e Spent
			if len(line) > 0 && json.Unmarshal(line, &e) == nil && e.Tokens > 0 {
				out = append(out, e)
			}
		}
	}
	return out
}

// BookStats counts a book.
type BookStats struct {
	Book     string               `json:"book"`
	Chapters int                  `json:"chapters"`
	Chars    int                  `json:"chars"` // UTF-16 units, of chapters with a state
	Average  int                  `json:"average_chars"`
	Longest  int                  `json:"longest"`
	Shortest int                  `json:"shortest"`
	States   map[schema.State]int `json:"states"`
	Adopted  int                  `json:"adopted"`
	Foreign  int                  `json:"foreign"`
}

// Stats counts chapters and characters of a book.
func (s *Session) Stats(ctx context.Context) (*BookStats, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	rows, err := s.ChapterList(ctx)
	if err != nil {
		return nil, err
	}
	r := &BookStats{Book: string(w.name), States: map[schema.State]int{}}
	for _, row := range rows {
		if row.State == nil {
			r.Foreign++
			continue
		}
		r.States[*row.State]++
		r.Chapters++
		r.Chars += row.Chars
		r.Longest = max(r.Longest, row.Chars)
		if r.Shortest == 0 || row.Chars < r.Shortest {
			r.Shortest = row.Chars
		}
		if row.Adopted {
			r.Adopted++
		}
	}
	if r.Chapters > 0 {
		r.Average = r.Chars / r.Chapters
	}
	return r, nil
}
