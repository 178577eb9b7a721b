package workflow

import (
	"encoding/json"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/contract"
	"git-novel/workflow/layers"
)

// file reads an author's file of the book as it lies on disk; false when there is none. A file that cannot be read for
// another reason is a warning: context is built without it (DESIGN 3).
func (k *known) file(path string) (string, bool, error) {
	data, err := k.s.lib.ReadFile(path)
	switch {
	case err == nil:
		return strings.TrimPrefix(string(data), "\ufeff"), true, nil
	case schema.CodeOf(err) == schema.CodeNotFound:
		return "", false, nil
	case schema.CodeOf(err) == schema.CodeInvalid:
		k.warn("%s cannot be read", path)
		return "", true, nil
	}
	return "", false, err
}

// object reads a JSON object; nil when there is none or it cannot be read, which is a warning.
func (k *known) object(path string) (map[string]json.RawMessage, error) {
	text, ok, err := k.file(path)
	if err != nil || !ok || strings.TrimSpace(text) == "" {
		return nil, err
	}
	var out map[string]json.RawMessage
	if len(text) > maxContextFile || json.Unmarshal([]byte(text), &out) != nil {
		k.warn("%s cannot be read", path)
		out = nil
	}
	return out, nil
}

// contracts is story_contracts: the master, this chapter's volume, the review. The chapter's contract is its outline, which
// has a section of its own and is not said twice.
func (l *loader) contracts() error {
	add := func(field, path string, rank int) error {
		o, err := l.k.object(path)
		if err != nil || o == nil {
			return err
		}
		l.add(contract.StoryContracts, field, rank, o)
		return nil
	}
	if err := l.master(add); err != nil {
		return err
	}
	if err := l.volume(add); err != nil {
		return err
	}
	if l.outline != nil {
		l.add(contract.StoryContracts, "chapter", rankContract, map[string]string{"see": contract.Outline})
	}
	return add("review", schema.ReviewContractPath(l.k.name), rankContract)
}

// master is the master contract with what the chapter's volume and the review contract do to it: nobody who reads it has to
// lay them over each other again. Where they do not fit, or cannot be read, it stands as it is.
func (l *loader) master(add func(field, path string, rank int) error) error {
	path := schema.MasterContractPath(l.k.name)
	read := func(path string, v any) bool {
		text, ok, err := l.k.file(path)
		return err == nil && ok && len(text) <= maxContextFile && schema.Unmarshal(path, []byte(text), v) == nil
	}
	var doc map[string]any
	var m schema.MasterContract
	if !read(path, &doc) || !read(path, &m) {
		return add("master", path, rankMaster)
	}
	var list []layers.Layer
	v, ok, err := l.volumeOf()
	if err != nil {
		return err
	}
	if ok {
		var c schema.VolumeContract
		if p := schema.VolumeContractPath(l.k.name, v.Number); read(p, &c) {
			list = append(list, layers.Layer{File: p, Overrides: c.Overrides, AntiPatterns: c.AntiPatterns})
		}
	}
	var c schema.ReviewContract
	if p := schema.ReviewContractPath(l.k.name); read(p, &c) {
		list = append(list, layers.Layer{File: p, Overrides: c.Overrides, AntiPatterns: c.AntiPatterns})
	}
	merged, faults := layers.Merge(doc, m.Policy, list...)
	for _, f := range faults {
		l.k.warn("an override that the master contract does not allow was left out: %s", f.String())
	}
	delete(merged, "override_policy") // it has been applied
	l.add(contract.StoryContracts, "master", rankMaster, merged)
	return nil
}

// volumeOf finds the volume that holds the chapter.
func (l *loader) volumeOf() (v schema.Volume, ok bool, err error) {
	number, numbered := l.at.key.Number()
	if !numbered {
		number = l.at.before()
	}
	path := schema.VolumesPath(l.k.name)
	text, there, err := l.k.file(path)
	if err != nil || !there {
		return v, false, err
	}
	var vs schema.Volumes
	if err := schema.Unmarshal(path, []byte(text), &vs); err != nil {
		l.k.warn("%s cannot be read", path)
		return v, false, nil //nolint:nilerr // context is built without it
	}
	v, ok = vs.Of(number)
	return v, ok, nil
}

// volume is the contract of the volume that holds the chapter.
func (l *loader) volume(add func(field, path string, rank int) error) error {
	v, ok, err := l.volumeOf()
	if err != nil || !ok {
		return err
	}
	about := map[string]any{"volume": v.Number, "title": v.Title, "first": v.First, "last": v.Last}
	if !l.drafting() {
		about["narrative_role"] = v.Role
	}
	l.add(contract.StoryContracts, "volume_range", rankContract, about)
	return add("volume", schema.VolumeContractPath(l.k.name, v.Number), rankContract)
}

// patterns lists what was learned of the author's style: strings, or objects as they are.
func (k *known) patterns() ([]any, error) {
	o, err := k.object(schema.PatternsPath(k.name))
	if err != nil || o == nil {
		return nil, err
	}
	var list []any
	if err := json.Unmarshal(o["patterns"], &list); err != nil {
		return nil, err
	}
	return list, nil
}

// genreExcerpt is what the library's genre file tells the writer, "" when there is none.
func (k *known) genreExcerpt() string {
	cfg, err := k.s.lib.Config()
	if err != nil || cfg.Genre == "" {
		return ""
	}
	path := schema.GenrePath(cfg.Genre)
	text, ok, err := k.file(path)
	if err != nil || !ok || text == "" {
		return ""
	}
	g, err := schema.ParseGenre(path, []byte(text))
	if err != nil {
		k.warn("%s cannot be read", path)
		return ""
	}
	return strings.TrimSpace(g.Excerpt)
}
