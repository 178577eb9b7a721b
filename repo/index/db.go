package index

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"git-novel/schema"

	"modernc.org/sqlite" // registers the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// version of the tables. A file of another version is made anew.
const version = 3

const tables = `
CREATE TABLE books (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE marks (book INTEGER NOT NULL, part TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (book, part)) WITHOUT ROWID;
CREATE TABLE facts (
	book INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, sub TEXT NOT NULL, seq INTEGER NOT NULL, pos INTEGER NOT NULL,
	data BLOB NOT NULL, PRIMARY KEY (book, kind, key, sub, seq)) WITHOUT ROWID;
CREATE TABLE things (
	book INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, pos INTEGER NOT NULL, data BLOB NOT NULL,
	PRIMARY KEY (book, kind, key)) WITHOUT ROWID;
CREATE INDEX things_pos ON things (book, kind, pos);
CREATE TABLE pages (
	book INTEGER NOT NULL, segment INTEGER NOT NULL, page INTEGER NOT NULL, data BLOB NOT NULL,
	PRIMARY KEY (book, segment, page)) WITHOUT ROWID;
`

// DB is an open index. It serves one goroutine.
type DB struct {
	db      *sql.DB
	conn    *sql.Conn
	private bool
}

// wait is how long one process waits for another that writes the file, in milliseconds.
const wait = 2000

// Open opens the index file, making it when it is not there, damaged or of another version. The folder must exist. It fails
// with CodeConflict when another process holds the file, and CodeUnexpected when it cannot be had at all.
func Open(ctx context.Context, path string) (*DB, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, schema.Errorf(schema.CodeInvalid, "%s is not a file", filepath.Base(path))
	}
	if info, err := os.Lstat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return nil, schema.Errorf(schema.CodeInvalid, "%s is not a folder", filepath.Base(filepath.Dir(path)))
	}
	d, err := open(ctx, path)
	if err != nil && Damaged(err) {
		if err = Delete(path); err == nil {
			d, err = open(ctx, path)
		}
	}
	return d, err
}

// Private makes an index of its own in a temporary file that goes with it.
func Private(ctx context.Context) (*DB, error) {
	d, err := open(ctx, "")
	if d != nil {
		d.private = true
	}
	return d, err
}

// Delete removes the index file and what belongs to it.
func Delete(path string) error {
	for _, p := range []string{path, path + "-journal", path + "-wal", path + "-shm"} {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return schema.Wrap(err, schema.CodeUnexpected, "cannot delete %s", filepath.Base(p))
		}
	}
	return nil
}

func open(ctx context.Context, path string) (*DB, error) {
	dsn := ""
	if path != "" {
		// A path may hold any character; in a URI all but letters, digits and slashes are escaped.
		dsn = "file:" + escape(filepath.ToSlash(path))
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, wrap(err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close()
		return nil, wrap(err)
	}
	d := &DB{db: db, conn: conn}
	if err := d.prepare(ctx); err != nil {
		d.Close()
		return nil, wrap(err)
	}
	return d, nil
}

func escape(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '/' || c == '.' || c == '-' || c == '_' || c == ':' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// errVersion is a file of another version, which is made anew like a damaged one.
var errVersion = errors.New("another version of the index")

func (d *DB) prepare(ctx context.Context) error {
	if _, err := d.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout=%d; PRAGMA synchronous=NORMAL; PRAGMA temp_store=FILE; PRAGMA cache_size=-6000", wait)); err != nil {
		return err
	}
	have, err := d.version(ctx)
	if err != nil || have == version {
		return err
	}
	if have != 0 {
		return errVersion
	}
	return d.Write(ctx, func(*Tx) error {
		if have, err := d.version(ctx); err != nil || have == version { // another process was quicker
			return err
		}
		if _, err := d.conn.ExecContext(ctx, tables); err != nil {
			return err
		}
		_, err := d.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version=%d", version))
		return err
	})
}

func (d *DB) version(ctx context.Context) (int, error) {
	n := 0
	err := d.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&n)
	return n, err
}

// Close frees the index. A private one is gone then.
func (d *DB) Close() {
	_ = d.conn.Close()
	_ = d.db.Close()
}

// Private reports an index that nobody else sees.
func (d *DB) Private() bool { return d.private }

// Read runs fn on one state of the index.
func (d *DB) Read(ctx context.Context, fn func(*Tx) error) error { return d.tx(ctx, "BEGIN", fn) }

// Write runs fn alone, and keeps what it wrote when it gives no error.
func (d *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	return d.tx(ctx, "BEGIN IMMEDIATE", fn)
}

func (d *DB) tx(ctx context.Context, begin string, fn func(*Tx) error) error {
	if _, err := d.conn.ExecContext(ctx, begin); err != nil {
		return wrap(err)
	}
	t := &Tx{ctx: ctx, conn: d.conn, books: map[string]int64{}, stmts: map[string]*sql.Stmt{}}
	err := fn(t)
	t.close()
	end := "COMMIT"
	if err != nil {
		end = "ROLLBACK"
	}
	// An interrupted command still ends its transaction.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if _, cerr := d.conn.ExecContext(late, end); cerr != nil && err == nil {
		err = cerr
		_, _ = d.conn.ExecContext(late, "ROLLBACK")
	}
	return wrap(err)
}

func codeOf(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff // the primary code
	}
	return 0
}

// Damaged reports that the file is no index that can be read: it should be deleted.
func Damaged(err error) bool {
	switch codeOf(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_ERROR:
		return true
	}
	return errors.Is(err, errVersion) || errors.Is(err, errContent)
}

// Failed reports an error of the index itself, not of what was done with it.
func Failed(err error) bool {
	_, ok := errors.AsType[*sqlite.Error](err)
	return ok || errors.Is(err, errVersion) || errors.Is(err, errContent) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn)
}

// errContent is a row that does not hold what its table says.
var errContent = errors.New("the index holds something unreadable")

func wrap(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*schema.Error](err); ok {
		return err
	}
	switch codeOf(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return schema.Wrap(err, schema.CodeConflict, "another command is at work on the index")
	}
	return schema.Wrap(err, schema.CodeUnexpected, "the index cannot be used")
}
