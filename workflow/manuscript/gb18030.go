package manuscript

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"

	"git-novel/schema"
)

// decodeGB18030 decodes GB18030 (and so GBK and GB2312), and refuses what the decoder would replace by U+FFFD, and codes
// of the user-defined area: their characters were private to one machine, and no text can show them.
func decodeGB18030(data []byte) (string, error) {
	out, err := simplifiedchinese.GB18030.NewDecoder().Bytes(data)
	if err != nil {
		return "", schema.Wrap(err, schema.CodeInvalid, "the text is not %s", string(GB18030))
	}
	// The decoder gives one rune for each code, so codes and runes are walked side by side to find the place of a bad one.
	var wide, common int
	for i, j := 0, 0; i < len(data); {
		r, rs := utf8.DecodeRune(out[j:])
		size := gbSize(data[i:])
		if size == 0 || private(r) || r == utf8.RuneError && !isCodeOfFFFD(data[i:]) {
			return "", badBytesFrom(GB18030, data, i, 0)
		}
		if size == 2 {
			wide++
			if commonGB(data[i], data[i+1]) {
				common++
			}
		}
		i += size
		j += rs
	}
	// Big5, Shift-JIS and Latin texts often decode as GB18030 too, into characters that nobody writes.
	if wide >= 20 && common*100 < wide*minCommon {
		return "", schema.Errorf(schema.CodeInvalid, "the text is neither UTF-8, UTF-16 nor plausible GB18030: only %d of %d characters are common ones", common, wide).
			WithHint("save the file as UTF-8 in an editor and import it again; nothing was changed")
	}
	return string(out), nil
}

// minCommon is the share in percent of two-byte codes that must be punctuation or everyday characters. Simplified prose
// has over 90; prose in traditional characters, whose everyday ones lie elsewhere in GBK, about half.
const minCommon = 35

// gbSize is the length of the code in front, 0 when there is none.
func gbSize(b []byte) int {
	switch {
	case b[0] <= 0x80: // 0x80 is the euro sign of code page 936
		return 1
	case b[0] == 0xff || len(b) < 2:
		return 0
	case b[1] >= 0x40 && b[1] <= 0xfe && b[1] != 0x7f:
		return 2
	case b[1] >= 0x30 && b[1] <= 0x39 && len(b) >= 4 && b[2] >= 0x81 && b[2] <= 0xfe && b[3] >= 0x30 && b[3] <= 0x39:
		return 4
	}
	return 0
}

func isCodeOfFFFD(b []byte) bool {
	return len(b) >= 4 && b[0] == 0x84 && b[1] == 0x31 && b[2] == 0xa4 && b[3] == 0x37
}

func private(r rune) bool {
	return r >= 0xe000 && r <= 0xf8ff || r >= 0xf0000
}

// commonGB reports punctuation (rows A1 and A3) and the first level of GB2312 (B0 to D7).
func commonGB(a, b byte) bool {
	return b >= 0xa1 && (a == 0xa1 || a == 0xa3 || a >= 0xb0 && a <= 0xd7)
}
