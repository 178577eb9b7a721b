//go:build !linux && !darwin && !freebsd && !netbsd

package gitstore

import "os"

// fillSys has nothing to add: git for Windows stores zeros in these fields too, and elsewhere a zero makes git look again.
func (d *statData) fillSys(os.FileInfo) {}
