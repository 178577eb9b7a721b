package schema

import "time"

// TimeLayout is the seeds' ISO 8601 in UTC with exactly three digits of milliseconds, for the ledger and the summaries.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime writes a time in TimeLayout.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }

// ParseLedger reads a ledger. It is false when the bytes are damaged: not JSON, not an object, a counter that is missing,
// negative or no integer, pending that is no list of strings (seed novel_draft; reference D137, D138). A damaged ledger is
// not refused but built anew with RebuildLedger.
func ParseLedger(data []byte) (Ledger, bool) {
	var in struct {
		Segments     *int      `json:"segments"`
		PendingChars *int      `json:"pendingChars"`
		TotalChars   *int      `json:"totalChars"`
		Prompts      *int      `json:"prompts"`
		Pending      *[]string `json:"pending"`
		UpdatedAt    string    `json:"updatedAt"`
	}
	if err := unmarshalJS("", data, &in); err != nil {
		return Ledger{}, false
	}
	for _, n := range []*int{in.Segments, in.PendingChars, in.TotalChars, in.Prompts} {
		if n == nil || *n < 0 {
			return Ledger{}, false
		}
	}
	if in.Pending == nil {
		return Ledger{}, false
	}
	return Ledger{
		Segments: *in.Segments, PendingChars: *in.PendingChars, TotalChars: *in.TotalChars, Prompts: *in.Prompts,
		Pending: *in.Pending, UpdatedAt: in.UpdatedAt,
	}, true
}

// RebuildLedger is the ledger of a mirror whose own is lost: the numbering goes on, the rest starts anew (seed novel_draft).
// headers is CountSegments of the mirror.
func RebuildLedger(headers int) Ledger { return Ledger{Segments: headers, Pending: []string{}} }

// CatchUp takes in segments that reached the mirror but not the ledger, as after a crash between the two writes: numbering
// never repeats a number (reference D147). A mirror with fewer headers changes nothing (D145).
func (l Ledger) CatchUp(headers int) Ledger {
	l.Segments = max(l.Segments, headers)
	return l
}

// Render is the file of a ledger, without a newline at the end (seed novel_draft, atomicWriteJson).
func (l Ledger) Render() ([]byte, error) { return MarshalNoNewline(l) }

// Batch is what one append did to the ledger.
type Batch struct {
	Index    int      // number of the segment
	Chars    int      // UTF-16 units of the segment
	Pending  int      // UTF-16 units of the whole batch, before it was closed
	Segments []string // the texts of the batch when Ask, else nil
	Ask      bool     // the threshold is reached: stop and ask the author
}

// Append counts one trimmed segment and closes the batch when it reaches the threshold: equal is reached (seed
// novel_draft). It does not change l.
func (l Ledger) Append(text string, threshold int, at time.Time) (Ledger, Batch) {
	chars := UTF16Len(text)
	pending := append(append(make([]string, 0, len(l.Pending)+1), l.Pending...), text)
	next := Ledger{
		Segments: l.Segments + 1, PendingChars: l.PendingChars + chars, TotalChars: l.TotalChars + chars,
		Prompts: l.Prompts, Pending: pending, UpdatedAt: FormatTime(at),
	}
	b := Batch{Index: next.Segments, Chars: chars, Pending: next.PendingChars}
	if next.PendingChars >= threshold {
		b.Ask, b.Segments = true, pending
		next.Prompts++
		next.PendingChars, next.Pending = 0, []string{}
	}
	return next, b
}
