package workflow

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"git-novel/schema"
)

// ContractView is a contract, or what holds for a chapter after its layers have met.
type ContractView struct {
	Book     string         `json:"book"`
	Contract string         `json:"contract"`
	Path     string         `json:"path,omitempty"`
	Content  map[string]any `json:"content"`
	Layers   []string       `json:"layers,omitempty"` // the files that were laid over each other, the master first
}

// ContractShow gives one contract as it lies on disk.
func (s *Session) ContractShow(_ context.Context, name ContractName) (*ContractView, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	path := name.path(w.name)
	data, err := s.lib.ReadFile(path)
	if schema.CodeOf(err) == schema.CodeNotFound {
		return nil, schema.Errorf(schema.CodeNotFound, "%s has no contract %s", string(w.name), name.String()).
			WithHint("store one with `git novel contract set %s --file F`", name.String())
	}
	if err != nil {
		return nil, err
	}
	if err := schema.CheckTracked(path, data); err != nil {
		return nil, err
	}
	v := &ContractView{Book: string(w.name), Contract: name.String(), Path: path}
	if err := json.Unmarshal(data, &v.Content); err != nil {
		return nil, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", path)
	}
	return v, nil
}

// ContractOf gives what the contracts say of a chapter together: the master with the overrides of the chapter's volume and
// of the review contract, and beside it what these two say themselves.
func (s *Session) ContractOf(_ context.Context, chapter string) (*ContractView, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	c, err := w.resolveOrNew(chapter)
	if err != nil {
		return nil, err
	}
	return w.contractOf(c.Key)
}

// contractInput is what the contracts say of a chapter, for a task; nil when there are none. Damaged ones are named and left
// out.
func (s *Session) contractInput(w *work, key schema.ChapterKey) map[string]any {
	holds, err := w.contractOf(key)
	if err != nil {
		s.notice(schema.Textf("the story contracts cannot be read and are left out: %s", firstFault(err)))
		return nil
	}
	if len(holds.Layers) == 0 {
		return nil
	}
	return holds.Content
}

func (w *work) contractOf(key schema.ChapterKey) (*ContractView, error) {
	k, err := w.contracts("")
	if err != nil {
		return nil, err
	}
	volumes, err := w.volumes()
	if err != nil {
		return nil, err
	}
	v := &ContractView{Book: string(w.name), Contract: string(key), Layers: []string{}}
	if k.master != nil {
		v.Layers = append(v.Layers, schema.MasterContractPath(w.name))
	}
	var names []ContractName
	add := func(n ContractName) {
		if l, ok := k.layer(n); ok {
			names, v.Layers = append(names, n), append(v.Layers, l.File)
		}
	}
	vol := schema.Volume{}
	if n, numbered := key.Number(); numbered {
		if vol, numbered = volumes.Of(n); numbered {
			add(ContractName{schema.ContractVolume, vol.Number})
		}
	}
	add(ContractName{Kind: schema.ContractReview})
	doc, faults := k.merge(names...)
	if len(faults) > 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "the contracts of %s have %d faults", string(w.name), len(faults)).WithDetails(faults...).
			WithHint("`git novel contract check` shows them; store a corrected contract with `git novel contract set`")
	}
	delete(doc, "override_policy")
	if c := k.volumes[vol.Number]; c != nil {
		doc["volume"] = map[string]any{
			"volume": c.Volume, "volume_goal": c.Goal, "selected_tropes": nonNil(c.Tropes), "selected_pacing": c.Pacing,
			"selected_scenes": nonNil(c.Scenes), "system_constraints": nonNil(c.Constraints),
		}
	}
	if c := k.review; c != nil {
		doc["review"] = map[string]any{
			"must_check": nonNil(c.MustCheck), "blocking_rules": nonNil(c.BlockingRules), "genre_specific_risks": nonNil(c.Risks),
			"system_constraints": nonNil(c.Constraints), "review_thresholds": c.Thresholds,
		}
	}
	v.Content = doc
	return v, nil
}

// ContractCheckResult lists the contracts of a book, all of them sound.
type ContractCheckResult struct {
	Book      string        `json:"book"`
	Contracts []string      `json:"contracts"`
	Warnings  []schema.Text `json:"warnings"`
}

// ContractCheck validates every contract and what its overrides do to the master. Faults: CodeInvalid with all of them.
func (s *Session) ContractCheck(_ context.Context) (*ContractCheckResult, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	k, err := w.contracts("")
	if err != nil {
		return nil, err
	}
	if _, faults := k.merge(k.all()...); len(faults) > 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "the contracts of %s have %d faults", string(w.name), len(faults)).WithDetails(faults...).
			WithHint("the master contract's override_policy says what lower layers may do; `git novel contract show master` shows it")
	}
	volumes, err := w.volumes()
	if err != nil {
		return nil, err
	}
	r := &ContractCheckResult{Book: string(w.name), Contracts: []string{}, Warnings: []schema.Text{}}
	if k.master != nil {
		r.Contracts = append(r.Contracts, ContractName{Kind: schema.ContractMaster}.String())
	} else if len(k.volumes) > 0 || k.review != nil {
		r.Warnings = append(r.Warnings, schema.Textf("there is no master contract; the others rest on nothing"))
	}
	for _, n := range slices.Sorted(maps.Keys(k.volumes)) {
		r.Contracts = append(r.Contracts, ContractName{schema.ContractVolume, n}.String())
		if !volumes.Has(n) {
			r.Warnings = append(r.Warnings, schema.Textf("volume %d has a contract, but volumes.json has no such volume", n))
		}
	}
	if k.review != nil {
		r.Contracts = append(r.Contracts, string(schema.ContractReview))
	}
	return r, nil
}
