package lock

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"git-novel/schema"
)

// Holder is who holds a lock, as its file says.
type Holder struct {
	PID     int       `json:"pid"`
	Command string    `json:"command,omitempty"` // what the person started, e.g. "git novel batch run 1-20"
	Book    string    `json:"book,omitempty"`
	Since   time.Time `json:"since"`
}

// String is the holder for a message.
func (h Holder) String() string {
	if h.Command == "" {
		return fmt.Sprintf("%d", h.PID)
	}
	return fmt.Sprintf("%d (%s)", h.PID, h.Command)
}

// Lock is a lock that is held until Release.
type Lock struct {
	f *flock.Flock
}

// retry is how often a waiting process looks again.
const retry = 5 * time.Millisecond

// maxHolder bounds what is read of a lock file.
const maxHolder = 4096

// Library takes the library lock in dir, the folder of ours in the common git folder, and waits for it at most wait.
// Held by another: CodeConflict with its process and command. ctx ended: CodeInterrupted.
func Library(ctx context.Context, dir string, wait time.Duration, who Holder) (*Lock, error) {
	l, held, err := take(ctx, filepath.Join(dir, "lock"), wait, who)
	if err != nil || l != nil {
		return l, err
	}
	if held.PID == 0 {
		return nil, schema.Errorf(schema.CodeConflict, "another git-novel command is writing this library (waited %s)", wait).
			WithHint("run the command again, or wait longer with --wait")
	}
	return nil, schema.Errorf(schema.CodeConflict, "process %s is writing this library (waited %s)", held, wait).
		WithHint("run the command again, or wait longer with --wait")
}

// Book takes the lock of one book for long work, without waiting. Held by another: CodeConflict with who holds it.
// Author's commands (save, override, draft) do not take it (DESIGN 12).
func Book(ctx context.Context, dir, book string, who Holder) (*Lock, error) {
	sum := sha256.Sum256([]byte(book))
	who.Book = book
	l, held, err := take(ctx, filepath.Join(dir, "book-"+hex.EncodeToString(sum[:10])+".lock"), 0, who)
	if err != nil || l != nil {
		return l, err
	}
	if held.PID == 0 {
		return nil, schema.Errorf(schema.CodeConflict, "another git-novel command is at work on the book %s", book).
			WithHint("wait until it is done; saving, drafting and overriding go on meanwhile")
	}
	return nil, schema.Errorf(schema.CodeConflict, "process %s is at work on the book %s since %s", held, book,
		held.Since.Format(time.DateTime)).
		WithHint("wait until it is done; saving, drafting and overriding go on meanwhile")
}

// BookHolder tells who holds the lock of a book, and whether anyone does.
func BookHolder(dir, book string) (Holder, bool, error) {
	sum := sha256.Sum256([]byte(book))
	file := filepath.Join(dir, "book-"+hex.EncodeToString(sum[:10])+".lock")
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		return Holder{}, false, nil
	}
	f := flock.New(file, flock.SetFlag(os.O_RDWR))
	defer func() { _ = f.Close() }()
	ok, err := f.TryRLock()
	if err != nil {
		return Holder{}, false, schema.Wrap(err, schema.CodeUnexpected, "cannot read the lock of the book %s", book)
	}
	if ok {
		return Holder{}, false, nil
	}
	return read(file), true, nil
}

// take gives the lock, or who holds it.
func take(ctx context.Context, file string, wait time.Duration, who Holder) (*Lock, Holder, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // inside .git, with git's own modes
		return nil, Holder{}, schema.Wrap(err, schema.CodeUnexpected, "cannot make the folder %s", filepath.Dir(file))
	}
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	tick := time.NewTicker(retry)
	defer tick.Stop()
	for {
		l, err := try(file, who)
		if err != nil || l != nil {
			return l, Holder{}, err
		}
		if wait <= 0 {
			return nil, read(file), nil
		}
		select {
		case <-ctx.Done():
			return nil, Holder{}, schema.Wrap(ctx.Err(), schema.CodeInterrupted, "interrupted while waiting for the library lock")
		case <-deadline.C:
			wait = 0 // one last try, so that a lock freed at the deadline is not missed
		case <-tick.C:
		}
	}
}

// try takes the lock when it is free. Nil without an error: somebody holds it.
func try(file string, who Holder) (*Lock, error) {
	f := flock.New(file, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	ok, err := f.TryLock()
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot lock %s", file)
	}
	if !ok {
		_ = f.Close()
		return nil, nil
	}
	// A lock on a file that was deleted meanwhile shuts nobody out: take the one that has the name now.
	mine, err1 := f.Stat()
	named, err2 := os.Stat(file)
	if err1 != nil || err2 != nil || !os.SameFile(mine, named) {
		_ = f.Close()
		return nil, nil //nolint:nilerr // tried again with the file that has the name now
	}
	write(file, who)
	return &Lock{f: f}, nil
}

// Release frees the lock. The file stays.
func (l *Lock) Release() {
	if l == nil || l.f == nil {
		return
	}
	_ = l.f.Close()
	l.f = nil
}

// write notes the holder. Failing to is no failure: only a message would be less exact. What was there is overwritten and
// the rest blanked, not truncated: file systems take a truncation to nothing for the replacing of a file, and then write it
// to disk when it is closed, which takes longer than most of what is done under a lock.
func write(file string, who Holder) {
	data, err := json.Marshal(who)
	if err != nil {
		return
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	data = append(data, '\n')
	if info, err := f.Stat(); err == nil && info.Size() > int64(len(data)) && info.Size() <= maxHolder {
		data = append(data, bytes.Repeat([]byte{'\n'}, int(info.Size())-len(data))...)
	}
	_, _ = f.Write(data)
	_ = f.Close()
}

// read gives the holder that a lock file names, or the zero Holder.
func read(file string) Holder {
	f, err := os.Open(file)
	if err != nil {
		return Holder{}
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxHolder))
	if err != nil {
		return Holder{}
	}
	var h Holder
	if json.Unmarshal(data, &h) != nil {
		return Holder{}
	}
	return h
}
