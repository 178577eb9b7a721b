package cli

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// bar is a progress bar on stderr: drawn on a terminal, silent otherwise.
type bar struct{ b *progressbar.ProgressBar }

func (c *call) bar(label string) *bar {
	if !c.env.StderrTTY || c.env.json || c.Bool("quiet") {
		return &bar{}
	}
	return &bar{progressbar.NewOptions(1, progressbar.OptionSetWriter(c.env.Stderr), progressbar.OptionSetDescription(label),
		progressbar.OptionThrottle(50*time.Millisecond), progressbar.OptionClearOnFinish())}
}

// set shows done of total.
func (b *bar) set(done, total int) {
	if b.b == nil {
		return
	}
	b.b.ChangeMax(total)
	_ = b.b.Set(done) // a bar that cannot be drawn is no reason to stop the work
}

func (b *bar) finish() {
	if b.b != nil {
		_ = b.b.Finish()
	}
}
