package agent

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
	"unicode"

	"git-novel/schema"
)

// Names of the variables that an agent's program is given.
const (
	EnvRun = "NOVEL_RUN" // the run's id; git-novel knows by it that no person gives the command
	EnvOut = "NOVEL_OUT" // a file that may hold the result instead of standard output
)

const (
	maxStderr  = 64 << 10 // bytes kept of what a program says on the side
	shownLines = 8        // of them, in a message
	// waitDelay is how long a pipe is still read after the program ended: a grandchild may hold it open for ever.
	waitDelay = 2 * time.Second
)

// Command is an agent that is an outside program. It is started without a shell, in a process group of its own that ends
// with it, and gets the task as JSON on standard input (DESIGN 11).
type Command struct {
	Role      schema.Role
	Program   string   // absolute
	Args      []string // as configured
	Dir       string   // the library
	Environ   []string // of our process; GIT_* and NOVEL_* are taken out
	Temp      string   // an existing folder for the result file
	Timeout   time.Duration
	Retries   int // further tries after a failed one
	MaxOutput int // bytes
}

// Name is how records name the producer: agent:reviewer.
func (c *Command) Name() string { return "agent:" + string(c.Role) }

// Run starts the program and hands back what it answered, after the job's own check has taken it. A program that cannot be
// started, ends with another code than 0, takes too long, says too much or answers what the check refuses is tried again,
// and at last CodeAgent.
func (c *Command) Run(ctx context.Context, job Job) (*Result, error) {
	if job.Task.Kind.Role() != c.Role {
		return nil, schema.Errorf(schema.CodeUsage, "%s does not answer a task of kind %q", c.Name(), string(job.Task.Kind))
	}
	run := RunID(job.Task, c.Name())
	stdin, err := schema.Marshal(struct {
		schema.Task
		Run string `json:"run"`
	}{job.Task, run})
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		res, err := c.try(ctx, job, run, stdin)
		switch {
		case err == nil:
			return res, nil
		case ctx.Err() != nil:
			return nil, schema.Wrap(ctx.Err(), schema.CodeInterrupted, "the run of %s was interrupted", c.Name())
		case try >= c.Retries || schema.CodeOf(err) != schema.CodeAgent:
			return nil, err
		}
	}
}

func (c *Command) try(ctx context.Context, job Job, run string, stdin []byte) (*Result, error) {
	dir, err := os.MkdirTemp(c.Temp, "run-")
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "no folder for the result of %s", c.Name())
	}
	defer func() { _ = os.RemoveAll(dir) }()
	out := filepath.Join(dir, "out")
	data, err := c.start(ctx, run, out, stdin)
	if err != nil {
		return nil, err
	}
	file, err := c.handedIn(dir)
	if err != nil {
		return nil, err
	}
	if len(file) > 0 {
		data = file
	}
	files, err := filesOf(job.Task.Kind, data)
	if err == nil && job.Check != nil {
		err = job.Check(files)
	}
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeAgent, "the answer of %s cannot be used", c.Name()).
			WithHint("what it answers is held against the formats of `git novel schema`")
	}
	return &Result{Run: run, Producer: c.Name(), Depth: schema.DepthAgent, Files: files}, nil
}

// handedIn reads the result file, if the program made one. A link is not followed.
func (c *Command) handedIn(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil // the program took its folder away: standard output is the answer
	}
	defer root.Close()
	info, err := root.Lstat("out")
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil // no file: standard output is the answer
	}
	f, err := root.Open("out")
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeAgent, "the result file of %s cannot be read", c.Name())
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(c.MaxOutput)+1))
	switch {
	case err != nil:
		return nil, schema.Wrap(err, schema.CodeAgent, "the result file of %s cannot be read", c.Name())
	case len(data) > c.MaxOutput:
		return nil, c.tooMuch()
	}
	return data, nil
}

func (c *Command) tooMuch() error {
	return schema.Errorf(schema.CodeAgent, "%s answered with more than %d bytes", c.Name(), c.MaxOutput).
		WithHint("raise agents.%s.max_output, or have the program say less", string(c.Role))
}

// start runs the program once and gives its standard output.
func (c *Command) start(parent context.Context, run, out string, stdin []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(parent, c.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Program, c.Args...) //nolint:gosec // configured by the user, or trusted by the user (DESIGN 11)
	cmd.Dir, cmd.Env = c.Dir, append(cleanEnv(c.Environ), EnvRun+"="+run, EnvOut+"="+out)
	cmd.Stdin = strings.NewReader(string(stdin))
	stdout, stderr := &limited{limit: c.MaxOutput, full: cancel}, &lastBytes{limit: maxStderr}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = waitDelay
	ownGroup(cmd)
	err := cmd.Run()
	endGroup(cmd) // what the program left running in its group ends with it
	var exit *exec.ExitError
	switch {
	case parent.Err() != nil:
		return nil, parent.Err()
	case stdout.over:
		return nil, c.tooMuch()
	case ctx.Err() != nil:
		return nil, c.failed(stderr, schema.Textf("%s did not end within %s", c.Name(), c.Timeout.String()))
	case errors.Is(err, exec.ErrWaitDelay): // it ended well; somebody else held its pipe
	case errors.As(err, &exit):
		return nil, c.failed(stderr, schema.Textf("%s ended with %s", c.Name(), exit.String()))
	case err != nil:
		return nil, schema.Wrap(err, schema.CodeAgent, "%s cannot be started: %s", c.Name(), filepath.Base(c.Program))
	}
	return stdout.buf, nil
}

func (c *Command) failed(stderr *lastBytes, what schema.Text) error {
	e := schema.Errorf(schema.CodeAgent, what.Format, what.Args...)
	for _, line := range stderr.lines() {
		e = e.WithDetails(schema.Fault{Field: "stderr", Msg: schema.Textf("%s", line)})
	}
	return e.WithHint("`git novel agents list` shows what is run; nothing was changed")
}

// cleanEnv takes out what would lead the git programs of an agent into the repository that we were called from, and what
// belongs to another run.
func cleanEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name := strings.ToUpper(kv[:max(0, strings.IndexByte(kv, '='))])
		return strings.HasPrefix(name, "GIT_") || name == EnvRun || name == EnvOut
	})
}

// filesOf takes an answer apart by the kind of its task: a text is the text itself, a review is one JSON value, and the data
// agent answers with its three artifacts in one JSON object.
func filesOf(kind schema.TaskKind, data []byte) (map[string][]byte, error) {
	if strings.TrimSpace(string(data)) == "" {
		return nil, schema.Errorf(schema.CodeInvalid, "the answer is empty")
	}
	switch kind {
	case schema.TaskContext:
		return map[string][]byte{FileTaskBook: data}, nil
	case schema.TaskWrite, schema.TaskPolish:
		return map[string][]byte{FileText: data}, nil
	case schema.TaskReview:
		return map[string][]byte{FileReview: data}, nil
	case schema.TaskRecheck:
		return map[string][]byte{FileRecheck: data}, nil
	case schema.TaskData:
		return artifactsOf(data)
	}
	return nil, schema.Errorf(schema.CodeUnexpected, "there is no task of kind %q", string(kind))
}

// limited keeps at most limit bytes and says when there came more.
type limited struct {
	buf   []byte
	limit int
	over  bool
	full  func()
}

func (l *limited) Write(p []byte) (int, error) {
	if len(l.buf)+len(p) > l.limit {
		if !l.over {
			l.over = true
			l.full()
		}
		return 0, fmt.Errorf("more than %d bytes", l.limit)
	}
	l.buf = append(l.buf, p...)
	return len(p), nil
}

// lastBytes keeps the last limit bytes.
type lastBytes struct {
	buf   []byte
	limit int
}

func (t *lastBytes) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.limit; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

// lines gives the last lines without what could steer a terminal.
func (t *lastBytes) lines() []string {
	var out []string
	for line := range strings.SplitSeq(strings.ToValidUTF8(string(t.buf), "�"), "\n") {
		line = strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				return -1
			}
			return r
		}, line))
		if line != "" {
			out = append(out, line)
		}
	}
	return out[max(0, len(out)-shownLines):]
}
