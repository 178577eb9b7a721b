package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type options struct {
	quick, json bool
	rows        string
	reps        int
	dir         string
	tool        string
}

// Errors that have an exit status of their own.
var (
	errUsage = errors.New("usage")
	errGit   = errors.New("git")
)

func exitOf(ctx context.Context, err error) int {
	switch {
	case ctx.Err() != nil:
		return 130
	case errors.Is(err, errUsage):
		return 2
	case errors.Is(err, errGit):
		return 7
	}
	return 1
}

// bench is one run of the program.
type bench struct {
	options
	dir  string // work folder
	tool string // the git-novel that is measured
	git  string
	env  []string
	log  messages
	libs map[int]string // base libraries by number of chapters
}

// measure runs the chosen rows.
func measure(ctx context.Context, o options, log messages) (*report, error) {
	rows, err := chosen(o.rows)
	if err != nil {
		return nil, err
	}
	b, cleanup, err := newBench(ctx, o, log)
	if err != nil {
		return nil, err
	}
	defer cleanup()
	rep, err := b.header(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		results, err := r.run(ctx, b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		for _, res := range results {
			res.Row, res.What = r.name, r.what
			rep.add(res)
		}
	}
	return rep, nil
}

func newBench(ctx context.Context, o options, log messages) (b *bench, cleanup func(), err error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, nil, fmt.Errorf("%w is not on PATH, and its commands are what git-novel is measured against: install git and try again", errGit)
	}
	b = &bench{options: o, dir: o.dir, git: git, log: log, libs: map[int]string{}}
	cleanup = func() {}
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "novelbench-"); err != nil {
			return nil, nil, err
		}
		dir := b.dir
		cleanup = func() {
			if err := os.RemoveAll(dir); err != nil {
				log.say("%v", err)
			}
		}
	}
	if b.dir, err = filepath.Abs(b.dir); err == nil {
		err = b.prepare(ctx)
	}
	if err != nil {
		cleanup()
		return nil, nil, err
	}
	return b, cleanup, nil
}

// prepare makes the environment that both programs run in, and finds or builds git-novel.
func (b *bench) prepare(ctx context.Context) error {
	home := filepath.Join(b.dir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	config := "[user]\n\tname = novelbench\n\temail = novelbench@example.org\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		return err
	}
	b.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"TMPDIR=" + b.dir, "LC_ALL=C.UTF-8", "NOVEL_LANG=en", "GIT_CONFIG_NOSYSTEM=1", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
	}
	tool, err := b.findTool(ctx)
	if err != nil {
		return err
	}
	b.tool, err = filepath.Abs(tool)
	return err
}

func (b *bench) findTool(ctx context.Context) (string, error) {
	if b.options.tool != "" {
		return exec.LookPath(b.options.tool)
	}
	if p, err := exec.LookPath("git-novel"); err == nil {
		return p, nil
	}
	out := filepath.Join(b.dir, "bin", "git-novel")
	if os.PathSeparator == '\\' {
		out += ".exe"
	}
	b.log.say("building git-novel")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, "git-novel/cmd/git-novel")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("git-novel is not on PATH and cannot be built here: %w\n%s\nput it on PATH, name it with --git-novel, or run novelbench inside the source checkout",
			err, strings.TrimSpace(string(text)))
	}
	return out, nil
}

// messages go to standard error; there is nobody to tell when even that fails.
type messages struct{ w io.Writer }

func (m messages) say(format string, args ...any) {
	_, _ = fmt.Fprintf(m.w, "novelbench: "+format+"\n", args...)
}

// repetitions says how often a row is measured.
func (b *bench) repetitions(full, quick int) int {
	switch {
	case b.reps > 0:
		return b.reps
	case b.quick:
		return quick
	}
	return full
}

// series holds the times of one side.
type series []time.Duration

func (s series) median() time.Duration {
	t := slices.Sorted(slices.Values(s))
	switch n := len(t); {
	case n == 0:
		return 0
	case n%2 == 1:
		return t[n/2]
	default:
		return (t[n/2-1] + t[n/2]) / 2
	}
}

func (s series) timing() timing {
	return timing{Median: millis(s.median()), Min: millis(slices.Min(s)), Max: millis(slices.Max(s)), Repetitions: len(s)}
}

func millis(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}

// interleaved times a and b in turn. With warm it goes one unmeasured round first, which fills the caches of both.
func interleaved(n int, warm bool, a, b func() (time.Duration, error)) (sa, sb series, err error) {
	for warm || len(sa) < n {
		da, err := a()
		if err != nil {
			return nil, nil, err
		}
		db, err := b()
		if err != nil {
			return nil, nil, err
		}
		if warm {
			warm = false
			continue
		}
		sa, sb = append(sa, da), append(sb, db)
	}
	return sa, sb, nil
}
