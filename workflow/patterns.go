package workflow

import (
	"context"
	"slices"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/prose"
)

// PatternInput is something that was learned of how the author writes.
type PatternInput struct {
	Texts   []string
	Kind    string // how the author groups it; may be empty
	Chapter string // that it was learned from; may be empty
}

// PatternResult says what is new.
type PatternResult struct {
	Book    string                 `json:"book"`
	Added   []schema.AuthorPattern `json:"added"`
	Skipped []string               `json:"skipped"` // known already
	Total   int                    `json:"total"`
	Commit  string                 `json:"commit,omitempty"`
}

// PatternAdd adds learned patterns to the book's patterns.json. One that is there already, whatever its punctuation, is
// skipped. An edit of the file that was not saved becomes part of the commit.
func (s *Session) PatternAdd(ctx context.Context, in PatternInput) (*PatternResult, error) {
	for _, t := range in.Texts {
		if err := schema.CheckPattern(schema.TrimJS(t)); err != nil {
			return nil, err
		}
	}
	var r *PatternResult
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.gather(tx.Snapshot())
		if err != nil {
			return err
		}
		r = &PatternResult{Book: string(w.name), Added: []schema.AuthorPattern{}, Skipped: []string{}}
		id := ""
		if in.Chapter != "" {
			c, err := w.resolve(in.Chapter)
			if err != nil {
				return err
			}
			id = c.Key.ID()
		}
		all, old, err := w.patterns()
		if err != nil {
			return err
		}
		for _, t := range in.Texts {
			t = strings.Join(strings.Fields(t), " ")
			if slices.ContainsFunc(all.Patterns, func(p schema.AuthorPattern) bool { return samePattern(p.Text, t) }) {
				r.Skipped = append(r.Skipped, t)
				continue
			}
			p := schema.AuthorPattern{Text: t, Kind: schema.TrimJS(in.Kind), Chapter: id}
			all.Patterns, r.Added = append(all.Patterns, p), append(r.Added, p)
		}
		r.Total = len(all.Patterns)
		if len(r.Added) == 0 {
			return nil
		}
		data, err := schema.MarshalKeep(all, old)
		if err != nil {
			return err
		}
		seen := schema.OID{}
		if old != nil {
			seen = schema.HashBlob(old)
		}
		tx.Message(s.message(schema.Message{Verb: schema.VerbConfig, Book: string(w.name), Subject: "写作习惯：" + r.Added[0].Text}))
		return tx.Replace(schema.PatternsPath(w.name), data, seen)
	})
	if err != nil {
		return nil, err
	}
	if res.Changed {
		r.Commit = res.Commit.String()
	}
	return r, nil
}

func samePattern(a, b string) bool {
	x, y := prose.Fold(a), prose.Fold(b)
	return a == b || x != "" && x == y
}

// PatternList is what was learned of the author.
type PatternList struct {
	Book     string                 `json:"book"`
	Patterns []schema.AuthorPattern `json:"patterns"`
}

// PatternList lists the learned patterns of the book.
func (s *Session) PatternList(_ context.Context) (*PatternList, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	p, _, err := w.patterns()
	if err != nil {
		return nil, err
	}
	return &PatternList{Book: string(w.name), Patterns: nonNil(p.Patterns)}, nil
}

// patterns reads the book's patterns.json as it lies on disk; raw is nil when there is none. Damaged: CodeInvalid.
func (w *work) patterns() (p *schema.AuthorPatterns, raw []byte, err error) {
	p = &schema.AuthorPatterns{Schema: schema.SchemaPatterns, Patterns: []schema.AuthorPattern{}}
	path := schema.PatternsPath(w.name)
	raw, err = w.s.lib.ReadFile(path)
	if schema.CodeOf(err) == schema.CodeNotFound {
		return p, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if err := schema.CheckTracked(path, raw); err != nil {
		return nil, nil, err
	}
	if err := schema.Unmarshal(path, raw, p); err != nil {
		return nil, nil, err
	}
	p.Schema = schema.SchemaPatterns
	return p, raw, nil
}
