package hooks

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow"
)

// Result is what a hook that lets git go on has to say.
type Result struct {
	Notes []schema.Text `json:"notes,omitempty"`
}

// maxInput bounds what git hands to a hook: lists of refs and messages, in bytes.
const maxInput = 64 << 20

// run is one hook at work.
type run struct {
	o     workflow.Options
	store *gitstore.Repo
	notes []schema.Text
}

// Run is the hook name, called by git with args and input in the folder o.Dir. An error is the answer no, and its text is
// for the person who gave the git command: CodeRule when a rule is broken. Outside a library a client's hook has nothing
// to say.
func Run(ctx context.Context, name string, args []string, input io.Reader, o workflow.Options) (*Result, error) {
	if !IsName(name) {
		return nil, schema.Errorf(schema.CodeUsage, "git-novel has no hook %q", name)
	}
	r := &run{o: o}
	err := r.do(ctx, name, args, input)
	if r.store != nil {
		_ = r.store.Close()
	}
	if err != nil {
		return &Result{Notes: r.notes}, err
	}
	return &Result{Notes: r.notes}, nil
}

func (r *run) do(ctx context.Context, name string, args []string, input io.Reader) error {
	if afterwards(name) {
		r.restoreDrafts(ctx)
		return nil
	}
	here, err := r.open()
	if name == PreReceive {
		if err != nil {
			return err
		}
		return r.preReceive(ctx, input)
	}
	if err != nil || !here {
		return err
	}
	switch name {
	case PreCommit:
		return r.preCommit(ctx)
	case CommitMsg:
		return r.commitMsg(ctx, args)
	default:
		return r.prePush(args, input)
	}
}

// open opens the repository that git runs the hook in; false when it is none that git-novel works with.
func (r *run) open() (here bool, err error) {
	loc, err := gitstore.Discover(r.o.Dir)
	if schema.CodeOf(err) == schema.CodeNotLibrary && err != nil {
		return false, nil //nolint:nilerr // outside a library there is nothing to check
	}
	if err != nil {
		return false, err
	}
	// git names its folder when that is not where it looks by itself. Another one than ours is another repository.
	if dir := r.o.Getenv("GIT_DIR"); dir != "" && !sameFolder(r.abs(dir), loc.GitDir) {
		r.notes = append(r.notes, schema.Textf("the git folder %s is not that of %s, so nothing is checked", dir, r.o.Dir))
		return false, nil
	}
	if r.store, err = gitstore.Open(loc, env(r.o)); err != nil {
		if schema.CodeOf(err) == schema.CodeNotLibrary {
			return false, nil // a kind of repository that no library is made of
		}
		return false, err
	}
	return true, nil
}

// abs is a path of git's environment or arguments, which are relative to the folder it runs the hook in.
func (r *run) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.o.Dir, filepath.FromSlash(path))
}

func sameFolder(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

func readInput(in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read what git hands to the hook")
	}
	if len(data) > maxInput {
		return nil, schema.Errorf(schema.CodeInvalid, "git hands more than %d bytes to the hook", maxInput)
	}
	return data, nil
}
