package workflow

import "git-novel/schema"

// damagedFiles are the faults of files of the book that are edited on disk and cannot be read as what they must be: its
// state.json and its summaries. Commands read the last commit's version of a record, and one that would write the file
// stops (DESIGN 3).
func (w *work) damagedFiles() []schema.Fault {
	var out []schema.Fault
	for _, path := range []string{schema.BookStatePath(w.name), schema.SummariesPath(w.name), schema.VolumesPath(w.name)} {
		disk, err := w.s.lib.FileBlob(path)
		if err != nil {
			continue
		}
		if head, ok, err := w.snap.Blob(path); err == nil && ok && head == disk {
			continue
		}
		data, err := w.s.lib.ReadFile(path)
		if err == nil {
			err = schema.CheckTracked(path, data)
		}
		if err != nil {
			out = append(out, faultsOf(err)...)
		}
	}
	return out
}
