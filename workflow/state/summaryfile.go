package state

import (
	"bytes"

	"git-novel/schema"
)

// hasSummary reports whether a summaries file holds a summary that is not blank for a chapter. The file of a finished
// serial is half a megabyte, so an entry in the tool's own form is found without parsing it.
func hasSummary(path string, data []byte, key schema.ChapterKey) bool {
	want, ok := schema.SummaryKey(string(key))
	if !ok {
		return false
	}
	if quoted, err := schema.MarshalNoNewline(want); err == nil && ownForm(data, quoted) {
		return true
	}
	var s schema.Summaries
	if schema.Unmarshal(path, data, &s) != nil {
		return false
	}
	for _, e := range s.Entries {
		if k, ok := schema.SummaryKey(e.Chapter); ok && k == want {
			return schema.TrimJS(e.Summary) != ""
		}
	}
	return false
}

// ownForm looks for the two lines that the tool writes for an entry. A string of JSON holds no line end, so the match is
// two members of one object; a first character that is neither a quote, a blank nor an escape (ASCII, or U+4000 to U+9FFF) makes the summary not blank.
func ownForm(data, quoted []byte) bool {
	lines := append(append([]byte("\n      \"chapter\": "), quoted...), ",\n      \"summary\": \""...)
	i := bytes.Index(data, lines)
	if i < 0 || i+len(lines) >= len(data) {
		return false
	}
	c := data[i+len(lines)]
	return c > ' ' && c != '"' && c != '\\' && (c < 0x80 || 0xe4 <= c && c <= 0xe9)
}
