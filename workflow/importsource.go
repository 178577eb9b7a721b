package workflow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/manuscript"
)

// Bounds of a source.
const (
	maxImportFiles = 20000
	maxImportBytes = 256 << 20
)

// source is how a manuscript was read.
type source struct {
	encodings []string
	notes     []schema.Text
	faults    []schema.Fault
	skipped   []string // files and links of a folder that are no text files
}

func (s *source) read(enc manuscript.Encoding, name string) {
	if cs := string(enc.Charset); !slices.Contains(s.encodings, cs) {
		s.encodings = append(s.encodings, cs)
	}
	if n := enc.CRLF + enc.CR; n > 0 {
		s.notes = append(s.notes, schema.Textf("%s: %d line ends became LF", name, n))
	}
}

// readManuscript decodes a file, or every text file of a folder in natural order, and finds the chapters. Files that cannot
// be read as text are refused all at once.
func readManuscript(ctx context.Context, in ImportInput) (*manuscript.Plan, *source, error) {
	info, err := os.Stat(in.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, schema.Errorf(schema.CodeNotFound, "%s does not exist", in.Path)
	case err != nil:
		return nil, nil, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", in.Path)
	}
	o := manuscript.Options{Renumber: in.Renumber}
	src := &source{}
	if !info.IsDir() {
		text, enc, err := decodeFile(in.Path, filepath.Base(in.Path))
		if err != nil {
			return nil, nil, err
		}
		src.read(enc, filepath.Base(in.Path))
		return manuscript.Split(text, o), src, nil
	}
	files, err := readFolder(ctx, in.Path, src)
	if err != nil {
		return nil, nil, err
	}
	return manuscript.FromFiles(files, o), src, nil
}

// readFolder decodes the text files of a folder and of the folders in it. Hidden ones are left out.
func readFolder(ctx context.Context, dir string, src *source) ([]manuscript.NamedText, error) {
	root, err := filepath.EvalSymlinks(dir) // WalkDir does not follow a link, not even the first
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", dir)
	}
	var files []manuscript.NamedText
	total := int64(0)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return schema.Wrap(ctx.Err(), schema.CodeInterrupted, "interrupted")
		}
		if err != nil {
			return schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", path)
		}
		if hidden := strings.HasPrefix(d.Name(), ".") && path != root; d.IsDir() || hidden {
			if hidden && d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return schema.Wrap(err, schema.CodeUnexpected, "%s cannot be named", path)
		}
		rel = filepath.ToSlash(rel)
		if !d.Type().IsRegular() || !isText(d.Name()) {
			src.skipped = append(src.skipped, rel)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", path)
		}
		if total += info.Size(); total > maxImportBytes || len(files) >= maxImportFiles {
			return schema.Errorf(schema.CodeInvalid, "%s holds more than %d files or %d bytes of text", dir, maxImportFiles, maxImportBytes)
		}
		text, enc, err := decodeFile(path, rel)
		if err != nil {
			src.faults = append(src.faults, faultOf(rel, err)...)
			return nil
		}
		src.read(enc, rel)
		files = append(files, manuscript.NamedText{Name: rel, Text: text})
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(src.faults) > 0:
		return nil, schema.Errorf(schema.CodeInvalid, "%d files of %s cannot be imported", len(src.faults), dir).WithDetails(src.faults...)
	case len(files) == 0:
		return nil, schema.Errorf(schema.CodeInvalid, "%s holds no .txt, .md or .markdown file", dir)
	}
	if len(src.skipped) > 0 {
		src.notes = append(src.notes, schema.Textf("no text files, left out: %s", few(src.skipped)))
	}
	return files, nil
}

// faultOf is an error about one file as faults of that file.
func faultOf(file string, err error) []schema.Fault {
	list := schema.DetailsOf(err)
	if len(list) == 0 {
		if e, ok := errors.AsType[*schema.Error](err); ok {
			return []schema.Fault{{File: file, Rule: "text", Msg: e.Msg}}
		}
		return []schema.Fault{{File: file, Rule: "text", Msg: schema.Textf("%s", err.Error())}}
	}
	for i := range list {
		list[i].File = file
	}
	return list
}

func isText(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".txt", ".md", ".markdown":
		return true
	}
	return false
}

// decodeFile reads one file of a manuscript in whatever encoding it has.
func decodeFile(path, name string) (string, manuscript.Encoding, error) {
	var none manuscript.Encoding
	info, err := os.Stat(path)
	if err != nil {
		return "", none, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", name)
	}
	if !info.Mode().IsRegular() {
		return "", none, schema.Errorf(schema.CodeInvalid, "%s is not a file", name)
	}
	if info.Size() > maxImportBytes {
		return "", none, schema.Errorf(schema.CodeInvalid, "%s has %d bytes, more than %d", name, info.Size(), maxImportBytes)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", none, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", name)
	}
	text, enc, err := manuscript.Decode(data)
	if err != nil {
		return "", none, schema.Wrap(err, schema.CodeOf(err), "%s cannot be imported", name)
	}
	return text, enc, nil
}
