package gitstore

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-novel/schema"
)

// SetConfig sets one variable in the repository's own config file, in place of all its values there, and leaves every other
// byte of the file as it is. Setting the value that is there already changes nothing.
func (r *Repo) SetConfig(key, value string) error {
	if strings.ContainsRune(value, 0) {
		return schema.Errorf(schema.CodeInvalid, "a git config value cannot hold a NUL character")
	}
	return r.editConfig(key, func(data []byte, section, name string, spans []configSpan, vars []configVar) []byte {
		if len(vars) == 1 && vars[0].value == value && !vars[0].implicit {
			return data
		}
		line := []byte("\t" + name + " = " + quoteConfig(value) + "\n")
		return placeVariable(data, section, line, spans, len(vars) > 0)
	})
}

// UnsetConfig takes all values of a variable out of the repository's own config file.
func (r *Repo) UnsetConfig(key string) error {
	return r.editConfig(key, func(data []byte, _, _ string, spans []configSpan, vars []configVar) []byte {
		if len(vars) == 0 {
			return data
		}
		return cutSpans(data, spans)
	})
}

// editConfig locks, reads, changes and replaces the config file. spans are the variable's own places first, then the
// headers and variables of its section in order.
func (r *Repo) editConfig(key string, edit func(data []byte, section, name string, spans []configSpan, vars []configVar) []byte) error {
	section, name, err := splitKey(key)
	if err != nil {
		return err
	}
	file := filepath.Join(r.loc.CommonDir, "config")
	lock, err := r.takeLock(file, refLockTries)
	if err != nil {
		return err
	}
	defer lock.release()
	data, err := readBounded(file, maxSmallFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	var spans []configSpan
	var vars []configVar
	err = parseConfigSpans(file, data, func(v configVar, s configSpan) error {
		if s.section != section {
			return nil
		}
		if !s.header && v.key == section+strings.ToLower(name) {
			vars = append(vars, v)
		} else {
			s.key = ""
		}
		spans = append(spans, s)
		return nil
	})
	if err != nil {
		return err
	}
	out := edit(data, section, name, spans, vars)
	if bytes.Equal(out, data) {
		return nil
	}
	if st, err := os.Stat(file); err == nil {
		_ = os.Chmod(lock.name, st.Mode().Perm())
	}
	if err := lock.write(out); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", lock.name)
	}
	r.env.step("config.rename")
	if err := lock.commit(); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", file)
	}
	if err := syncDirs([]string{r.loc.CommonDir}); err != nil {
		return err
	}
	config, err := loadConfig(r.loc, r.env)
	if err != nil {
		return err
	}
	r.config, r.rules, r.shared = config, nil, readSharing(config)
	return nil
}

// splitKey gives the canonical section prefix and the name as written.
func splitKey(key string) (section, name string, err error) {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	bad := first <= 0 || last == len(key)-1 || strings.ContainsAny(key, "\n\x00")
	if !bad {
		section, name = canonicalKey(key)[:last+1], key[last+1:]
		for i := range len(name) {
			bad = bad || !isKeyByte(name[i])
		}
		c := lowerASCII(name[0])
		bad = bad || c < 'a' || c > 'z'
		for i := range first {
			bad = bad || !isKeyByte(key[i])
		}
	}
	if bad {
		return "", "", schema.Errorf(schema.CodeUsage, "%q is not a git config key", key)
	}
	return section, name, nil
}

// cutSpans takes the variable's own lines out.
func cutSpans(data []byte, spans []configSpan) []byte {
	out := slices.Clone(data)
	for _, s := range slices.Backward(spans) {
		if !s.header && s.key != "" {
			from, to := wholeLine(out, s)
			out = slices.Delete(out, from, to)
		}
	}
	return out
}

// wholeLine widens a variable's span over the blanks before it.
func wholeLine(data []byte, s configSpan) (from, to int) {
	from = s.start
	for from > 0 && (data[from-1] == ' ' || data[from-1] == '\t') {
		from--
	}
	if from > 0 && data[from-1] != '\n' {
		from = s.start // stands behind its header on one line
	}
	return from, s.end
}

// placeVariable puts the line where the first old value stood, else at the end of the last section of that name, else in
// a new section.
func placeVariable(data []byte, section string, line []byte, spans []configSpan, exists bool) []byte {
	if exists {
		first := slices.IndexFunc(spans, func(s configSpan) bool { return !s.header && s.key != "" })
		at, _ := wholeLine(data, spans[first])
		rest := cutSpans(data, spans)
		return splitAt(rest, at, line)
	}
	if len(spans) > 0 {
		return splitAt(data, spans[len(spans)-1].end, line)
	}
	out := slices.Clone(data)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	out = append(out, sectionHeader(section)...)
	return append(out, line...)
}

// splitAt inserts a line at an offset and keeps it a line of its own.
func splitAt(data []byte, at int, line []byte) []byte {
	at = min(at, len(data))
	out := append([]byte(nil), data[:at]...)
	if at > 0 && data[at-1] != '\n' {
		out = append(out, '\n')
	}
	out = append(out, line...)
	rest := data[at:]
	if at > 0 && data[at-1] != '\n' {
		rest = bytes.TrimLeft(rest, " \t")
		rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("\r")), []byte("\n"))
	}
	return append(out, rest...)
}

func sectionHeader(section string) string {
	section = strings.TrimSuffix(section, ".")
	name, sub, ok := strings.Cut(section, ".")
	if !ok {
		return "[" + name + "]\n"
	}
	return "[" + name + ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sub) + "\"]\n"
}

// quoteConfig writes a value so that it reads back the same.
func quoteConfig(v string) string {
	esc := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(v)
	if v != strings.TrimSpace(v) || strings.ContainsAny(v, "#;\r\v\f") || strings.Contains(v, "  ") {
		return `"` + esc + `"`
	}
	return esc
}
