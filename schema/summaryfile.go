package schema

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/width"
)

// ParseSummaries reads a summaries file as seed novel_summary does: only a top-level list "summaries" counts, each entry is
// cleaned by the white list (chapter, summary, keyEvents, keySettings, updatedAt), elements that are no objects are dropped,
// and a BOM is tolerated. Entries keep their order; their chapter is the slot key. It is false when the file is damaged: it
// has bytes, but no such list; the seed then reads it as empty, and whoever writes it first puts the bytes into git (DESIGN 3).
func ParseSummaries(data []byte) ([]SummaryEntry, bool) {
	if len(data) == 0 {
		return nil, true
	}
	var file struct {
		Summaries []any `json:"summaries"`
	}
	if err := unmarshalJS("", data, &file); err != nil || file.Summaries == nil {
		return nil, false
	}
	entries := make([]SummaryEntry, 0, len(file.Summaries))
	for _, v := range file.Summaries {
		if m, ok := v.(map[string]any); ok {
			if e, ok := cleanSummary(m); ok {
				entries = append(entries, e)
			}
		}
	}
	return entries, true
}

// cleanSummary is the seed's cleanSummaryEntry. An entry without chapter and summary is empty and goes; one of the two is
// somebody's text and stays.
func cleanSummary(m map[string]any) (SummaryEntry, bool) {
	e := SummaryEntry{Chapter: scalarJS(m["chapter"]), Summary: scalarJS(m["summary"])}
	if key, ok := SummaryKey(e.Chapter); ok {
		e.Chapter = key
	}
	if l, ok := m["keyEvents"].([]any); ok {
		e.KeyEvents = StringList(l)
	}
	if l, ok := m["keySettings"].([]any); ok {
		e.KeySettings = StringList(l)
	}
	e.UpdatedAt, _ = m["updatedAt"].(string)
	return e, e.Chapter != "" || e.Summary != ""
}

// StringList makes strings of the elements of a keyEvents or keySettings list, as JavaScript's String does (reference Y67).
func StringList(l []any) *[]string {
	out := make([]string, len(l))
	for i, v := range l {
		out[i] = stringJS(v)
	}
	return &out
}

// scalarJS is String(v ?? "") of a scalar; an object or a list holds no text.
func scalarJS(v any) string {
	switch v.(type) {
	case nil, map[string]any, []any:
		return ""
	}
	return stringJS(v)
}

func stringJS(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return string(v)
	case float64:
		if a := math.Abs(v); a >= 1e21 || a > 0 && a < 1e-6 {
			return strings.Replace(strings.Replace(strconv.FormatFloat(v, 'e', -1, 64), "e-0", "e-", 1), "e+0", "e+", 1)
		}
		return strconv.FormatFloat(v+0, 'f', -1, 64)
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			if x != nil {
				parts[i] = stringJS(x)
			}
		}
		return strings.Join(parts, ",")
	}
	return "[object Object]"
}

// FoldSummaries sorts entries into the order of the file and keeps the newest of several for one slot (reference Y86):
// by number, of one number by UTF-16 units, then titles by UTF-16 units (K1). A title that begins with digits stands at that
// number (Y98). The newest is the one with the latest updatedAt, of equal ones the
// later in the list. An entry without a slot stands last and is never folded. The input is not changed.
func FoldSummaries(entries []SummaryEntry) []SummaryEntry {
	keyed := make([]slotEntry, len(entries))
	for i, e := range entries {
		keyed[i] = newSlotEntry(e)
	}
	slices.SortStableFunc(keyed, compareSlots)
	out := make([]SummaryEntry, 0, len(keyed))
	for i, k := range keyed {
		if i > 0 && k.slot != "" && keyed[i-1].slot == k.slot {
			if k.UpdatedAt >= out[len(out)-1].UpdatedAt {
				out[len(out)-1] = k.SummaryEntry
			}
			continue
		}
		out = append(out, k.SummaryEntry)
	}
	return out
}

// slotEntry is an entry with its place in the order.
type slotEntry struct {
	SummaryEntry
	slot   string
	number int // where it stands; -1 behind all numbers
}

func newSlotEntry(e SummaryEntry) slotEntry {
	s := slotEntry{SummaryEntry: e, number: -1}
	if key, ok := SummaryKey(e.Chapter); ok {
		s.slot, s.Chapter, s.number = key, key, slotNumber(key)
	}
	return s
}

// slotNumber is where a slot stands: at its number, or at the digits that a title begins with (3月的雨; reference Y98), which make it
// no chapter of that number; -1 for any other title.
func slotNumber(slot string) int {
	if n, ok := ParseNumber(slot); ok {
		return n
	}
	n, digits := 0, 0
	for _, r := range width.Fold.String(slot) {
		if r < '0' || r > '9' {
			break
		}
		if n, digits = n*10+int(r-'0'), digits+1; n > MaxNumber {
			return -1
		}
	}
	if digits == 0 {
		return -1
	}
	return n
}

// text is the slot; of an entry that was read in haste only the number is known.
func (e slotEntry) text() string {
	if e.slot == "" && e.number >= 0 {
		return string(NumberKey(e.number))
	}
	return e.slot
}

func compareSlots(a, b slotEntry) int {
	switch {
	case a.number >= 0 && a.number == b.number:
		return CompareUTF16(a.text(), b.text())
	case a.number >= 0 && b.number >= 0:
		return a.number - b.number
	case (a.number >= 0) != (b.number >= 0):
		return b.number - a.number
	case (a.slot == "") != (b.slot == ""):
		return len(b.slot) - len(a.slot)
	}
	return CompareUTF16(a.slot, b.slot)
}

// FindSummary gives the newest entry of a chapter's slot.
func FindSummary(entries []SummaryEntry, chapter string) (SummaryEntry, bool) {
	slot, ok := SummaryKey(chapter)
	if !ok {
		return SummaryEntry{}, false
	}
	var best SummaryEntry
	found := false
	for _, e := range entries {
		if key, ok := SummaryKey(e.Chapter); !ok || key != slot {
			continue
		}
		if !found || e.UpdatedAt >= best.UpdatedAt {
			best, found = e, true
		}
	}
	best.Chapter = slot
	return best, found
}

// PutSummary replaces the entries of e's slot by e, or adds it; the answer is folded.
func PutSummary(entries []SummaryEntry, e SummaryEntry) []SummaryEntry {
	rest, _ := DeleteSummary(entries, e.Chapter)
	return FoldSummaries(append(rest, e))
}

// DeleteSummary removes every entry of a chapter's slot and says whether there was one; the answer is folded.
func DeleteSummary(entries []SummaryEntry, chapter string) ([]SummaryEntry, bool) {
	slot, ok := SummaryKey(chapter)
	out := make([]SummaryEntry, 0, len(entries)+1)
	for _, e := range entries {
		if key, has := SummaryKey(e.Chapter); !ok || !has || key != slot {
			out = append(out, e)
		}
	}
	return FoldSummaries(out), len(out) < len(entries)
}

// RenderSummaries is the file of a book's summaries: folded, two-space JSON, book then summaries, no newline at the end
// (seed novel_summary).
func RenderSummaries(book BookName, entries []SummaryEntry) ([]byte, error) {
	return MarshalNoNewline(Summaries{Book: string(book), Entries: FoldSummaries(entries)})
}
