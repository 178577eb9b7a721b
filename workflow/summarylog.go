package workflow

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// SummaryChange is one change of a chapter's summary.
type SummaryChange struct {
	Commit  string               `json:"commit"`
	When    time.Time            `json:"when"`
	Author  string               `json:"author"`
	Subject string               `json:"subject"`
	Change  string               `json:"change"`          // added, changed or deleted
	Entry   *schema.SummaryEntry `json:"entry,omitempty"` // after the change; absent when it was deleted
}

const actionRestore = "restore"

// Words of SummaryChange.
const (
	SummaryAdded   = "added"
	SummaryChanged = "changed"
	SummaryDeleted = "deleted"
)

// SummaryLog lists the changes of a chapter's summary, newest first: by the commands, by chapter commits, and by hand. A
// book that was renamed is followed.
func (s *Session) SummaryLog(_ context.Context, chapter string) ([]SummaryChange, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, err
	}
	name, slot, err := s.summarySlot(chapter)
	if err != nil {
		return nil, err
	}
	rows := []SummaryChange{}
	if snap.Commit().IsZero() {
		return rows, nil
	}
	h := &summaryHistory{s: s, slot: slot, book: name}
	err = s.lib.Store().Log(snap.Commit(), func(c *gitstore.Commit) (bool, error) {
		row, err := h.change(c)
		if row != nil {
			rows = append(rows, *row)
		}
		return true, err
	})
	return rows, err
}

// summarySlot gives the book and the slot that a command about one summary means.
func (s *Session) summarySlot(chapter string) (schema.BookName, string, error) {
	name, err := s.draftBook()
	if err != nil {
		return "", "", err
	}
	slot, ok := schema.SummaryKey(chapter)
	if !ok {
		return "", "", schema.Errorf(schema.CodeUsage, "the chapter is missing").WithHint("git novel summary log --chapter N")
	}
	return name, slot, nil
}

// summaryHistory walks back through the versions of a summaries file.
type summaryHistory struct {
	s    *Session
	slot string
	book schema.BookName
	last struct { // the file that was read last: the parent of one commit is the next commit's own
		id   schema.OID
		data []byte
	}
}

// change says what a commit did to the entry, nil for nothing.
func (h *summaryHistory) change(c *gitstore.Commit) (*SummaryChange, error) {
	store := h.s.lib.Store()
	parent := schema.OID{}
	if len(c.Parents) > 0 {
		p, err := store.Commit(c.Parents[0])
		if err != nil {
			return nil, err
		}
		parent = p.Tree
	}
	now, err := h.blob(c.Tree, h.book)
	if err != nil {
		return nil, err
	}
	m, _ := schema.ParseMessage(c.Message)
	if old, ok := strings.CutPrefix(m.Subject, renamedFrom); ok && m.Verb == schema.VerbRename && m.Book == string(h.book) && schema.IsBookName(old) {
		h.book = schema.BookName(old)
	}
	before, err := h.blob(parent, h.book)
	if err != nil || now == before {
		return nil, err
	}
	after, err := h.read(now)
	if err != nil {
		return nil, err
	}
	was, err := h.read(before)
	if err != nil {
		return nil, err
	}
	if a, ok := rawEntry(after, h.slot); ok {
		if b, ok := rawEntry(was, h.slot); ok && bytes.Equal(a, b) {
			return nil, nil //nolint:nilnil // another chapter's summary changed
		}
	}
	row := &SummaryChange{Commit: c.ID.String(), When: c.Author.When, Author: c.Author.Name}
	row.Subject, _, _ = strings.Cut(c.Message, "\n")
	x, there := entryOf(after, h.slot)
	y, wasThere := entryOf(was, h.slot)
	switch {
	case there && wasThere && reflect.DeepEqual(x, y), !there && !wasThere:
		return nil, nil //nolint:nilnil // see above
	case !there:
		row.Change = SummaryDeleted
		return row, nil
	case wasThere:
		row.Change = SummaryChanged
	default:
		row.Change = SummaryAdded
	}
	row.Entry = &x
	return row, nil
}

func (h *summaryHistory) blob(tree schema.OID, book schema.BookName) (schema.OID, error) {
	e, ok, err := h.s.lib.Store().Lookup(tree, schema.SummariesPath(book))
	if err != nil || !ok || !e.Mode.IsFile() {
		return schema.OID{}, err
	}
	return e.ID, nil
}

func (h *summaryHistory) read(id schema.OID) ([]byte, error) {
	if id.IsZero() || id == h.last.id {
		if id.IsZero() {
			return nil, nil
		}
		return h.last.data, nil
	}
	data, err := h.s.lib.Store().Blob(id)
	if err != nil {
		return nil, err
	}
	h.last.id, h.last.data = id, data
	return data, nil
}

// rawEntry finds the bytes of an entry in a file of our own form, without reading all of it; false when the file has
// another form, or not exactly one such entry.
func rawEntry(data []byte, slot string) ([]byte, bool) {
	quoted, err := schema.MarshalNoNewline(slot)
	if err != nil {
		return nil, false
	}
	head := append([]byte("\n      \"chapter\": "), quoted...)
	i := bytes.Index(data, head)
	if i < 0 || bytes.Contains(data[i+len(head):], head) {
		return nil, false
	}
	end := bytes.Index(data[i:], []byte("\n    }"))
	if end < 0 {
		return nil, false
	}
	return data[i : i+end], true
}

func entryOf(data []byte, slot string) (schema.SummaryEntry, bool) {
	entries, _ := schema.ParseSummaries(data)
	return schema.FindSummary(entries, slot)
}

// SummaryRestore brings back a chapter's summary as it was at a revision, in one commit. Its updatedAt is now. The answer has
// the form of the other summary actions.
func (s *Session) SummaryRestore(ctx context.Context, chapter, rev string) (*SummaryResult, error) {
	name, slot, err := s.summarySlot(chapter)
	if err != nil {
		return nil, err
	}
	id, err := s.lib.Store().ResolveRev(rev)
	if err != nil {
		return nil, err
	}
	old, err := s.lib.SnapshotAt(id)
	if err != nil {
		return nil, err
	}
	data, _, err := old.Read(schema.SummariesPath(name))
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return nil, err
	}
	entry, ok := entryOf(data, slot)
	if !ok {
		return nil, schema.Errorf(schema.CodeNotFound, "at %s there is no summary of %s", rev, slot).
			WithHint("`git novel summary log --chapter N` lists the versions")
	}
	r := &SummaryResult{Book: string(name), Action: actionRestore, Message: fmt.Sprintf("已恢复%s的摘要", slot)}
	_, err = s.lib.Update(ctx, func(tx *repo.Tx) error {
		now, err := s.readSummaries(name)
		if err != nil {
			return err
		}
		if have, ok := schema.FindSummary(now, slot); ok && sameSummary(have, entry) {
			entry, r.Message = have, fmt.Sprintf("%s的摘要与该版本相同，无需恢复", slot)
			return nil
		}
		entry.UpdatedAt = schema.FormatTime(s.lib.Now())
		if r.kept, err = repo.PutSummary(tx, name, entry); err != nil {
			return err
		}
		tx.Message(s.message(schema.Message{
			Verb: schema.VerbSummary, Book: string(name), Chapter: slot, Subject: "摘要还原自 " + id.Short(),
			Extra: []schema.Trailer{{Key: schema.TrailerFrom, Value: id.String()}},
		}))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Summaries = []schema.SummaryEntry{entry}
	return r, nil
}

func sameSummary(a, b schema.SummaryEntry) bool {
	a.UpdatedAt, b.UpdatedAt = "", ""
	return reflect.DeepEqual(a, b)
}
