package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"git-novel/cmd/internal/mcpserver"
	"git-novel/repo/gitstore"
	"git-novel/repo/lock"
	"git-novel/schema"
	"git-novel/workflow"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// library is a library with a client that talks to its server through the SDK.
type library struct {
	t      testing.TB
	root   string
	opts   workflow.Options
	client *mcp.ClientSession
	stderr *safeBuffer
}

// newLibrary makes a library without a git program and connects a client to it.
func newLibrary(t testing.TB, change ...func(*mcpserver.Options)) *library {
	t.Helper()
	l := &library{t: t, root: filepath.Join(t.TempDir(), "书库")}
	l.opts = optionsFor(t)
	_, err := workflow.Init(t.Context(), l.opts, l.root)
	must(t, err)
	l.root, err = filepath.EvalSymlinks(l.root)
	must(t, err)
	l.opts.Dir = l.root
	l.connect(change...)
	return l
}

// optionsFor is a process with an identity, without git, and with a clock that moves on by a second at each look.
func optionsFor(t testing.TB) workflow.Options {
	home := t.TempDir()
	vars := map[string]string{
		"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "林晚", "GIT_AUTHOR_EMAIL": "lin@example.com",
		"GIT_COMMITTER_NAME": "林晚", "GIT_COMMITTER_EMAIL": "lin@example.com",
	}
	var mu sync.Mutex
	now := time.Now().Add(-time.Hour)
	return workflow.Options{
		Wait: 10 * time.Second, Getenv: func(k string) string { return vars[k] }, Command: "git novel mcp",
		LookPath: func(string) (string, error) { return "", errors.New("no program") },
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(time.Millisecond)
			return now
		},
	}
}

func (l *library) connect(change ...func(*mcpserver.Options)) {
	l.t.Helper()
	l.stderr = &safeBuffer{}
	o := mcpserver.Options{Workflow: l.opts, Version: "test", Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: l.stderr}
	for _, f := range change {
		f(&o)
	}
	s, err := mcpserver.New(o)
	must(l.t, err)
	here, there := mcp.NewInMemoryTransports()
	ctx, stop := context.WithCancel(context.WithoutCancel(l.t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, there) }()
	l.client, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, here, nil)
	must(l.t, err)
	l.t.Cleanup(func() {
		_ = l.client.Close()
		stop()
		if err := <-done; err != nil {
			l.t.Errorf("the server ended with %v", err)
		}
	})
}

// answer is what a tool said.
type answer struct {
	t     testing.TB
	text  string // of the first block
	all   string // of all blocks
	data  map[string]any
	raw   string // the structured content as it came
	isErr bool
}

// call calls a tool and hands back whatever it says.
func (l *library) call(tool string, args any) answer {
	l.t.Helper()
	return callTool(l.t, l.client, tool, args)
}

func callTool(t testing.TB, client *mcp.ClientSession, tool string, args any) answer {
	t.Helper()
	res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	must(t, err)
	a := answer{t: t, isErr: res.IsError, data: map[string]any{}}
	for i, c := range res.Content {
		block, ok := c.(*mcp.TextContent)
		if !ok {
			t.Fatalf("%s: block %d is a %T", tool, i, c)
		}
		if i == 0 {
			a.text = block.Text
		}
		a.all += block.Text + "\n"
	}
	if res.StructuredContent != nil {
		data, err := json.Marshal(res.StructuredContent)
		must(t, err)
		a.raw = string(data)
		must(t, json.Unmarshal(data, &a.data))
	}
	return a
}

// ok calls a tool that must succeed.
func (l *library) ok(tool string, args any) answer {
	l.t.Helper()
	a := l.call(tool, args)
	if a.isErr {
		l.t.Fatalf("%s %v failed: %s", tool, args, a.all)
	}
	return a
}

// fails calls a tool that must fail with exactly this text, without the leading 「错误：」.
func (l *library) fails(tool string, args any, want string) {
	l.t.Helper()
	a := l.call(tool, args)
	if got := strings.TrimPrefix(a.text, "错误："); !a.isErr || got == a.text || got != want {
		l.t.Errorf("%s %v: error %v, text %q, want %q", tool, args, a.isErr, a.text, "错误："+want)
	}
}

// in gives the library with another t, for a subtest.
func (l *library) in(t testing.TB) *library {
	m := *l
	m.t = t
	return &m
}

func (a answer) str(key string) string {
	a.t.Helper()
	s, ok := a.data[key].(string)
	if !ok {
		a.t.Errorf("%s is %T, want a string: %s", key, a.data[key], a.raw)
	}
	return s
}

func (a answer) num(key string) int {
	a.t.Helper()
	n, ok := a.data[key].(float64)
	if !ok || n != float64(int(n)) {
		a.t.Errorf("%s is %v, want an integer: %s", key, a.data[key], a.raw)
	}
	return int(n)
}

// obj is shorthand for arguments.
type obj = map[string]any

func (l *library) path(name string) string { return filepath.Join(l.root, filepath.FromSlash(name)) }

func (l *library) read(name string) string {
	l.t.Helper()
	data, err := os.ReadFile(l.path(name))
	must(l.t, err)
	return string(data)
}

func (l *library) write(name, text string) {
	l.t.Helper()
	must(l.t, os.MkdirAll(filepath.Dir(l.path(name)), 0o755))
	must(l.t, os.WriteFile(l.path(name), []byte(text), 0o644))
}

func (l *library) exists(name string) bool {
	_, err := os.Lstat(l.path(name))
	return err == nil
}

// mirror is the draft mirror of a book's draft key.
func mirror(book, key string) string { return schema.MirrorPath(schema.BookName(book), key) }

func ledger(book, key string) string { return schema.LedgerPath(schema.BookName(book), key) }

// tree describes every file below a folder: name, size, time of change.
func (l *library) tree(dir string) string {
	l.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(l.path(dir), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(path + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
		return nil
	})
	must(l.t, err)
	return b.String()
}

// session opens the library as another command would.
func (l *library) session(book string) *workflow.Session {
	l.t.Helper()
	o := l.opts
	o.Book = book
	s, err := workflow.Open(l.t.Context(), o)
	must(l.t, err)
	l.t.Cleanup(s.Close)
	return s
}

func (l *library) newBook(name string) {
	l.t.Helper()
	_, err := l.session("").BookNew(l.t.Context(), name)
	must(l.t, err)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// safeBuffer is a buffer that two goroutines may use.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// head is the last commit.
func (l *library) head() string {
	l.t.Helper()
	rows := l.log()
	if len(rows) == 0 {
		return ""
	}
	return rows[0].id
}

// message is the last commit's message.
func (l *library) message() string {
	l.t.Helper()
	return l.log()[0].message
}

type logged struct{ id, message string }

// log is the history, newest first.
func (l *library) log() []logged {
	l.t.Helper()
	loc, err := gitstore.Discover(l.root)
	must(l.t, err)
	r, err := gitstore.Open(loc, gitstore.Env{Getenv: l.opts.Getenv, Clock: l.opts.Now})
	must(l.t, err)
	defer func() { _ = r.Close() }()
	head, err := r.Head()
	must(l.t, err)
	var out []logged
	if head.Unborn {
		return out
	}
	must(l.t, r.Log(head.ID, func(c *gitstore.Commit) (bool, error) {
		out = append(out, logged{c.ID.String(), c.Message})
		return true, nil
	}))
	return out
}

// holds reports a blob with these bytes in the repository.
func (l *library) holds(content string) bool {
	l.t.Helper()
	loc, err := gitstore.Discover(l.root)
	must(l.t, err)
	r, err := gitstore.Open(loc, gitstore.Env{Getenv: l.opts.Getenv, Clock: l.opts.Now})
	must(l.t, err)
	defer func() { _ = r.Close() }()
	data, err := r.Blob(schema.HashBlob([]byte(content)))
	return err == nil && string(data) == content
}

// lock holds the library's lock, as a command at work does.
func (l *library) lock() (unlock func()) {
	l.t.Helper()
	k, err := lock.Library(l.t.Context(), filepath.Join(l.root, ".git", "novel"), time.Second, lock.Holder{Command: "test"})
	must(l.t, err)
	return k.Release
}
