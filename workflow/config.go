package workflow

import (
	"context"
	"errors"
	"io/fs"

	"git-novel/repo"
	"git-novel/schema"
)

// Setting is one setting with where its value comes from.
type Setting struct {
	Key     string      `json:"key"`
	Value   string      `json:"value"`
	Default string      `json:"default"`
	Source  string      `json:"source"` // "default", or the file that sets it
	About   schema.Text `json:"about"`
	Commit  string      `json:"commit,omitempty"`
}

// ConfigList gives every setting of the library.
func (s *Session) ConfigList(_ context.Context) ([]Setting, error) {
	cfg, err := s.lib.Config()
	if err != nil {
		return nil, err
	}
	var out []Setting
	for _, k := range schema.ConfigKeys() {
		out = append(out, setting(k, cfg))
	}
	return out, nil
}

// ConfigGet gives one setting. Unknown keys are CodeNotFound, with the nearest ones.
func (s *Session) ConfigGet(_ context.Context, name string) (*Setting, error) {
	k, err := schema.FindConfigKey(name)
	if err != nil {
		return nil, err
	}
	cfg, err := s.lib.Config()
	if err != nil {
		return nil, err
	}
	r := setting(k, cfg)
	return &r, nil
}

// ConfigSet changes one setting in config.toml, in a commit of its own. Comments and unknown keys stay.
func (s *Session) ConfigSet(ctx context.Context, name, value string) (*Setting, error) {
	k, err := schema.FindConfigKey(name)
	if err != nil {
		return nil, err
	}
	var cfg *schema.Config
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		data, err := s.lib.ReadFile(schema.ConfigPath)
		seen := schema.HashBlob(data)
		if errors.Is(err, fs.ErrNotExist) || schema.CodeOf(err) == schema.CodeNotFound {
			data, seen, err = nil, schema.OID{}, nil
		}
		if err != nil {
			return err
		}
		changed, err := schema.SetConfig(data, name, value, schema.LibraryScope)
		if err != nil {
			return err
		}
		if cfg, err = schema.ParseConfig(schema.ConfigPath, changed, schema.LibraryScope); err != nil {
			return err
		}
		if err := tx.Replace(schema.ConfigPath, changed, seen); err != nil {
			return err
		}
		tx.Message(s.message(schema.Message{Verb: schema.VerbConfig, Subject: name + " = " + value}))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := setting(k, cfg)
	r.Commit = res.Commit.String()
	return &r, nil
}

func setting(k schema.ConfigKey, cfg *schema.Config) Setting {
	r := Setting{Key: k.Name, Value: k.Value(cfg), Default: k.Default, About: k.About, Source: schema.ConfigPath}
	if r.Value == k.Default {
		r.Source = "default"
	}
	return r
}
