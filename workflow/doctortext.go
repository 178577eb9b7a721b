package workflow

import (
	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// texts brings back chapter files that were deleted: the last commit's text, else the one that the records bind, else the
// newest in the history.
func (d *doctor) texts() error {
	st, raw, err := d.state()
	if err != nil || raw == nil {
		return err
	}
	book, err := repo.LoadBookWith(d.s.lib, d.tx.Snapshot(), d.book, raw)
	if err != nil {
		return err
	}
	if d.only != "" {
		if err := d.known(st, book); err != nil {
			return err
		}
	}
	var lost []*repo.Chapter
	for i := range book.Chapters {
		c := &book.Chapters[i]
		if !c.Missing || d.only != "" && !schema.SameKey(c.Key, d.only) {
			continue
		}
		found, err := d.text(c)
		if err != nil {
			return err
		}
		if !found {
			lost = append(lost, c)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return d.fromHistory(lost)
}

// known refuses a chapter that the book has never had.
func (d *doctor) known(st *schema.BookState, book *repo.Book) error {
	_, has := st.Progress.ChapterStatus[d.only.ID()]
	if has || len(d.done) > 0 || book.Find(d.only) != nil || len(book.FindForeign(d.only)) > 0 {
		return nil
	}
	return schema.Errorf(schema.CodeNotFound, "book %s has no chapter %s", string(d.book), string(d.only)).
		WithHint("`git novel chapter list` shows them")
}

// text brings one text back from the last commit or from what its records bind.
func (d *doctor) text(c *repo.Chapter) (bool, error) {
	if c.HeadPath != "" {
		data, _, err := d.tx.Snapshot().Read(c.HeadPath)
		if err != nil {
			return false, err
		}
		return true, d.back(c.HeadPath, data)
	}
	store := d.s.lib.Store()
	for _, b := range d.bindings(c.Key) {
		p := schema.ParsePath(b.Path)
		if p.Kind != schema.PathChapter || p.Book != d.book || !store.Has(b.Blob) {
			continue
		}
		data, err := store.Blob(b.Blob)
		if err != nil {
			return false, err
		}
		return true, d.back(b.Path, data)
	}
	return false, nil
}

// bindings lists the texts that the chapter's records name, the strongest evidence first.
func (d *doctor) bindings(key schema.ChapterKey) []schema.Binding {
	var out []schema.Binding
	read := func(path string, v any) bool {
		data, err := d.tx.Read(path)
		return err == nil && schema.Unmarshal(path, data, v) == nil
	}
	var commit schema.Commit
	if read(schema.CommitPath(d.book, key.ID()), &commit) {
		out = append(out, commit.Text)
	}
	var recheck schema.Recheck
	if read(schema.RecheckPath(d.book, key.ID()), &recheck) {
		out = append(out, recheck.Text)
	}
	var review schema.Review
	if read(schema.ReviewPath(d.book, key.ID()), &review) {
		out = append(out, review.Text)
	}
	return out
}

// fromHistory looks for texts commit by commit, the newest first.
func (d *doctor) fromHistory(lost []*repo.Chapter) error {
	wanted := map[string]*repo.Chapter{}
	for _, c := range lost {
		wanted[c.Key.ID()] = c
	}
	store := d.s.lib.Store()
	seen := map[schema.OID]bool{}
	err := store.Log(d.tx.Snapshot().Commit(), func(commit *gitstore.Commit) (bool, error) {
		dir, ok, err := store.Lookup(commit.Tree, schema.BookDir(d.book))
		if err != nil || !ok || seen[dir.ID] {
			return err == nil, err
		}
		seen[dir.ID] = true
		entries, err := store.Tree(dir.ID)
		if err != nil {
			return false, err
		}
		for _, e := range entries {
			f, ok := schema.ParseChapterFile(e.Name)
			if !ok || !e.Mode.IsFile() || wanted[f.Key.ID()] == nil {
				continue
			}
			data, err := store.Blob(e.ID)
			if err != nil {
				return false, err
			}
			if err := d.back(schema.ChapterPath(d.book, e.Name), data); err != nil {
				return false, err
			}
			delete(wanted, f.Key.ID())
		}
		return len(wanted) > 0, nil
	})
	if err != nil {
		return err
	}
	for _, c := range lost {
		if wanted[c.Key.ID()] != nil {
			d.say("git has no text of chapter %s; it stays missing", string(c.Key))
		}
	}
	return nil
}

// back puts a text to where nothing lies.
func (d *doctor) back(path string, data []byte) error {
	if _, ok, err := d.tx.Snapshot().Blob(path); err != nil {
		return err
	} else if !ok {
		d.put[path] = data
	}
	d.say("%s was missing and is back", path)
	return d.tx.Replace(path, data, schema.OID{})
}
