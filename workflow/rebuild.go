package workflow

import (
	"context"

	"git-novel/repo/index"
	"git-novel/schema"
)

// IndexReport says what the index holds of a book after it was made anew.
type IndexReport struct {
	Book     string `json:"book"`
	Path     string `json:"path"`
	Chapters int    `json:"chapters"`
	Facts    int64  `json:"facts"`
	Texts    int    `json:"texts"`
}

// IndexRebuild deletes index.db and makes it anew. Nothing but time depends on it.
func (s *Session) IndexRebuild(ctx context.Context) (r *IndexReport, err error) {
	s.closeIndex()
	if err := index.Delete(s.abs(schema.IndexDBPath)); err != nil {
		return nil, err
	}
	err = s.withKnown(ctx, []part{memoryPart{}, summariesPart{}, wordsPart{}}, func(k *known) error {
		p, err := k.progress()
		if err != nil {
			return err
		}
		r = &IndexReport{Book: string(k.name), Path: schema.IndexDBPath, Chapters: p.Chapters}
		if r.Facts, err = k.book.CountFacts(); err != nil {
			return err
		}
		texts, err := k.book.Range(thingDoc, 0, endPos, 0, false)
		r.Texts = len(texts)
		return err
	})
	return r, err
}
