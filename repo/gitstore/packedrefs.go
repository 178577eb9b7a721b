package gitstore

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"git-novel/schema"
)

// packedRefs is the packed-refs file as it was read last. It is kept as bytes and searched by bisection, because a
// library has tags by the thousand and most runs ask for one ref.
type packedRefs struct {
	stat   os.FileInfo // nil when there was no file
	data   []byte
	sorted bool
	lines  []int // offsets of the ref lines, built on first use
}

// maxPackedRefs bounds the file: some two million refs.
const maxPackedRefs = 256 << 20

func (r *Repo) packedFile() string { return filepath.Join(r.loc.CommonDir, "packed-refs") }

// loadPacked reads packed-refs when it changed since it was read last.
func (r *Repo) loadPacked() (changed bool, err error) {
	file := r.packedFile()
	st, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		changed = r.packed.stat != nil
		r.packed = packedRefs{}
		return changed, nil
	}
	if err != nil {
		return false, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	if old := r.packed.stat; old != nil && os.SameFile(old, st) && old.Size() == st.Size() && old.ModTime().Equal(st.ModTime()) {
		return false, nil
	}
	data, err := readBounded(file, maxPackedRefs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	p, err := parsePacked(file, data)
	if err != nil {
		return false, err
	}
	p.stat = st
	r.packed = p
	return true, nil
}

// parsePacked checks the form of the whole file once, so that the searches can trust it.
func parsePacked(file string, data []byte) (packedRefs, error) {
	p := packedRefs{data: data}
	number, prev := 0, ""
	inOrder := true
	for pos := 0; pos < len(data); {
		number++
		end := bytes.IndexByte(data[pos:], '\n')
		if end < 0 {
			return packedRefs{}, badPacked(file, number)
		}
		line := data[pos : pos+end]
		switch {
		case len(line) > 0 && line[0] == '#':
			if number == 1 {
				p.sorted = bytes.Contains(line, []byte(" sorted"))
			}
		case len(line) > 0 && line[0] == '^':
			if !isHex(line[1:]) || len(p.lines) == 0 {
				return packedRefs{}, badPacked(file, number)
			}
		default:
			if len(line) < 42 || line[40] != ' ' || !isHex(line[:40]) {
				return packedRefs{}, badPacked(file, number)
			}
			name := string(line[41:])
			inOrder = inOrder && prev < name
			prev = name
			p.lines = append(p.lines, pos)
		}
		pos += end + 1
	}
	p.sorted = inOrder
	return p, nil
}

func badPacked(file string, line int) error {
	return schema.Errorf(schema.CodeGit, "the file %s is damaged in line %d", file, line).
		WithHint("git cannot read it either; restore it from a backup, or remove the line and set the ref again")
}

func isHex(b []byte) bool {
	if len(b) != 40 {
		return false
	}
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// at gives the i-th ref.
func (p *packedRefs) at(i int) (name string, id schema.OID) {
	line := p.data[p.lines[i]:]
	line = line[:bytes.IndexByte(line, '\n')]
	id, _ = schema.ParseOID(string(line[:40])) // checked by parsePacked
	return string(line[41:]), id
}

func (p *packedRefs) name(i int) []byte {
	line := p.data[p.lines[i]+41:]
	return line[:bytes.IndexByte(line, '\n')]
}

func (p *packedRefs) find(name string) (schema.OID, bool) {
	i := 0
	if p.sorted {
		i = sort.Search(len(p.lines), func(i int) bool { return string(p.name(i)) >= name })
	} else {
		for i < len(p.lines) && string(p.name(i)) != name {
			i++
		}
	}
	if i >= len(p.lines) || string(p.name(i)) != name {
		return schema.OID{}, false
	}
	_, id := p.at(i)
	return id, true
}

// each gives the refs with the prefix.
func (p *packedRefs) each(prefix string, fn func(name string, id schema.OID)) {
	i := 0
	if p.sorted {
		i = sort.Search(len(p.lines), func(i int) bool { return string(p.name(i)) >= prefix })
	}
	for ; i < len(p.lines); i++ {
		switch name, id := p.at(i); {
		case strings.HasPrefix(name, prefix):
			fn(name, id)
		case p.sorted:
			return
		}
	}
}

// without gives the file's bytes with the named refs and their peeled lines left out.
func (p *packedRefs) without(gone map[string]bool) []byte {
	out := make([]byte, 0, len(p.data))
	skip := false
	for line := range bytes.SplitAfterSeq(p.data, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		switch line[0] {
		case '#':
			skip = false
		case '^':
		default:
			skip = gone[string(bytes.TrimSuffix(line[41:], []byte("\n")))]
		}
		if !skip {
			out = append(out, line...)
		}
	}
	return out
}
