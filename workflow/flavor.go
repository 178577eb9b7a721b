package workflow

import (
	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/review"
)

// growFlavor puts the phrases that a recorded review confirmed into ai-flavor.txt, in the commit of the review. An edit of
// the file that the author has not saved becomes part of it. A list that cannot be read stops no review.
func (s *Session) growFlavor(tx *repo.Tx, issues []schema.Issue, text []byte) ([]string, error) {
	data, err := s.lib.ReadFile(schema.AIFlavorPath)
	seen := schema.HashBlob(data)
	if err != nil {
		if schema.CodeOf(err) != schema.CodeNotFound {
			return nil, err
		}
		data, seen = nil, schema.OID{}
	}
	out, added, err := review.Learn(schema.AIFlavorPath, data, issues, string(text))
	if err != nil {
		s.notice(schema.Textf("%s cannot be read, so nothing was learned from the review: %s", schema.AIFlavorPath, firstFault(err)))
		return nil, nil
	}
	if len(added) == 0 {
		return nil, nil
	}
	return added, tx.Replace(schema.AIFlavorPath, out, seen)
}
