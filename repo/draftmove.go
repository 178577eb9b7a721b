package repo

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"git-novel/schema"
)

// MoveDraftJournals ends the journal entries of a renamed book's drafts that HEAD holds under the new name, and gives the
// others, if there are any, the new name. Without it the next command would take the old mirrors for destroyed ones.
func (l *Library) MoveDraftJournals(ctx context.Context, from, to schema.BookName) error {
	snap, err := l.Snapshot()
	if err != nil {
		return err
	}
	names, err := l.draftJournals()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := l.moveDraftJournal(ctx, snap, name, from, to); err != nil {
			return err
		}
	}
	return nil
}

func (l *Library) moveDraftJournal(ctx context.Context, snap *Snapshot, name string, from, to schema.BookName) error {
	lk, err := l.lockMirror(ctx, name)
	if err != nil {
		return err
	}
	defer lk.Release()
	entries, err := l.readDraftJournal(name)
	if err != nil {
		return err
	}
	var kept []journalEntry
	moved := map[string][]journalEntry{}
	for _, e := range entries {
		if e.Book != from {
			kept = append(kept, e)
			continue
		}
		e.Book = to
		moved[e.Key] = append(moved[e.Key], e)
	}
	if len(kept) == len(entries) {
		return nil
	}
	for key, list := range moved {
		head, _, err := snap.Read(schema.MirrorPath(to, key))
		if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
			return err
		}
		rest := lacking(head, list)
		if len(rest) == 0 {
			continue
		}
		p := draftPlace{book: to, key: schema.DraftKey(key)}
		if _, err := l.appendDraftJournal(p.name(), rest, schema.OID{}); err != nil {
			return err
		}
	}
	return l.writeDraftJournal(name, kept)
}

// draftJournals names the journals there are.
func (l *Library) draftJournals() ([]string, error) {
	own, err := l.ownRoot()
	if err != nil {
		return nil, err
	}
	dir, err := own.Open(draftJournalDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read the journal of the drafts")
	}
	list, err := dir.ReadDir(-1)
	_ = dir.Close()
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read the journal of the drafts")
	}
	var out []string
	for _, d := range list {
		if name, ok := strings.CutSuffix(d.Name(), draftJournalExt); ok {
			out = append(out, name)
		}
	}
	return out, nil
}
