package repo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-novel/repo/atomicfile"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// The draft journals hold every segment from its append until a commit on some ref holds it, so that a `git reset --hard`
// or a checkout cannot destroy one (DESIGN 6, "Drafts"). There is one file for each mirror, under the mirror's lock, in our
// folder of the common git folder: it is not tracked and no git command touches it.

// journalEntry is one segment in a journal, one line of JSON.
type journalEntry struct {
	Branch string          `json:"branch"` // what was checked out
	Book   schema.BookName `json:"book"`
	Key    string          `json:"key"` // draft key in the mirror's file name
	Number int             `json:"number"`
	At     string          `json:"at"` // schema.TimeLayout
	Text   string          `json:"text"`
	Asked  bool            `json:"asked,omitempty"` // the segment closed a batch
	End    int64           `json:"end,omitempty"`   // bytes of the mirror with the segment
}

const (
	draftJournalDir = "drafts"
	draftJournalExt = ".journal"
	maxDraftJournal = 64 << 20
)

func draftJournalPath(name string) string { return draftJournalDir + "/" + name + draftJournalExt }

// draftBranch is what is checked out, as the journal calls it.
func (l *Library) draftBranch() (string, error) {
	branch, _, err := l.draftHead()
	return branch, err
}

// draftHead is draftBranch with the commit, zero on a branch without one.
func (l *Library) draftHead() (branch string, commit schema.OID, err error) {
	head, err := l.store.Head()
	if err != nil {
		return "", schema.OID{}, err
	}
	if head.Detached {
		return "detached " + filepath.Base(l.loc.GitDir), head.ID, nil
	}
	return head.Ref, head.ID, nil
}

// appendDraftJournal adds entries durably; seen, unless it is zero, is noted behind them (journalSeen). undo cuts them off
// again; the mirror's lock is held for both.
func (l *Library) appendDraftJournal(name string, entries []journalEntry, seen schema.OID) (undo func(), err error) {
	own, err := l.ownRoot()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		b.WriteByte('\n') // ends a line that a crash left unfinished
		if err := enc.Encode(e); err != nil {
			return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot write the journal of the drafts")
		}
	}
	if !seen.IsZero() {
		if err := enc.Encode(journalSeen{seen}); err != nil {
			return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot write the journal of the drafts")
		}
	}
	file := draftJournalPath(name)
	var size int64
	switch info, err := own.Stat(file); {
	case err == nil:
		size = info.Size()
	case errors.Is(err, fs.ErrNotExist):
		dirty, err := atomicfile.MkdirAll(own, draftJournalDir, 0o755)
		if err != nil {
			return nil, err
		}
		for _, d := range dirty {
			if err := atomicfile.SyncDir(own, d); err != nil {
				return nil, err
			}
		}
	default:
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot write the journal of the drafts")
	}
	if err := atomicfile.Append(own, file, b.Bytes(), 0o644); err != nil {
		return nil, err
	}
	return func() {
		if f, err := own.OpenFile(file, os.O_RDWR, 0); err == nil {
			_ = f.Truncate(size)
			_ = f.Close()
		}
	}, nil
}

// readDraftJournal gives the entries in their order; a line that is not whole is skipped.
func (l *Library) readDraftJournal(name string) ([]journalEntry, error) {
	own, err := l.ownRoot()
	if err != nil {
		return nil, err
	}
	info, err := own.Stat(draftJournalPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || info.Size() > maxDraftJournal {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read the journal of the drafts")
	}
	data, err := own.ReadFile(draftJournalPath(name))
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read the journal of the drafts")
	}
	var out []journalEntry
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		var e journalEntry
		if len(line) == 0 || json.Unmarshal(line, &e) != nil || e.Text == "" || !schema.IsBookName(string(e.Book)) || CheckPath(schema.MirrorPath(e.Book, e.Key)) != nil {
			continue
		}
		out = append(out, e)
	}
	return out, nil
}

// writeDraftJournal replaces the entries; without any the file goes.
func (l *Library) writeDraftJournal(name string, entries []journalEntry) error {
	own, err := l.ownRoot()
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		if err := own.Remove(draftJournalPath(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return schema.Wrap(err, schema.CodeUnexpected, "cannot write the journal of the drafts")
		}
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		if err := enc.Encode(e); err != nil {
			return schema.Wrap(err, schema.CodeUnexpected, "cannot write the journal of the drafts")
		}
	}
	return atomicfile.Write(own, draftJournalPath(name), b.Bytes(), 0o644)
}

// RestoreDrafts puts back the segments that a git command destroyed, in every draft of the branch that is checked out, and
// tells each through Options.Notice. It is meant for the beginning of every command. A draft that another command is
// writing is left alone, and so is everything while a merge or rebase is under way.
func (l *Library) RestoreDrafts(ctx context.Context) (int, error) {
	own, err := l.ownRoot()
	if err != nil {
		return 0, err
	}
	dir, err := own.Open(draftJournalDir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, schema.Wrap(err, schema.CodeUnexpected, "cannot read the journal of the drafts")
	}
	list, err := dir.ReadDir(-1)
	_ = dir.Close()
	if err != nil {
		return 0, schema.Wrap(err, schema.CodeUnexpected, "cannot read the journal of the drafts")
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	total := 0
	for _, d := range list {
		name, ok := strings.CutSuffix(d.Name(), draftJournalExt)
		if !ok {
			continue
		}
		if ok, seen := l.quiet(name); ok && seen {
			continue
		}
		lk, err := l.lockMirror(ctx, name)
		if schema.CodeOf(err) == schema.CodeConflict {
			continue
		}
		if err != nil {
			return total, err
		}
		n, err := l.restoreLocked(name, true)
		lk.Release()
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}

// restoreLocked looks after one journal: entries that git holds end, lost segments come back.
func (l *Library) restoreLocked(name string, thorough bool) (int, error) {
	entries, err := l.readDraftJournal(name)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	if _, busy := l.store.Busy(); busy {
		return 0, nil
	}
	branch, err := l.draftBranch()
	if err != nil {
		return 0, err
	}
	var kept []journalEntry
	groups := map[draftPlace][]journalEntry{}
	var order []draftPlace
	for _, e := range entries {
		if e.Branch != branch {
			kept = append(kept, e)
			continue
		}
		p := draftPlace{
			book: e.Book, key: schema.DraftKey(e.Key), file: e.Key, mirror: schema.MirrorPath(e.Book, e.Key), ledger: schema.LedgerPath(e.Book, e.Key),
		}
		if groups[p] == nil {
			order = append(order, p)
		}
		groups[p] = append(groups[p], e)
	}
	restored := 0
	for _, p := range order {
		alive, n, err := l.restoreMirror(p, groups[p], thorough)
		if err != nil {
			return restored, err
		}
		kept = append(kept, alive...)
		restored += n
	}
	if len(kept) != len(entries) {
		if err := l.writeDraftJournal(name, kept); err != nil {
			return restored, err
		}
	}
	if thorough && len(kept) > 0 && restored == 0 {
		l.markSeen(name)
	}
	return restored, nil
}

// restoreMirror does it for the entries of one mirror, and gives those that go on. Without thorough, entries that are on
// disk are not looked for in git: an append need not know.
func (l *Library) restoreMirror(p draftPlace, entries []journalEntry, thorough bool) (alive []journalEntry, restored int, err error) {
	if err := l.checkDraftDir(p.book); err != nil {
		return entries, 0, nil //nolint:nilerr // a link stands where the drafts should be: the next append says so
	}
	d, err := l.readDraft(p)
	if err != nil {
		return entries, 0, nil //nolint:nilerr // same
	}
	missing := lacking(d.mirror, entries)
	if len(missing) == 0 && !thorough {
		return entries, 0, nil
	}
	snap, err := l.Snapshot()
	if err != nil {
		return nil, 0, err
	}
	head, _, err := snap.Read(p.mirror)
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return nil, 0, err
	}
	open := lacking(head, entries) // what HEAD holds has ended
	missing = both(missing, open)
	if len(missing) == 0 {
		return open, 0, nil
	}
	alive = without(open, missing)
	if missing, err = l.notInAnyRef(p.mirror, missing); err != nil {
		return nil, 0, err
	}
	lost, err := l.destroyed(missing, d.exists && bytes.Equal(head, d.mirror))
	if err != nil {
		return nil, 0, err
	}
	if len(lost) > 0 {
		if err := l.putBack(p, d, lost); err != nil {
			return nil, 0, err
		}
	}
	if len(lost) > 0 && thorough { // an append tells it in its answer
		l.o.Notice(schema.Textf("%d draft segments of %s %s that a git command had removed are back", len(lost), string(p.book), p.file))
	}
	return both(entries, append(alive, lost...)), len(lost), nil
}

// destroyed gives the entries that a git command took away. The others a person deleted: the next transition records that,
// and their entries end.
func (l *Library) destroyed(missing []journalEntry, asHead bool) ([]journalEntry, error) {
	if asHead {
		return missing, nil
	}
	var out []journalEntry
	for _, e := range missing {
		moved, err := l.movedSince(e.At)
		if err != nil {
			return nil, err
		}
		if moved {
			out = append(out, e)
		}
	}
	return out, nil
}

func both(a, b []journalEntry) []journalEntry {
	return slices.DeleteFunc(slices.Clone(a), func(e journalEntry) bool { return !slices.Contains(b, e) })
}

func without(a, b []journalEntry) []journalEntry {
	return slices.DeleteFunc(slices.Clone(a), func(e journalEntry) bool { return slices.Contains(b, e) })
}

// putBack appends lost segments to the mirror, with their times and new numbers, and counts those that the ledger, which
// the same git command may have turned back, has forgotten.
func (l *Library) putBack(p draftPlace, d *draft, lost []journalEntry) error {
	var block []byte
	tail := d.mirror
	number := schema.CountSegments(d.mirror)
	after := d.ledger
	for _, e := range lost {
		at, err := time.Parse(schema.TimeLayout, e.At)
		if err != nil {
			at = l.Now()
		}
		if d.rebuilt || d.ledger.UpdatedAt < e.At {
			after = replay(after, e)
		}
		number++
		b := schema.SegmentBlock(tail, number, e.Text, at)
		block = append(block, b...)
		tail = b
	}
	after.Segments = max(after.Segments, number)
	w := &draftWrite{l: l, p: p, d: d}
	return w.run(block, after)
}

// replay counts a segment as its append did.
func replay(led schema.Ledger, e journalEntry) schema.Ledger {
	chars := schema.UTF16Len(e.Text)
	led.Segments++
	led.TotalChars += chars
	led.PendingChars += chars
	led.Pending = append(slices.Clip(led.Pending), e.Text)
	led.UpdatedAt = e.At
	if e.Asked {
		led.Prompts++
		led.PendingChars, led.Pending = 0, []string{}
	}
	return led
}

// lacking gives the entries that a mirror does not hold, by time and text and not by number.
func lacking(mirror []byte, entries []journalEntry) []journalEntry {
	if len(mirror) == 0 {
		return entries
	}
	// Editors change line ends and the end of the file; that takes no segment away.
	text := string(bytes.ReplaceAll(mirror, []byte("\r\n"), []byte("\n"))) + "\n"
	need := map[string]int{}
	var out []journalEntry
	for _, e := range entries {
		b := e.block()
		need[b]++
		if strings.Count(text, b) < need[b] {
			out = append(out, e)
		}
	}
	return out
}

// block is what a mirror has of the entry behind its number, with plain line ends.
func (e journalEntry) block() string {
	return strings.ReplaceAll(strings.TrimSuffix(e.written(), "\n"), "\r\n", "\n")
}

// written is what the append has put into the mirror, behind the number and up to the end.
func (e journalEntry) written() string {
	stamp := e.At
	if at, err := time.Parse(schema.TimeLayout, e.At); err == nil {
		stamp = at.UTC().Format(schema.MirrorTime)
	}
	return "段 · " + stamp + "\n\n" + e.Text + "\n\n"
}

// notInAnyRef gives the entries that no commit on any ref holds. Only commits made since the oldest entry can.
func (l *Library) notInAnyRef(mirror string, entries []journalEntry) ([]journalEntry, error) {
	refs, err := l.store.Refs("refs/")
	if err != nil {
		return nil, err
	}
	var tips []schema.OID
	for _, r := range refs {
		if !slices.Contains(tips, r.ID) && !r.ID.IsZero() {
			tips = append(tips, r.ID)
		}
	}
	oldest, err := time.Parse(schema.TimeLayout, entries[0].At)
	for _, e := range entries[1:] {
		if at, err2 := time.Parse(schema.TimeLayout, e.At); err == nil && err2 == nil && at.Before(oldest) {
			oldest = at
		}
	}
	limit := oldest.Add(-clockSlack)
	seen := map[schema.OID]bool{}
	for _, tip := range tips {
		commit, err := l.peelCommit(tip)
		if err != nil || commit.IsZero() {
			continue // a tag of something else, or a ref whose object is gone: it holds nothing of ours
		}
		err = l.store.Log(commit, func(c *gitstore.Commit) (bool, error) {
			if c.Committer.When.Before(limit) {
				return true, nil
			}
			e, ok, err := l.store.Lookup(c.Tree, mirror)
			if err != nil || !ok || !e.Mode.IsFile() || seen[e.ID] {
				return true, nil //nolint:nilerr // a commit that cannot be read holds nothing that can be relied on
			}
			seen[e.ID] = true
			data, err := l.store.Blob(e.ID)
			if err != nil {
				return false, err
			}
			entries = lacking(data, entries)
			return len(entries) > 0, nil
		})
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			break
		}
	}
	return entries, nil
}

// clockSlack is how far the clocks of two machines that share a repository may differ.
const clockSlack = 48 * time.Hour

// peelCommit gives the commit that an object is or, as a tag, names; zero when it is neither.
func (l *Library) peelCommit(id schema.OID) (schema.OID, error) {
	return l.store.ResolveRev(id.String())
}

// movedSince reports that git moved HEAD since a time in a way that changes the worktree: reset, checkout, merge, rebase…
// A plain commit, ours or not, moves HEAD and leaves the files alone.
func (l *Library) movedSince(at string) (bool, error) {
	since, err := time.Parse(schema.TimeLayout, at)
	if err != nil {
		return false, nil //nolint:nilerr // an entry without a time proves nothing
	}
	log, err := l.store.Reflog("HEAD")
	if err != nil {
		return false, err
	}
	since = since.Truncate(time.Second)
	for _, e := range log {
		if !e.By.When.Before(since) && !strings.HasPrefix(e.Message, "commit") {
			return true, nil
		}
	}
	return false, nil
}

// pruneDraftJournal ends the entries that HEAD holds now. What fails here is done at the next look.
func (l *Library) pruneDraftJournal(ctx context.Context, book schema.BookName, chapter string) {
	p, err := l.draftPlace(book, chapter)
	if err != nil {
		return
	}
	lk, err := l.lockMirror(ctx, p.name())
	if err != nil {
		return
	}
	defer lk.Release()
	entries, err := l.readDraftJournal(p.name())
	if err != nil || len(entries) == 0 {
		return
	}
	snap, err := l.Snapshot()
	if err != nil {
		return
	}
	head, _, err := snap.Read(p.mirror)
	if err != nil {
		return
	}
	if kept := lacking(head, entries); len(kept) != len(entries) {
		_ = l.writeDraftJournal(p.name(), kept)
	}
}
