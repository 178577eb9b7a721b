// Package guard tells which files a tool call of an AI agent would change, as far as that can be seen before it runs.
//
// It owns: the shapes in which clients describe a call, and a reading of shell command lines: words, quotes, redirects,
// here-documents, substitutions, nested shells, and what the usual programs write. It is pure: it opens no file, runs
// nothing, and does not know which files matter. That a line it cannot read changes nothing is not claimed; the git hooks
// judge what reaches git. It may import the schema only.
package guard
