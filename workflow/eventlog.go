package workflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"git-novel/repo/atomicfile"
	"git-novel/schema"
)

// The event log holds what went wrong on the side of a command that succeeded, such as a finalisation mark that could not
// be written (seed novel_draft, silent_skip). It is git-ignored, of one machine, and `diagnose` shows it.
//
// It is two files of JSON lines. When the newer one is full it takes the place of the older one, so that a line of another
// process, which may have the file open, is never cut; together they stay within eventBytes.
const (
	eventLog    = schema.TmpDir + "/events.jsonl"
	eventLogOld = schema.TmpDir + "/events.old.jsonl"

	eventBytes   = 256 << 10 // of both files
	eventMaxText = 2000      // bytes of one text
)

// EventSilentSkip is the kind of a thing that was skipped without failing the command.
const EventSilentSkip = "silent_skip"

// Event is one line of the event log.
type Event struct {
	Time string `json:"time"` // RFC 3339, UTC
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// logEvent adds a line to the event log. The log is there for a person who looks for a reason later; that it cannot be
// written is no reason to fail what was done, so nothing is returned. Texts must hold no secrets and no prose.
func (s *Session) logEvent(kind, text string) { //nolint:unparam // the log has room for kinds that the seeds do not name
	e := Event{Time: s.lib.Now().UTC().Format(time.RFC3339), Kind: kind, Text: cutText(strings.TrimSpace(text), eventMaxText)}
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	appendLog(s.lib.Root(), eventLog, eventLogOld, eventBytes/2, line)
}

// appendLog adds a line to a log of two files, of which the newer holds at most limit bytes.
func appendLog(dir, name, old string, limit int64, line []byte) {
	line = append(line, '\n')
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close()
	if _, err := atomicfile.MkdirAll(root, schema.TmpDir, 0o755); err != nil {
		return
	}
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil || !info.Mode().IsRegular():
		return
	case info.Size()+int64(len(line)) > limit:
		_ = root.Rename(name, old)
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return
	}
	_, _ = f.Write(line) // one write of a short line: lines of two processes do not mix
	_ = f.Close()
}

// events reads the event log, newest last, at most the last limit lines. A line that cannot be read, as after a crash, is
// left out.
func (s *Session) events(limit int) []Event {
	root, err := os.OpenRoot(s.lib.Root())
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	var out []Event
	for _, name := range []string{eventLogOld, eventLog} {
		for line := range bytes.SplitSeq(readBounded(root, name, eventBytes), []byte("\n")) {
			var e Event
			if len(line) > 0 && json.Unmarshal(line, &e) == nil && e.Kind != "" {
				out = append(out, e)
			}
		}
	}
	return out[max(0, len(out)-limit):]
}

// readBounded gives the last size bytes of a regular file, from a line start; nothing when it cannot be read.
func readBounded(root *os.Root, name string, size int64) []byte {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	skip := max(0, info.Size()-size)
	data, err := io.ReadAll(io.NewSectionReader(f, skip, size))
	if err != nil {
		return nil
	}
	if skip > 0 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data
}

// cutText shortens a text to at most n bytes, never inside a character.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
