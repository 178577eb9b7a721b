package repo

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-novel/schema"
)

func TestShownURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ raw, want string }{
		{"/backups/novel.git", "/backups/novel.git"},
		{"git@example.com:me/novel.git", "git@example.com:me/novel.git"},
		{"https://example.com/x.git", "https://example.com/x.git"},
		{"https://me:sesame@example.com/x.git", "https://example.com/x.git"},
		{"https://ghp_token@example.com/x.git", "https://example.com/x.git"},
		{"https://me:p%zz@example.com/x", "https://example.com/x"}, // does not parse
		{"https://me:a@b@example.com/x", "https://example.com/x"},
		{"https://example.com/x.git?token=sesame", "https://example.com/x.git"},
		{"ssh://me@example.com:22/x", "ssh://example.com:22/x"},
		{"https://example.com", "https://example.com"},
	}
	for _, tt := range tests {
		if got := ShownURL(tt.raw); got != tt.want {
			t.Errorf("ShownURL(%q) = %q, want %q", tt.raw, got, tt.want)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	const address = "https://me:sesame@example.com/x.git?token=zz"
	for _, text := range []string{
		"fatal: unable to access '" + address + "/'",
		"fatal: unable to access 'https://example.com/x.git?token=zz/'",
		"remote: me:sesame@example.com is not known",
		"password sesame was refused",
	} {
		got := redact(text, address)
		for _, secret := range []string{"sesame", "token=zz"} {
			if strings.Contains(got, secret) {
				t.Errorf("redact(%q) = %q holds %q", text, got, secret)
			}
		}
	}
	if got := redact("plain words", "/a/b"); got != "plain words" {
		t.Errorf("%q", got)
	}
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	dir := string(filepath.Separator) + filepath.Join("home", "me")
	tests := []struct{ address, want string }{
		{"../b.git", filepath.Join(dir, "..", "b.git")},
		{"备份", filepath.Join(dir, "备份")},
		{"./a:b", filepath.Join(dir, "a:b")},
		{"/mnt/b.git", filepath.FromSlash("/mnt/b.git")},
		{"file:///mnt/b%20c/../d", filepath.FromSlash("/mnt/d")},
		{"file://localhost/mnt/b", filepath.FromSlash("/mnt/b")},
		{"file://host/b", filepath.FromSlash("host/b")}, // not absolute: AddBackup refuses it
		{"https://example.com/x", ""},
		{"git@example.com:x.git", ""},
		{"host:x.git", ""},
	}
	for _, tt := range tests {
		if got := localPath(tt.address, dir); got != tt.want {
			t.Errorf("localPath(%q) = %q, want %q", tt.address, got, tt.want)
		}
	}
}

func TestBackupName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"b": true, "备份": true, "my-disk_2": true,
		"": false, "-x": false, "a/b": false, "a.b": false, "a b": false, "a\nb": false, "..": false, strings.Repeat("x", 101): false,
	} {
		if got := isBackupName(name); got != want {
			t.Errorf("isBackupName(%q) = %v", name, got)
		}
	}
}

func TestManySpecs(t *testing.T) {
	t.Parallel()
	id := schema.HashBlob([]byte("x"))
	refs := []Push{{Name: "refs/heads/main", ID: id}}
	specs := []string{id.String() + ":refs/heads/main"}
	if got := manySpecs(refs, specs); !slices.Equal(got, specs) {
		t.Errorf("a short list changes: %v", got)
	}
	for i := range 1000 {
		p := Push{Name: TagPrefix + "书/" + schema.NumberKey(i+1).ID() + "/r1", ID: id}
		if i == 7 {
			p.Note = schema.Textf("elsewhere")
		} else {
			specs = append(specs, id.String()+":"+p.Name)
		}
		refs = append(refs, p)
	}
	want := []string{
		id.String() + ":refs/heads/main", "refs/tags/novel/*:refs/tags/novel/*", "^refs/tags/novel/书/0008/r1",
	}
	if got := manySpecs(refs, specs); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
