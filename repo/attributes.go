package repo

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"

	"git-novel/repo/atomicfile"
	"git-novel/schema"
)

// The block that we keep in .gitignore and .gitattributes (DESIGN 3). Everything outside it is the author's.
const (
	blockBegin = "# >>> git-novel: lines up to the next mark are kept by git novel"
	blockEnd   = "# <<< git-novel"
	blockTag   = "# >>> git-novel"

	ignoreFile     = ".gitignore"
	attributesFile = ".gitattributes"
)

// blockLines are our lines of a file.
func blockLines(file string) []string {
	if file == ignoreFile {
		return []string{
			"/.novel-writer/tmp/",
			"/.novel-writer/index.db*",
			"/.novel-writer/embedding/",
			"/.novel-writer/trash/",
		}
	}
	return []string{
		"/novels/** -text diff=novel merge=novel",
		"/.novel-writer/** -text",
		"/.novel-writer/drafts/** diff=novel merge=novel",
		"/.novel-writer/summaries/** diff=novel merge=novel",
		"/.novel-writer/books/** diff=novel merge=novel",
	}
}

func blockFiles() []string { return []string{ignoreFile, attributesFile} }

// mergeBlock puts our block into a file: in the place of an older one, else at the end. Every other byte stays.
func mergeBlock(data []byte, lines []string) []byte {
	block := blockBegin + "\n" + strings.Join(lines, "\n") + "\n" + blockEnd + "\n"
	var out bytes.Buffer
	placed := false
	inside := false
	var held [][]byte // lines after a begin mark, given back when no end mark follows
	for line := range bytes.Lines(data) {
		text := strings.TrimRight(string(line), "\r\n")
		switch {
		case !inside && strings.HasPrefix(text, blockTag):
			inside, held = true, nil
		case inside && text == blockEnd:
			inside, held = false, nil
			if !placed {
				out.WriteString(block)
				placed = true
			}
		case inside:
			held = append(held, line)
		default:
			out.Write(line)
		}
	}
	ours := map[string]bool{}
	for _, l := range lines {
		ours[l] = true
	}
	for _, line := range held {
		if !ours[strings.TrimRight(string(line), "\r\n")] {
			out.Write(line)
		}
	}
	if !placed {
		if b := out.Bytes(); len(b) > 0 && b[len(b)-1] != '\n' {
			out.WriteByte('\n')
		}
		out.WriteString(block)
	}
	return out.Bytes()
}

// writeBlocks brings the blocks on disk up to date and returns the files that changed. It writes what the next commit
// takes in (Tx.TakeBlocks); until then a person sees it as an ordinary edit of these two files. before gets what a changed
// file held.
func (l *Library) writeBlocks(before map[string][]byte) ([]string, error) {
	var changed []string
	for _, file := range blockFiles() {
		data, _, err := l.read(file)
		fresh := errors.Is(err, fs.ErrNotExist)
		if err != nil && !fresh {
			return nil, err
		}
		want := mergeBlock(data, blockLines(file))
		if !fresh && bytes.Equal(want, data) {
			continue
		}
		if err := l.fail("write " + file); err != nil {
			return nil, err
		}
		if fresh {
			err = atomicfile.Create(l.root, file, want, 0o644)
		} else {
			err = atomicfile.Write(l.root, file, want, 0o644)
		}
		if err != nil {
			return nil, err
		}
		changed = append(changed, file)
		if !fresh {
			before[file] = data
		}
	}
	return changed, nil
}

// TakeBlocks makes .gitignore and .gitattributes part of the commit, with our blocks as they have to be and with the
// author's lines as they lie on disk.
func (tx *Tx) TakeBlocks() error {
	for _, file := range blockFiles() {
		data, _, err := tx.l.read(file)
		seen := schema.HashBlob(data)
		if errors.Is(err, fs.ErrNotExist) {
			data, seen, err = nil, schema.OID{}, nil
		}
		if err != nil {
			return err
		}
		if err := tx.Replace(file, mergeBlock(data, blockLines(file)), seen); err != nil {
			return err
		}
	}
	return nil
}
