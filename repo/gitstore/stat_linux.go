//go:build linux

package gitstore

import (
	"os"
	"syscall"
)

// fillSys takes the fields that the portable FileInfo does not have, truncated to 32 bits as git does.
func (d *statData) fillSys(st os.FileInfo) {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	d.ctimeSec, d.ctimeNsec = uint32(sys.Ctim.Sec), uint32(sys.Ctim.Nsec)           //nolint:gosec // git stores the low 32 bits
	d.dev, d.ino, d.uid, d.gid = uint32(sys.Dev), uint32(sys.Ino), sys.Uid, sys.Gid //nolint:gosec // same
}
