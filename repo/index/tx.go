package index

import (
	"context"
	"database/sql"
	"errors"
)

// Tx is a transaction on the index.
type Tx struct {
	ctx   context.Context
	conn  *sql.Conn
	books map[string]int64
	stmts map[string]*sql.Stmt
}

func (t *Tx) close() {
	for _, s := range t.stmts {
		_ = s.Close()
	}
}

func (t *Tx) stmt(query string) (*sql.Stmt, error) {
	if s, ok := t.stmts[query]; ok {
		return s, nil
	}
	s, err := t.conn.PrepareContext(t.ctx, query)
	if err == nil {
		t.stmts[query] = s
	}
	return s, err
}

func (t *Tx) exec(query string, args ...any) error {
	s, err := t.stmt(query)
	if err != nil {
		return wrap(err)
	}
	_, err = s.ExecContext(t.ctx, args...)
	return wrap(err)
}

func (t *Tx) rows(query string, scan func(*sql.Rows) error, args ...any) error {
	s, err := t.stmt(query)
	if err != nil {
		return wrap(err)
	}
	rows, err := s.QueryContext(t.ctx, args...)
	if err != nil {
		return wrap(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return wrap(err)
		}
	}
	return wrap(rows.Err())
}

// Book gives the part of the index that belongs to a book. In a Read a book that is not there has an empty one.
func (t *Tx) Book(name string) (*Book, error) {
	b := &Book{t: t}
	err := t.rows("SELECT id FROM books WHERE name=?", func(r *sql.Rows) error { return r.Scan(&b.id) }, name)
	return b, err
}

// MakeBook is Book, and enters the book when it is not there.
func (t *Tx) MakeBook(name string) (*Book, error) {
	b, err := t.Book(name)
	if err != nil || b.id != 0 {
		return b, err
	}
	if err := t.exec("INSERT INTO books (name) VALUES (?)", name); err != nil {
		return nil, err
	}
	return t.Book(name)
}

// Book is one book's part of the index. The id 0 has no rows.
type Book struct {
	t  *Tx
	id int64
}

// Mark is what a part was made from, "" when it was not made.
func (b *Book) Mark(part string) (string, error) {
	v := ""
	err := b.t.rows("SELECT value FROM marks WHERE book=? AND part=?", func(r *sql.Rows) error { return r.Scan(&v) }, b.id, part)
	return v, err
}

// SetMark says what a part was made from.
func (b *Book) SetMark(part, value string) error {
	return b.t.exec("INSERT OR REPLACE INTO marks (book, part, value) VALUES (?,?,?)", b.id, part, value)
}

// Thing is one entry of a kind: found by key, and by place in the book.
type Thing struct {
	Kind, Key string
	Pos       int64
	Data      []byte
}

// Put stores a thing, in the place of the one with that kind and key.
func (b *Book) Put(x Thing) error {
	return b.t.exec("INSERT OR REPLACE INTO things (book, kind, key, pos, data) VALUES (?,?,?,?,?)", b.id, x.Kind, x.Key, x.Pos, notNil(x.Data))
}

// Get gives a thing, and whether there is one.
func (b *Book) Get(kind, key string) (Thing, bool, error) {
	x, found := Thing{Kind: kind, Key: key}, false
	err := b.t.rows("SELECT pos, data FROM things WHERE book=? AND kind=? AND key=?", func(r *sql.Rows) error {
		found = true
		return r.Scan(&x.Pos, &x.Data)
	}, b.id, kind, key)
	return x, found, err
}

// Drop removes a thing.
func (b *Book) Drop(kind, key string) error {
	return b.t.exec("DELETE FROM things WHERE book=? AND kind=? AND key=?", b.id, kind, key)
}

// DropKind removes all things of a kind.
func (b *Book) DropKind(kind string) error {
	return b.t.exec("DELETE FROM things WHERE book=? AND kind=?", b.id, kind)
}

// Range gives the things of a kind with from <= pos < to, by place and key. Last takes the limit from the end; a limit of 0
// takes all.
func (b *Book) Range(kind string, from, to int64, limit int, last bool) ([]Thing, error) {
	query := "SELECT key, pos, data FROM things WHERE book=? AND kind=? AND pos>=? AND pos<? ORDER BY pos, key LIMIT ?"
	if last {
		query = "SELECT key, pos, data FROM things WHERE book=? AND kind=? AND pos>=? AND pos<? ORDER BY pos DESC, key DESC LIMIT ?"
	}
	if limit == 0 {
		limit = -1
	}
	var out []Thing
	err := b.t.rows(query, func(r *sql.Rows) error {
		x := Thing{Kind: kind}
		err := r.Scan(&x.Key, &x.Pos, &x.Data)
		out = append(out, x)
		return err
	}, b.id, kind, from, to, limit)
	if last {
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
	}
	return out, err
}

// Page gives a page of a segment; nil when there is none.
func (b *Book) Page(segment, page int) (data []byte, err error) {
	err = b.t.rows("SELECT data FROM pages WHERE book=? AND segment=? AND page=?", func(r *sql.Rows) error { return r.Scan(&data) }, b.id, segment, page)
	return data, err
}

// PutPage stores a page.
func (b *Book) PutPage(segment, page int, data []byte) error {
	return b.t.exec("INSERT OR REPLACE INTO pages (book, segment, page, data) VALUES (?,?,?,?)", b.id, segment, page, notNil(data))
}

// DropPages removes the pages of all segments.
func (b *Book) DropPages() error { return b.t.exec("DELETE FROM pages WHERE book=?", b.id) }

// Bad is the error of a row that does not hold what it should; the index is to be made anew.
func Bad(err error) error { return errors.Join(errContent, err) }

// notNil lets empty bytes be stored as such.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
