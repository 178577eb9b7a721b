package gitstore

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-novel/schema"
)

// ReflogEntry is one move of a ref.
type ReflogEntry struct {
	Old, New schema.OID
	By       Ident
	Message  string
}

// maxReflog bounds a reflog that is read whole.
const maxReflog = 256 << 20

// Reflog reads the log of a ref, newest first. A ref without a log has no entries; lines that do not parse are skipped,
// as git does.
func (r *Repo) Reflog(name string) ([]ReflogEntry, error) {
	if err := CheckRefName(name); err != nil {
		return nil, err
	}
	file := r.logFile(name)
	data, err := readBounded(file, maxReflog)
	if err != nil {
		if absent(err) || isDir(file) {
			return nil, nil
		}
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	var out []ReflogEntry
	for len(data) > 0 {
		data = bytes.TrimRight(data, "\n")
		i := bytes.LastIndexByte(data, '\n')
		if e, ok := parseReflogLine(string(data[i+1:])); ok {
			out = append(out, e)
		}
		data = data[:i+1]
	}
	return out, nil
}

func parseReflogLine(line string) (ReflogEntry, bool) {
	head, msg, _ := strings.Cut(line, "\t")
	if len(head) < 82 || head[40] != ' ' || head[81] != ' ' {
		return ReflogEntry{}, false
	}
	old, err1 := schema.ParseOID(head[:40])
	now, err2 := schema.ParseOID(head[41:81])
	if err1 != nil || err2 != nil {
		return ReflogEntry{}, false
	}
	return ReflogEntry{Old: old, New: now, By: parseIdent(head[82:]), Message: msg}, true
}

// appendReflogs writes the line of an update to the ref's log and, when HEAD names the ref, to HEAD's.
// It returns the files to sync.
func (r *Repo) appendReflogs(u *RefUpdate, head bool) (Pending, error) {
	names := []string{u.Name}
	if head {
		names = append(names, "HEAD")
	}
	line := u.Old.String() + " " + u.New.String() + " " + u.By.line()
	if msg := strings.Join(strings.Fields(u.Reflog), " "); msg != "" {
		line += "\t" + msg
	}
	var todo Pending
	r.env.step("refs.reflog")
	for _, name := range names {
		p, err := r.appendReflog(r.logFile(name), line+"\n", u.Reflog != "" && r.logsWanted())
		if err != nil {
			return todo, schema.Wrap(err, schema.CodeUnexpected, "cannot write the reflog of %s", name)
		}
		todo.join(p)
	}
	return todo, nil
}

// logsWanted is false only when the author switched reflogs off.
func (r *Repo) logsWanted() bool {
	v, ok := r.config.Get("core.logallrefupdates")
	return !ok || strings.EqualFold(v, "always") || r.config.Bool("core.logallrefupdates", true)
}

// appendReflog appends one line and names what to sync. An existing log is always continued; create says whether to begin
// one.
func (r *Repo) appendReflog(file, line string, create bool) (todo Pending, err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_APPEND, 0)
	created := false
	if errors.Is(err, fs.ErrNotExist) || err != nil && isDir(file) {
		if !create {
			return todo, nil
		}
		created = true
		f, err = r.createReflog(file)
	}
	if err != nil {
		return todo, err
	}
	todo.files = append(todo.files, file)
	if created {
		todo.dirs = append(todo.dirs, filepath.Dir(file))
	}
	if endsWith(f, line) {
		return todo, f.Close() // written before a crash that is now being repaired
	}
	err = startLine(f)
	if err == nil && created {
		err = r.share(file)
	}
	if err == nil {
		_, err = f.WriteString(line)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return todo, err
}

// endsWith reports whether the last line of a log is line already. A ref cannot make the same move twice in a row.
func endsWith(f *os.File, line string) bool {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil || end < int64(len(line)) {
		return false
	}
	last := make([]byte, len(line))
	_, err = f.ReadAt(last, end-int64(len(line)))
	return err == nil && string(last) == line
}

// createReflog begins a log. A deletion next to us may remove the empty folder before the file is in it.
func (r *Repo) createReflog(file string) (f *os.File, err error) {
	for range 5 {
		if isDir(file) {
			removeEmptyTree(file)
		}
		if err := r.makeDirs(filepath.Dir(file)); err != nil {
			return nil, err
		}
		f, err = os.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return f, err
}

// startLine ends a line that a crash cut off, so that the new one is not glued to it.
func startLine(f *os.File) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil || end == 0 {
		return err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], end-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		_, err = f.Write([]byte("\n"))
	}
	return err
}
