package gitstore

import (
	"strings"

	"git-novel/schema"
)

// CheckRefName applies git's rules for a full ref name: HEAD and other names in capitals at the top, or something below
// refs/.
func CheckRefName(name string) error {
	if rootRef(name) || strings.HasPrefix(name, "refs/") && validRefPath(name) {
		return nil
	}
	return schema.Errorf(schema.CodeInvalid, "%q is not a valid ref name", name)
}

// rootRef reports names such as HEAD, ORIG_HEAD, MERGE_HEAD.
func rootRef(name string) bool {
	if name == "" {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < 'A' || c > 'Z') && c != '_' && c != '-' {
			return false
		}
	}
	return name[0] != '-'
}

// validRefPath is git check-ref-format.
func validRefPath(name string) bool {
	if name == "" || name == "@" || strings.HasSuffix(name, ".") || strings.Contains(name, "..") ||
		strings.Contains(name, "@{") || strings.ContainsAny(name, " ~^:?*[\\") {
		return false
	}
	for i := range len(name) {
		if name[i] < ' ' || name[i] == 0x7f {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// perWorktree reports refs that each linked worktree has for itself.
func perWorktree(name string) bool {
	return !strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "refs/bisect/") ||
		strings.HasPrefix(name, "refs/worktree/") || strings.HasPrefix(name, "refs/rewritten/")
}
