package schema

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// SetConfig sets one setting in the text of a configuration file and leaves every other byte as it is: comments, unknown
// keys, order. value is the text of a command line: a word, a number, or for a list its items separated by commas, or a
// TOML list. The result is valid: what would not be is refused with CodeInvalid, or CodeUsage for an unknown key.
func SetConfig(data []byte, key, value string, scope ConfigScope) ([]byte, error) {
	file := "config.toml"
	if scope == LibraryScope {
		file = ConfigPath
	}
	k, err := FindConfigKey(key)
	if err != nil {
		return nil, err
	}
	if !k.in(scope) {
		return nil, Errorf(CodeUsage, "%q is a setting of the library, not of the user", key)
	}
	if _, err := ParseConfig(file, data, scope); err != nil {
		return nil, err
	}
	literal, err := k.literal(value)
	if err != nil {
		return nil, err
	}
	edited := editTOML(data, key, literal)
	if _, err := ParseConfig(file, edited, scope); err != nil {
		if _, bad := toml.Decode(string(edited), new(map[string]any)); bad != nil {
			return nil, Wrap(err, CodeInvalid, "%q stands in a form that cannot be edited by a program", key).
				WithHint("edit config.toml by hand")
		}
		return nil, err
	}
	return edited, nil
}

// literal writes a command line's value as TOML.
func (k ConfigKey) literal(value string) (string, error) {
	trimmed := strings.TrimSpace(value)
	switch k.Type {
	case TypeInteger:
		n, err := strconv.ParseInt(trimmed, 10, 64)
		if err != nil {
			return "", Errorf(CodeInvalid, "%q is not a whole number, which %s must be", value, k.Name)
		}
		return strconv.FormatInt(n, 10), nil
	case TypeBoolean:
		switch strings.ToLower(trimmed) {
		case "true", "yes", "on", "1":
			return "true", nil
		case "false", "no", "off", "0":
			return "false", nil
		}
		return "", Errorf(CodeInvalid, "%q is neither true nor false, which %s must be", value, k.Name)
	case TypeList:
		return k.listLiteral(trimmed)
	case TypeString, TypeDuration:
	}
	return tomlString(trimmed), nil
}

func (k ConfigKey) listLiteral(value string) (string, error) {
	var items []string
	if strings.HasPrefix(value, "[") {
		var v map[string][]string
		if _, err := toml.Decode("v = "+value, &v); err != nil || len(v) != 1 {
			return "", Errorf(CodeInvalid, "%q is not a list of strings, which %s must be", value, k.Name)
		}
		items = v["v"]
	} else {
		for item := range strings.SplitSeq(value, ",") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
	}
	for i, it := range items {
		items[i] = tomlString(it)
	}
	return "[" + strings.Join(items, ", ") + "]", nil
}

// tomlString quotes a string for TOML.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			const hex = "0123456789abcdef"
			b.WriteString(`\u00`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// editTOML replaces the value of a key, or adds the key where its table stands, or adds the table.
func editTOML(data []byte, key, literal string) []byte {
	entries := scanTOML(data)
	for _, e := range entries {
		if !e.header && e.path == key {
			return splice(data, e.val[0], e.val[1], literal)
		}
	}
	eol := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		eol = "\r\n"
	}
	parent, name := "", key
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		parent, name = key[:i], key[i+1:]
	}
	// the last statement of the table, so that the new one follows its siblings and their comments
	at, line := -1, ""
	for _, e := range entries {
		switch {
		case e.array:
		case e.table == parent && (e.header || parent == ""):
			at, line = e.end, name+" = "+literal
		case e.table == parent:
			at, line = e.end, name+" = "+literal
		case !e.header && e.table != parent && strings.HasPrefix(e.path, parent+".") && parent != "" && at < 0:
			// the table is made of dotted keys (review.require = …): another one must be dotted too
			at, line = e.end, strings.TrimPrefix(key, dotted(e.table))+" = "+literal
		}
	}
	switch {
	case at >= 0:
		return insertLine(data, at, line, eol)
	case parent == "":
		return insertLine(data, topOfTables(data, entries), name+" = "+literal, eol)
	}
	text := "[" + parent + "]" + eol + name + " = " + literal + eol
	if len(bytes.TrimSpace(trimBOM(data))) > 0 {
		if !bytes.HasSuffix(data, []byte("\n")) {
			text = eol + text
		}
		text = eol + text
	}
	return append(slices.Clone(data), text...)
}

func dotted(table string) string {
	if table == "" {
		return ""
	}
	return table + "."
}

func splice(data []byte, from, to int, text string) []byte {
	return slices.Concat(data[:from], []byte(text), data[to:])
}

// insertLine puts a line at a place where a line begins, or at the end of a file without a last line end.
func insertLine(data []byte, at int, line, eol string) []byte {
	text := line + eol
	if at > 0 && at == len(data) && data[at-1] != '\n' && !bytes.Equal(data[:at], []byte("\xef\xbb\xbf")) {
		text = eol + text
	}
	return splice(data, at, at, text)
}

// topOfTables is the place for the first statement outside tables: before the first header and the comment that stands
// directly above it, else at the end.
func topOfTables(data []byte, entries []tomlEntry) int {
	if len(entries) == 0 {
		return len(data)
	}
	at := entries[0].start
	for at > 0 {
		prev := bytes.LastIndexByte(data[:at-1], '\n') + 1
		if !bytes.HasPrefix(bytes.TrimLeft(data[prev:at], " \t"), []byte("#")) {
			break
		}
		at = prev
	}
	return at
}
