package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RulesVersion is the newest version of the rules that this program knows (DESIGN 12).
const RulesVersion = 1

// MaxPolishLimit is the part of a text, in percent, that a polish may change before a full review is needed. A library
// may only tighten it (DESIGN 5, 12).
const MaxPolishLimit = 15

// Config is a library's config.toml, or a user's, with the defaults filled in.
type Config struct {
	Rules    int
	Genre    string // of the books, for the genre excerpts; "" none
	Strand   string // strand profile of outlines that name none; "" the genre's
	Review   ReviewConfig
	Chapters ChaptersConfig
	Draft    DraftConfig
	Trust    TrustConfig
	Backup   BackupConfig
	Agents   map[Role]Agent // what the file sets; a role that is absent is built-in
}

// ReviewConfig is [review].
type ReviewConfig struct {
	Dimensions  []Category // of a full review: the five, and what the library adds
	Require     Require
	PolishLimit int // percent
}

// ChaptersConfig is [chapters].
type ChaptersConfig struct {
	Digits   int // least digits of the number in a new file name
	MinChars int // UTF-16 units below which the built-in reviewer reports a chapter as short; 0 never
}

// DraftConfig is [draft].
type DraftConfig struct {
	Commit DraftCommit
}

// TrustConfig is [trust].
type TrustConfig struct {
	Signers     []string // SSH public keys; when there are any, every commit must be signed by one
	Acknowledge []string // e-mail addresses whose acknowledgements a server takes
}

// BackupConfig is [backup].
type BackupConfig struct {
	Remote string // name of the remote of step 6; "" the only one
	Auto   bool   // write and batch push in their step 6
}

// Require says which depth of review the library asks for.
type Require string

// The values of [review] require.
const (
	RequireDerived Require = ""      // agent once a reviewer agent is configured, else any
	RequireAny     Require = "any"   // the built-in reviewer suffices
	RequireAgent   Require = "agent" // an agent or a person must have reviewed
)

// DraftCommit says when draft mirrors enter git.
type DraftCommit string

// The values of [draft] commit.
const (
	DraftPrompt     DraftCommit = "prompt"     // each time the author is asked
	DraftSegment    DraftCommit = "segment"    // each segment
	DraftTransition DraftCommit = "transition" // with the chapter's next transition only
)

// DefaultConfig is the configuration of a library without config.toml.
func DefaultConfig() *Config {
	return &Config{
		Rules:    RulesVersion,
		Review:   ReviewConfig{Dimensions: FullDimensions(), PolishLimit: MaxPolishLimit},
		Chapters: ChaptersConfig{Digits: 2, MinChars: 1500},
		Draft:    DraftConfig{Commit: DraftPrompt},
		Backup:   BackupConfig{Auto: true},
		Agents:   map[Role]Agent{},
	}
}

// RequiredDepth resolves [review] require: reviewer says whether a reviewer agent is configured.
func (c *Config) RequiredDepth(reviewer bool) Require {
	switch {
	case c.Review.Require != RequireDerived:
		return c.Review.Require
	case reviewer:
		return RequireAgent
	}
	return RequireAny
}

// Stricter joins the gates of two configurations, for the rules of a merge (DESIGN 12); everything else is c's.
func (c *Config) Stricter(d *Config) *Config {
	s := *c
	s.Rules = max(c.Rules, d.Rules)
	s.Review.PolishLimit = min(c.Review.PolishLimit, d.Review.PolishLimit)
	s.Review.Dimensions = slices.Clone(c.Review.Dimensions)
	for _, dim := range d.Review.Dimensions {
		if !slices.Contains(s.Review.Dimensions, dim) {
			s.Review.Dimensions = append(s.Review.Dimensions, dim)
		}
	}
	return &s
}

// ConfigScope says whose file a configuration is.
type ConfigScope int

// The two files (DESIGN 11): agent commands count from the user's own file; a library only proposes them.
const (
	LibraryScope ConfigScope = iota
	UserScope
)

// ConfigKey is one setting.
type ConfigKey struct {
	Name    string // "review.polish_limit"
	Type    ConfigType
	Default string // as `config get` prints it
	About   Text   // one sentence
	Scopes  []ConfigScope
	get     func(*Config) string
}

// ConfigType is the form of a setting's value.
type ConfigType string

// The value types of settings.
const (
	TypeInteger  ConfigType = "integer"
	TypeBoolean  ConfigType = "boolean"
	TypeString   ConfigType = "string"
	TypeList     ConfigType = "list" // of strings
	TypeDuration ConfigType = "duration"
)

// ConfigKeys lists every setting in the order of `config list`.
func ConfigKeys() []ConfigKey {
	lib := []ConfigScope{LibraryScope}
	keys := []ConfigKey{
		{
			"rules", TypeInteger, "1", Textf("version of the rules that commits are judged by; raising it is a commit, lowering it a fault"), lib,
			func(c *Config) string { return itoa(c.Rules) },
		},
		{
			"genre", TypeString, "", Textf("genre of the books, for the genre excerpts in the context"), lib,
			func(c *Config) string { return c.Genre },
		},
		{
			"strand", TypeString, "", Textf("strand profile of outlines that name none"), lib,
			func(c *Config) string { return c.Strand },
		},
		{
			"review.dimensions", TypeList, joinWords(FullDimensions()), Textf("dimensions that a full review covers; a library may only add to the five"), lib,
			func(c *Config) string { return joinWords(c.Review.Dimensions) },
		},
		{
			"review.require", TypeString, "", Textf("any: the built-in review suffices; agent: it does not; empty: agent once a reviewer agent is configured"), lib,
			func(c *Config) string { return string(c.Review.Require) },
		},
		{
			"review.polish_limit", TypeInteger, itoa(MaxPolishLimit), Textf("percent of a reviewed text that a polish may change before a full review is needed again; at most 15"), lib,
			func(c *Config) string { return itoa(c.Review.PolishLimit) },
		},
		{
			"chapters.digits", TypeInteger, "2", Textf("least digits of the chapter number in new file names, 2 to 4"), lib,
			func(c *Config) string { return itoa(c.Chapters.Digits) },
		},
		{
			"chapters.min_chars", TypeInteger, "1500", Textf("characters below which the built-in reviewer reports a chapter as short; 0 never"), lib,
			func(c *Config) string { return itoa(c.Chapters.MinChars) },
		},
		{
			"draft.commit", TypeString, string(DraftPrompt), Textf("when draft mirrors enter git: prompt, segment or transition"), lib,
			func(c *Config) string { return string(c.Draft.Commit) },
		},
		{
			"trust.signers", TypeList, "", Textf("SSH public keys; when there are any, every commit must be signed by one of them"), lib,
			func(c *Config) string { return strings.Join(c.Trust.Signers, ", ") },
		},
		{
			"trust.acknowledge", TypeList, "", Textf("e-mail addresses whose acknowledgements of violations a server takes"), lib,
			func(c *Config) string { return strings.Join(c.Trust.Acknowledge, ", ") },
		},
		{
			"backup.remote", TypeString, "", Textf("remote that step 6 pushes to; empty: the only one"), lib,
			func(c *Config) string { return c.Backup.Remote },
		},
		{
			"backup.auto", TypeBoolean, "true", Textf("write and batch push to the backup when a chapter is committed"), lib,
			func(c *Config) string { return strconv.FormatBool(c.Backup.Auto) },
		},
	}
	for _, r := range Roles() {
		keys = append(keys, agentKeys(r)...)
	}
	return keys
}

// FindConfigKey finds a setting by name; the error names the nearest one.
func FindConfigKey(name string) (ConfigKey, error) {
	names := []string{}
	for _, k := range ConfigKeys() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	err := Errorf(CodeUsage, "there is no setting %q", name)
	if near, ok := nearKey(name, names); ok {
		return ConfigKey{}, err.WithHint("is %q meant? `git novel config list` shows all settings", near)
	}
	return ConfigKey{}, err.WithHint("`git novel config list` shows all settings")
}

// Value is the setting's value in c, as `config get` prints it.
func (k ConfigKey) Value(c *Config) string { return k.get(c) }

func durationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Role is the role whose agent the setting is part of, and whether it is.
func (k ConfigKey) Role() (Role, bool) {
	rest, ok := strings.CutPrefix(k.Name, "agents.")
	name, _, _ := strings.Cut(rest, ".")
	return Role(name), ok
}

// in says that the setting counts in a file of this scope.
func (k ConfigKey) in(s ConfigScope) bool { return slices.Contains(k.Scopes, s) }

// String names the scope's file.
func (s ConfigScope) String() string {
	switch s {
	case LibraryScope:
		return "library"
	case UserScope:
		return "user"
	}
	return fmt.Sprintf("scope %d", int(s))
}
