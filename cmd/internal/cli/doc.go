// Package cli is the command line: one file per command group, and each command is parse → one workflow call → render.
// No rule of DESIGN 5 is decided here, and nothing here touches a file of a library.
//
// Conventions (DESIGN 8): flags are accepted before and after arguments (args.go reorders them, since urfave/cli stops at
// the first argument); --json prints exactly one JSON value on stdout, on failure one object {code, message, hint,
// details}; nothing but results goes to stdout, progress goes to stderr; exit codes stand in one table (exit.go).
//
// It may import workflow, hooks, repo, schema and cmd/internal/text. Every effect on the process goes through Env.
package cli
