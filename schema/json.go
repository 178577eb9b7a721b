package schema

import "bytes"

// MaxJSON is the largest JSON document that is read, in bytes (DESIGN 16: everything read is bounded).
const MaxJSON = 16 << 20

// MaxJSONDepth is how deep objects and lists may nest.
const MaxJSONDepth = 64

// Marshal writes v in the canonical form of DESIGN 3: UTF-8, two-space indent, nothing escaped that need not be, struct
// fields in their order, map keys sorted by bytes, [] and {} for a nil slice or map, one trailing newline. It reads the
// tags that encoding/json reads; a json.Marshaler or encoding.TextMarshaler is asked.
func Marshal(v any) ([]byte, error) {
	out, err := MarshalNoNewline(v)
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

// MarshalNoNewline is Marshal without the trailing newline: the ledger and the summaries have none (seeds novel_draft and
// novel_summary, JSON.stringify with indent 2).
func MarshalNoNewline(v any) ([]byte, error) {
	e := newEncoder("  ")
	if err := e.encode(v, nil); err != nil {
		return nil, err
	}
	return e.buf, nil
}

// MarshalCompact writes v on one line without spaces and without a newline: a cell of a table, one event of a stream, or
// what token estimates count.
func MarshalCompact(v any) ([]byte, error) {
	e := newEncoder("")
	if err := e.encode(v, nil); err != nil {
		return nil, err
	}
	return e.buf, nil
}

// MarshalKeep is Marshal, and keeps what v's types do not know of orig, the file's present content (DESIGN 3). Unknown
// keys of an object follow the known ones, in their order and with their tokens as they were; only white space is laid out
// anew. It works at every level that is a struct in v. Elements of a list are paired by "id" (or "event_id"), else by
// "chapter", else by index. A known key that v omits is not revived, nor is a key of a map. An empty orig keeps nothing; one
// that does not parse is CodeInvalid, for a damaged file is never overwritten.
func MarshalKeep(v any, orig []byte) ([]byte, error) {
	orig = trimBOM(orig)
	if len(bytes.TrimSpace(orig)) == 0 {
		return Marshal(v)
	}
	d := &jsonDecoder{data: orig}
	if !d.document(d.skip) {
		return nil, d.err()
	}
	e := newEncoder("  ")
	if err := e.encode(v, orig); err != nil {
		return nil, err
	}
	return append(e.buf, '\n'), nil
}

// Unmarshal reads one JSON document into v, a pointer. file names the document in faults. A BOM and CRLF are tolerated.
// The answer is nil or CodeInvalid whose details name file, line, column (in runes) and field (issues[2].severity) of every
// fault: wrong types and duplicate keys are all reported at once, a syntax error ends the reading. Keys match exactly, letter
// case included; an unknown key is ignored, and MarshalKeep writes it back. A null is right only for a pointer, a slice, a
// map or an any. Numbers in an any are float64 when that loses nothing, else json.Number. v is half filled on an error.
func Unmarshal(file string, data []byte, v any) error {
	return unmarshal(&jsonDecoder{file: file, data: data}, MaxJSON, v)
}

// UnmarshalInput is Unmarshal for something handed in. It also refuses an unknown key that is within two edits, and at
// most a third of the known key's length, of a known key that is absent: a misspelling (DESIGN 3).
func UnmarshalInput(file string, data []byte, v any) error {
	return unmarshal(&jsonDecoder{file: file, data: data, input: true}, MaxJSON, v)
}

// UnmarshalMax is Unmarshal with another size limit, in bytes.
func UnmarshalMax(file string, data []byte, v any, limit int) error {
	return unmarshal(&jsonDecoder{file: file, data: data}, limit, v)
}

// unmarshalJS reads as JavaScript does: of duplicate keys the last one counts, and half a surrogate pair or a byte that is
// not UTF-8 is U+FFFD. It is
// for the two files whose format a seed fixes.
func unmarshalJS(file string, data []byte, v any) error {
	return unmarshal(&jsonDecoder{file: file, data: data, lenient: true}, MaxJSON, v)
}

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }
