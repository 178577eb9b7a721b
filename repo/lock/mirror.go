package lock

import (
	"context"
	"path/filepath"
	"time"

	"git-novel/schema"
)

// Mirror takes the lock of one draft mirror: name is that of its journal. It is held for one append, so waiting for it is
// short. Held by another for longer than wait: CodeConflict with who holds it.
//
// Order of locks: whoever holds the library lock may take this one, never the other way round.
func Mirror(ctx context.Context, dir, name string, wait time.Duration, who Holder) (*Lock, error) {
	l, held, err := take(ctx, filepath.Join(dir, "drafts", name+".lock"), wait, who)
	if err != nil || l != nil {
		return l, err
	}
	if held.PID == 0 {
		return nil, schema.Errorf(schema.CodeConflict, "another git-novel command is writing this draft (waited %s)", wait).
			WithHint("run the command again, or wait longer with --wait")
	}
	return nil, schema.Errorf(schema.CodeConflict, "process %s is writing this draft (waited %s)", held, wait).
		WithHint("run the command again, or wait longer with --wait")
}
