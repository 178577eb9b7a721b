// Package hooks is what git runs in a repository of a library: the checks of a plain `git commit` and of a push, and the
// scripts that lead from git's hooks to them (DESIGN 12).
//
// It owns the scripts (shim.go), how they are put into a repository and taken out again (install.go, uninstall.go,
// status.go), and what each hook does (run.go and one file for each hook). No rule of DESIGN 5 is decided here: a commit is
// judged by the one checker, workflow/state, with the trees that git shows to the hook.
//
// A hook takes no lock and writes nothing, except that post-merge and post-checkout put draft segments back. It reads the
// environment of git once and deliberately: GIT_INDEX_FILE names what is about to be committed, and the GIT_*OBJECT* and
// GIT_QUARANTINE_PATH variables where the objects of a push lie. A client's hook that cannot find git-novel, or runs
// outside a library, passes; a server's hook that cannot judge refuses.
//
// It may import schema, repo and workflow.
package hooks
