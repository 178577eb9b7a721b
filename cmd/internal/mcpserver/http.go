package mcpserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"git-novel/schema"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTP serves clients on a loopback address (streamable HTTP) until ctx ends. The address is printed for the person who
// runs the server, the port that was found included. Any other address is CodeUsage: the server has no users and no
// passwords.
func (s *Server) HTTP(ctx context.Context, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || !loopback(host) {
		return schema.Errorf(schema.CodeUsage, "%q is not an address of this machine alone", addr).
			WithHint("use 127.0.0.1:PORT; port 0 finds a free one")
	}
	s.until(ctx)
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return schema.Wrap(err, schema.CodeConflict, "cannot listen on %s", addr)
	}
	s.note("MCP: http://" + ln.Addr().String() + "/mcp")
	srv := &http.Server{Handler: s.web(), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if srv.Shutdown(end) != nil {
			_ = srv.Close() // open event streams do not end by themselves
		}
		return nil
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return schema.Wrap(err, schema.CodeUnexpected, "the server broke")
}

// web is the handler: loopback peer, loopback Host and same origin, and only then the protocol.
func (s *Server) web() http.Handler {
	protocol := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &mcp.StreamableHTTPOptions{
		MaxRequestBodyBytes: MaxMessage, SessionTimeout: 24 * time.Hour,
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", protocol)
	safe := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer, _, err := net.SplitHostPort(r.RemoteAddr)
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if err != nil || !loopback(peer) || !loopback(host) || foreignOrigin(r) {
			http.Error(w, "forbidden: loopback-only", http.StatusForbidden)
			return
		}
		safe.ServeHTTP(w, r)
	})
}

// foreignOrigin reports a request that a page of another site makes. Reading is guarded too: answers hold the author's text.
func foreignOrigin(r *http.Request) bool {
	o := r.Header.Get("Origin")
	return o != "" && o != "http://"+r.Host
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	if n := len(host); n > 2 && host[0] == '[' && host[n-1] == ']' {
		host = host[1 : n-1]
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
