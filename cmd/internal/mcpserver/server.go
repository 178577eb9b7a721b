package mcpserver

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxMessage is the largest message that is read, in bytes (DESIGN 9).
const MaxMessage = 4 << 20

// maxRunning bounds the calls that run at once. Those that write take turns on top of that.
const maxRunning = 16

// Options is what the server knows about its process.
type Options struct {
	Workflow workflow.Options // Root, when the library was named, else Dir is where it is looked for
	Version  string
	Fallback bool // a root outside the served folder falls back to it (seed novel_summary), instead of being an error
	Stdin    io.Reader
	Stdout   io.Writer
	Stderr   io.Writer
}

// Server serves one folder: a library, or a folder with libraries in it.
type Server struct {
	o    Options
	base string // the folder, symlinks resolved
	sdk  *mcp.Server
	tool map[string]tool

	running chan struct{} // one token for each call at work
	writing chan struct{} // the token of the call that writes: in turn, so that no call starves at the library's lock

	mu   sync.Mutex
	stop context.Context //nolint:containedctx // ends with the process: running calls are cancelled then
}

// New makes a server. It fails with CodeUsage when the folder that was named is not there; that it holds no library is
// found out by each call, for one may be made meanwhile.
func New(o Options) (*Server, error) {
	dir := o.Workflow.Root
	if dir == "" {
		dir = o.Workflow.Dir
	}
	base, err := filepath.EvalSymlinks(dir)
	if err == nil {
		base, err = filepath.Abs(base)
	}
	if info, serr := os.Stat(base); err != nil || serr != nil || !info.IsDir() {
		return nil, schema.Errorf(schema.CodeUsage, "%s is not a folder", dir).
			WithHint("name the library's folder with --root, or start the server inside of it")
	}
	o.Workflow.Root, o.Workflow.Dir = base, base
	o.Workflow.LookPath = remember(o.Workflow.LookPath)
	o.Workflow.Actor.Terminal = false // whoever calls a tool is no person at a terminal
	s := &Server{
		o: o, base: base, tool: map[string]tool{}, running: make(chan struct{}, maxRunning), writing: make(chan struct{}, 1),
		stop: context.Background(),
	}
	s.sdk = mcp.NewServer(
		&mcp.Implementation{Name: "git-novel", Title: "git-novel 小说书库", Version: o.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}, SetCacheable: cacheable},
	)
	for _, t := range tools() {
		s.tool[t.name] = t
		s.sdk.AddTool(t.spec(), s.handler(t))
	}
	if err := s.addPrompts(); err != nil {
		return nil, err
	}
	s.addResources()
	return s, nil
}

// remember looks for a program once: each call opens the library anew, and a PATH can be long.
func remember(look func(string) (string, error)) func(string) (string, error) {
	var mu sync.Mutex
	found := map[string]string{}
	return func(name string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if p, ok := found[name]; ok {
			return p, nil
		}
		p, err := look(name)
		if err == nil {
			found[name] = p
		}
		return p, err
	}
}

// cacheable says how long clients may keep what they were told: the tools are the same for everyone, the author's text is
// the author's and changes.
func cacheable(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	c.TTLMs, c.CacheScope = 0, cachePrivate
	if _, ok := req.(*mcp.ListToolsRequest); ok {
		c.CacheScope = cachePublic
	}
}

// Values of cacheScope.
const (
	cachePublic  = "public"
	cachePrivate = "private"
)

// Stdio serves one client on standard input and output until the input ends or ctx does. Calls that are under way when the
// input ends are finished and answered.
func (s *Server) Stdio(ctx context.Context) error {
	return s.Serve(ctx, &lineTransport{in: s.o.Stdin, out: s.o.Stdout, limit: MaxMessage})
}

// Serve serves one client on a transport.
func (s *Server) Serve(ctx context.Context, t mcp.Transport) error {
	s.until(ctx)
	err := s.sdk.Run(ctx, t)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // being told to stop is how a server ends
	}
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "the connection to the client broke")
	}
	return nil
}

// until lets running calls end with ctx.
func (s *Server) until(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop = ctx
}

// note writes a line for the person who runs the server.
func (s *Server) note(line string) {
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, line)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.o.Stderr, line+"\n")
}
