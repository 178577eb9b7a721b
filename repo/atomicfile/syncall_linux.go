package atomicfile

import (
	"os"

	"golang.org/x/sys/unix"

	"git-novel/schema"
)

// CanSyncAll says whether SyncAll works on this system.
const CanSyncAll = true

// SyncAll makes everything on root's file system durable with one call: for many new files that is faster than a sync of
// each, which waits for the disk every time.
func SyncAll(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot sync the folder %s", root.Name())
	}
	err = unix.Syncfs(int(d.Fd()))
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot sync the folder %s", root.Name())
	}
	return nil
}
