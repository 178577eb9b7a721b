package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// TrailerTrash says, in the one commit of a trash branch, what the branch holds: one of the TrashKinds.
const TrailerTrash = "Novel-Trash"

// TrailerFrom names the commit that a trash branch was taken from, and in a restore the trash commit.
const TrailerFrom = "Novel-From"

// TrashKind is what a trash branch holds.
type TrashKind string

// The kinds of trash branches.
const (
	TrashBook    TrashKind = "book"    // a deleted book
	TrashChapter TrashKind = "chapter" // a discarded or retracted chapter
	TrashDamaged TrashKind = "damaged" // bytes of records that could not be read
	TrashOther   TrashKind = "other"   // something that git-novel did not put there
)

// FlatDataFolders lists the folders of the older plugin's data that hold files named by their book, without a folder for
// each book (seed novel_draft, DELETE_DATA_SUBDIRS). Drafts are not among them: they have a folder for each book.
func FlatDataFolders() []string {
	return []string{"analysis", "audits", "baseline", "embedding", "lexicon", "plots", "settings", "style-reports", "summaries"}
}

// Lengths of the hash in the name of a data file, in hexadecimal digits.
const (
	minScopeHash = 6
	maxScopeHash = 64
)

// IsBookScopedName reports a file of a flat data folder that belongs to a book by its name (seed novel_draft,
// isBookScopedName): the book's name, then nothing, - and a hexadecimal hash, or __ and a suffix of ASCII letters, digits
// and _, then one extension. 雨夜灯-外传.json does not belong to 雨夜灯. Where a longer book name fits too, that book has it:
// see ScopedBook.
func IsBookScopedName(name string, book BookName) bool {
	rest, ok := strings.CutPrefix(name, string(book))
	if !ok || book == "" {
		return false
	}
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 || !isASCIIWord(rest[dot+1:], false) {
		return false
	}
	middle := rest[:dot]
	if hash, ok := strings.CutPrefix(middle, "-"); ok {
		return len(hash) >= minScopeHash && len(hash) <= maxScopeHash && strings.Trim(hash, "0123456789abcdefABCDEF") == ""
	}
	if suffix, ok := strings.CutPrefix(middle, "__"); ok {
		return isASCIIWord(suffix, true)
	}
	return middle == ""
}

func isASCIIWord(s string, underscore bool) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || underscore && c == '_') {
			return false
		}
	}
	return s != ""
}

// ScopedBook gives the book that a file of a flat data folder belongs to: of the books that it fits, the one with the
// longest name.
func ScopedBook(name string, books []BookName) (BookName, bool) {
	var best BookName
	for _, b := range books {
		if len(b) > len(best) && IsBookScopedName(name, b) {
			best = b
		}
	}
	return best, best != ""
}

// RenameBookIn gives a JSON record with another book name in it: the values of every key "book" that are the old name, and
// every string that is a path of the old book's. Everything else keeps its bytes. What is not JSON comes back as it is.
func RenameBookIn(data []byte, from, to BookName) ([]byte, error) {
	text, bom := bytes.CutPrefix(data, []byte("\xef\xbb\xbf"))
	if !json.Valid(text) {
		return data, nil // a damaged record is kept as it is
	}
	r := &bookRenamer{data: text, dec: json.NewDecoder(bytes.NewReader(text)), from: from, to: to}
	if bom {
		r.out = append(r.out, data[:len(data)-len(text)]...)
	}
	for {
		before := r.dec.InputOffset()
		tok, err := r.dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, Wrap(err, CodeUnexpected, "a record cannot be read")
		}
		if err := r.token(tok, before, r.dec.InputOffset()); err != nil {
			return nil, err
		}
	}
	return append(r.out, text[r.done:]...), nil
}

// bookRenamer copies a JSON text and replaces strings on the way.
type bookRenamer struct {
	data     []byte
	dec      *json.Decoder
	from, to BookName
	out      []byte
	done     int64  // how much of data stands in out
	open     []byte // { or [ of each level
	key      string // of the value that comes next
	isValue  bool   // in an object: the key has been read
}

func (r *bookRenamer) token(tok json.Token, before, after int64) error {
	if d, ok := tok.(json.Delim); ok {
		switch d {
		case '{', '[':
			r.open = append(r.open, byte(d))
			r.isValue = false
		default:
			r.open = r.open[:len(r.open)-1]
			r.isValue = false
		}
		return nil
	}
	inObject := len(r.open) > 0 && r.open[len(r.open)-1] == '{'
	s, isString := tok.(string)
	if inObject && !r.isValue {
		r.key, r.isValue = s, true
		return nil
	}
	r.isValue = false
	if !isString {
		return nil
	}
	next, changed := r.rename(s, inObject && r.key == "book")
	if !changed {
		return nil
	}
	quoted, err := MarshalNoNewline(next)
	if err != nil {
		return err
	}
	start := before + int64(bytes.IndexByte(r.data[before:after], '"'))
	r.out = append(append(r.out, r.data[r.done:start]...), quoted...)
	r.done = after
	return nil
}

func (r *bookRenamer) rename(s string, name bool) (string, bool) {
	if name {
		return string(r.to), s == string(r.from)
	}
	return RenameBookPath(s, r.from, r.to)
}

// RenameBookPath gives the path that a file of a book has under the book's other name; false for a path that is not the
// book's. Files of the flat data folders are told by their name alone.
func RenameBookPath(p string, from, to BookName) (string, bool) {
	for _, dir := range bookDirs() {
		if rest, ok := strings.CutPrefix(p, dir+"/"+string(from)); ok && (rest == "" || rest[0] == '/') {
			return dir + "/" + string(to) + rest, true
		}
	}
	for _, name := range FlatDataFolders() {
		dir := DataDir + "/" + name + "/"
		if file, ok := strings.CutPrefix(p, dir); ok && IsBookScopedName(file, from) {
			return dir + string(to) + file[len(from):], true
		}
	}
	return "", false
}

// bookDirs lists the folders that hold one folder for each book.
func bookDirs() []string { return []string{NovelsDir, MaterialDir, BooksDir, DraftsDir, TmpDir} }
