package gitstore

import (
	"slices"
	"strconv"
	"strings"
)

// configVar is one variable as it stands in a file. A variable without "=" is implicitly true.
type configVar struct {
	key      string // canonical: section and name in lower case, subsection as written
	value    string
	implicit bool
	protect  bool // from the system, the user or the command line, never from the repository
	line     int
}

// Config is the merged configuration: system, user, repository, worktree, command line, in git's order, with include and
// includeIf followed. Keys are written section.name or section.subsection.name; section and name match in any case.
type Config struct {
	vars  []configVar
	index map[string][]int
}

func (c *Config) add(v configVar) {
	if c.index == nil {
		c.index = map[string][]int{}
	}
	c.index[v.key] = append(c.index[v.key], len(c.vars))
	c.vars = append(c.vars, v)
}

// last finds the variable that counts: the last one.
func (c *Config) last(key string) (configVar, bool) {
	at := c.index[canonicalKey(key)]
	if len(at) == 0 {
		return configVar{}, false
	}
	return c.vars[at[len(at)-1]], true
}

// Get gives the last value of a key. A variable without a value reads as "true".
func (c *Config) Get(key string) (string, bool) {
	v, ok := c.last(key)
	if ok && v.implicit {
		return "true", true
	}
	return v.value, ok
}

// All gives every value of a key in the order of the files.
func (c *Config) All(key string) []string {
	var out []string
	for _, i := range c.index[canonicalKey(key)] {
		v := c.vars[i]
		if v.implicit {
			v.value = "true"
		}
		out = append(out, v.value)
	}
	return out
}

// protected gives the values of a key that do not come from the repository itself.
func (c *Config) protected(key string) []string {
	var out []string
	for _, i := range c.index[canonicalKey(key)] {
		if c.vars[i].protect {
			out = append(out, c.vars[i].value)
		}
	}
	return out
}

// FromRepository reports that the value of a key that counts comes from the repository's own files, and not from the
// system, the user or the command line.
func (c *Config) FromRepository(key string) bool {
	v, ok := c.last(key)
	return ok && !v.protect
}

// Own gives the last value of a key in the repository's own files.
func (c *Config) Own(key string) (string, bool) {
	at := c.index[canonicalKey(key)]
	for _, i := range slices.Backward(at) {
		if v := c.vars[i]; !v.protect {
			if v.implicit {
				return "true", true
			}
			return v.value, true
		}
	}
	return "", false
}

// Bool gives the last value of a key as a boolean by git's rules, def when it is absent or no boolean.
func (c *Config) Bool(key string, def bool) bool {
	v, ok := c.last(key)
	if !ok {
		return def
	}
	if v.implicit {
		return true
	}
	if b, ok := parseBool(v.value); ok {
		return b
	}
	return def
}

// Int gives the last value of a key as a number (suffixes k, m, g), def when it is absent or no number.
func (c *Config) Int(key string, def int) int {
	v, ok := c.Get(key)
	if !ok {
		return def
	}
	if n, ok := parseInt(v); ok {
		return n
	}
	return def
}

// Subsections lists the distinct subsections of a section in order of appearance, e.g. the remotes for "remote".
func (c *Config) Subsections(section string) []string {
	prefix := strings.ToLower(section) + "."
	seen := map[string]bool{}
	var out []string
	for _, v := range c.vars {
		rest, ok := strings.CutPrefix(v.key, prefix)
		if !ok {
			continue
		}
		i := strings.LastIndexByte(rest, '.')
		if i < 0 || seen[rest[:i]] {
			continue
		}
		seen[rest[:i]] = true
		out = append(out, rest[:i])
	}
	return out
}

// canonicalKey lowers the section and the name of a key and keeps its subsection.
func canonicalKey(key string) string {
	first := strings.IndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	last := strings.LastIndexByte(key, '.')
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// parseBool reads git's booleans: true/yes/on, false/no/off and the empty value, else a number.
func parseBool(s string) (bool, bool) {
	switch strings.ToLower(s) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off", "":
		return false, true
	}
	n, ok := parseInt(s)
	return n != 0, ok
}

func parseInt(s string) (int, bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, false
	}
	shift := 0
	switch s[len(s)-1] {
	case 'k', 'K':
		shift = 10
	case 'm', 'M':
		shift = 20
	case 'g', 'G':
		shift = 30
	}
	if shift > 0 {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil || n > 1<<62>>shift || n < -(1<<62>>shift) {
		return 0, false
	}
	return int(n << shift), true
}
