// Package gitcmd is the only place that starts the git program. git-novel works without it; what needs it (network with
// credential helpers, signing, the author's own commit hooks, filters) goes through here (DESIGN 6).
//
// A run has no shell, an environment built from an allow-list (inside a hook git exports GIT_INDEX_FILE and GIT_DIR, which
// would send a child to the wrong repository), no terminal prompt unless asked for, no optional locks, English messages,
// its own process group that is killed as a group, and bounded output. The program's path is resolved once and is absolute.
// Refs, keys and paths are passed as parsed values behind "--" or "--end-of-options" by the callers.
//
// It must not interpret what git says beyond exit codes and must not be used for anything the native engine does.
// It may import schema and nothing else of ours.
package gitcmd
