package repo

import (
	"context"

	"git-novel/schema"
)

// Result is what an Update did.
type Result struct {
	Commit  schema.OID            // the new commit; HEAD's when none was made
	Changed bool                  // a commit was made, a ref moved or a file changed
	Paths   []string              // paths in which the commit differs from its parent, sorted
	Sides   map[string]schema.OID // commits made by Tx.Side, by ref
}

// Update runs fn once, under the library lock, and turns what it asked for into one commit.
func (l *Library) Update(ctx context.Context, fn func(tx *Tx) error) (*Result, error) {
	_, _ = ctx, fn
	return nil, schema.Errorf(schema.CodeUnexpected, "unfinished")
}

// InitOptions say how a library is made.
type InitOptions struct {
	Options
	// Branch is the first branch of a repository that is made; "" is init.defaultBranch, else main.
	Branch string
}

// Init makes dir a library, or opens the one that is there.
func Init(ctx context.Context, dir string, o Options) (*Library, error) {
	_, _, _ = ctx, dir, o
	return nil, schema.Errorf(schema.CodeUnexpected, "unfinished")
}
func (l *Library) recoverIdle(context.Context) error { return nil }
func reflogLine(string) string                       { return "" }
func foldedName(a, b string) bool                    { return false }
func quoteArg(s string) string                       { return s }
