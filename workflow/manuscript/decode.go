package manuscript

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"git-novel/schema"
)

// MaxBytes is the largest file that Decode takes. A text beyond it, some 20 million characters, comes in as a folder.
const MaxBytes = 64 << 20

// Charset names a way to write text as bytes.
type Charset string

// The charsets that Decode knows. GBK is read as GB18030, which contains it.
const (
	UTF8    Charset = "UTF-8"
	UTF16LE Charset = "UTF-16LE"
	UTF16BE Charset = "UTF-16BE"
	GB18030 Charset = "GB18030"
)

// Encoding is what Decode found out about the bytes, and every change that it made to the text.
type Encoding struct {
	Charset Charset
	BOM     bool // a byte order mark stood in front; it is no part of the text
	CRLF    int  // line ends CR LF that became LF
	CR      int  // line ends CR alone that became LF
}

// Decode turns the bytes of a manuscript into text with LF line ends. It changes nothing else. Bytes that have no exact
// meaning in the encoding found are refused with their place (CodeInvalid), never replaced: an import must not lose a
// character without saying so.
func Decode(data []byte) (string, Encoding, error) {
	if len(data) > MaxBytes {
		return "", Encoding{}, schema.Errorf(schema.CodeInvalid, "the text is %d bytes long; at most %d are read", len(data), MaxBytes).
			WithHint("split the file and import the parts with `git novel import FOLDER`")
	}
	text, enc, err := decodeCharset(data)
	if err != nil {
		return "", Encoding{}, err
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return "", Encoding{}, binaryError(1+strings.Count(text[:i], "\n"), i)
	}
	text, enc.CRLF, enc.CR = unifyLineEnds(text)
	return text, enc, nil
}

func decodeCharset(data []byte) (string, Encoding, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		text, err := decodeUTF8(data[3:], 3)
		return text, Encoding{Charset: UTF8, BOM: true}, err
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		text, err := decodeUTF16(data[2:], 2, UTF16LE)
		return text, Encoding{Charset: UTF16LE, BOM: true}, err
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		text, err := decodeUTF16(data[2:], 2, UTF16BE)
		return text, Encoding{Charset: UTF16BE, BOM: true}, err
	}
	hasNUL := bytes.IndexByte(data, 0) >= 0
	valid := utf8.Valid(data)
	if valid && !hasNUL {
		return string(data), Encoding{Charset: UTF8}, nil
	}
	if cs, ok := looksUTF16(data); ok {
		text, err := decodeUTF16(data, 0, cs)
		return text, Encoding{Charset: cs}, err
	}
	if hasNUL {
		i := bytes.IndexByte(data, 0)
		return "", Encoding{}, binaryError(lineAt(data, i), i)
	}
	if mostlyUTF8(data) {
		// One broken character in a UTF-8 text is damage; as GB18030 the whole text would be other characters.
		text, err := decodeUTF8(data, 0)
		return text, Encoding{Charset: UTF8}, err
	}
	text, err := decodeGB18030(data)
	return text, Encoding{Charset: GB18030}, err
}

func binaryError(line, offset int) error {
	return schema.Errorf(schema.CodeInvalid, "this is no text: a NUL byte at offset %d", offset).
		WithHint("give a plain text file in UTF-8, UTF-16 or GB18030").
		WithDetails(schema.Fault{Line: line, Col: 1, Rule: "text-binary", Msg: schema.Textf("NUL byte at offset %d", offset)})
}

func lineAt(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }

func decodeUTF8(data []byte, skipped int) (string, error) {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size <= 1 {
			return "", badBytesFrom(UTF8, data, i, skipped)
		}
		i += size
	}
	return string(data), nil
}

// badBytesFrom reports an offset in the file when a mark of n bytes was cut off before data.
func badBytesFrom(cs Charset, data []byte, offset, n int) error {
	return badAt(cs, data[offset:], lineAt(data, offset), offset+n)
}

func badAt(cs Charset, rest []byte, line, offset int) error {
	rest = rest[:min(4, len(rest))]
	return schema.Errorf(schema.CodeInvalid, "the bytes at offset %d have no meaning in %s", offset, string(cs)).
		WithHint("save the file as UTF-8 in an editor and import it again; nothing was changed").
		WithDetails(schema.Fault{
			Line: line, Col: 1, Rule: "text-undecodable",
			Msg: schema.Textf("%s: bytes % x at offset %d", string(cs), rest, offset),
		})
}

// mostlyUTF8 reports whether nearly all bytes outside ASCII form UTF-8 characters.
func mostlyUTF8(data []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			bad++
		case size > 1:
			good += size
		}
		i += size
	}
	return good > 20*bad
}

func decodeUTF16(data []byte, skipped int, cs Charset) (string, error) {
	var b strings.Builder
	b.Grow(len(data) + len(data)/2)
	fail := func(i int) error {
		return badAt(cs, data[i:], 1+strings.Count(b.String(), "\n"), i+skipped)
	}
	n := len(data) &^ 1
	for i := 0; i < n; i += 2 {
		u := unit16(data[i:], cs)
		if !utf16.IsSurrogate(u) {
			b.WriteRune(u)
			continue
		}
		if i+4 > n {
			return "", fail(i)
		}
		r := utf16.DecodeRune(u, unit16(data[i+2:], cs))
		if r == utf8.RuneError {
			return "", fail(i)
		}
		b.WriteRune(r)
		i += 2
	}
	if n != len(data) {
		return "", fail(n)
	}
	return b.String(), nil
}

func unit16(b []byte, cs Charset) rune {
	if cs == UTF16BE {
		return rune(b[0])<<8 | rune(b[1])
	}
	return rune(b[1])<<8 | rune(b[0])
}

// looksUTF16 recognises UTF-16 without a mark: nearly every unit must be a character that prose is made of. Read with
// the bytes the wrong way round, or when the bytes are GB18030, hardly any is.
func looksUTF16(data []byte) (Charset, bool) {
	if len(data) < 4 || len(data)%2 != 0 {
		return "", false
	}
	sample := data[:min(len(data), 1<<16)]
	for _, cs := range []Charset{UTF16LE, UTF16BE} {
		good := 0
		for i := 0; i < len(sample); i += 2 {
			if isProse(unit16(sample[i:], cs)) {
				good++
			}
		}
		if good*100 >= (len(sample)/2)*95 {
			return cs, true
		}
	}
	return "", false
}

func isProse(r rune) bool {
	switch {
	case r == '\n', r == '\r', r == '\t', r >= 0x20 && r < 0x7f:
		return true
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3000 && r <= 0x30ff, r >= 0xff00 && r <= 0xffef:
		return true
	case r >= 0x2010 && r <= 0x203f, r >= 0xa0 && r <= 0xff, r >= 0xd800 && r <= 0xdfff:
		return true
	}
	return false
}

// unifyLineEnds turns CR LF and CR into LF and counts them.
func unifyLineEnds(s string) (text string, crlf, cr int) {
	i := strings.IndexByte(s, '\r')
	if i < 0 {
		return s, 0, 0
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		b.WriteByte('\n')
		if i+1 < len(s) && s[i+1] == '\n' {
			crlf++
			s = s[i+2:]
		} else {
			cr++
			s = s[i+1:]
		}
		i = strings.IndexByte(s, '\r')
	}
	b.WriteString(s)
	return b.String(), crlf, cr
}
