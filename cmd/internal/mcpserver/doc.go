// Package mcpserver offers the library to agents over the Model Context Protocol (DESIGN 9): tools, prompts and resources,
// over stdio or a loopback HTTP address.
//
// A tool is one file: its schema, and a function that reads the arguments, calls one workflow method and renders the
// answer; the list of tools stands in tool.go. No rule of DESIGN 5 is decided here, and nothing here touches a file of a
// library. Texts for the model are Chinese, as the seeds have them; errors come from the catalogue.
//
// It may import workflow, repo, schema and cmd/internal/text. Nothing but the protocol ever goes to standard output.
package mcpserver
