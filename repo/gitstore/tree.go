package gitstore

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"git-novel/schema"
)

// errTree is the cause when tree bytes do not parse.
var errTree = errors.New("malformed tree")

// rawEntry is one entry of a tree as it lies in the object's bytes.
type rawEntry struct {
	name       []byte
	mode       Mode
	id         schema.OID
	start, end int // byte range in the tree
}

// treeScanner goes through the bytes of a tree without allocating.
type treeScanner struct {
	data []byte
	pos  int
	cur  rawEntry
	err  error
}

// next moves to the next entry; false at the end or on a fault.
func (s *treeScanner) next() bool {
	if s.err != nil || s.pos >= len(s.data) {
		return false
	}
	rest := s.data[s.pos:]
	mode, i := uint32(0), 0
	for ; i < len(rest) && rest[i] != ' '; i++ {
		if rest[i] < '0' || rest[i] > '7' || i > 6 {
			s.err = errTree
			return false
		}
		mode = mode<<3 | uint32(rest[i]-'0')
	}
	if i == 0 || i >= len(rest) {
		s.err = errTree
		return false
	}
	n := bytes.IndexByte(rest[i+1:], 0)
	if n <= 0 || len(rest) < i+1+n+1+20 {
		s.err = errTree
		return false
	}
	end := i + 1 + n + 1 + 20
	s.cur = rawEntry{name: rest[i+1 : i+1+n], mode: cleanMode(mode), start: s.pos, end: s.pos + end}
	copy(s.cur.id[:], rest[end-20:end])
	s.pos += end
	return true
}

// cleanMode maps the modes of old and foreign trees (100664, 100600 …) to the five that git uses.
func cleanMode(m uint32) Mode {
	switch m & 0o170000 {
	case 0o100000:
		if m&0o100 != 0 {
			return ModeExec
		}
		return ModeFile
	case 0o120000:
		return ModeLink
	case 0o040000:
		return ModeDir
	default:
		return ModeGitlink
	}
}

// treeOrder compares two entries as git sorts them: a directory as if its name ended with a slash.
func treeOrder(a []byte, aDir bool, b []byte, bDir bool) int {
	n := min(len(a), len(b))
	if c := bytes.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	return cmp.Compare(orderByte(a, n, aDir), orderByte(b, n, bDir))
}

func orderByte(s []byte, n int, dir bool) byte {
	if n < len(s) {
		return s[n]
	}
	if dir {
		return '/'
	}
	return 0
}

// parseTree decodes a tree; all names share one copy of its bytes.
func parseTree(data []byte) ([]Entry, error) {
	text := string(data)
	out := make([]Entry, 0, len(data)/36+1)
	s := treeScanner{data: data}
	for s.next() {
		e := s.cur
		nameEnd := e.end - 21
		out = append(out, Entry{Name: text[nameEnd-len(e.name) : nameEnd], Mode: e.mode, ID: e.id})
	}
	return out, s.err
}

// appendEntry writes one entry in a tree's form.
func appendEntry(b []byte, name string, mode Mode, id schema.OID) []byte {
	switch mode {
	case ModeDir:
		b = append(b, "40000 "...)
	case ModeExec:
		b = append(b, "100755 "...)
	case ModeLink:
		b = append(b, "120000 "...)
	case ModeGitlink:
		b = append(b, "160000 "...)
	default:
		b = append(b, "100644 "...)
	}
	b = append(b, name...)
	b = append(b, 0)
	return append(b, id[:]...)
}

// encodeTree sorts and encodes entries; every bad name, mode and duplicate is reported.
func encodeTree(entries []Entry) ([]byte, error) {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b Entry) int {
		return treeOrder([]byte(a.Name), a.IsDir(), []byte(b.Name), b.IsDir())
	})
	var faults []schema.Fault
	size := 0
	seen := make(map[string]bool, len(sorted))
	for _, e := range sorted {
		if why := badName(e.Name); why != "" {
			faults = append(faults, schema.Fault{File: e.Name, Rule: why, Msg: schema.Textf("git does not allow the file name %q", e.Name)})
		}
		if seen[e.Name] {
			faults = append(faults, schema.Fault{File: e.Name, Rule: "duplicate", Msg: schema.Textf("the name %q stands twice in one folder", e.Name)})
		}
		seen[e.Name] = true
		if !e.Mode.valid() || e.ID.IsZero() {
			faults = append(faults, schema.Fault{File: e.Name, Rule: "mode", Msg: schema.Textf("the entry %q has no valid mode or object", e.Name)})
		}
		size += 8 + len(e.Name) + 20
	}
	if len(faults) > 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "the folder cannot be stored in git").WithDetails(faults...)
	}
	b := make([]byte, 0, size)
	for _, e := range sorted {
		b = appendEntry(b, e.Name, e.Mode, e.ID)
	}
	return b, nil
}

// maxName bounds one path component; git's own default is 4096 bytes.
const maxName = 4096

// badName tells which rule of git's fsck a path component breaks, "" for none. The forms that macOS (ignorable code
// points) and Windows (trailing dots and blanks, short names, streams) take for .git are refused everywhere, because a
// library travels.
func badName(name string) string {
	switch {
	case name == "":
		return "empty-name"
	case name == ".":
		return "dot"
	case name == "..":
		return "dot-dot"
	case len(name) > maxName:
		return "name-too-long"
	case strings.ContainsAny(name, "/\x00"):
		return "slash"
	case isDotGit(name):
		return "dot-git"
	}
	return ""
}

func isDotGit(name string) bool {
	if strings.EqualFold(name, ".git") {
		return true
	}
	for part := range strings.SplitSeq(name, `\`) {
		if ntfsDotGit(part) {
			return true
		}
	}
	return hfsDotGit(name)
}

// ntfsDotGit: ".git" or "git~1", then blanks and dots, then the end or a stream name.
func ntfsDotGit(name string) bool {
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(name, " .")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// hfsDotGit: ".git" once the code points that HFS+ ignores are taken out.
func hfsDotGit(name string) bool {
	want, i := ".git", 0
	for _, r := range name {
		if hfsIgnored(r) {
			continue
		}
		if r == utf8.RuneError || i >= len(want) || r > 0x7f || lowerASCII(byte(r)) != want[i] {
			return false
		}
		i++
	}
	return i == len(want)
}

func hfsIgnored(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// splitPath cuts a slash-separated path and checks each component.
func splitPath(path string) ([]string, error) {
	parts := strings.Split(path, "/")
	for _, p := range parts {
		if badName(p) != "" {
			return nil, schema.Errorf(schema.CodeInvalid, "git does not allow the path %q", path)
		}
	}
	return parts, nil
}
