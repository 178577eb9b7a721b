package gitstore

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"git-novel/schema"
)

// maxIncludeDepth is git's own limit.
const maxIncludeDepth = 10

// configLoader reads the files in git's order.
type configLoader struct {
	loc     Location
	env     Env
	out     *Config
	protect bool
	depth   int
	// remotes is nil in the first pass; a hasconfig condition then is false and sets again.
	remotes []string
	second  bool
	again   bool
}

// loadConfig merges all sources. Conditions on remote URLs need a second pass, because a remote may be defined after the
// include that asks for it.
func loadConfig(loc Location, env Env) (*Config, error) {
	l := &configLoader{loc: loc, env: env, out: &Config{}}
	if err := l.run(); err != nil {
		return nil, err
	}
	if !l.again {
		return l.out, nil
	}
	two := &configLoader{loc: loc, env: env, out: &Config{}, second: true}
	for _, v := range l.out.vars {
		if strings.HasPrefix(v.key, "remote.") && strings.HasSuffix(v.key, ".url") {
			two.remotes = append(two.remotes, v.value)
		}
	}
	if err := two.run(); err != nil {
		return nil, err
	}
	return two.out, nil
}

func (l *configLoader) run() error {
	l.protect = true
	for _, f := range append(l.systemFiles(), l.globalFiles()...) {
		if err := l.file(f); err != nil {
			return err
		}
	}
	l.protect = false
	if l.loc.CommonDir != "" {
		if err := l.file(filepath.Join(l.loc.CommonDir, "config")); err != nil {
			return err
		}
		if l.out.Bool("extensions.worktreeconfig", false) {
			if err := l.file(filepath.Join(l.loc.GitDir, "config.worktree")); err != nil {
				return err
			}
		}
	}
	l.protect = true
	return l.environment()
}

func (l *configLoader) systemFiles() []string {
	if b, _ := parseBool(l.env.get("GIT_CONFIG_NOSYSTEM")); b {
		return nil
	}
	if f := l.env.get("GIT_CONFIG_SYSTEM"); f != "" {
		return []string{f}
	}
	switch runtime.GOOS {
	case "windows":
		if dir := l.env.get("PROGRAMFILES"); dir != "" {
			return []string{filepath.Join(dir, "Git", "etc", "gitconfig")}
		}
		return nil
	case "darwin":
		// Each distribution of git has its own prefix; a file of one that is not used does no harm.
		return []string{"/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"}
	default:
		return []string{"/etc/gitconfig"}
	}
}

func (l *configLoader) globalFiles() []string {
	if f := l.env.get("GIT_CONFIG_GLOBAL"); f != "" {
		return []string{f}
	}
	var out []string
	if dir := l.env.xdg(); dir != "" {
		out = append(out, filepath.Join(dir, "git", "config"))
	}
	if l.env.Home != "" {
		out = append(out, filepath.Join(l.env.Home, ".gitconfig"))
	}
	return out
}

// file reads one config file and what it includes; a missing file is empty.
func (l *configLoader) file(name string) error {
	data, err := readBounded(name, maxSmallFile)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) && l.protect {
		return nil
	}
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", name)
	}
	return parseConfig(name, data, func(v configVar) error { return l.variable(name, v) })
}

// variable takes one variable and follows it when it is an include.
func (l *configLoader) variable(file string, v configVar) error {
	v.protect = l.protect
	l.out.add(v)
	if v.key != "include.path" {
		cond, ok := strings.CutPrefix(v.key, "includeif.")
		if !ok {
			return nil
		}
		cond, ok = strings.CutSuffix(cond, ".path")
		if !ok || !l.condition(file, cond) {
			return nil
		}
	}
	if v.implicit || v.value == "" {
		return nil
	}
	target := l.env.expand(v.value)
	if !filepath.IsAbs(target) {
		if file == "" {
			return nil // git refuses relative includes from the command line
		}
		target = filepath.Join(filepath.Dir(file), filepath.FromSlash(target))
	}
	if l.depth >= maxIncludeDepth {
		return schema.Errorf(schema.CodeInvalid, "git config includes are nested more than %d deep at %s", maxIncludeDepth, target)
	}
	l.depth++
	defer func() { l.depth-- }()
	return l.file(target)
}

func (l *configLoader) condition(file, cond string) bool {
	kind, arg, ok := strings.Cut(cond, ":")
	if !ok {
		return false
	}
	switch kind {
	case "gitdir":
		return l.gitDirMatches(file, arg, false)
	case "gitdir/i":
		return l.gitDirMatches(file, arg, true)
	case "onbranch":
		ref, ok := headTarget(l.loc.GitDir)
		branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
		if strings.HasSuffix(arg, "/") {
			arg += "**"
		}
		return ok && isBranch && wildmatch(arg, branch, true, false)
	case "hasconfig":
		pattern, ok := strings.CutPrefix(arg, "remote.*.url:")
		if !ok {
			return false
		}
		if !l.second {
			l.again = true
			return false
		}
		for _, url := range l.remotes {
			if wildmatch(pattern, url, true, false) {
				return true
			}
		}
	}
	return false
}

// gitDirMatches applies git's rules for gitdir patterns: "~/", "./", "**/" before a relative one, "**" after a slash.
func (l *configLoader) gitDirMatches(file, pattern string, fold bool) bool {
	if l.loc.GitDir == "" {
		return false
	}
	env := l.env
	if home, err := filepath.EvalSymlinks(env.Home); err == nil {
		env.Home = home // the git directory is a real path too
	}
	pattern = filepath.ToSlash(env.expand(pattern))
	switch {
	case strings.HasPrefix(pattern, "./"):
		if file == "" {
			return false
		}
		dir := filepath.Dir(file)
		if target, err := filepath.EvalSymlinks(dir); err == nil {
			dir = target
		}
		pattern = globQuote(filepath.ToSlash(dir)) + pattern[1:]
	case !strings.HasPrefix(pattern, "/") && !filepath.IsAbs(filepath.FromSlash(pattern)):
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	return wildmatch(pattern, filepath.ToSlash(l.loc.GitDir), true, fold)
}

// globQuote makes a literal path safe inside a pattern.
func globQuote(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// environment reads "git -c" (GIT_CONFIG_PARAMETERS) and GIT_CONFIG_COUNT.
func (l *configLoader) environment() error {
	if n, err := strconv.Atoi(l.env.get("GIT_CONFIG_COUNT")); err == nil && n > 0 && n <= 1<<16 {
		for i := range n {
			key := l.env.get("GIT_CONFIG_KEY_" + strconv.Itoa(i))
			if !strings.Contains(key, ".") {
				return schema.Errorf(schema.CodeUsage, "the environment variable GIT_CONFIG_KEY_%d holds no config key", i)
			}
			v := configVar{key: canonicalKey(key), value: l.env.get("GIT_CONFIG_VALUE_" + strconv.Itoa(i))}
			if err := l.variable("", v); err != nil {
				return err
			}
		}
	}
	for _, v := range parseParameters(l.env.get("GIT_CONFIG_PARAMETERS")) {
		if err := l.variable("", v); err != nil {
			return err
		}
	}
	return nil
}

// parseParameters reads the shell-quoted list that "git -c" hands to its children: 'key'='value', 'key'= or the older
// 'key=value'.
func parseParameters(s string) []configVar {
	var out []configVar
	for {
		s = strings.TrimLeft(s, " \t\n")
		key, rest, ok := unquoteShell(s)
		if !ok {
			return out
		}
		v := configVar{key: key}
		if tail, isNew := strings.CutPrefix(rest, "="); isNew {
			rest = tail
			if value, r, ok := unquoteShell(rest); ok {
				v.value, rest = value, r
			} else {
				v.implicit = true
			}
		} else if k, value, ok := strings.Cut(key, "="); ok {
			v.key, v.value = k, value
		} else {
			v.implicit = true
		}
		if strings.Contains(v.key, ".") {
			v.key = canonicalKey(v.key)
			out = append(out, v)
		}
		s = rest
	}
}

// unquoteShell reads one word in single quotes, in which a quote or an exclamation mark is written outside with a backslash.
func unquoteShell(s string) (word, rest string, ok bool) {
	if !strings.HasPrefix(s, "'") {
		return "", "", false
	}
	var b strings.Builder
	s = s[1:]
	for {
		i := strings.IndexByte(s, '\'')
		if i < 0 {
			return "", "", false
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		if len(s) >= 3 && s[0] == '\\' && (s[1] == '\'' || s[1] == '!') && s[2] == '\'' {
			b.WriteByte(s[1])
			s = s[3:]
			continue
		}
		return b.String(), s, true
	}
}
