package workflow

import (
	"os"
	"path"

	"git-novel/repo/atomicfile"
	"git-novel/schema"
)

// makeFolder makes a folder of the library.
func (s *Session) makeFolder(name string) error {
	root, err := os.OpenRoot(s.lib.Root())
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "the library's folder cannot be opened")
	}
	defer func() { _ = root.Close() }()
	_, err = atomicfile.MkdirAll(root, name, 0o755)
	return err
}

// writeTemp puts a file into the work area of the library, which git ignores.
func (s *Session) writeTemp(name string, data []byte) error {
	root, err := os.OpenRoot(s.lib.Root())
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "the library's folder cannot be opened")
	}
	defer func() { _ = root.Close() }()
	if _, err := atomicfile.MkdirAll(root, path.Dir(name), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(root, name, data, 0o644)
}

// removeTemp takes a file out of the work area. What stays there does no harm, so a failure is none.
func (s *Session) removeTemp(name string) {
	root, err := os.OpenRoot(s.lib.Root())
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	_ = root.Remove(name)
}
