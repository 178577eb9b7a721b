package workflow

import (
	"context"
	"errors"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
)

// nextAsk is the answer of an append that closes a batch: stop and ask the author.
const nextAsk = schema.NextAskUser

// DraftInput is one segment of a draft.
type DraftInput struct {
	Chapter string
	Text    string
}

// DraftResult is the seed's answer. What the seed's tool could not say (a deferred commit, restored segments) is a notice.
type DraftResult struct {
	schema.DraftAnswer
}

// DraftCommit appends one segment to a chapter's mirror (seed novel_draft). It is never gated by the chapter's state. When
// it returns, the segment is durable; if git cannot take it now, that is noted and made up for later.
func (s *Session) DraftCommit(ctx context.Context, in DraftInput) (*DraftResult, error) {
	name, err := s.draftBook()
	if err != nil {
		return nil, err
	}
	if schema.TrimJS(in.Text) == "" { // before anything else is read: the order of the checks is the seed's
		return nil, schema.Errorf(schema.CodeInvalid, schema.DraftTextBlank)
	}
	if err := checkSegment(in.Text); err != nil {
		return nil, err
	}
	cfg, err := s.lib.Config()
	if err != nil {
		return nil, err
	}
	threshold, err := s.threshold()
	if err != nil {
		return nil, err
	}
	a, err := s.lib.AppendDraft(ctx, repo.AppendInput{
		Book: name, Chapter: in.Chapter, Text: in.Text, Threshold: threshold, Enter: cfg.Draft.Commit,
	})
	if err != nil {
		return nil, err
	}
	if a.Restored > 0 {
		s.notice(schema.Textf("%d segments that a git command had destroyed were put back", a.Restored))
	}
	if !a.Deferred.IsZero() {
		s.notice(schema.Textf("the segment is safe on disk; git takes it later: %s", a.Deferred))
	}
	return &DraftResult{DraftAnswer: schema.NewDraftAnswer(name, a.Key, s.abs(a.Dir), s.abs(a.Mirror), a.After, a.Batch, threshold)}, nil
}

// draftBook is the book of a draft, which need not exist yet (seed novel_draft): a name that was given is cleaned, not
// looked up.
func (s *Session) draftBook() (schema.BookName, error) {
	if s.o.Book != "" {
		return schema.ParseBookName(s.o.Book)
	}
	snap, err := s.lib.Snapshot()
	if err != nil {
		return "", err
	}
	return s.bookName(snap)
}

// threshold is the library's chatThreshold, or the default.
func (s *Session) threshold() (int, error) {
	st, err := s.switches()
	if err != nil {
		return 0, err
	}
	return st.Threshold(), nil
}

// DraftView is a chapter's draft, for people.
type DraftView struct {
	Book         string           `json:"book"`
	Chapter      string           `json:"chapter"`
	DraftFile    string           `json:"draftFile"`
	Segments     []schema.Segment `json:"segments"`
	TotalChars   int              `json:"totalChars"`
	PendingChars int              `json:"pendingChars"`
	Prompts      int              `json:"prompts"`
	Due          bool             `json:"due"` // git has not got what lies on disk
}

// DraftShow gives a chapter's segments.
func (s *Session) DraftShow(_ context.Context, chapter string) (*DraftView, error) {
	name, err := s.draftBook()
	if err != nil {
		return nil, err
	}
	d, err := s.lib.Draft(name, chapter)
	if err != nil {
		return nil, err
	}
	if !d.Exists {
		return nil, schema.Errorf(schema.CodeNotFound, "chapter %s has no draft", d.Key).
			WithHint("begin one with `git novel draft commit --chapter %s --text TEXT`", chapter)
	}
	return &DraftView{
		Book: string(name), Chapter: d.Key, DraftFile: s.abs(d.Mirror), Segments: d.Segments, TotalChars: d.Total,
		PendingChars: d.Counts.PendingChars, Prompts: d.Counts.Prompts, Due: d.Due,
	}, nil
}

// DraftRow is one mirror of a book.
type DraftRow struct {
	Key      string `json:"chapter"`
	File     string `json:"file"` // library path
	Segments int    `json:"segments"`
	Chars    int    `json:"chars"` // UTF-16 units
	Bytes    int64  `json:"bytes"`
}

// DraftList lists the mirrors of the book.
func (s *Session) DraftList(_ context.Context) ([]DraftRow, error) {
	name, err := s.draftBook()
	if err != nil {
		return nil, err
	}
	list, err := s.lib.Drafts(name)
	if err != nil {
		return nil, err
	}
	rows := []DraftRow{}
	for _, m := range list {
		d, err := s.lib.DraftOf(name, m)
		if err != nil {
			return nil, err
		}
		rows = append(rows, DraftRow{Key: m.Key, File: schema.DraftDir(name) + "/" + m.File, Segments: len(d.Segments), Chars: d.Total, Bytes: m.Bytes})
	}
	return rows, nil
}

// takeDrafts lets a chapter's mirror and ledger enter git with its transition. What git cannot take, because something
// else lies in its place or another command is writing it, is no reason to refuse the chapter (seed novel_draft, 定稿落盘):
// it is told, kept in the event log, and taken by a later transition.
func (s *Session) takeDrafts(tx *repo.Tx, w *work, key schema.ChapterKey) error {
	err := repo.TakeDraft(tx, w.name, string(key))
	switch schema.CodeOf(err) {
	case schema.CodeInvalid, schema.CodeConflict:
		s.notice(schema.Textf("the draft of chapter %s did not enter git: %s", string(key), reason(err)))
		s.logEvent(EventSilentSkip, schema.DraftNotTaken+" "+string(w.name)+" "+string(key)+": "+err.Error())
		return nil
	default:
		return err
	}
}

// reason is an error's own sentence, as a part of another.
func reason(err error) schema.Text {
	if se, ok := errors.AsType[*schema.Error](err); ok {
		return se.Msg
	}
	return schema.Textf("%s", err.Error())
}

// draftSegments gives the texts of a chapter's segments, in order.
func (s *Session) draftSegments(w *work, key schema.ChapterKey) ([]string, error) {
	d, err := s.lib.Draft(w.name, string(key))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, seg := range d.Segments {
		out = append(out, seg.Text)
	}
	return out, nil
}

// draftText is the draft as one text, for comparison with the chapter.
func (s *Session) draftText(w *work, key schema.ChapterKey) (string, error) {
	segments, err := s.draftSegments(w, key)
	if err != nil {
		return "", err
	}
	if len(segments) == 0 {
		return "", schema.Errorf(schema.CodeNotFound, "chapter %s has no draft", string(key))
	}
	return strings.Join(segments, "\n\n") + "\n", nil
}

// draftPaths lists the mirror and the ledger of a chapter, those that exist.
func (s *Session) draftPaths(w *work, key schema.ChapterKey) ([]string, error) {
	d, err := s.lib.Draft(w.name, string(key))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range []string{d.Mirror, d.Ledger} {
		if w.has(p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// draftsDue lists the chapters whose segments are not in git yet.
func (w *work) draftsDue() []string {
	out := []string{}
	list, err := w.s.lib.Drafts(w.name)
	if err != nil {
		return out
	}
	for _, m := range list {
		if m.Err == nil && m.Due {
			out = append(out, m.Key)
		}
	}
	return out
}
