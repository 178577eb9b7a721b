package hooks

import "slices"

// The hooks that git-novel installs, by git's names.
const (
	PreCommit    = "pre-commit"
	CommitMsg    = "commit-msg"
	PrePush      = "pre-push"
	PostMerge    = "post-merge"
	PostCheckout = "post-checkout"
	PreReceive   = "pre-receive"
)

// ClientNames lists the hooks of a repository that a person works in.
func ClientNames() []string { return []string{PreCommit, CommitMsg, PrePush, PostMerge, PostCheckout} }

// ServerNames lists the hooks of a bare repository that is pushed to.
func ServerNames() []string { return []string{PreReceive} }

// allNames lists every hook that could be ours.
func allNames() []string { return append(ClientNames(), ServerNames()...) }

// names lists the hooks of a place.
func names(server bool) []string {
	if server {
		return ServerNames()
	}
	return ClientNames()
}

// readsInput reports the hooks that git gives a list of refs on standard input.
func readsInput(name string) bool { return name == PrePush || name == PreReceive }

// afterwards reports the hooks that git runs when all is done: their answer changes nothing.
func afterwards(name string) bool { return name == PostMerge || name == PostCheckout }

// IsName reports a hook that Run knows.
func IsName(name string) bool { return slices.Contains(allNames(), name) }
