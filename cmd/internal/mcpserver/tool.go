package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"git-novel/cmd/internal/text"
	"git-novel/schema"
	"git-novel/workflow"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// zh is the language of everything that a tool answers.
const zh = text.Chinese

// tools lists the tools in the order in which clients see them. Each stands in its own file.
func tools() []tool {
	return []tool{
		booksTool(), chaptersTool(), readTool(), newChapterTool(), draftTool(), summaryTool(), statusTool(), reviewTool(),
		chapterCommitTool(), diffTool(), historyTool(), backupTool(), sentenceConfigTool(), chapterBriefTool(), outlineTool(), contextTool(),
		queryTool(), importTool(), deleteBookTool(), diagnoseTool(),
	}
}

// tool is one tool.
type tool struct {
	name     string
	about    string
	args     []property
	required []string
	output   map[string]any // JSON Schema of the structured content, where a seed fixes it
	reads    bool           // changes nothing
	waits    bool           // on the network: takes no turn among those that write
	destroys bool           // has an action that cannot be taken back

	// early checks what the seed checks before anything else about the arguments, optional.
	early func(args) error
	run   func(context.Context, *call) (*answer, error)
}

// call is one running call.
type call struct {
	args

	s *workflow.Session
}

// answer is what a tool answers: text for the model, and the same as data.
type answer struct {
	text string
	data any
}

func (t tool) label() string {
	known, _ := schema.FindTool(t.name)
	return known.Label
}

// spec is the tool as clients see it.
func (t tool) spec() *mcp.Tool {
	spec := &mcp.Tool{
		Name: t.name, Title: t.label(), Description: t.about, InputSchema: object(t.args, t.required...),
		Annotations: &mcp.ToolAnnotations{Title: t.label(), ReadOnlyHint: t.reads, DestructiveHint: &t.destroys, OpenWorldHint: &t.waits},
	}
	if t.output != nil {
		spec.OutputSchema = t.output
	}
	return spec
}

// handler runs the tool for a client. Whatever goes wrong is a result with isError (reference 1.14), so that the model can
// read it; only a call that was cancelled has no one to read.
func (s *Server) handler(t tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := s.bound(ctx)
		defer cancel()
		release, err := s.turn(ctx, t)
		if err != nil {
			return failed(err), nil
		}
		defer release()
		a, notes, err := s.call(ctx, t, req)
		if err != nil {
			return failed(err, notes...), nil
		}
		data, err := encode(zh.Localize(a.data))
		if err != nil {
			return failed(schema.Wrap(err, schema.CodeUnexpected, "the answer cannot be put into JSON")), nil
		}
		res := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.text}}, StructuredContent: data}
		if len(notes) > 0 {
			res.Content = append(res.Content, &mcp.TextContent{Text: noteLines(notes)})
		}
		return res, nil
	}
}

// encode makes the data's JSON here, where a failure can still be told: the SDK would leave the call without an answer.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// call does the work: the library, the switch of the tool, the arguments, the tool, in this order.
func (s *Server) call(ctx context.Context, t tool, req *mcp.CallToolRequest) (*answer, []schema.Text, error) {
	a, err := parseArgs(req.Params.Arguments)
	if err != nil {
		return nil, nil, err
	}
	ses, err := s.open(ctx, a.optional("root"), a.optional("book"))
	if err != nil {
		return nil, nil, err
	}
	defer ses.Close()
	if err := ses.ToolAllowed(t.name); err != nil {
		return nil, nil, err
	}
	if t.early != nil {
		if err := t.early(a); err != nil {
			return nil, nil, err
		}
	}
	if err := a.known(t.args); err != nil {
		return nil, nil, err
	}
	r, err := t.run(ctx, &call{args: a, s: ses})
	return r, ses.Notices(), err
}

// bound ends a call with the process as well as with the client's cancellation.
func (s *Server) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	s.mu.Lock()
	stop := s.stop
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	off := context.AfterFunc(stop, cancel)
	return ctx, func() {
		off()
		cancel()
	}
}

// turn waits until the call may run.
func (s *Server) turn(ctx context.Context, t tool) (release func(), err error) {
	tokens := []chan struct{}{s.running}
	if !t.reads && !t.waits {
		tokens = append(tokens, s.writing)
	}
	for i, c := range tokens {
		select {
		case c <- struct{}{}:
		case <-ctx.Done():
			for _, taken := range tokens[:i] {
				<-taken
			}
			return nil, ctx.Err()
		}
	}
	return func() {
		for _, c := range tokens {
			<-c
		}
	}, nil
}

// failed is the result of a call that went wrong.
func failed(err error, notes ...schema.Text) *mcp.CallToolResult {
	code := schema.CodeOf(err)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		code = schema.CodeInterrupted
		err = schema.Errorf(code, "interrupted; what was acknowledged before is safe")
	}
	res := &mcp.CallToolResult{
		IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "错误：" + zh.Failure(err)}}, Meta: mcp.Meta{"git-novel/code": string(code)},
	}
	if len(notes) > 0 {
		res.Content = append(res.Content, &mcp.TextContent{Text: noteLines(notes)})
	}
	return res
}

// noteLines is what the library had to say on the way. It is a block of its own, for the first block is the seed's to the
// byte.
func noteLines(notes []schema.Text) string {
	lines := make([]string, len(notes))
	for i, n := range notes {
		lines[i] = "提示：" + zh.Text(n)
	}
	return strings.Join(lines, "\n")
}

// page is the seeds' frame around an answer.
type page struct{ strings.Builder }

func newPage(kind, path string) *page {
	p := &page{}
	if path != "" {
		p.add("<path>%s</path>", path)
	}
	p.add("<type>%s</type>", kind)
	p.add("<content>")
	return p
}

// add adds a line. The texts of answers are Chinese alone.
func (p *page) add(format string, values ...any) {
	p.WriteString(fmt.Sprintf(format, values...) + "\n")
}

func (p *page) end(data any) *answer {
	return &answer{text: p.String() + "</content>", data: data}
}
