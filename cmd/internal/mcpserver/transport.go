package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxQueued is how many calls may wait behind the one that runs; after that the input is not read on (reference 1.14).
const maxQueued = 32

// lineTransport is newline-delimited JSON-RPC. Unlike the SDK's own, it survives what a client must not send: a message that
// is too long, that is no JSON, or a batch is answered with an error, and the next line is read. And it hands out one call of
// a tool at a time: the SDK runs calls at once, and of two segments that a client sends one behind the other the second must
// not be written first.
type lineTransport struct {
	in    io.Reader
	out   io.Writer
	limit int // bytes of one message
}

// Connect starts reading.
func (t *lineTransport) Connect(context.Context) (mcp.Connection, error) {
	c := &lineConn{
		out: t.out, lines: make(chan line), closed: make(chan struct{}), open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1),
	}
	go c.scan(bufio.NewReaderSize(t.in, 64<<10), t.limit)
	return c, nil
}

type line struct {
	data    []byte
	tooLong bool
	head    []byte // of a line that is too long: its beginning, which names the call
	err     error
}

type lineConn struct {
	lines  chan line
	closed chan struct{}
	once   sync.Once

	// Only Read uses these.
	queue []*jsonrpc.Request // calls of tools that wait for their turn
	end   error              // the input has ended, with this

	mu       sync.Mutex // guards what follows
	out      io.Writer
	open     map[jsonrpc.ID]bool // calls that were handed out and not answered yet; true: of a tool
	answered chan struct{}       // a call was answered
}

func (c *lineConn) SessionID() string { return "" }

func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// scan reads lines until the input ends. It outlives Close when the input stays silent; it then holds nothing but a buffer.
func (c *lineConn) scan(r *bufio.Reader, limit int) {
	for {
		l := readLine(r, limit)
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// maxHead is how much of a line that is too long is kept, in bytes.
const maxHead = 4 << 10

// readLine reads one line. Of one that is too long it keeps the beginning only.
func readLine(r *bufio.Reader, limit int) line {
	var l line
	for {
		part, err := r.ReadSlice('\n')
		if !l.tooLong {
			if len(l.data)+len(bytes.TrimRight(part, "\r\n")) > limit {
				l.head = bytes.Clone(append(l.data, part...)[:min(maxHead, len(l.data)+len(part))])
				l.tooLong, l.data = true, nil
			} else {
				l.data = append(l.data, part...)
			}
		}
		switch {
		case err == nil:
			return l
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && (len(l.data) > 0 || l.tooLong):
			return l // the last line has no line end; the end itself is read next
		default:
			l.err = err
			return l
		}
	}
}

// Read gives the next message. At the end of the input it first waits until every call is answered: the SDK cancels what is
// under way when the input ends, but a script that pipes its calls in wants their answers.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if msg := c.next(); msg != nil {
			return msg, nil
		}
		lines := c.lines
		switch {
		case c.end != nil && len(c.queue) == 0 && c.idle():
			return nil, c.end
		case c.end != nil || len(c.queue) >= maxQueued:
			lines = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case <-c.answered:
		case l := <-lines:
			if msg := c.take(l); msg != nil {
				return msg, nil
			}
		}
	}
}

// next gives the call whose turn it is.
func (c *lineConn) next() jsonrpc.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return nil
	}
	for _, tool := range c.open {
		if tool {
			return nil
		}
	}
	req := c.queue[0]
	c.queue = c.queue[1:]
	c.open[req.ID] = true
	return req
}

func (c *lineConn) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) == 0
}

// take reads a line. It gives the message when that may be handed out at once.
func (c *lineConn) take(l line) jsonrpc.Message {
	if l.err != nil {
		c.end = l.err
		return nil
	}
	if l.tooLong {
		c.refuse(idInHead(l.head), jsonrpc.CodeInvalidRequest, "message too long")
		return nil
	}
	data := bytes.TrimSpace(bytes.TrimPrefix(l.data, []byte("\xef\xbb\xbf")))
	if len(data) == 0 {
		return nil
	}
	msg, err := jsonrpc.DecodeMessage(data)
	switch {
	case err == nil:
	case !json.Valid(data):
		c.refuse(nil, jsonrpc.CodeParseError, "parse error: the line is not one JSON value")
		return nil
	case data[0] == '[':
		c.refuse(nil, jsonrpc.CodeInvalidRequest, "batches are not supported")
		return nil
	default:
		c.refuse(idOf(data), jsonrpc.CodeInvalidRequest, "invalid request: "+err.Error())
		return nil
	}
	req, ok := msg.(*jsonrpc.Request)
	switch {
	case !ok:
	case !req.IsCall():
		c.cancelQueued(req)
	case req.Method == "tools/call":
		c.queue = append(c.queue, req)
		return nil
	default:
		c.mu.Lock()
		c.open[req.ID] = false
		c.mu.Unlock()
	}
	return msg
}

// cancelQueued takes a call that is cancelled before its turn out of the queue. It gets no answer, as the protocol says.
func (c *lineConn) cancelQueued(req *jsonrpc.Request) {
	if req.Method != "notifications/cancelled" {
		return
	}
	var p struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(req.Params, &p) != nil {
		return
	}
	id, err := jsonrpc.MakeID(p.RequestID)
	if err != nil {
		return
	}
	c.queue = slices.DeleteFunc(c.queue, func(r *jsonrpc.Request) bool { return r.ID == id })
}

// Write sends one message.
func (c *lineConn) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.out.Write(append(data, '\n'))
	if res, ok := msg.(*jsonrpc.Response); ok {
		delete(c.open, res.ID)
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return err
}

// refuse answers a line that is no message.
func (c *lineConn) refuse(id json.RawMessage, code int, why string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why},
	})
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.out.Write(append(data, '\n'))
}

// idOf finds the id of a message that is no valid request, so that the client can tell which one it was.
func idOf(data []byte) json.RawMessage {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(data, &m) != nil || len(m.ID) == 0 || m.ID[0] == '{' || m.ID[0] == '[' {
		return nil
	}
	return m.ID
}

// idInHead finds the id in the beginning of a message, when it comes before the part that is too long: a client that gets no
// answer to its call waits for ever. nil when it is not there.
func idInHead(head []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		if key == "id" {
			return idOf([]byte(`{"id":` + string(value) + `}`))
		}
	}
	return nil
}
