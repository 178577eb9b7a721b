package schema

import (
	"strings"
)

// TimeStamp is the layout of times in the names of refs, for time.Format in UTC.
const TimeStamp = "20060102T150405Z"

// maxRefComponent leaves room in a file name of 255 bytes for .lock and a counter.
const maxRefComponent = 240

// RefEscape makes one component of a ref name out of a name: what git forbids there is percent-encoded, and so is %, so that
// two names never give one component (DESIGN 6). A name has no slash, and an empty one has no component.
func RefEscape(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; mustEscape(name, i) {
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// mustEscape has the rules of git check-ref-format for the byte at i.
func mustEscape(name string, i int) bool {
	switch c := name[i]; c {
	case ' ', '~', '^', ':', '?', '*', '[', '\\', '/', '%':
		return true
	case '.':
		return i == 0 || i == len(name)-1 || name[i+1] == '.' || strings.EqualFold(name[i:], ".lock")
	case '{':
		return i > 0 && name[i-1] == '@'
	case '@':
		return len(name) == 1 // "@" alone is HEAD
	case '-':
		return i == 0 // a name must not look like an option
	default:
		return c < ' ' || c == 0x7F
	}
}

// RefUnescape is the inverse of RefEscape. It is false for a component that RefEscape does not make.
func RefUnescape(component string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(component); i++ {
		if component[i] != '%' {
			b.WriteByte(component[i])
			continue
		}
		if i+2 >= len(component) {
			return "", false
		}
		hi, lo := hexDigit(component[i+1]), hexDigit(component[i+2])
		if hi < 0 || lo < 0 {
			return "", false
		}
		b.WriteByte(byte(hi<<4 | lo))
		i += 2
	}
	name := b.String()
	return name, RefEscape(name) == component
}

func hexDigit(c byte) int { return strings.IndexByte("0123456789ABCDEF", c) }

// TrashBranch is the name of the branch that takes a deleted book, or one chapter of it when key is not empty: stamp is the
// time, with a counter when that name is taken. A name too long for a file is cut and told apart by a hash.
func TrashBranch(book BookName, key ChapterKey, stamp string) string {
	name := string(book)
	if key != "" {
		name += "-" + string(key)
	}
	esc := RefEscape(name)
	if room := maxRefComponent - len(stamp) - 1; len(esc) > room {
		cut := room - 7
		for name = strings.ToValidUTF8(name, ""); len(RefEscape(name)) > cut; {
			r := []rune(name)
			name = string(r[:len(r)-1])
		}
		esc = RefEscape(strings.TrimRight(name, ".")) + "-" + shortSHA1(esc, 6)
	}
	return "trash/" + esc + "-" + stamp
}

// ChapterTag is the name of the tag at the commit of the revision-th acceptance of a chapter: novel/<book>/NNNN/rK.
func ChapterTag(book BookName, id string, revision int) string {
	return "novel/" + RefEscape(string(book)) + "/" + RefEscape(id) + "/r" + itoa(revision)
}
