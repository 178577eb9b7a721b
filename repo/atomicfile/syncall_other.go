//go:build !linux

package atomicfile

import "os"

// CanSyncAll says whether SyncAll works on this system.
const CanSyncAll = false

// SyncAll is for systems that sync a file system as a whole.
func SyncAll(*os.Root) error { return nil }
