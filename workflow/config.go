package workflow

import (
	"context"

	"git-novel/repo"
	"git-novel/schema"
)

// Setting is one setting with where its value comes from.
type Setting struct {
	Key     string          `json:"key"`
	Value   string          `json:"value"`
	Default string          `json:"default"`
	Source  string          `json:"source"` // of the value: "default", or the file that sets it
	About   schema.Text     `json:"about"`
	Sources []SettingSource `json:"sources"` // every place that has a value, the weakest first
	Commit  string          `json:"commit,omitempty"`
}

// SettingSource is one place that gives a setting a value.
type SettingSource struct {
	Source string      `json:"source"`
	Value  string      `json:"value"`
	Counts bool        `json:"counts"`
	Note   schema.Text `json:"note,omitzero"`
}

// sourceDefault names the source of a value that no file sets.
const sourceDefault = "default"

// ConfigList gives every setting of the library, the switches of state.json last.
func (s *Session) ConfigList(_ context.Context) ([]Setting, error) {
	c, err := s.configuration()
	if err != nil {
		return nil, err
	}
	keys := schema.ConfigKeys()
	out := make([]Setting, 0, len(keys))
	for _, k := range keys {
		out = append(out, c.setting(k))
	}
	switches, err := s.switchSettings()
	return append(out, switches...), err
}

// ConfigGet gives one setting. An unknown key is CodeUsage, with the nearest one.
func (s *Session) ConfigGet(_ context.Context, name string) (*Setting, error) {
	if isSwitch(name) {
		return s.getSwitch(name)
	}
	k, err := schema.FindConfigKey(name)
	if err != nil {
		return nil, err
	}
	c, err := s.configuration()
	if err != nil {
		return nil, err
	}
	r := c.setting(k)
	return &r, nil
}

// ConfigSet changes one setting in config.toml, in a commit of its own. Comments and unknown keys stay, and an edit of the
// file that was not saved becomes part of the commit. A value that stands there already makes no commit.
func (s *Session) ConfigSet(ctx context.Context, name, value string) (*Setting, error) {
	if isSwitch(name) {
		return s.setSwitch(ctx, name, value)
	}
	k, err := schema.FindConfigKey(name)
	if err != nil {
		return nil, err
	}
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		if err := setConfig(tx, name, value); err != nil {
			return err
		}
		tx.Message(s.message(schema.Message{Verb: schema.VerbConfig, Subject: name + " = " + value}))
		return nil
	})
	if err != nil {
		return nil, err
	}
	c, err := s.configuration()
	if err != nil {
		return nil, err
	}
	r := c.setting(k)
	if res.Changed {
		r.Commit = res.Commit.String()
	}
	return &r, nil
}

// setConfig puts a setting into the library's config.toml as it lies on disk.
func setConfig(tx *repo.Tx, name, value string) error {
	data, err := tx.Library().ReadFile(schema.ConfigPath)
	seen := schema.HashBlob(data)
	if err != nil {
		if schema.CodeOf(err) != schema.CodeNotFound {
			return err
		}
		data, seen = nil, schema.OID{}
	}
	changed, err := schema.SetConfig(data, name, value, schema.LibraryScope)
	if err != nil {
		return err
	}
	return tx.Replace(schema.ConfigPath, changed, seen)
}

// configuration is the library's configuration beside the user's own.
type configuration struct {
	library, user *schema.Config
	inLibrary     map[string]bool // the settings that the file sets
	inUser        map[string]bool
	userFile      string
	trusted       bool // the user trusts the programs that the library names
}

func (s *Session) configuration() (*configuration, error) {
	c := &configuration{}
	data, err := s.lib.ReadFile(schema.ConfigPath)
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return nil, err
	}
	if c.library, err = schema.ParseConfig(schema.ConfigPath, data, schema.LibraryScope); err != nil {
		return nil, err
	}
	c.inLibrary = schema.ConfigKeysIn(data)
	if c.userFile, data, err = s.userConfig(); err != nil {
		return nil, err
	}
	if c.user, err = schema.ParseConfig(c.userFile, data, schema.UserScope); err != nil {
		return nil, err
	}
	c.inUser = schema.ConfigKeysIn(data)
	if c.trusted, err = s.trusts(c.library); err != nil {
		return nil, err
	}
	return c, nil
}

// setting resolves one setting. The agents of a role come whole from one file: the user's own, when it names the role.
// Programs that only the library names are a proposal (DESIGN 11).
func (c *configuration) setting(k schema.ConfigKey) Setting {
	r := Setting{Key: k.Name, Value: k.Value(c.library), Default: k.Default, Source: sourceDefault, About: k.About}
	r.Sources = []SettingSource{{Source: sourceDefault, Value: k.Default}}
	library := SettingSource{Source: schema.ConfigPath, Value: k.Value(c.library), Counts: c.inLibrary[k.Name]}
	user := SettingSource{Source: c.userFile, Value: k.Value(c.user), Counts: c.inUser[k.Name]}
	if role, ok := k.Role(); ok {
		_, byUser := c.user.Agents[role]
		switch {
		case byUser:
			library.Counts = false
			r.Value = user.Value
		case !c.library.Agent(role).Builtin() && !c.trusted:
			library.Counts = false
			library.Note = schema.Textf("a proposal of the library: it counts only after `git novel agents trust`, or when your own %s names it", c.userFile)
			r.Value = k.Default
		}
	}
	if c.inLibrary[k.Name] {
		r.Sources = append(r.Sources, library)
	}
	if c.inUser[k.Name] {
		r.Sources = append(r.Sources, user)
	}
	for _, src := range r.Sources {
		if src.Counts {
			r.Source = src.Source
		}
	}
	for i := range r.Sources {
		r.Sources[i].Counts = r.Sources[i].Source == r.Source
	}
	return r
}
