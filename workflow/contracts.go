package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/layers"
)

// ContractName names one contract of a book.
type ContractName struct {
	Kind   schema.ContractKind
	Volume int // of a volume contract
}

func (n ContractName) path(b schema.BookName) string {
	switch n.Kind {
	case schema.ContractVolume:
		return schema.VolumeContractPath(b, n.Volume)
	case schema.ContractReview:
		return schema.ReviewContractPath(b)
	case schema.ContractMaster:
	}
	return schema.MasterContractPath(b)
}

// String is the contract as its commands name it.
func (n ContractName) String() string {
	if n.Kind == schema.ContractVolume {
		return fmt.Sprintf("%s %d", n.Kind, n.Volume)
	}
	return string(n.Kind)
}

func (n ContractName) title() string {
	switch n.Kind {
	case schema.ContractVolume:
		return fmt.Sprintf("第%d卷契约", n.Volume)
	case schema.ContractReview:
		return "审查契约"
	case schema.ContractMaster:
	}
	return "总契约"
}

// ContractResult says what was stored.
type ContractResult struct {
	Book     string `json:"book"`
	Contract string `json:"contract"`
	Path     string `json:"path"`
	Changed  bool   `json:"changed"`
	Commit   string `json:"commit,omitempty"`
}

// ContractSet stores a story contract. What the layers may not do to each other is refused (CodeRule) with every fault; a
// locked value of the master, and what its append-only lists hold, changes only with a reason, by a person.
func (s *Session) ContractSet(ctx context.Context, name ContractName, in File, reason string) (*ContractResult, error) {
	given, err := parseContract(name, in)
	if err != nil {
		return nil, err
	}
	var r *ContractResult
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.gather(tx.Snapshot())
		if err != nil {
			return err
		}
		path := name.path(w.name)
		r = &ContractResult{Book: string(w.name), Contract: name.String(), Path: path}
		data, err := schema.MarshalGiven(given, in.Data)
		if err != nil {
			return err
		}
		m := schema.Message{Verb: schema.VerbOutline, Book: string(w.name), Subject: name.title()}
		if name.Kind == schema.ContractMaster {
			unlocked, err := w.lockedChanges(path, data, strings.TrimSpace(reason))
			if err != nil {
				return err
			}
			if unlocked {
				m.Extra = append(m.Extra, schema.Trailer{Key: schema.TrailerReason, Value: reason})
			}
		}
		k, err := w.contracts(path) // not the one on record: what is set may be its repair
		if err != nil {
			return err
		}
		if err := k.put(name, path, data); err != nil {
			return err
		}
		if _, faults := k.merge(k.all()...); len(faults) > 0 {
			return schema.Errorf(schema.CodeRule, "the contract %s does not fit the other contracts of the book", name.String()).WithDetails(faults...).
				WithHint("the master contract's override_policy says what lower layers may do; `git novel contract show master` shows it")
		}
		seen, err := tx.Library().FileBlob(path)
		if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
			return err
		}
		tx.Message(s.message(m))
		return tx.Replace(path, data, seen)
	})
	if err != nil {
		return nil, err
	}
	if r.Changed = res.Changed; res.Changed {
		r.Commit = res.Commit.String()
	}
	return r, nil
}

func parseContract(name ContractName, in File) (any, error) {
	switch name.Kind {
	case schema.ContractVolume:
		return schema.ParseVolumeContract(in.Name, in.Data, name.Volume)
	case schema.ContractReview:
		return schema.ParseReviewContract(in.Name, in.Data)
	case schema.ContractMaster:
	}
	return schema.ParseMasterContract(in.Name, in.Data)
}

// lockedChanges holds a new master contract against the one on record.
func (w *work) lockedChanges(path string, data []byte, reason string) (unlocked bool, err error) {
	old, _, err := w.snap.Read(path)
	if schema.CodeOf(err) == schema.CodeNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	was, now := map[string]any{}, map[string]any{}
	var c schema.MasterContract
	if json.Unmarshal(old, &was) != nil || json.Unmarshal(old, &c) != nil {
		return false, nil //nolint:nilerr // damaged: what is set is the repair
	}
	if err := json.Unmarshal(data, &now); err != nil {
		return false, schema.Wrap(err, schema.CodeUnexpected, "the contract cannot be read back")
	}
	faults := layers.Changes(path, was, now, c.Policy)
	switch {
	case len(faults) == 0:
		return false, nil
	case reason == "":
		return false, schema.Errorf(schema.CodeRule, "the new master contract changes what the one on record locks").WithDetails(faults...).
			WithHint("keep these, or let a person say why at a terminal: `git novel contract set master --file F --reason R`")
	case !w.s.o.Actor.Person():
		return false, schema.Errorf(schema.CodeRule, "only a person at a terminal can change what the master contract locks").WithDetails(faults...).
			WithHint("give the author this command: `git novel contract set master --file F --reason R`")
	}
	return true, nil
}

// contracts are the contracts of a book as they lie on disk. A contract that is not there is nil.
type contracts struct {
	book    schema.BookName
	master  *schema.MasterContract
	doc     map[string]any // of the master, with the keys that only the author knows
	review  *schema.ReviewContract
	volumes map[int]*schema.VolumeContract
}

// contracts reads them, but for the one at a path. Damaged ones: CodeInvalid with every fault of all of them.
func (w *work) contracts(but string) (*contracts, error) {
	k := &contracts{book: w.name, volumes: map[int]*schema.VolumeContract{}}
	paths, err := w.s.lib.ListFiles(schema.ContractsDir(w.name))
	if err != nil {
		return nil, err
	}
	var faults []schema.Fault
	for _, p := range paths {
		name, ok := contractOf(p)
		if !ok || p == but {
			continue
		}
		data, err := w.s.lib.ReadFile(p)
		if err == nil {
			err = k.put(name, p, data)
		}
		if err != nil {
			faults = append(faults, faultsOf(err)...)
		}
	}
	if len(faults) > 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "the contracts of %s have %d faults", string(w.name), len(faults)).WithDetails(faults...).
			WithHint("correct them in the files, or store a new one with `git novel contract set`")
	}
	return k, nil
}

// contractOf tells which contract a file of the contracts folder is.
func contractOf(path string) (ContractName, bool) {
	switch file := path[strings.LastIndexByte(path, '/')+1:]; file {
	case "master.json":
		return ContractName{Kind: schema.ContractMaster}, true
	case "review.json":
		return ContractName{Kind: schema.ContractReview}, true
	default:
		n := 0
		if _, err := fmt.Sscanf(file, "volume-%d.json", &n); err != nil || n < 1 || path != schema.VolumeContractPath(schema.ParsePath(path).Book, n) {
			return ContractName{}, false
		}
		return ContractName{Kind: schema.ContractVolume, Volume: n}, true
	}
}

func (k *contracts) put(name ContractName, path string, data []byte) error {
	if err := schema.CheckTracked(path, data); err != nil {
		return err
	}
	switch name.Kind {
	case schema.ContractVolume:
		c := new(schema.VolumeContract)
		k.volumes[name.Volume] = c
		return schema.Unmarshal(path, data, c)
	case schema.ContractReview:
		k.review = new(schema.ReviewContract)
		return schema.Unmarshal(path, data, k.review)
	case schema.ContractMaster:
	}
	k.master, k.doc = new(schema.MasterContract), map[string]any{}
	if err := json.Unmarshal(data, &k.doc); err != nil {
		return schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", path)
	}
	return schema.Unmarshal(path, data, k.master)
}

// layer is a lower contract as the merge sees it.
func (k *contracts) layer(name ContractName) (layers.Layer, bool) {
	path := name.path(k.book)
	switch c := k.volumes[name.Volume]; {
	case name.Kind == schema.ContractVolume && c != nil:
		return layers.Layer{File: path, Overrides: c.Overrides, AntiPatterns: c.AntiPatterns}, true
	case name.Kind == schema.ContractReview && k.review != nil:
		return layers.Layer{File: path, Overrides: k.review.Overrides, AntiPatterns: k.review.AntiPatterns}, true
	}
	return layers.Layer{}, false
}

// merge lays the named contracts over the master.
func (k *contracts) merge(names ...ContractName) (map[string]any, []schema.Fault) {
	policy := schema.DefaultPolicy()
	if k.master != nil {
		policy = k.master.Policy
	}
	var list []layers.Layer
	for _, n := range names {
		if l, ok := k.layer(n); ok {
			list = append(list, l)
		}
	}
	return layers.Merge(k.doc, policy, list...)
}

// all names every lower contract, for the check of them: what one may do to the master does not depend on the others.
func (k *contracts) all() []ContractName {
	var out []ContractName
	for _, n := range slices.Sorted(maps.Keys(k.volumes)) {
		out = append(out, ContractName{schema.ContractVolume, n})
	}
	return append(out, ContractName{Kind: schema.ContractReview})
}
