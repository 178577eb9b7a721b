package state

import (
	"errors"
	"strings"
	"unicode/utf8"

	"git-novel/schema"
)

// faultsOf turns a parse error into faults at the file.
func faultsOf(path, rule string, err error) []schema.Fault {
	var e *schema.Error
	if !errors.As(err, &e) {
		return []schema.Fault{{File: path, Rule: rule, Msg: schema.Textf("%s", err.Error())}}
	}
	if len(e.Details) == 0 {
		return []schema.Fault{{File: path, Rule: rule, Msg: e.Msg}}
	}
	out := make([]schema.Fault, 0, len(e.Details))
	for _, d := range e.Details {
		if d.File == "" {
			d.File = path
		}
		d.Rule = rule
		out = append(out, d)
	}
	return out
}

// record reads and validates a record.
func record[T any](path string, data []byte, validate func(*T, string) []schema.Fault) (*T, []schema.Fault) {
	r := new(T)
	if err := schema.Unmarshal(path, data, r); err != nil {
		return nil, faultsOf(path, "record-damaged", err)
	}
	list := validate(r, path)
	for i := range list {
		list[i].Rule = "record-invalid"
	}
	if len(list) > 0 {
		return nil, list
	}
	return r, nil
}

// owner judges whether a record belongs to the chapter in whose folder it lies.
func owner(path string, book schema.BookName, id, gotBook, gotChapter string) faults {
	var out faults
	if gotBook != string(book) || gotChapter != id {
		out.addAt(path, "record-owner", schema.Textf("the record speaks of chapter %s of %q", gotChapter, gotBook))
	}
	return out
}

// maxText bounds a chapter, in bytes.
const maxText = 16 << 20

// textFaults judges the bytes of a chapter's text; chars is its length in UTF-16 units.
func textFaults(path string, data []byte) (chars int, out faults) {
	text := string(data)
	switch {
	case len(data) > maxText:
		out.addAt(path, "text-size", schema.Textf("the text is larger than %d bytes", maxText))
	case !utf8.ValidString(text):
		out.addAt(path, "text-encoding", schema.Textf("the text is not UTF-8"))
	case strings.ContainsRune(text, 0):
		out.addAt(path, "text-encoding", schema.Textf("the text holds a NUL byte"))
	case schema.TrimJS(strings.TrimPrefix(text, "\ufeff")) == "":
		out.addAt(path, "text-blank", schema.Textf("the text is blank"))
	case IsMirror(text):
		out.addAt(path, "draft-in-novels", schema.Textf("the file is a draft mirror, not a finished text"))
	}
	return schema.UTF16Len(text), out
}

// IsMirror recognises what the draft tool writes: a block heading with its time (seed novel_draft).
func IsMirror(text string) bool {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, "## 第")
		if !ok {
			continue
		}
		n := strings.TrimLeft(strings.TrimSpace(rest), "0123456789")
		if stamp, ok := strings.CutPrefix(strings.TrimSpace(n), "段 · "); ok && len(stamp) >= 10 && stamp[4] == '-' {
			return true
		}
	}
	return false
}

// addAt adds a fault of a file.
func (f *faults) addAt(file, rule string, msg schema.Text) {
	*f = append(*f, schema.Fault{File: file, Rule: rule, Msg: msg})
}

// at gives faults that have no file this one.
func (f faults) at(file string) faults {
	for i := range f {
		if f[i].File == "" {
			f[i].File = file
		}
	}
	return f
}
