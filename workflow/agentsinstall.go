package workflow

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"git-novel/repo"
	"git-novel/repo/atomicfile"
	"git-novel/schema"
	"git-novel/workflow/agentkit"
)

// InstallInput asks for the files of one client.
type InstallInput struct {
	Client string
	Force  bool // replace files that were edited
	Commit bool // put them into git too
}

// FileStatus says what became of one file.
type FileStatus string

// What becomes of a file.
const (
	FileWritten FileStatus = "written"
	FileSame    FileStatus = "unchanged"
	FileKept    FileStatus = "kept" // edited, so left alone
)

// InstalledFile is one file of a client.
type InstalledFile struct {
	Path   string     `json:"path"`
	Status FileStatus `json:"status"`
}

// InstallReport is what AgentsInstall did.
type InstallReport struct {
	Client string          `json:"client"`
	Files  []InstalledFile `json:"files"`
	Commit string          `json:"commit,omitempty"`
}

// Wrote reports that some file is new.
func (r *InstallReport) Wrote() bool {
	for _, f := range r.Files {
		if f.Status == FileWritten {
			return true
		}
	}
	return false
}

// maxClientFile bounds a client's file that we put an entry into, in bytes.
const maxClientFile = 4 << 20

// AgentsInstall writes the agents, the skill, the guard hook and the MCP entry for a client into the library. A file that
// differs from ours was edited and stays, unless Force; entries in files that others use too are added without touching
// theirs. The files do not enter git unless Commit: whether others get them is the author's to say.
func (s *Session) AgentsInstall(ctx context.Context, in InstallInput) (*InstallReport, error) {
	files, err := agentkit.Files(agentkit.Client(in.Client))
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(s.lib.Root())
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "the library's folder cannot be opened")
	}
	defer func() { _ = root.Close() }()
	r := &InstallReport{Client: in.Client}
	// Everything is worked out before anything is written: a file that cannot be read stops the command whole.
	data := make([][]byte, len(files))
	for i, f := range files {
		status, out, err := fileFor(root, f, in.Force)
		if err != nil {
			return nil, err
		}
		r.Files, data[i] = append(r.Files, InstalledFile{Path: f.Path, Status: status}), out
	}
	for i, f := range r.Files {
		if f.Status != FileWritten {
			continue
		}
		if _, err := atomicfile.MkdirAll(root, path.Dir(f.Path), 0o755); err != nil {
			return nil, err
		}
		if err := atomicfile.Write(root, f.Path, data[i], 0o644); err != nil {
			return nil, err
		}
	}
	if !in.Commit {
		return r, nil
	}
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		for _, f := range r.Files {
			if _, err := tx.Take(f.Path); err != nil {
				return err
			}
		}
		tx.Message(s.message(schema.Message{Verb: schema.VerbConfig, Subject: "代理文件 " + in.Client}))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if res.Changed {
		r.Commit = res.Commit.String()
	}
	return r, nil
}

// fileFor decides what a file will hold.
func fileFor(root *os.Root, f agentkit.File, force bool) (FileStatus, []byte, error) {
	have, there, err := clientFile(root, f.Path)
	if err != nil {
		return "", nil, err
	}
	if f.Merge != nil {
		out, edited, err := f.Merge(have, force)
		switch {
		case err != nil:
			return "", nil, schema.Wrap(err, schema.CodeInvalid, "%s cannot be added to", f.Path).WithHint("repair the file, or move it away")
		case edited:
			return FileKept, have, nil
		case there && bytes.Equal(out, have):
			return FileSame, have, nil
		}
		return FileWritten, out, nil
	}
	switch {
	case there && bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), f.Data):
		return FileSame, have, nil
	case there && !force:
		return FileKept, have, nil
	}
	return FileWritten, f.Data, nil
}

func clientFile(root *os.Root, name string) (data []byte, there bool, err error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", name)
	}
	if !info.Mode().IsRegular() || info.Size() > maxClientFile {
		return nil, false, schema.Errorf(schema.CodeConflict, "%s is no ordinary file", name).WithHint("move it away first")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, false, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", name)
	}
	defer func() { _ = f.Close() }()
	if data, err = io.ReadAll(f); err != nil {
		return nil, false, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", name)
	}
	return data, true, nil
}
