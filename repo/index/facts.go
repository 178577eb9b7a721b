package index

import (
	"database/sql"
	"strings"
)

// Fact is one row of a folded memory; its meaning is its maker's.
type Fact struct {
	Kind, Key, Sub string
	Pos, Seq       int64
	Data           []byte
}

// Select asks for facts: of a kind and key (or all keys), with From <= Sub <= To (an empty To is no bound) or none, and Pos < Before, by
// Seq. First and Last, when not 0, take only that many from one end.
type Select struct {
	Kind, Key   string
	AllKeys     bool
	NoSub       bool // Sub is empty
	From, To    string
	Before      int64
	First, Last int
}

// Facts answers a Select.
func (b *Book) Facts(q Select) ([]Fact, error) {
	where := []string{"book=?", "kind=?"}
	args := []any{b.id, q.Kind}
	add := func(cond string, arg any) { where, args = append(where, cond), append(args, arg) }
	if !q.AllKeys {
		add("key=?", q.Key)
	}
	switch {
	case q.NoSub:
		add("sub=?", "")
	case q.From != "" && q.From == q.To:
		add("sub=?", q.From)
	default:
		if q.From != "" {
			add("sub>=?", q.From)
		}
		if q.To != "" {
			add("sub<=?", q.To)
		}
	}
	add("pos<?", q.Before)
	order, limit := " ORDER BY seq", max(q.First, q.Last)
	if q.Last > 0 {
		order = " ORDER BY seq DESC"
	}
	query := "SELECT key, sub, pos, seq, data FROM facts WHERE " + strings.Join(where, " AND ") + order
	if limit > 0 {
		query += " LIMIT ?"
		args = append(args, limit)
	}
	var out []Fact
	err := b.t.rows(query, func(r *sql.Rows) error {
		f := Fact{Kind: q.Kind}
		err := r.Scan(&f.Key, &f.Sub, &f.Pos, &f.Seq, &f.Data)
		out = append(out, f)
		return err
	}, args...)
	if q.Last > 0 {
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
	}
	return out, err
}

// Subs lists the different Subs of a key, sorted. It jumps from one to the next, so that a key with thousands of facts of
// few Subs costs little.
func (b *Book) Subs(kind, key string) ([]string, error) {
	var out []string
	last, found := "", true
	cond := ">="
	for found {
		found = false
		err := b.t.rows("SELECT sub FROM facts WHERE book=? AND kind=? AND key=? AND sub"+cond+"? ORDER BY sub LIMIT 1", func(r *sql.Rows) error {
			found = true
			return r.Scan(&last)
		}, b.id, kind, key, last)
		if err != nil {
			return nil, err
		}
		if found {
			out = append(out, last)
		}
		cond = ">"
	}
	return out, nil
}

// Add stores facts.
func (b *Book) Add(facts []Fact) error {
	for _, f := range facts {
		err := b.t.exec("INSERT INTO facts (book, kind, key, sub, seq, pos, data) VALUES (?,?,?,?,?,?,?)", b.id, f.Kind, f.Key, f.Sub, f.Seq, f.Pos, notNil(f.Data))
		if err != nil {
			return err
		}
	}
	return nil
}

// Replace puts a fact in the place of another, which is found by Kind, Key, Sub and Seq.
func (b *Book) Replace(old, now Fact) error {
	if err := b.t.exec("DELETE FROM facts WHERE book=? AND kind=? AND key=? AND sub=? AND seq=?", b.id, old.Kind, old.Key, old.Sub, old.Seq); err != nil {
		return err
	}
	return b.Add([]Fact{now})
}

// Forget removes the facts at or behind a place.
func (b *Book) Forget(pos int64) error {
	return b.t.exec("DELETE FROM facts WHERE book=? AND pos>=?", b.id, pos)
}

// LastSeq is the highest Seq, 0 when there is no fact.
func (b *Book) LastSeq() (n int64, err error) {
	err = b.t.rows("SELECT COALESCE(MAX(seq), 0) FROM facts WHERE book=?", func(r *sql.Rows) error { return r.Scan(&n) }, b.id)
	return n, err
}

// CountFacts is how many facts there are.
func (b *Book) CountFacts() (n int64, err error) {
	err = b.t.rows("SELECT COUNT(*) FROM facts WHERE book=?", func(r *sql.Rows) error { return r.Scan(&n) }, b.id)
	return n, err
}
