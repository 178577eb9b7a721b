package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"git-novel/repo/atomicfile"
	"git-novel/repo/lock"
	"git-novel/schema"
)

// AppendInput is one segment of a draft.
type AppendInput struct {
	Book      schema.BookName
	Chapter   string // as it was given; blank is 未命名章
	Text      string
	Threshold int                // characters (UTF-16 units) at which the author is asked
	Enter     schema.DraftCommit // when the draft enters git
}

// Appended says what an append did.
type Appended struct {
	Key      string // canonical draft key: what the answer calls the chapter
	Dir      string // library path of the folder
	Mirror   string // library path of the mirror that was written
	Ledger   string // library path of its ledger
	After    schema.Ledger
	Batch    schema.Batch
	Restored int         // segments that a git command had destroyed and that were put back first
	Commit   schema.OID  // the commit that took the draft in, zero when none was due or made
	Deferred schema.Text // why git could not take it now, empty when it did or was not asked to
}

// AppendDraft appends a segment to the mirror of a chapter (seed novel_draft). When it returns without an error the segment
// is durable in the mirror and in the journal, and the ledger counts it, whether or not git could take it (Deferred). With
// an error nothing was written. Texts are trimmed as JavaScript does; a blank one is CodeInvalid with the seed's text.
func (l *Library) AppendDraft(ctx context.Context, in AppendInput) (*Appended, error) {
	text := schema.TrimJS(in.Text)
	if text == "" {
		return nil, schema.Errorf(schema.CodeInvalid, schema.DraftTextBlank)
	}
	lk, err := l.lockMirror(ctx, draftName(in.Book, schema.DraftKey(in.Chapter)))
	if err != nil {
		return nil, err
	}
	a, err := l.appendLocked(in.Book, in.Chapter, text, in.Threshold)
	lk.Release()
	if err != nil {
		return nil, err
	}
	if in.Enter == schema.DraftSegment || in.Enter == schema.DraftPrompt && a.Batch.Ask {
		a.Commit, a.Deferred = l.enterDraft(ctx, in.Book, in.Chapter, a)
	}
	return a, nil
}

func (l *Library) lockMirror(ctx context.Context, name string) (*lock.Lock, error) {
	return lock.Mirror(ctx, l.OwnDir(), name, l.o.Wait, l.holder())
}

// appendLocked writes the segment. The mirror's lock is held.
func (l *Library) appendLocked(book schema.BookName, chapter, text string, threshold int) (*Appended, error) {
	p, err := l.draftPlace(book, chapter)
	if err != nil {
		return nil, err
	}
	a := &Appended{Key: p.key, Dir: schema.DraftDir(book), Mirror: p.mirror, Ledger: p.ledger}
	ok, seen := l.quiet(p.name())
	if !ok {
		if a.Restored, err = l.restoreLocked(p.name(), false); err != nil {
			return nil, err
		}
	}
	d, err := l.readDraft(p)
	if err != nil {
		return nil, err
	}
	now := l.Now()
	a.After, a.Batch = d.ledger.Append(text, threshold, now)
	w := &draftWrite{l: l, p: p, d: d, seen: seen}
	block := schema.SegmentBlock(d.mirror, a.Batch.Index, text, now)
	err = w.run(block, a.After, journalEntry{
		Number: a.Batch.Index, At: schema.FormatTime(now), Text: text, Asked: a.Batch.Ask, End: int64(len(d.mirror) + len(block)),
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// draftWrite is one durable change of a draft: mirror, journal and ledger, in this order, or nothing. A crash between them
// leaves a mirror with more headers than the ledger counts, which the next append catches up with.
type draftWrite struct {
	l *Library
	p draftPlace
	d *draft

	seen bool // all entries of the journal were looked for in HEAD
}

func (w *draftWrite) run(block []byte, after schema.Ledger, entries ...journalEntry) error {
	if len(w.d.mirror)+len(block) > MaxFile {
		return schema.Errorf(schema.CodeInvalid, "the draft %s would have more than %d bytes", w.p.mirror, int64(MaxFile)).
			WithHint("go on under another chapter name, or move the file away by hand")
	}
	ledger, err := after.Render()
	if err != nil {
		return err
	}
	if err := w.makeDir(); err != nil {
		return err
	}
	if err := w.l.fail("draft mirror"); err != nil {
		return err
	}
	if err := atomicfile.Append(w.l.root, w.p.mirror, block, 0o644); err != nil {
		return err
	}
	undoJournal, err := w.appendJournal(entries)
	if err == nil {
		if err = w.writeLedger(ledger); err == nil {
			return nil
		}
		undoJournal()
	}
	w.cutBack(block)
	return err
}

func (w *draftWrite) makeDir() error {
	dirty, err := atomicfile.MkdirAll(w.l.root, schema.DraftDir(w.p.book), 0o755)
	if err != nil {
		return err
	}
	for _, d := range dirty {
		if err := atomicfile.SyncDir(w.l.root, d); err != nil {
			return err
		}
	}
	return nil
}

func (w *draftWrite) appendJournal(entries []journalEntry) (undo func(), err error) {
	if len(entries) == 0 {
		return func() {}, nil
	}
	if err := w.l.fail("draft journal"); err != nil {
		return nil, err
	}
	branch, head, err := w.l.draftHead()
	if err != nil {
		return nil, err
	}
	if !w.seen {
		head = schema.OID{}
	}
	for i := range entries {
		entries[i].Branch, entries[i].Book, entries[i].Key = branch, w.p.book, w.p.file
	}
	return w.l.appendDraftJournal(w.p.name(), entries, head)
}

// writeLedger replaces the ledger. The folder is not synced: an old ledger after a power loss is caught up with.
func (w *draftWrite) writeLedger(data []byte) error {
	if err := w.l.fail("draft ledger"); err != nil {
		return err
	}
	// The mirror's lock is held, so the name can be the ledger's own: what a crash leaves there, the next append replaces.
	st, err := atomicfile.StageAs(w.l.root, ledgerTemp(w.p.ledger), data, 0o644)
	if err != nil {
		return err
	}
	if err := st.Replace(w.p.ledger); err != nil {
		st.Discard()
		return err
	}
	return nil
}

// ledgerTemp is the temporary name of a ledger. It is not the one that a transition uses for the same file.
func ledgerTemp(ledger string) string {
	return path.Join(path.Dir(ledger), atomicfile.TempPrefix+"ledger-"+schema.HashBlob([]byte(ledger)).Short())
}

// cutBack takes a block off the mirror again, when it is still the last thing in it.
func (w *draftWrite) cutBack(block []byte) {
	f, err := w.l.root.OpenFile(w.p.mirror, os.O_RDWR, 0)
	if err != nil {
		return
	}
	info, err := f.Stat()
	size := int64(len(w.d.mirror))
	if err == nil && info.Size() == size+int64(len(block)) {
		err = f.Truncate(size)
		if err == nil {
			_ = f.Sync()
		}
	}
	_ = f.Close()
	if err == nil && !w.d.exists {
		_ = w.l.root.Remove(w.p.mirror)
	}
}

// AppendMarker appends a block that is no segment (定稿落盘, a text kept from a merge) to the mirror of a chapter. block gets
// the mirror's bytes, none when there is no mirror yet. The ledger stays as it is.
func (l *Library) AppendMarker(ctx context.Context, book schema.BookName, chapter string, block func(mirror []byte, at time.Time) []byte) (path string, err error) {
	lk, err := l.lockMirror(ctx, draftName(book, schema.DraftKey(chapter)))
	if err != nil {
		return "", err
	}
	defer lk.Release()
	p, err := l.draftPlace(book, chapter)
	if err != nil {
		return "", err
	}
	d, err := l.readDraft(p)
	if err != nil {
		return "", err
	}
	w := &draftWrite{l: l, p: p, d: d}
	data := block(d.mirror, l.Now())
	if len(d.mirror)+len(data) > MaxFile {
		return "", schema.Errorf(schema.CodeInvalid, "the draft %s would have more than %d bytes", p.mirror, int64(MaxFile)).
			WithHint("go on under another chapter name, or move the file away by hand")
	}
	if err := w.makeDir(); err != nil {
		return "", err
	}
	return p.mirror, atomicfile.Append(l.root, p.mirror, data, 0o644)
}

// enterDraft commits the draft. Failing to is no failure of the append: the reason is handed back, and status shows the
// draft as due.
func (l *Library) enterDraft(ctx context.Context, book schema.BookName, chapter string, a *Appended) (schema.OID, schema.Text) {
	res, err := l.Update(ctx, func(tx *Tx) error {
		if err := TakeDraft(tx, book, chapter); err != nil {
			return err
		}
		tx.Message(schema.Message{
			Verb: schema.VerbDraft, Book: string(book), Chapter: a.Key, Subject: fmt.Sprintf("第%d段", a.Batch.Index),
		})
		return nil
	})
	if err != nil {
		return schema.OID{}, reasonOf(err)
	}
	l.pruneDraftJournal(ctx, book, chapter)
	return res.Commit, schema.Text{}
}

func reasonOf(err error) schema.Text {
	if e, ok := errors.AsType[*schema.Error](err); ok {
		return e.Msg
	}
	return schema.Textf("%s", err.Error())
}

// TakeDraft puts the draft of a chapter, as it lies on disk, into a transition: each transition of a chapter takes its
// mirror and ledger in. A mirror that a person deleted is recorded as deleted. No draft is no error.
func TakeDraft(tx *Tx, book schema.BookName, chapter string) error {
	l := tx.Library()
	p, err := l.draftPlace(book, chapter)
	if err != nil {
		return err
	}
	known, err := l.draftKnown(tx.Snapshot(), p)
	if err != nil || !known {
		return err
	}
	// Held while both are read, so that no half of an append is committed and the pair agrees.
	lk, err := l.lockMirror(context.Background(), p.name())
	if err != nil {
		return err
	}
	defer lk.Release()
	for _, file := range []string{p.mirror, p.ledger} {
		if _, err := tx.Take(file); schema.CodeOf(err) == schema.CodeNotFound {
			if err := tx.Remove(file); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// draftKnown reports a draft that is on disk or in the snapshot.
func (l *Library) draftKnown(snap *Snapshot, p draftPlace) (bool, error) {
	for _, file := range []string{p.mirror, p.ledger} {
		if _, err := l.lstat(file); err == nil {
			return true, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if _, ok, err := snap.Blob(file); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}
