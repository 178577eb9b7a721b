package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"git-novel/repo/atomicfile"
	"git-novel/schema"
)

// trustFile remembers, beside the user's config.toml, which programs of which library the user has agreed to.
const trustFile = "trust.json"

// maxTrustFile and maxTrusted bound what is read of it, in bytes and libraries.
const (
	maxTrustFile = 1 << 20
	maxTrusted   = 4096
)

// maxScriptBytes bounds a script of the library that a proposed command names.
const maxScriptBytes = 4 << 20

// trust is the content of trustFile: the digest of the proposal by the library's folder.
type trust struct {
	Libraries map[string]string `json:"libraries"`
}

// trustPath is the file of the user, "" when the environment names no folder for it.
func (s *Session) trustPath() string {
	dir := userConfigDir(runtime.GOOS, s.o.Getenv)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "git-novel", trustFile)
}

// readTrust reads what the user agreed to. A damaged file is agreement to nothing.
func (s *Session) readTrust() trust {
	t := trust{}
	if p := s.trustPath(); p != "" {
		if f, err := os.Open(p); err == nil {
			data, err := io.ReadAll(io.LimitReader(f, maxTrustFile))
			_ = f.Close()
			if err != nil || json.Unmarshal(data, &t) != nil {
				t = trust{}
			}
		}
	}
	if t.Libraries == nil {
		t.Libraries = map[string]string{}
	}
	return t
}

// trusts reports whether the user agreed to exactly what the library proposes now.
func (s *Session) trusts(library *schema.Config) (bool, error) {
	digest, err := s.proposal(library)
	if err != nil || digest == "" {
		return false, err
	}
	return s.readTrust().Libraries[s.lib.Root()] == digest, nil
}

// proposal identifies the programs that the library names: commands, arguments, limits, and the bytes of every file of the
// library that they name, because a script that changes with the next pull is another program. It is "" when none is named.
func (s *Session) proposal(library *schema.Config) (string, error) {
	named := library.AgentsDigest()
	if named == "" {
		return "", nil
	}
	h := sha256.New()
	h.Write([]byte(named))
	for _, role := range schema.Roles() {
		for _, word := range library.Agent(role).Command {
			sum, there, err := s.scriptSum(word)
			if err != nil {
				return "", err
			}
			if there {
				h.Write([]byte(word + "\x00" + sum + "\x00"))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// scriptSum is the content of a file of the library that a word of a command names.
func (s *Session) scriptSum(word string) (sum string, there bool, err error) {
	if i := strings.LastIndexByte(word, '='); i >= 0 && strings.HasPrefix(word, "-") {
		word = word[i+1:]
	}
	if word == "" || strings.HasPrefix(word, "-") {
		return "", false, nil
	}
	p := word
	if !filepath.IsAbs(p) {
		p = filepath.Join(s.lib.Root(), filepath.FromSlash(p))
	}
	rel, err := filepath.Rel(s.lib.Root(), p)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false, nil //nolint:nilerr // outside of the library
	}
	info, err := os.Stat(p)
	if err != nil || !info.Mode().IsRegular() {
		return "", false, nil //nolint:nilerr // a word, not a file
	}
	if info.Size() > maxScriptBytes {
		return "", false, schema.Errorf(schema.CodeInvalid, "%s is too large to be trusted as a script: %d bytes", word, info.Size())
	}
	data, err := os.ReadFile(p)
	if err != nil {
		return "", false, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", word)
	}
	return schema.HashBlob(data).String(), true, nil
}

// agreed stores the user's agreement to a digest.
func (s *Session) agreed(digest string) error {
	p := s.trustPath()
	if p == "" {
		return schema.Errorf(schema.CodeUsage, "the environment names no folder for the user's settings").
			WithHint("set HOME or XDG_CONFIG_HOME")
	}
	t := s.readTrust()
	t.Libraries[s.lib.Root()] = digest
	for root := range t.Libraries { // libraries that are gone make room
		if len(t.Libraries) <= maxTrusted {
			break
		}
		if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
			delete(t.Libraries, root)
		}
	}
	data, err := schema.Marshal(t)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "the folder of the user's settings cannot be made")
	}
	return atomicfile.WriteFile(p, data, 0o600)
}
