// Package workflow is what git-novel does: one file per verb, one exported method of Session (or one function) per command
// and tool. A verb is straight-line: gather facts, decide with the pure rules of workflow/state, act in one repo.Update,
// and return what happened as a value. The command line, the MCP server, the hooks and the panel call the same methods, so
// no rule is written twice.
//
// It may import repo and schema and its own sub-packages. It must not print, must not know a front end, must not read the
// environment, and changes tracked files through repo.Update only. Progress comes back as values (an iterator of steps) or
// through the plain counter that a caller of a long import hands in.
package workflow
