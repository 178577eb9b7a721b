package gitstore

import (
	"os"
	"slices"

	"golang.org/x/sync/errgroup"

	"git-novel/schema"
)

// Pending is what has been written and renamed but not yet synced. A caller that keeps a journal of its own syncs the last
// steps of a transaction together, in one wait for the disk instead of one for each.
type Pending struct {
	files, dirs []string
}

func (p *Pending) join(q Pending) {
	for _, f := range q.files {
		if !slices.Contains(p.files, f) {
			p.files = append(p.files, f)
		}
	}
	for _, d := range q.dirs {
		if !slices.Contains(p.dirs, d) {
			p.dirs = append(p.dirs, d)
		}
	}
}

// Join adds what another step left.
func (p *Pending) Join(q Pending) { p.join(q) }

// Sync makes everything durable, side by side.
func (p Pending) Sync() error {
	var g errgroup.Group
	g.SetLimit(syncJobs)
	for _, file := range p.files {
		g.Go(func() error {
			if err := syncFile(file); err != nil {
				return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", file)
			}
			return nil
		})
	}
	for _, dir := range p.dirs {
		g.Go(func() error { return syncDirs([]string{dir}) })
	}
	return g.Wait()
}

func syncFile(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
