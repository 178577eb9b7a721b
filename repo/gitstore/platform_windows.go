//go:build windows

package gitstore

import (
	"os"
	"strings"
)

// ownedByUser is always true: Windows owners are groups as often as users, and git's own check there compares security
// identifiers that say little about a folder on a removable disk.
func ownedByUser(string, Env) bool { return true }

func samePath(a, b string) bool { return strings.EqualFold(a, b) }

// syncDir does nothing: Windows has no handle for the entries of a directory, NTFS journals them itself.
func syncDir(string) error { return nil }

// executable reports that a hook file may run; there is no such bit on Windows.
func executable(st os.FileInfo) bool { return st.Mode().IsRegular() }
