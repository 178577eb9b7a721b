package mcpserver

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Resources are the chapters and the summaries of the library that is served:
//
//	novel:///BOOK/chapters/CHAPTER   the text on disk
//	novel:///BOOK/summaries          all summaries, as JSON
//	novel:///BOOK/summaries/CHAPTER  one summary
//
// BOOK and CHAPTER are percent-encoded. The list is made anew for each question, for chapters come and go.
const (
	resourceScheme = "novel"
	partChapters   = "chapters"
	partSummaries  = "summaries"

	resourcePage = 200 // entries of one page of the list

	mimeText = "text/markdown"
	mimeJSON = "application/json"
)

func resourceURI(parts ...string) string {
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return resourceScheme + ":///" + strings.Join(parts, "/")
}

func (s *Server) addResources() {
	for _, t := range []mcp.ResourceTemplate{
		{Name: "chapter", Title: "章节正文", URITemplate: resourceScheme + ":///{book}/" + partChapters + "/{chapter}", MIMEType: mimeText},
		{Name: "summary", Title: "章节摘要", URITemplate: resourceScheme + ":///{book}/" + partSummaries + "/{chapter}", MIMEType: mimeText},
		{Name: "summaries", Title: "全部摘要", URITemplate: resourceScheme + ":///{book}/" + partSummaries, MIMEType: mimeJSON},
	} {
		s.sdk.AddResourceTemplate(&t, s.readResource)
	}
	s.sdk.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch r := req.(type) {
			case *mcp.ListResourcesRequest:
				return s.listResources(ctx, r)
			case *mcp.ReadResourceRequest:
				// A URI with Chinese letters as they are means the same as the encoded one.
				if u, err := url.Parse(r.Params.URI); err == nil && u.Scheme == resourceScheme {
					r.Params.URI = u.String()
				}
			}
			return next(ctx, method, req)
		}
	})
}

// listResources lists the chapters of all books, and the summaries of each book as one.
func (s *Server) listResources(ctx context.Context, req *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	res := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
	cacheable(ctx, req, &res.Cacheable)
	ses, err := s.open(ctx, "", "")
	if schema.CodeOf(err) == schema.CodeNotLibrary {
		return res, nil
	}
	if err != nil {
		return nil, errText(err)
	}
	defer ses.Close()
	all, err := s.resources(ctx, ses)
	if err != nil {
		return nil, errText(err)
	}
	from := 0
	if req.Params != nil && req.Params.Cursor != "" {
		if from, err = strconv.Atoi(req.Params.Cursor); err != nil || from < 0 {
			return nil, errText(schema.Errorf(schema.CodeInvalid, "the cursor %q is none of ours", req.Params.Cursor))
		}
	}
	from = min(from, len(all))
	to := min(from+resourcePage, len(all))
	res.Resources = append(res.Resources, all[from:to]...)
	if to < len(all) {
		res.NextCursor = strconv.Itoa(to)
	}
	return res, nil
}

func (s *Server) resources(ctx context.Context, ses *workflow.Session) ([]*mcp.Resource, error) {
	books, err := ses.BookList(ctx)
	if err != nil {
		return nil, err
	}
	summaries, chapters := ses.ToolAllowed(schema.ToolSummary) == nil, ses.ToolAllowed("novel_read") == nil
	var all []*mcp.Resource
	for _, b := range books {
		if summaries {
			all = append(all, &mcp.Resource{
				Name: b.Book + " 摘要", Title: "《" + b.Book + "》的章节摘要", URI: resourceURI(b.Book, partSummaries), MIMEType: mimeJSON,
			})
		}
		if !chapters || len(b.Faults) > 0 {
			continue
		}
		rows, err := s.chapters(ctx, b.Book)
		if err != nil {
			continue // a damaged book hides no other
		}
		for _, r := range rows {
			all = append(all, &mcp.Resource{
				Name: strings.TrimSpace(r.Key + " " + r.Title), Title: "《" + b.Book + "》" + strings.TrimSpace(r.Key+" "+r.Title),
				URI: resourceURI(b.Book, partChapters, r.Key), MIMEType: mimeText,
			})
		}
	}
	return all, nil
}

func (s *Server) chapters(ctx context.Context, book string) ([]workflow.ChapterRow, error) {
	ses, err := s.open(ctx, "", book)
	if err != nil {
		return nil, err
	}
	defer ses.Close()
	return ses.ChapterList(ctx)
}

// readResource gives one resource. What is switched off as a tool is switched off here too.
func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	uri := req.Params.URI
	book, part, chapter, ok := splitURI(uri)
	if !ok {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	ses, err := s.open(ctx, "", book)
	if err != nil {
		return nil, errText(err)
	}
	defer ses.Close()
	name := "novel_read"
	if part == partSummaries {
		name = schema.ToolSummary
	}
	if err := ses.ToolAllowed(name); err != nil {
		return nil, errText(err)
	}
	text, mime, err := resourceText(ctx, ses, part, chapter)
	if schema.CodeOf(err) == schema.CodeNotFound && err != nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	if err != nil {
		return nil, errText(err)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: text}}}, nil
}

func resourceText(ctx context.Context, ses *workflow.Session, part, chapter string) (text, mime string, err error) {
	if part == partChapters {
		r, err := ses.ChapterShow(ctx, chapter, "")
		if err != nil {
			return "", "", err
		}
		return r.Text, mimeText, nil
	}
	if chapter == "" {
		r, err := ses.Summary(ctx, workflow.SummaryInput{Action: "list"})
		if err != nil {
			return "", "", err
		}
		data, err := schema.Marshal(r.Summaries)
		return string(data), mimeJSON, err
	}
	r, err := ses.Summary(ctx, workflow.SummaryInput{Action: "get", Chapter: chapter})
	if err != nil {
		return "", "", err
	}
	if len(r.Summaries) == 0 {
		return "", "", schema.Errorf(schema.CodeNotFound, "chapter %s has no summary", chapter)
	}
	return r.Summaries[0].Summary + "\n", mimeText, nil
}

func splitURI(uri string) (book, part, chapter string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != resourceScheme || u.Host != "" {
		return "", "", "", false
	}
	parts := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i := range parts {
		if parts[i], err = url.PathUnescape(parts[i]); err != nil || parts[i] == "" {
			return "", "", "", false
		}
	}
	switch {
	case len(parts) == 3 && (parts[1] == partChapters || parts[1] == partSummaries):
		return parts[0], parts[1], parts[2], true
	case len(parts) == 2 && parts[1] == partSummaries:
		return parts[0], parts[1], "", true
	}
	return "", "", "", false
}

// errText is an error of a request that has no result to put it into.
func errText(err error) error {
	data, _ := json.Marshal(map[string]string{"code": string(schema.CodeOf(err))})
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "错误：" + zh.Failure(err), Data: data}
}
