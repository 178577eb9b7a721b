package gitstore

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// attrValue is the state of one attribute: set, unset, a value, or unspecified (the zero value).
type attrValue struct {
	state byte // 0 unspecified, '+' set, '-' unset, '=' value
	value string
}

func (v attrValue) is(state byte) bool { return v.state == state }

// attrRule is one line of an attributes file.
type attrRule struct {
	pattern  string
	basename bool // the pattern has no slash and matches the last component
	assign   []attrAssign
}

type attrAssign struct {
	name string
	attrValue
}

// attrFile is one attributes file with the folder that its patterns are relative to.
type attrFile struct {
	dir   string // slash separated, "" is the root
	rules []attrRule
}

// attributes answers which attributes a path has, by git's precedence: info/attributes, then the files from the path's own
// folder up to the root, then the user's, then the system's file. In one file the last matching line counts.
type attributes struct {
	r      *Repo
	macros map[string][]attrAssign
	base   []attrFile // lowest precedence first: system, user
	info   attrFile
	byDir  map[string]attrFile
	fold   bool
}

const maxAttrFile = 1 << 20

func (r *Repo) attributes() *attributes {
	a := &attributes{
		r: r, byDir: map[string]attrFile{}, fold: r.config.Bool("core.ignorecase", false),
		// The one built-in macro.
		macros: map[string][]attrAssign{"binary": {
			{"diff", attrValue{state: '-'}}, {"merge", attrValue{state: '-'}}, {"text", attrValue{state: '-'}},
		}},
	}
	if b, _ := parseBool(r.env.get("GIT_ATTR_NOSYSTEM")); !b {
		a.base = append(a.base, a.load("/etc/gitattributes", "", true))
	}
	user, ok := r.config.Get("core.attributesfile")
	if !ok && r.env.xdg() != "" {
		user = filepath.Join(r.env.xdg(), "git", "attributes")
	}
	if user != "" {
		a.base = append(a.base, a.load(r.env.expand(user), "", true))
	}
	a.folder("") // its macros count everywhere
	a.info = a.load(filepath.Join(r.loc.CommonDir, "info", "attributes"), "", true)
	return a
}

// folder reads the .gitattributes of a worktree folder.
func (a *attributes) folder(dir string) attrFile {
	if f, ok := a.byDir[dir]; ok {
		return f
	}
	f := attrFile{dir: dir}
	if a.r.loc.WorkTree != "" {
		name := filepath.Join(a.r.loc.WorkTree, filepath.FromSlash(dir), ".gitattributes")
		if st, err := os.Lstat(name); err == nil && st.Mode().IsRegular() {
			f = a.load(name, dir, dir == "")
		}
	}
	a.byDir[dir] = f
	return f
}

// load reads an attributes file; one that is missing or far too large is empty, as in git. Macros are allowed at the top
// level only.
func (a *attributes) load(file, dir string, macros bool) attrFile {
	out := attrFile{dir: dir}
	data, err := readBounded(file, maxAttrFile)
	if err != nil {
		return out
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for line := range strings.SplitSeq(string(data), "\n") {
		pattern, rest, ok := cutPattern(strings.TrimRight(line, "\r"))
		if !ok {
			continue
		}
		assign := parseAssign(rest)
		if name, isMacro := strings.CutPrefix(pattern, "[attr]"); isMacro {
			if macros && name != "" {
				a.macros[name] = assign
			}
			continue
		}
		if strings.HasPrefix(pattern, "!") || strings.HasSuffix(pattern, "/") {
			continue // git ignores negative patterns, and folders have no attributes
		}
		rule := attrRule{pattern: pattern, basename: !strings.Contains(pattern, "/"), assign: assign}
		rule.pattern = strings.TrimPrefix(pattern, "/")
		out.rules = append(out.rules, rule)
	}
	return out
}

// cutPattern splits a line into its pattern, which may be quoted, and the attributes.
func cutPattern(line string) (pattern, rest string, ok bool) {
	line = strings.TrimLeft(line, " \t")
	if line == "" || line[0] == '#' {
		return "", "", false
	}
	if line[0] == '"' {
		if p, tail, ok := unquoteC(line); ok {
			return p, tail, true
		}
	}
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, "", true
	}
	return line[:i], line[i:], true
}

// unquoteC reads a C-quoted word as git writes it.
func unquoteC(s string) (word, rest string, ok bool) {
	var b []byte
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return string(b), s[i+1:], true
		case '\\':
			i++
			if i >= len(s) {
				return "", "", false
			}
			if at := strings.IndexByte(`abfnrtv"\`, s[i]); at >= 0 {
				b = append(b, "\a\b\f\n\r\t\v\"\\"[at])
				continue
			}
			if i+2 >= len(s) || strings.Trim(s[i:i+3], "01234567") != "" {
				return "", "", false
			}
			b = append(b, (s[i]-'0')<<6|(s[i+1]-'0')<<3|(s[i+2]-'0'))
			i += 2
		default:
			b = append(b, c)
		}
	}
	return "", "", false
}

func parseAssign(s string) []attrAssign {
	var out []attrAssign
	for word := range strings.FieldsSeq(s) {
		switch word[0] {
		case '-':
			out = append(out, attrAssign{word[1:], attrValue{state: '-'}})
		case '!':
			out = append(out, attrAssign{word[1:], attrValue{}})
		default:
			name, value, ok := strings.Cut(word, "=")
			v := attrValue{state: '+'}
			if ok {
				v = attrValue{state: '=', value: value}
			}
			out = append(out, attrAssign{name, v})
		}
	}
	return out
}

// of gives the attributes of a path. Files are asked from the highest precedence down; the first answer for an attribute
// stays.
func (a *attributes) of(p string) map[string]attrValue {
	out := map[string]attrValue{}
	a.collect(a.info, p, out)
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		a.collect(a.folder(dir), p, out)
		if dir == "" {
			break
		}
	}
	for _, f := range slices.Backward(a.base) {
		a.collect(f, p, out)
	}
	return out
}

func (a *attributes) collect(f attrFile, p string, out map[string]attrValue) {
	rel := p
	if f.dir != "" {
		rel = strings.TrimPrefix(p, f.dir+"/")
	}
	for _, rule := range slices.Backward(f.rules) {
		text := rel
		if rule.basename {
			text = path.Base(p)
		}
		if wildmatch(rule.pattern, text, true, a.fold) {
			a.assign(rule.assign, out, 0)
		}
	}
}

// assign takes the attributes of one line, the last first; a macro that is set brings its own along.
func (a *attributes) assign(list []attrAssign, out map[string]attrValue, depth int) {
	for _, as := range slices.Backward(list) {
		if _, known := out[as.name]; known {
			continue
		}
		out[as.name] = as.attrValue
		if macro, ok := a.macros[as.name]; ok && as.is('+') && depth < 8 {
			a.assign(macro, out, depth+1)
		}
	}
}
