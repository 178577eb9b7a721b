package gitstore

import "path/filepath"

// Signing reports whether the author wants commits signed.
func (r *Repo) Signing() bool { return r.config.Bool("commit.gpgsign", false) }

// ForeignBesidesSigning is Foreign without the signature: signing alone needs the git program for one object only, not for
// the whole transaction.
func (r *Repo) ForeignBesidesSigning(paths []string) (reason string, foreign bool) {
	for _, name := range commitHooks() {
		if file := filepath.Join(r.HooksDir(), name); foreignHook(file, 0) {
			return "the hook " + file, true
		}
	}
	if reason := r.foreignAttributes(paths); reason != "" {
		return reason, true
	}
	if ix, err := r.ReadIndex(); err == nil && ix.Unsupported != "" {
		return ix.Unsupported, true
	}
	return "", false
}
