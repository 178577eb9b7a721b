package state

import (
	"bytes"
	"slices"
	"strconv"

	"git-novel/schema"
)

// statusFile is the state.json of a book, kept as bytes. A commit of a book of 9,999 chapters changes one line of it, so
// the checker works out what the file must be after an honest commit and compares the blob id: the file is read and parsed
// only when that fails, and then wholly.
type statusFile struct {
	raw     []byte
	current int
	// Offsets in raw: the first byte of the first entry of chapter_status, and the line end before the brace that closes
	// it. Both are 0 when the file does not have our own form.
	first, last int
}

const (
	statusOpen  = "\n    \"chapter_status\": {\n"
	statusClose = "\n    }"
	entryIndent = "      "
	currentLine = "\n    \"current_chapter\": "
)

// newStatusFile finds chapter_status in a file of our own form. A string of JSON holds no line end, so lines can be
// trusted.
func newStatusFile(raw []byte, current int) *statusFile {
	f := &statusFile{raw: raw, current: current}
	if bytes.Count(raw, []byte(statusOpen)) != 1 {
		return f
	}
	i := bytes.Index(raw, []byte(statusOpen)) + len(statusOpen)
	j := bytes.Index(raw[i-1:], []byte(statusClose))
	if j > 0 {
		f.first, f.last = i, i-1+j
	}
	return f
}

// readStatus parses a whole state.json.
func readStatus(path string, data []byte) (*schema.BookState, []schema.Fault) {
	var s schema.BookState
	if err := schema.Unmarshal(path, data, &s); err != nil {
		return nil, faultsOf(path, "record-damaged", err)
	}
	return &s, s.Validate(path)
}

// with gives the file with other words for some chapters (StateNone takes the entry out) and another current chapter. ok
// is false when the file is not of our own form or the change cannot be made line by line.
func (f *statusFile) with(words map[string]schema.State, current int) (next *statusFile, ok bool) {
	next = f
	for id, word := range words {
		if next, ok = next.set(id, word); !ok {
			return nil, false
		}
	}
	if current == f.current {
		return next, true
	}
	old := currentLine + strconv.Itoa(f.current) + ","
	if bytes.Count(next.raw, []byte(currentLine)) != 1 || !bytes.Contains(next.raw, []byte(old)) {
		return nil, false
	}
	raw := bytes.Replace(next.raw, []byte(old), []byte(currentLine+strconv.Itoa(current)+","), 1)
	return newStatusFile(raw, current), true
}

// set changes, adds or removes one entry.
func (f *statusFile) set(id string, word schema.State) (*statusFile, bool) {
	if f.first == 0 {
		return nil, false
	}
	quoted, err := schema.MarshalNoNewline(id)
	if err != nil {
		return nil, false
	}
	head := append([]byte(entryIndent), quoted...)
	start, end, found := f.entry(append(slices.Clip(head), ": "...))
	line := append(head, `: "`+string(word)+`"`...)
	switch {
	case word == schema.StateNone && !found:
		return f, true
	case word == schema.StateNone:
		return f.cut(start, end)
	case found:
		if f.raw[end-1] == ',' {
			line = append(line, ',')
		}
		return f.replace(start, end, line), true
	}
	return f.insert(head, line)
}

// entry finds the line that starts with prefix; end is its line end.
func (f *statusFile) entry(prefix []byte) (start, end int, found bool) {
	region := f.raw[f.first-1 : f.last]
	i := bytes.Index(region, append([]byte("\n"), prefix...))
	if i < 0 {
		return 0, 0, false
	}
	start = f.first + i
	return start, f.lineEnd(start), true
}

func (f *statusFile) lineEnd(start int) int {
	if i := bytes.IndexByte(f.raw[start:f.last], '\n'); i >= 0 {
		return start + i
	}
	return f.last
}

func (f *statusFile) replace(start, end int, line []byte) *statusFile {
	raw := make([]byte, 0, len(f.raw)+len(line)+1)
	raw = append(append(append(raw, f.raw[:start]...), line...), f.raw[end:]...)
	return &statusFile{raw: raw, current: f.current, first: f.first, last: f.last + len(raw) - len(f.raw)}
}

// cut takes a line out. The only entry cannot be cut: an empty object has another form.
func (f *statusFile) cut(start, end int) (*statusFile, bool) {
	switch {
	case end < f.last:
		return f.replace(start, end+1, nil), true
	case start > f.first:
		// The entry before it loses its comma and its line end.
		return f.replace(start-2, end, nil), true
	}
	return nil, false
}

// insert puts a new line where its key belongs in the order of the bytes.
func (f *statusFile) insert(head, line []byte) (*statusFile, bool) {
	at := f.last // the line end of the entry that comes before the new one
	for at > f.first {
		start := bytes.LastIndexByte(f.raw[:at], '\n') + 1
		if bytes.Compare(f.raw[start:at], head) < 0 {
			break
		}
		at = start - 1
	}
	switch {
	case at < f.first: // before all others
		return f.replace(f.first, f.first, append(line, ",\n"...)), true
	case at == f.last:
		return f.replace(at, at, append([]byte(",\n"), line...)), true
	}
	return f.replace(at, at, append(append([]byte("\n"), line...), ',')), true
}
