package schema

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 1 << 20

// ParseConfig reads a config.toml. Unknown keys are let through (SetConfig keeps them); a misspelled one, a wrong type and
// a value out of range are faults. The error is CodeInvalid with every fault and its line.
func ParseConfig(file string, data []byte, scope ConfigScope) (*Config, error) {
	if len(data) > maxConfig {
		return nil, Errorf(CodeInvalid, "%s is larger than %d bytes", file, maxConfig)
	}
	var tree map[string]any
	if _, err := toml.Decode(string(data), &tree); err != nil {
		return nil, tomlError(file, err)
	}
	r := &configReader{file: file, entries: scanTOML(data)}
	cfg := DefaultConfig()
	root := configTable{r: r, m: tree}
	root.misspelled(topKeys()...)
	if scope == UserScope {
		root.onlyAgents()
	} else {
		root.library(cfg)
	}
	root.agents(cfg)
	if len(r.faults) > 0 {
		return nil, Errorf(CodeInvalid, "%s holds settings that are not valid", file).WithDetails(r.faults...).
			WithHint("`git novel config list` shows all settings and their values")
	}
	return cfg, nil
}

// ConfigKeysIn tells which settings a configuration file sets itself, to whatever value. Of a file that does not parse it
// knows none.
func ConfigKeysIn(data []byte) map[string]bool {
	var tree map[string]any
	if _, err := toml.Decode(string(data), &tree); err != nil {
		return nil
	}
	set := map[string]bool{}
	for _, k := range ConfigKeys() {
		at := any(tree)
		for part := range strings.SplitSeq(k.Name, ".") {
			table, _ := at.(map[string]any)
			at = table[part]
		}
		if at != nil {
			set[k.Name] = true
		}
	}
	return set
}

func tomlError(file string, err error) error {
	f := Fault{File: file, Rule: "toml", Msg: Textf("%s", err.Error())}
	if pe, ok := errors.AsType[toml.ParseError](err); ok {
		f.Line, f.Col = pe.Position.Line, max(pe.Position.Col, 1)
		f.Msg = Textf("%s", pe.Message)
	}
	return Errorf(CodeInvalid, "%s is not valid TOML", file).WithDetails(f).
		WithHint("correct it at the place named, or get the last good version with `git novel recover`")
}

func topKeys() []string {
	var names []string
	for _, k := range ConfigKeys() {
		top, _, _ := strings.Cut(k.Name, ".")
		if !slices.Contains(names, top) {
			names = append(names, top)
		}
	}
	return names
}

type configReader struct {
	file    string
	entries []tomlEntry
	faults  []Fault
}

func (r *configReader) add(key, format string, args ...any) {
	f := Fault{File: r.file, Field: key, Rule: "config", Msg: Textf(format, args...)}
	if l := lineOfKey(r.entries, key); l > 0 {
		f.Line, f.Col = l, 1
	}
	r.faults = append(r.faults, f)
}

// configTable is one table of the file.
type configTable struct {
	r    *configReader
	m    map[string]any
	path string
}

func (t configTable) at(key string) string {
	if t.path == "" {
		return key
	}
	return t.path + "." + key
}

func (t configTable) misspelled(known ...string) {
	absent := slices.DeleteFunc(slices.Clone(known), func(k string) bool { _, ok := t.m[k]; return ok })
	for _, k := range sortedKeys(t.m) {
		if slices.Contains(known, k) {
			continue
		}
		if near, ok := nearKey(k, absent); ok {
			t.r.add(t.at(k), "unknown key %q: is %q meant?", k, near)
		}
	}
}

// table opens a sub-table and checks its keys; absent gives an empty one.
func (t configTable) table(key string, known ...string) configTable {
	sub := configTable{r: t.r, path: t.at(key)}
	switch v := t.m[key].(type) {
	case nil:
	case map[string]any:
		sub.m = v
	default:
		t.r.add(t.at(key), "must be a table, not %s", tomlText(v))
	}
	sub.misspelled(known...)
	return sub
}

func (t configTable) str(key string, into *string) {
	switch v := t.m[key].(type) {
	case nil:
	case string:
		*into = v
	default:
		t.r.add(t.at(key), "must be a string, not %s", tomlText(v))
	}
}

func (t configTable) boolean(key string, into *bool) {
	switch v := t.m[key].(type) {
	case nil:
	case bool:
		*into = v
	default:
		t.r.add(t.at(key), "must be true or false, not %s", tomlText(v))
	}
}

func (t configTable) integer(key string, least, most int, into *int) {
	v, there := t.m[key]
	if !there {
		return
	}
	n, ok := v.(int64)
	if !ok || n < int64(least) || n > int64(most) {
		t.r.add(t.at(key), "must be a whole number from %d to %d, not %s", least, most, tomlText(v))
		return
	}
	*into = int(n)
}

func (t configTable) list(key string) (list []string, there bool) {
	v, there := t.m[key]
	if !there {
		return nil, false
	}
	items, ok := v.([]any)
	if !ok {
		t.r.add(t.at(key), "must be a list of strings, not %s", tomlText(v))
		return nil, false
	}
	for _, it := range items {
		s, ok := it.(string)
		if !ok {
			t.r.add(t.at(key), "must be a list of strings; %s is none", tomlText(it))
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}

func wordSetting[T ~string](t configTable, key string, into *T, allowed ...T) {
	v, there := t.m[key]
	if !there {
		return
	}
	if s, ok := v.(string); ok && slices.Contains(allowed, T(s)) {
		*into = T(s)
		return
	}
	t.r.add(t.at(key), "%s is not allowed here; allowed: %s", tomlText(v), joinWords(slices.DeleteFunc(allowed, func(a T) bool { return a == "" })))
}

func tomlText(v any) string {
	switch v := v.(type) {
	case string:
		return (&inNode{kind: inString, text: v}).describe()
	case []any, []map[string]any:
		return "[…]"
	case map[string]any:
		return "{…}"
	case time.Time:
		return v.Format(time.RFC3339)
	}
	return fmt.Sprint(v)
}

// onlyAgents: in the user's file only agents count, and a setting without effect misleads.
func (t configTable) onlyAgents() {
	for _, k := range sortedKeys(t.m) {
		if k != "agents" && slices.Contains(topKeys(), k) {
			t.r.add(k, "belongs in the library's .novel-writer/config.toml: the user's file holds agents only")
		}
	}
}

func (t configTable) library(cfg *Config) {
	t.integer("rules", 1, RulesVersion, &cfg.Rules)
	t.str("genre", &cfg.Genre)
	t.str("strand", &cfg.Strand)

	rv := t.table("review", "dimensions", "require", "polish_limit")
	rv.dimensions(cfg)
	wordSetting(rv, "require", &cfg.Review.Require, RequireDerived, RequireAny, RequireAgent)
	rv.integer("polish_limit", 0, MaxPolishLimit, &cfg.Review.PolishLimit)

	ch := t.table("chapters", "digits", "min_chars")
	ch.integer("digits", 2, 4, &cfg.Chapters.Digits)
	ch.integer("min_chars", 0, 1<<20, &cfg.Chapters.MinChars)

	wordSetting(t.table("draft", "commit"), "commit", &cfg.Draft.Commit, DraftPrompt, DraftSegment, DraftTransition)

	tr := t.table("trust", "signers", "acknowledge")
	tr.trust(cfg)

	bk := t.table("backup", "remote", "auto")
	bk.str("remote", &cfg.Backup.Remote)
	if r := cfg.Backup.Remote; strings.HasPrefix(r, "-") || strings.ContainsAny(r, " \t\r\n\x00:~^?*[\\") {
		bk.r.add(bk.at("remote"), "%q cannot be the name of a remote", r)
	}
	bk.boolean("auto", &cfg.Backup.Auto)
}

func (t configTable) dimensions(cfg *Config) {
	list, there := t.list("dimensions")
	if !there {
		return
	}
	var dims []Category
	for _, name := range list {
		switch c := Category(name); {
		case !slices.Contains(Categories(), c):
			t.r.add(t.at("dimensions"), "%q is not a dimension here; allowed: %s", name, joinWords(Categories()))
		case !slices.Contains(dims, c):
			dims = append(dims, c)
		}
	}
	var missing []Category
	for _, c := range FullDimensions() {
		if !slices.Contains(dims, c) {
			missing = append(missing, c)
		}
	}
	if missing != nil {
		t.r.add(t.at("dimensions"), "leaves out %s; a library may only add dimensions", joinWords(missing))
		return
	}
	cfg.Review.Dimensions = dims
}

func (t configTable) trust(cfg *Config) {
	signers, _ := t.list("signers")
	for _, s := range signers {
		if !sshPublicKey(s) {
			t.r.add(t.at("signers"), "%s is not an SSH public key", tomlText(s))
		}
	}
	cfg.Trust.Signers = signers
	mails, _ := t.list("acknowledge")
	for _, m := range mails {
		if at := strings.IndexByte(m, '@'); at < 1 || at == len(m)-1 || strings.ContainsAny(m, " \t\r\n<>") {
			t.r.add(t.at("acknowledge"), "%s is not an e-mail address", tomlText(m))
		}
	}
	cfg.Trust.Acknowledge = mails
}

// sshPublicKey knows the line of a .pub file: type, base64, comment.
func sshPublicKey(s string) bool {
	f := strings.Fields(s)
	if len(f) < 2 || strings.ContainsAny(s, "\r\n") {
		return false
	}
	known := false
	for _, p := range []string{"ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"} {
		known = known || strings.HasPrefix(f[0], p)
	}
	raw, err := base64.StdEncoding.DecodeString(f[1])
	return known && err == nil && len(raw) > 4
}

func (t configTable) agents(cfg *Config) {
	names := wordsOf(Roles())
	ag := t.table("agents", names...)
	for _, role := range Roles() {
		switch v := ag.m[string(role)].(type) {
		case nil:
		case string:
			if v != "builtin" {
				ag.r.add(ag.at(string(role)), "%s is not allowed here; allowed: \"builtin\", or a table with a command", tomlText(v))
				continue
			}
			cfg.Agents[role] = BuiltinAgent()
		default:
			cfg.Agents[role] = ag.agent(role)
		}
	}
}

func (t configTable) agent(role Role) Agent {
	a := BuiltinAgent()
	at := t.table(string(role), "command", "timeout", "retries", "max_output")
	if cmd, ok := at.list("command"); ok {
		if len(cmd) > 0 && strings.TrimSpace(cmd[0]) == "" || slices.ContainsFunc(cmd, func(s string) bool { return strings.ContainsRune(s, 0) }) {
			at.r.add(at.at("command"), "names no program")
		}
		a.Command = cmd
	}
	at.duration("timeout", &a.Timeout)
	at.integer("retries", 0, maxAgentRetries, &a.Retries)
	at.integer("max_output", 1024, maxAgentOutput, &a.MaxOutput)
	return a
}

// duration reads "90s" or a number of seconds.
func (t configTable) duration(key string, into *time.Duration) {
	v, there := t.m[key]
	if !there {
		return
	}
	var d time.Duration
	switch v := v.(type) {
	case string:
		d, _ = time.ParseDuration(v) // zero is out of range
	case int64:
		if v > 0 && v <= int64(maxAgentTimeout/time.Second) {
			d = time.Duration(v) * time.Second
		}
	}
	if d < time.Second || d > maxAgentTimeout {
		t.r.add(t.at(key), "must be a duration from 1s to 24h, like 90s or 10m, not %s", tomlText(v))
		return
	}
	*into = d
}
