package gitcmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-novel/schema"
)

// Git is the git program of this machine.
type Git struct {
	path   string
	getenv func(string) string
}

// Find resolves git once with lookPath (exec.LookPath, or a test's own). A relative result is not trusted: it would
// change its meaning with the folder. False when there is no git.
func Find(lookPath func(string) (string, error), getenv func(string) string) (*Git, bool) {
	if lookPath == nil || getenv == nil {
		return nil, false
	}
	p, err := lookPath("git")
	if err != nil || !filepath.IsAbs(p) {
		return nil, false
	}
	return &Git{path: p, getenv: getenv}, true
}

// Path is the absolute path of the program.
func (g *Git) Path() string { return g.path }

// Cmd is one run of git.
type Cmd struct {
	Dir   string   // passed as -C; "" leaves it out
	Args  []string // after the options of ours
	Env   []string // further NAME=value, over the allow-list
	Stdin []byte
	// Prompt lets git and its helpers ask on the terminal (signing, credentials).
	Prompt bool
	// MaxOutput bounds stdout in bytes; 0 is 64 MiB. More than that ends the run with an error.
	MaxOutput int64
	// Stdout, when set, receives the output as it comes, and Result.Stdout stays empty.
	Stdout io.Writer
	// Timeout ends the run; 0 is none beyond ctx.
	Timeout time.Duration
}

// Result is what a run gave.
type Result struct {
	Stdout []byte
	Stderr string // the last 64 KiB
	Code   int
}

const (
	maxStdout = 64 << 20
	maxStderr = 64 << 10
	waitDelay = 3 * time.Second
)

// allowed are the variables that reach git: who and where the user is, how to find keys and proxies, and the identity.
// Everything else that starts with GIT_ belongs to whoever started us.
func allowed() []string {
	return []string{
		"HOME", "PATH", "USER", "LOGNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
		"SYSTEMROOT", "COMSPEC", "PATHEXT", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "TMPDIR", "TEMP", "TMP", "TZ",
		"SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "GNUPGHOME", "GPG_TTY", "GPG_AGENT_INFO",
		"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "KRB5CCNAME",
		"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS",
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
		"GIT_COMMITTER_DATE", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH",
		"GIT_TEMPLATE_DIR", "EMAIL",
	}
}

func (g *Git) environ(c Cmd) []string {
	var env []string
	for _, k := range allowed() {
		if v := g.getenv(k); v != "" {
			env = append(env, k+"="+v)
		}
	}
	env = append(env, "LC_ALL=C", "LANGUAGE=C", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:")
	if !c.Prompt {
		env = append(env, "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never")
	}
	return append(env, c.Env...)
}

// Run starts git and waits for it. An exit code other than 0 is not an error of Run: the caller reads Result.Code, or
// uses Check. Errors: CodeInterrupted when ctx ended, CodeGit when git could not be started, took longer than Timeout, or
// wrote more than MaxOutput.
func (g *Git) Run(ctx context.Context, c Cmd) (Result, error) {
	run := ctx
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		run, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	args := []string{"-c", "core.quotePath=false", "-c", "core.fsync=loose-object,pack,pack-metadata,index,reference"}
	if c.Dir != "" {
		args = append([]string{"-C", c.Dir}, args...)
	}
	args = append(args, c.Args...)
	cmd := exec.CommandContext(run, g.path, args...) //nolint:gosec // absolute, resolved once; arguments are ours
	cmd.Env = g.environ(c)
	cmd.WaitDelay = waitDelay
	if c.Stdin != nil {
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	limit := c.MaxOutput
	if limit <= 0 {
		limit = maxStdout
	}
	stdout := &bounded{limit: limit}
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	} else {
		cmd.Stdout = stdout
	}
	stderr := &tail{limit: maxStderr}
	cmd.Stderr = stderr
	group(cmd, c.Prompt)
	err := cmd.Run()
	res := Result{Stdout: stdout.buf.Bytes(), Stderr: stderr.String()}
	if cmd.ProcessState != nil {
		res.Code = cmd.ProcessState.ExitCode()
	}
	switch {
	case ctx.Err() != nil:
		return res, schema.Wrap(ctx.Err(), schema.CodeInterrupted, "git was interrupted")
	case run.Err() != nil:
		return res, schema.Errorf(schema.CodeGit, "git %s did not end within %s", verb(c.Args), c.Timeout)
	case stdout.over:
		return res, schema.Errorf(schema.CodeGit, "git %s wrote more than %d bytes", verb(c.Args), limit)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return res, schema.Wrap(err, schema.CodeGit, "cannot run git %s", verb(c.Args))
	}
	return res, nil
}

// Check is Run for callers to whom every other exit code than 0 is a failure: CodeGit with what git wrote to stderr.
func (g *Git) Check(ctx context.Context, c Cmd) (Result, error) {
	res, err := g.Run(ctx, c)
	if err != nil {
		return res, err
	}
	if res.Code != 0 {
		return res, Failed(c, res)
	}
	return res, nil
}

// Failed is the error for a run that ended with another code than 0.
func Failed(c Cmd, res Result) *schema.Error {
	msg := strings.TrimSpace(res.Stderr)
	if msg == "" {
		return schema.Errorf(schema.CodeGit, "git %s failed with exit code %d", verb(c.Args), res.Code)
	}
	return schema.Errorf(schema.CodeGit, "git %s failed: %s", verb(c.Args), msg)
}

// verb is the subcommand for a message: arguments may hold addresses with credentials and are not shown.
func verb(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-c" {
			i++
			continue
		}
		if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}
	return ""
}

// Version gives the numbers of `git version`, for what older programs lack: {2, 39, 5}.
func (g *Git) Version(ctx context.Context) ([]int, error) {
	res, err := g.Check(ctx, Cmd{Args: []string{"version"}, Timeout: time.Minute})
	if err != nil {
		return nil, err
	}
	return parseVersion(string(res.Stdout)), nil
}

func parseVersion(s string) []int {
	var out []int
	fields := strings.Fields(s)
	if len(fields) < 3 {
		return nil
	}
	for part := range strings.SplitSeq(fields[2], ".") {
		n := 0
		digits := 0
		for _, r := range part {
			if r < '0' || r > '9' || digits > 6 {
				break
			}
			n = n*10 + int(r-'0')
			digits++
		}
		if digits == 0 {
			break
		}
		out = append(out, n)
	}
	return slices.Clip(out)
}

// bounded keeps at most limit bytes and fails the write that goes over.
type bounded struct {
	buf   bytes.Buffer
	limit int64
	over  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.buf.Len()+len(p)) > b.limit {
		b.over = true
		return 0, io.ErrShortWrite
	}
	return b.buf.Write(p)
}

// tail keeps the last limit bytes.
type tail struct {
	buf   []byte
	limit int
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.limit; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.buf) }
