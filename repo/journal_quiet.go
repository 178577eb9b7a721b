package repo

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"git-novel/schema"
)

// A journal that asks for nothing is told by a look at its end and at one place of its mirror. Otherwise each command would
// read every draft that git has not got yet, and each append the whole of its own (DESIGN 15, P2).

// journalSeen is a line of a journal: every entry before it was looked for in this commit and is not in it.
type journalSeen struct {
	Seen schema.OID `json:"seen"`
}

// quiet reports that all segments of a journal are where they were put: the last one that was written on this branch stands at
// its place in the mirror, and a mirror only grows, so the ones before it do too. seen says that HEAD, moreover, is the commit
// that the entries were looked for in, for entries that a commit holds are to end. Without ok the journal must be read. It
// needs no lock: an append that is under way has not changed what is behind it.
func (l *Library) quiet(name string) (ok, seen bool) {
	own, err := l.ownRoot()
	if err != nil {
		return false, false
	}
	info, err := own.Stat(draftJournalPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return true, true
	}
	if err != nil || info.Size() > maxDraftJournal {
		return false, false
	}
	data, err := own.ReadFile(draftJournalPath(name))
	if err != nil {
		return false, false
	}
	last, in, ok := journalEnd(data)
	if !ok || last.End == 0 || CheckPath(schema.MirrorPath(last.Book, last.Key)) != nil || !schema.IsBookName(string(last.Book)) {
		return false, false
	}
	branch, head, err := l.draftHead()
	if err != nil || last.Branch != branch || !l.standsAt(schema.MirrorPath(last.Book, last.Key), last) {
		return false, false
	}
	return true, in == head
}

// journalEnd gives the last entry of a journal and the commit of a journalSeen behind it, zero when there is none.
func journalEnd(data []byte) (last journalEntry, seen schema.OID, ok bool) {
	for len(data) > 0 {
		data = bytes.TrimRight(data, "\n")
		i := bytes.LastIndexByte(data, '\n')
		line := data[i+1:]
		data = data[:i+1]
		if len(line) == 0 {
			continue
		}
		var e struct {
			journalEntry
			journalSeen
		}
		if json.Unmarshal(line, &e) != nil {
			return journalEntry{}, schema.OID{}, false // cut off by a crash: read it all
		}
		if e.Text != "" {
			return e.journalEntry, seen, true
		}
		if seen.IsZero() {
			seen = e.Seen
		}
	}
	return journalEntry{}, schema.OID{}, false
}

// standsAt reports that a mirror has the segment of an entry where the append has put it.
func (l *Library) standsAt(mirror string, e journalEntry) bool {
	if _, err := l.lstat(mirror); err != nil {
		return false
	}
	f, err := l.root.Open(mirror)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	want := e.written()
	from := e.End - int64(len(want))
	if from < 0 {
		return false
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(io.NewSectionReader(f, from, int64(len(want))), got); err != nil {
		return false
	}
	return string(got) == want
}

// markSeen notes in a journal that its entries were looked for in HEAD. The mirror's lock is held. Failing to costs the next
// command some time and nothing else.
func (l *Library) markSeen(name string) {
	_, head, err := l.draftHead()
	if err != nil || head.IsZero() {
		return
	}
	own, err := l.ownRoot()
	if err != nil {
		return
	}
	line, err := json.Marshal(journalSeen{head})
	if err != nil {
		return
	}
	f, err := own.OpenFile(draftJournalPath(name), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	_, _ = f.Write(append(append([]byte{'\n'}, line...), '\n'))
	_ = f.Close()
}
