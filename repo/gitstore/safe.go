package gitstore

import (
	"path/filepath"
	"strings"

	"git-novel/schema"
)

// checkOwner is git's safe.directory rule: a repository of another user could make us run or believe what its owner
// wants, so it is opened only when the user's own configuration lists it. The list is taken from the system, user and
// command-line configuration only.
func checkOwner(loc Location, env Env, c *Config) error {
	paths := []string{loc.GitDir}
	if loc.WorkTree != "" {
		paths = append(paths, loc.WorkTree)
	}
	foreign := ""
	for _, p := range paths {
		if !ownedByUser(p, env) {
			foreign = p
			break
		}
	}
	if foreign == "" {
		return nil
	}
	root := loc.WorkTree
	if root == "" {
		root = loc.GitDir
	}
	if safeListed(root, env, c.protected("safe.directory")) {
		return nil
	}
	return schema.Errorf(schema.CodeGit, "%s belongs to another user, so git and git-novel do not work in it", foreign).
		WithHint("if you trust it: git config --global --add safe.directory %s", quoteArg(root))
}

// safeListed applies the list in order; an empty value clears what came before it.
func safeListed(root string, env Env, list []string) bool {
	ok := false
	for _, v := range list {
		switch {
		case v == "":
			ok = false
		case v == "*":
			ok = true
		case strings.HasSuffix(v, "/*"):
			base := realPath(env.expand(strings.TrimSuffix(v, "*")))
			rel, err := filepath.Rel(base, root)
			ok = ok || err == nil && rel != "." && filepath.IsLocal(rel)
		default:
			ok = ok || samePath(realPath(env.expand(v)), root)
		}
	}
	return ok
}

func realPath(p string) string {
	p = filepath.FromSlash(p)
	if target, err := filepath.EvalSymlinks(p); err == nil {
		return target
	}
	return filepath.Clean(p)
}

// quoteArg quotes a path for a shell when it needs it.
func quoteArg(p string) string {
	if strings.ContainsAny(p, " \t'\"\\$&|;<>()*?[]#~`!") {
		return "'" + strings.ReplaceAll(p, "'", `'\''`) + "'"
	}
	return p
}
