//go:build unix

package gitstore

import (
	"os"
	"strconv"
	"syscall"
)

// ownedByUser reports that the file belongs to the effective user, or, under sudo, to the user who called it.
func ownedByUser(path string, env Env) bool {
	st, err := os.Lstat(path)
	if err != nil {
		return false
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	euid := os.Geteuid()
	if int64(sys.Uid) == int64(euid) {
		return true
	}
	if euid != 0 {
		return false
	}
	sudo, err := strconv.ParseUint(env.get("SUDO_UID"), 10, 32)
	return err == nil && uint64(sys.Uid) == sudo
}

func samePath(a, b string) bool { return a == b }

// syncDir makes the entries of a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

// executable reports that a hook file may run.
func executable(st os.FileInfo) bool { return st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 }
