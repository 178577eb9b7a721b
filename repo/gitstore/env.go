package gitstore

import (
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

func (e Env) step(name string) {
	if e.Failpoint != nil {
		e.Failpoint(name)
	}
}
