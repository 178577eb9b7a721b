package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// TrashPrefix begins the full name of every trash branch.
const TrashPrefix = "refs/heads/trash/"

// TagPrefix begins the full name of every chapter tag.
const TagPrefix = "refs/tags/novel/"

// TrashInput is what goes to a trash branch.
type TrashInput struct {
	Name    string // of the branch, before the time: a book, or book-chapter; escaped here
	Kind    schema.TrashKind
	At      time.Time
	Paths   []string // the worktree's version is kept, else the last commit's; a path that is in neither is left out
	Message string
}

// Trash makes, in the same transaction, a branch whose one commit holds the paths as they lie on disk, edits that were
// never saved included (DESIGN 12). The commit has no parent, so that `git show BRANCH` lists all of it; the message names
// the commit that it was taken from. It returns the branch's short name. Taking the paths out of the current branch is the
// caller's, with RemoveKept.
func Trash(tx *Tx, in TrashInput) (branch string, err error) {
	ref, err := freeTrashRef(tx, in)
	if err != nil {
		return "", err
	}
	message := trashMessage(tx, in.Kind, in.Message)
	err = tx.Side(ref, func(b *gitstore.Batch, head *Snapshot) (*gitstore.Commit, error) {
		var edits []gitstore.Edit
		for _, p := range in.Paths {
			data, err := tx.Library().ReadFile(p)
			if errors.Is(err, fs.ErrNotExist) {
				data, _, err = head.Read(p)
			}
			if errors.Is(err, fs.ErrNotExist) || schema.CodeOf(err) == schema.CodeNotFound {
				continue
			}
			if err != nil {
				return nil, err
			}
			edits = append(edits, gitstore.Edit{Path: p, Mode: gitstore.ModeFile, ID: b.Blob(data)})
		}
		if len(edits) == 0 {
			return nil, schema.Errorf(schema.CodeNotFound, "there is nothing to move to the trash branch")
		}
		tree, err := b.PatchTree(schema.OID{}, edits)
		if err != nil {
			return nil, err
		}
		return &gitstore.Commit{Tree: tree, Message: message}, nil
	})
	return ref[len("refs/heads/"):], err
}

// trashMessage completes a message with what tells trash branches apart and where they come from.
func trashMessage(tx *Tx, kind schema.TrashKind, message string) string {
	message = trimNewlines(message)
	if kind != "" {
		message += "\n" + schema.TrailerTrash + ": " + string(kind)
	}
	return message + "\n" + schema.TrailerFrom + ": " + tx.Snapshot().Commit().String() + "\n"
}

// freeTrashRef names the branch: a counter is added when the time is taken already.
func freeTrashRef(tx *Tx, in TrashInput) (string, error) {
	if _, taken, err := tx.Library().Store().Ref("refs/heads/trash"); err != nil {
		return "", err
	} else if taken {
		return "", schema.Errorf(schema.CodeConflict, "a branch is called trash, so no trash branch can be made").
			WithHint("give it another name first: git branch -m trash NAME")
	}
	stamp := in.At.UTC().Format(schema.TimeStamp)
	for n := 1; ; n++ {
		again := stamp
		if n > 1 {
			again = fmt.Sprintf("%s-%d", stamp, n)
		}
		ref := "refs/heads/" + schema.TrashBranch(schema.BookName(in.Name), "", again)
		_, taken, err := tx.Library().Store().Ref(ref)
		if err != nil {
			return "", err
		}
		if !taken {
			return ref, nil
		}
	}
}

// RemoveKept takes a path whose worktree version a trash branch holds out of the current branch and from disk. A path that
// is in neither is nothing to do.
func RemoveKept(tx *Tx, path string) error {
	blob, err := tx.Library().FileBlob(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && schema.CodeOf(err) != schema.CodeNotFound {
		return err
	}
	return tx.RemoveSeen(path, blob)
}

func trimNewlines(s string) string {
	for len(s) > 0 && s[len(s)-1] == '\n' {
		s = s[:len(s)-1]
	}
	return s
}
