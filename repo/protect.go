package repo

import (
	"strings"

	"git-novel/schema"
)

// unsaved says why a path may not be overwritten and how to go on.
func (tx *Tx) unsaved(c *change) error {
	if c.seen.IsZero() {
		return schema.Errorf(schema.CodeConflict, "%s was deleted and the deletion is not saved", c.path).
			WithHint("bring it back with: git restore -- %s", quoteArg(c.path))
	}
	if data, err := tx.l.ReadFile(c.path); err == nil {
		if err := schema.CheckTracked(c.path, data); err != nil {
			return asDamaged(c.path, err)
		}
	}
	if c.head.IsZero() {
		return schema.Errorf(schema.CodeConflict, "%s exists on disk and is not saved", c.path).
			WithHint("save it with: git add -- %[1]s && git commit -- %[1]s, or move it away", quoteArg(c.path))
	}
	err := schema.Errorf(schema.CodeConflict, "%s holds an edit that is not saved", c.path)
	if strings.HasPrefix(c.path, novelsDir+"/") {
		return err.WithHint("keep it with: git novel chapter save, or drop it with: git restore -- %s", quoteArg(c.path))
	}
	return err.WithHint("keep it with: git commit -- %[1]s, or drop it with: git restore -- %[1]s", quoteArg(c.path))
}

func (tx *Tx) edited(path string) error {
	return schema.Errorf(schema.CodeConflict, "%s was changed while the command was at work", path).
		WithHint("run the command again")
}
