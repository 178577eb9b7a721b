package gitstore

import (
	"os"
	"path/filepath"
)

// Busy reports a git operation that somebody started in this worktree and has not finished, by its git name.
func (r *Repo) Busy() (op string, busy bool) {
	exists := func(name string) bool {
		_, err := os.Lstat(filepath.Join(r.loc.GitDir, name))
		return err == nil
	}
	switch {
	case exists("MERGE_HEAD"):
		return "merge", true
	case exists("rebase-merge"):
		return "rebase", true
	case exists("rebase-apply/applying"):
		return "am", true
	case exists("rebase-apply"):
		return "rebase", true
	case exists("CHERRY_PICK_HEAD"):
		return "cherry-pick", true
	case exists("REVERT_HEAD"):
		return "revert", true
	case exists("sequencer/todo"):
		return "sequencer", true
	case exists("BISECT_LOG"):
		return "bisect", true
	}
	return "", false
}
