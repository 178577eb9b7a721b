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
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, err
	}
	name, err := s.draftBook(snap)
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
	_, err = s.lib.Update(ctx, func(tx *repo.Tx) error {
		if err := putSummaryEntry(tx, name, entry); err != nil {
			return err
		}
		tx.Message(s.message(schema.Message{Verb: schema.VerbSummary, Book: string(name), Chapter: slot, Subject: "摘要"}))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Summaries, r.Message = append(r.Summaries, entry), fmt.Sprintf("已保存%s的摘要", slot)
	return r, nil
}

func (s *Session) deleteSummary(ctx context.Context, name schema.BookName, slot string, r *SummaryResult) error {
	_, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		data, seen, err := summaryBytes(tx, name)
		if err != nil {
			return err
		}
		entries, _ := schema.ParseSummaries(data)
		rest, found := schema.DeleteSummary(entries, slot)
		if !found {
			return schema.Errorf(schema.CodeNotFound, "尚未保存 %s 的摘要，无需删除", slot)
		}
		out, err := schema.RenderSummaries(name, rest)
		if err != nil {
			return err
		}
		r.Summaries, r.Message = append(r.Summaries, rest...), fmt.Sprintf("已删除%s的摘要", slot)
		tx.Message(s.message(schema.Message{Verb: schema.VerbSummary, Book: string(name), Chapter: slot, Subject: "删除摘要"}))
		return tx.Replace(schema.SummariesPath(name), out, seen)
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

// summaryBytes reads the file as it lies on disk, so that hand edits are taken into the next commit that writes it.
func summaryBytes(tx *repo.Tx, name schema.BookName) (data []byte, seen schema.OID, err error) {
	data, err = tx.Library().ReadFile(schema.SummariesPath(name))
	if err != nil {
		if schema.CodeOf(err) == schema.CodeNotFound {
			return nil, schema.OID{}, nil
		}
		return nil, schema.OID{}, err
	}
	return data, schema.HashBlob(data), nil
}

// putSummaryEntry stores one summary in the transition. The bytes of a damaged file that git has not got are first put into
// its history, as a commit of their own on a ref beside the branch.
func putSummaryEntry(tx *repo.Tx, name schema.BookName, entry schema.SummaryEntry) error {
	data, seen, err := summaryBytes(tx, name)
	if err != nil {
		return err
	}
	if _, ok := schema.ParseSummaries(data); !ok && len(data) > 0 {
		if err := keepDamaged(tx, schema.SummariesPath(name), seen); err != nil {
			return err
		}
	}
	out, err := schema.SpliceSummary(name, data, entry)
	if err != nil {
		return err
	}
	return tx.Replace(schema.SummariesPath(name), out, seen)
}

// keepDamaged keeps the bytes of a damaged file that is about to be replaced, unless the last commit has them.
func keepDamaged(tx *repo.Tx, path string, seen schema.OID) error {
	if head, ok, err := tx.Snapshot().Blob(path); err != nil || ok && head == seen {
		return err
	}
	_, err := repo.Trash(tx, repo.TrashInput{
		Name: "damaged", At: tx.Library().Now(), Paths: []string{path},
		Message: schema.Message{Verb: schema.VerbTrash, Subject: "损坏的 " + path}.String(),
	})
	return err
}

// putSummary stores the summary that a chapter commit brings.
func (s *Session) putSummary(tx *repo.Tx, w *work, key schema.ChapterKey, text string) error {
	slot, ok := schema.SummaryKey(string(key))
	if !ok {
		return schema.Errorf(schema.CodeUnexpected, "chapter %s has no slot for a summary", string(key))
	}
	return putSummaryEntry(tx, w.name, schema.SummaryEntry{Chapter: slot, Summary: text, UpdatedAt: schema.FormatTime(s.lib.Now())})
}

// dropSummary removes the summary of a chapter that leaves the book; the trash branch holds the file as it was.
func (s *Session) dropSummary(tx *repo.Tx, w *work, key schema.ChapterKey) error {
	data, seen, err := summaryBytes(tx, w.name)
	if err != nil || len(data) == 0 {
		return err
	}
	entries, ok := schema.ParseSummaries(data)
	rest, found := schema.DeleteSummary(entries, string(key))
	if !ok || !found {
		return nil
	}
	out, err := schema.RenderSummaries(w.name, rest)
	if err != nil {
		return err
	}
	return tx.Replace(schema.SummariesPath(w.name), out, seen)
}

// summaryView finds summaries by chapter.
type summaryView []schema.SummaryEntry

func (v summaryView) Find(key schema.ChapterKey) (schema.SummaryEntry, bool) {
	return schema.FindSummary(v, string(key))
}

func (w *work) summaries() (summaryView, error) { return w.s.readSummaries(w.name) }
