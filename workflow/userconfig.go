package workflow

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"git-novel/schema"
)

// maxUserConfig bounds the user's config.toml, in bytes.
const maxUserConfig = 1 << 20

// userConfig reads the user's own config.toml, the only place that may name programs to run (DESIGN 11). Without one the
// content is empty.
func (s *Session) userConfig() (file string, data []byte, err error) {
	dir := userConfigDir(runtime.GOOS, s.o.Getenv)
	if dir == "" {
		return "", nil, nil
	}
	file = filepath.Join(dir, "git-novel", "config.toml")
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil, nil
	}
	if err != nil {
		return file, nil, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", file)
	}
	defer func() { _ = f.Close() }()
	data, err = io.ReadAll(io.LimitReader(f, maxUserConfig+1))
	if err != nil {
		return file, nil, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", file)
	}
	return file, data, nil
}

// userConfigDir is os.UserConfigDir for an environment that is handed in; "" when it names no folder.
func userConfigDir(goos string, getenv func(string) string) string {
	switch goos {
	case "windows":
		return getenv("AppData")
	case "darwin":
		if home := getenv("HOME"); home != "" {
			return filepath.Join(home, "Library", "Application Support")
		}
		return ""
	}
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".config")
	}
	return ""
}
