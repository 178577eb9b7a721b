package workflow

import (
	"context"
	"maps"
	"slices"

	"git-novel/repo"
	"git-novel/schema"
)

// settingsFrom puts settings files of the author into the book, in one commit.
func (s *Session) settingsFrom(ctx context.Context, files map[string]string) error {
	_, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.gather(tx.Snapshot())
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if err := tx.Write(schema.SettingsDir(w.name)+"/"+name, []byte(files[name])); err != nil {
				return err
			}
		}
		tx.Message(s.message(schema.Message{Verb: schema.VerbBook, Book: string(w.name), Subject: "设定"}))
		return nil
	})
	return err
}
