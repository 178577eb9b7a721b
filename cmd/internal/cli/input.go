package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"git-novel/schema"
	"git-novel/workflow"
)

// maxInput bounds every file that is handed in, in bytes.
const maxInput = 64 << 20

// read reads a file argument, or standard input for "-". The size is bounded, a folder or a device is refused.
func (c *call) read(name string) ([]byte, error) {
	if name == "-" {
		if c.env.StdinTTY {
			c.notes([]schema.Text{schema.Textf("reading from the terminal; end with Ctrl-D")})
		}
		return bounded(c.env.Stdin, "-")
	}
	path := c.file(name)
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(err, name)
	}
	if !info.Mode().IsRegular() && info.Mode()&fs.ModeNamedPipe == 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "%s is not a file", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(err, name)
	}
	defer f.Close()
	return bounded(f, name)
}

func bounded(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", name)
	}
	if len(data) > maxInput {
		return nil, schema.Errorf(schema.CodeInvalid, "%s is larger than 64 MiB", name)
	}
	return data, nil
}

func unreadable(err error, name string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return schema.Errorf(schema.CodeNotFound, "%s does not exist", name)
	}
	return schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", name)
}

// optionalFile reads the file that a flag names; nil when the flag is absent.
func (c *call) optionalFile(flag string) (*workflow.File, error) {
	name := c.String(flag)
	if name == "" {
		return nil, nil //nolint:nilnil // absent is a value here
	}
	data, err := c.read(name)
	if err != nil {
		return nil, err
	}
	return &workflow.File{Name: name, Data: data}, nil
}
