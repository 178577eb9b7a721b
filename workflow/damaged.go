package workflow

import (
	"errors"
	"io/fs"

	"git-novel/schema"
	"git-novel/workflow/state"
)

// damagedFiles are the faults of files of the book whose version on disk is not the committed one and is of no use: its
// state.json, its summaries and its volumes when they are gone or cannot be read, state.json also when an edit stops every
// step, and the evidence of its chapters when it is gone, cannot be read, or was edited, for evidence is never written by hand. Commands read the last commit's version of a
// record, and one that would write the file stops (DESIGN 3). repair tells that `recover` has something to do.
func (w *work) damagedFiles() (faults []schema.Fault, repair bool, err error) {
	paths := []string{schema.BookStatePath(w.name), schema.SummariesPath(w.name), schema.VolumesPath(w.name)}
	evidence, err := w.evidencePaths()
	if err != nil {
		return nil, false, err
	}
	if paths, err = w.s.lib.Store().Unsure(append(paths, evidence...)); err != nil {
		return nil, false, err
	}
	for _, path := range paths {
		list, broken, err := w.damage(path)
		if err != nil {
			return nil, false, err
		}
		faults, repair = append(faults, list...), repair || broken
	}
	return faults, repair, nil
}

// evidencePaths are the records that the snapshot has of the chapters, outlines left out: those are the author's to edit.
func (w *work) evidencePaths() ([]string, error) {
	all, err := w.book.AllEvidence()
	if err != nil {
		return nil, err
	}
	var out []string
	for i, e := range all {
		dir := schema.RecordDir(w.name, w.book.Chapters[i].Key.ID()) + "/"
		if e.Review != nil {
			out = append(out, dir+schema.ReviewFile)
		}
		if e.Recheck != nil {
			out = append(out, dir+schema.RecheckFile)
		}
		if e.Commit != nil {
			out = append(out, dir+schema.CommitFile)
		}
	}
	return out, nil
}

// damage says what is wrong with one file on disk, and whether the committed version is to come back.
func (w *work) damage(path string) (faults []schema.Fault, broken bool, err error) {
	head, tracked, err := w.snap.Blob(path)
	if err != nil {
		return nil, false, err
	}
	disk, err := w.s.lib.FileBlob(path)
	switch {
	case err == nil && tracked && head == disk:
		return nil, false, nil
	case errors.Is(err, fs.ErrNotExist):
		if !tracked {
			return nil, false, nil
		}
		return []schema.Fault{{File: path, Rule: "record-gone", Msg: schema.Textf("was deleted by hand")}}, true, nil
	case err != nil:
		return faultsOf(err), true, nil
	}
	data, err := w.s.lib.ReadFile(path)
	if err == nil {
		err = schema.CheckTracked(path, data)
	}
	if err != nil {
		return faultsOf(err), true, nil
	}
	if !tracked {
		return nil, false, nil
	}
	word := state.ShellWord(path)
	switch schema.ParsePath(path).Kind {
	case schema.PathBookState:
		return []schema.Fault{{
			File: path, Rule: "state-edited",
			Msg: schema.Textf("holds an edit that is not saved, and no step can be taken; keep it with: git commit -- %s, or drop it with: git restore -- %s", word, word),
		}}, false, nil
	case schema.PathReview, schema.PathRecheck, schema.PathCommit:
		return []schema.Fault{{
			File: path, Rule: "record-edited",
			Msg: schema.Textf("was edited by hand and counts for nothing; drop the edit with: git restore -- %s", word),
		}}, false, nil
	default:
		return nil, false, nil
	}
}
