package workflow

import (
	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// RememberDeleted shows a State that StateAt made the books that were deleted on the way to a commit, so that a restore is
// judged as one. It looks only when the step makes a book: then the history is walked back, comparing the list of books,
// until nothing is left to find.
func RememberDeleted(store *gitstore.Repo, s *state.State, commit schema.OID, step state.Step) error {
	if commit.IsZero() || !makesBook(step) {
		return nil
	}
	var trees []schema.OID // before each deletion, the newest last
	var child, childTree schema.OID
	for id := commit; !id.IsZero(); {
		c, err := store.Commit(id)
		if err != nil {
			return err
		}
		books, err := booksTree(store, c.Tree)
		if err != nil {
			return err
		}
		if !childTree.IsZero() && books != child {
			lost, err := losesBook(store, books, child)
			if err != nil {
				return err
			}
			if lost {
				trees = append([]schema.OID{c.Tree}, trees...)
			}
		}
		child, childTree = books, c.Tree
		id = schema.OID{}
		if len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	for _, tree := range trees {
		if err := s.Remember(TreeOf(store, tree), blobs{store}); err != nil {
			return err
		}
	}
	return nil
}

// makesBook reports a step in which a book comes into being.
func makesBook(step state.Step) bool {
	for _, ch := range step.Changes {
		if ch.Old.IsZero() && !ch.New.IsZero() && schema.ParsePath(ch.Path).Kind == schema.PathBookState {
			return true
		}
	}
	return false
}

// booksTree is the tree of .novel-writer/books, zero when there is none.
func booksTree(store *gitstore.Repo, root schema.OID) (schema.OID, error) {
	e, ok, err := store.Lookup(root, schema.BooksDir)
	if err != nil || !ok || !e.IsDir() {
		return schema.OID{}, err
	}
	return e.ID, nil
}

// losesBook reports a name in one books tree that the next has not.
func losesBook(store *gitstore.Repo, before, after schema.OID) (bool, error) {
	if before.IsZero() {
		return false, nil
	}
	old, err := store.Tree(before)
	if err != nil {
		return false, err
	}
	here := map[string]bool{}
	if !after.IsZero() {
		now, err := store.Tree(after)
		if err != nil {
			return false, err
		}
		for _, e := range now {
			here[e.Name] = true
		}
	}
	for _, e := range old {
		if e.IsDir() && !here[e.Name] {
			return true, nil
		}
	}
	return false, nil
}
