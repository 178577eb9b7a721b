package workflow

import (
	"path/filepath"
	"testing"
)

func TestUserConfigDir(t *testing.T) {
	t.Parallel()
	abs := string(filepath.Separator) + "x"
	tests := []struct {
		goos string
		vars map[string]string
		want string
	}{
		{"linux", map[string]string{"HOME": abs, "XDG_CONFIG_HOME": filepath.Join(abs, "c")}, filepath.Join(abs, "c")},
		{"linux", map[string]string{"HOME": abs, "XDG_CONFIG_HOME": "relative"}, filepath.Join(abs, ".config")},
		{"linux", map[string]string{"HOME": abs}, filepath.Join(abs, ".config")},
		{"linux", nil, ""},
		{"darwin", map[string]string{"HOME": abs, "XDG_CONFIG_HOME": abs}, filepath.Join(abs, "Library", "Application Support")},
		{"darwin", nil, ""},
		{"windows", map[string]string{"AppData": abs, "HOME": "y"}, abs},
	}
	for _, tt := range tests {
		got := userConfigDir(tt.goos, func(k string) string { return tt.vars[k] })
		if got != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.goos, tt.vars, got, tt.want)
		}
	}
}
