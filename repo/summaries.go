package repo

import (
	"errors"
	"fmt"
	"io/fs"

	"git-novel/schema"
)

// SummaryFile is the summaries of a book as they lie on disk: an author's edit of the file counts (DESIGN 3).
type SummaryFile struct {
	Path    string
	Entries []schema.SummaryEntry // cleaned, in the order of the file; of several for one slot the newest
	Damaged bool                  // the file has bytes that are no summaries; it reads as empty
}

// Summaries reads the summaries of a book. No file, and a damaged one, are no error (seed novel_summary).
func (l *Library) Summaries(book schema.BookName) (*SummaryFile, error) {
	s := &SummaryFile{Path: schema.SummariesPath(book)}
	data, _, err := l.read(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	entries, ok := schema.ParseSummaries(data)
	s.Entries, s.Damaged = schema.FoldSummaries(entries), !ok
	return s, nil
}

// Find gives the entry of a chapter's slot.
func (s *SummaryFile) Find(chapter string) (schema.SummaryEntry, bool) {
	return schema.FindSummary(s.Entries, chapter)
}

// PutSummary adds the summary of a chapter, or replaces it whole, in the book's file as it lies on disk: an author's edit of
// other entries goes into the same commit. The bytes of a damaged file are kept first, in a trash branch of this
// transaction when git has not got them yet; the branch's name is returned.
func PutSummary(tx *Tx, book schema.BookName, e schema.SummaryEntry) (kept string, err error) {
	f, err := summaryBase(tx, book)
	if err != nil {
		return "", err
	}
	next, err := schema.SpliceSummary(book, f.data, e)
	if _, slot := schema.SummaryKey(e.Chapter); err != nil && slot && schema.CodeOf(err) == schema.CodeInvalid {
		// Not the entry but the file is at fault: it is damaged.
		if kept, err = keepDamaged(tx, book, f); err != nil {
			return "", err
		}
		next, err = schema.SpliceSummary(book, nil, e)
	}
	if err != nil {
		return "", err
	}
	return kept, f.write(tx, next)
}

// DeleteSummary removes the summary of a chapter and gives what is left. None there: CodeNotFound with the seed's text. A
// damaged file reads as empty and has none.
func DeleteSummary(tx *Tx, book schema.BookName, chapter string) ([]schema.SummaryEntry, error) {
	f, err := summaryBase(tx, book)
	if err != nil {
		return nil, err
	}
	entries, _ := schema.ParseSummaries(f.data)
	rest, hit := schema.DeleteSummary(entries, chapter)
	if !hit {
		slot, ok := schema.SummaryKey(chapter)
		if !ok {
			slot = chapter
		}
		return nil, schema.Errorf(schema.CodeNotFound, "尚未保存 %s 的摘要，无需删除", slot)
	}
	next, err := schema.RenderSummaries(book, rest)
	if err != nil {
		return nil, err
	}
	return rest, f.write(tx, next)
}

// summaryFile is the file that a change starts from: what this transaction wrote already, else what lies on disk.
type summaryFile struct {
	path    string
	data    []byte
	seen    schema.OID // on disk
	pending bool
}

func summaryBase(tx *Tx, book schema.BookName) (*summaryFile, error) {
	f := &summaryFile{path: schema.SummariesPath(book)}
	if c, ok := tx.changes[f.path]; ok && c.want != wantGone {
		f.data, f.pending = c.data, true
		return f, nil
	}
	data, _, err := tx.l.read(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return nil, err
	}
	f.data, f.seen = data, schema.HashBlob(data)
	return f, nil
}

func (f *summaryFile) write(tx *Tx, data []byte) error {
	if f.pending {
		return tx.Write(f.path, data)
	}
	return tx.Replace(f.path, data, f.seen)
}

// keepDamaged puts the bytes of a damaged file into git before they are replaced (DESIGN 3).
func keepDamaged(tx *Tx, book schema.BookName, f *summaryFile) (string, error) {
	head, ok, err := tx.snap.Blob(f.path)
	if err != nil || f.pending || ok && head == f.seen {
		return "", err
	}
	return Trash(tx, TrashInput{
		Name: string(book) + "-summaries", Kind: schema.TrashDamaged, At: tx.l.Now(), Paths: []string{f.path},
		Message: fmt.Sprintf("trash(%s): 损坏的摘要文件，留底\n\nNovel-Book: %s", book, book),
	})
}
