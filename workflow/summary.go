package workflow

import (
	"context"
	"fmt"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
)

// SummaryInput is one call of the seed's novel_summary.
type SummaryInput struct {
	Action      string // list, get, add, update, delete; anything else is list
	Chapter     string
	Summary     string
	KeyEvents   *[]string
	KeySettings *[]string
}

// SummaryResult is the seed's answer.
type SummaryResult struct {
	Book      string                `json:"book"`
	Action    string                `json:"action"`
	Summaries []schema.SummaryEntry `json:"summaries"`
	Message   string                `json:"message,omitempty"`

	kept string // the trash branch that took the bytes of a damaged file
}

// Actions of novel_summary.
const (
	actionList   = "list"
	actionGet    = "get"
	actionAdd    = "add"
	actionUpdate = "update"
	actionDelete = "delete"
)

// Summary stores and reads summaries by chapter (seed novel_summary). A damaged file reads as empty; its bytes are put into
// git before the next write.
func (s *Session) Summary(ctx context.Context, in SummaryInput) (*SummaryResult, error) {
	switch in.Action {
	case actionGet, actionAdd, actionUpdate, actionDelete:
	default:
		in.Action = actionList
	}
	name, err := s.draftBook()
	if err != nil {
		return nil, err
	}
	r := &SummaryResult{Book: string(name), Action: in.Action, Summaries: []schema.SummaryEntry{}}
	slot := ""
	if in.Action != actionList {
		var ok bool
		if slot, ok = schema.SummaryKey(in.Chapter); !ok {
			return nil, schema.Errorf(schema.CodeInvalid, "novel_summary %s 需要 chapter 参数", in.Action)
		}
	}
	switch in.Action {
	case actionList, actionGet:
		entries, err := s.readSummaries(name)
		if err != nil {
			return nil, err
		}
		if in.Action == actionGet {
			if e, ok := schema.FindSummary(entries, slot); ok {
				r.Summaries = append(r.Summaries, e)
			}
			return r, nil
		}
		r.Summaries = append(r.Summaries, schema.FoldSummaries(entries)...)
		return r, nil
	case actionDelete:
		return r, s.deleteSummary(ctx, name, slot, r)
	}
	text := schema.TrimJS(in.Summary)
	if text == "" {
		return nil, schema.Errorf(schema.CodeInvalid, "novel_summary %s 需要 summary 参数", in.Action)
	}
	entry := schema.SummaryEntry{
		Chapter: slot, Summary: text, KeyEvents: in.KeyEvents, KeySettings: in.KeySettings, UpdatedAt: schema.FormatTime(s.lib.Now()),
	}
	_, err = s.lib.Update(ctx, func(tx *repo.Tx) (err error) {
		r.kept, err = repo.PutSummary(tx, name, entry)
		tx.Message(s.message(schema.Message{Verb: schema.VerbSummary, Book: string(name), Chapter: slot, Subject: "摘要"}))
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Summaries, r.Message = append(r.Summaries, entry), fmt.Sprintf("已保存%s的摘要", slot)
	return r, nil
}

func (s *Session) deleteSummary(ctx context.Context, name schema.BookName, slot string, r *SummaryResult) error {
	_, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		rest, err := repo.DeleteSummary(tx, name, slot)
		if err != nil {
			return err
		}
		r.Summaries, r.Message = append(r.Summaries, rest...), fmt.Sprintf("已删除%s的摘要", slot)
		tx.Message(s.message(schema.Message{Verb: schema.VerbSummary, Book: string(name), Chapter: slot, Subject: "删除摘要"}))
		return nil
	})
	return err
}

// Render is the answer as the seed's tool shows it.
func (r *SummaryResult) Render() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<path>novels/%s</path>\n<type>novel-summary</type>\n<content>\n\n", r.Book)
	if r.Message != "" {
		b.WriteString(r.Message + "\n")
	}
	if r.kept != "" {
		fmt.Fprintf(&b, schema.SummaryDamaged+"\n", r.kept)
	}
	for _, e := range r.Summaries {
		fmt.Fprintf(&b, "【%s】\n%s\n", e.Chapter, e.Summary)
		if e.KeyEvents != nil && len(*e.KeyEvents) > 0 {
			b.WriteString("关键事件：" + strings.Join(*e.KeyEvents, "；") + "\n")
		}
		if e.KeySettings != nil && len(*e.KeySettings) > 0 {
			b.WriteString("关键设定：" + strings.Join(*e.KeySettings, "；") + "\n")
		}
		b.WriteByte('\n')
	}
	b.WriteString("</content>")
	return b.String()
}

// readSummaries reads the book's summaries as they lie on disk; none when there is no file.
func (s *Session) readSummaries(name schema.BookName) ([]schema.SummaryEntry, error) {
	data, err := s.lib.ReadFile(schema.SummariesPath(name))
	if err != nil {
		if schema.CodeOf(err) == schema.CodeNotFound {
			return nil, nil
		}
		return nil, err
	}
	entries, ok := schema.ParseSummaries(data)
	if !ok {
		s.notice(schema.Textf("%s is damaged and reads as empty; its bytes are kept in git before the next write", schema.SummariesPath(name)))
	}
	return entries, nil
}

// putSummary stores the summary that a chapter commit brings.
func (s *Session) putSummary(tx *repo.Tx, w *work, key schema.ChapterKey, text string) error {
	slot, ok := schema.SummaryKey(string(key))
	if !ok {
		return schema.Errorf(schema.CodeUnexpected, "chapter %s has no slot for a summary", string(key))
	}
	_, err := repo.PutSummary(tx, w.name, schema.SummaryEntry{Chapter: slot, Summary: text, UpdatedAt: schema.FormatTime(s.lib.Now())})
	return err
}

// dropSummary removes the summary of a chapter that leaves the book; the trash branch holds the file as it was.
func (s *Session) dropSummary(tx *repo.Tx, w *work, key schema.ChapterKey) error {
	if _, err := repo.DeleteSummary(tx, w.name, string(key)); err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return err
	}
	return nil
}

// summaryView finds summaries by chapter.
type summaryView []schema.SummaryEntry

func (v summaryView) Find(key schema.ChapterKey) (schema.SummaryEntry, bool) {
	return schema.FindSummary(v, string(key))
}

func (w *work) summaries() (summaryView, error) { return w.s.readSummaries(w.name) }
