package gitstore

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Env is what the engine takes from the process around it.
type Env struct {
	Home          string // the user's home directory, for ~/.gitconfig
	XDGConfigHome string // empty means Home/.config
	Getenv        func(string) string
	Clock         func() time.Time
	// Failpoint, when set, is called before each step that changes the disk, with the name of the step. Crash tests stop
	// the process there.
	Failpoint func(name string)
	// CreateLock, when set, creates a lock file exclusively, instead of a plain exclusive creation: an error that is
	// fs.ErrExist when the name is taken. It lets the caller keep track of which locks are its own.
	CreateLock func(name string) (*os.File, error)
	// Cache is a folder for files that can be deleted at any time; "" is none. It need not exist.
	Cache string
}

func (e Env) get(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

func (e Env) xdg() string {
	if e.XDGConfigHome != "" {
		return e.XDGConfigHome
	}
	if e.Home != "" {
		return filepath.Join(e.Home, ".config")
	}
	return ""
}

// expand resolves "~/" in a config value; "~user/" stays as it is, which matches nothing.
func (e Env) expand(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok && e.Home != "" {
		return filepath.Join(e.Home, filepath.FromSlash(rest)) + trailingSlash(rest)
	}
	return p
}

func trailingSlash(p string) string {
	if strings.HasSuffix(p, "/") || p == "" {
		return "/"
	}
	return ""
}

func (e Env) createLock(name string) (*os.File, error) {
	if e.CreateLock != nil {
		return e.CreateLock(name)
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // git's own mode for lock files
}

func (e Env) step(name string) {
	if e.Failpoint != nil {
		e.Failpoint(name)
	}
}
