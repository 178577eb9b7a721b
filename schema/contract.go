package schema

import (
	"fmt"
	"slices"
	"strings"
)

// SchemaContract is the schema name of the story contracts.
const SchemaContract = "novel-contract/v1"

// ContractKind is one of the three layers of story contracts (reference harness 4.8). The chapter's own layer is its outline.
type ContractKind string

// The kinds of contracts.
const (
	ContractMaster ContractKind = "master" // the whole story
	ContractVolume ContractKind = "volume" // one volume
	ContractReview ContractKind = "review" // what reviews must look at
)

// ContractKinds lists the kinds.
func ContractKinds() []ContractKind {
	return []ContractKind{ContractMaster, ContractVolume, ContractReview}
}

// MasterContract is contracts/master.json. Its policy says what lower layers may do to it: nothing to a locked field, add
// to an append-only list, replace what is open to overrides. Fields are named by dotted paths.
type MasterContract struct {
	Schema       string            `json:"schema"`
	Kind         ContractKind      `json:"contract_type"`
	Route        ContractRoute     `json:"route"`
	Constraints  MasterConstraints `json:"master_constraints"`
	BaseContext  []string          `json:"base_context"`
	AntiPatterns []string          `json:"anti_patterns"`
	Policy       OverridePolicy    `json:"override_policy"`
}

// ContractRoute says which genre the story is of.
type ContractRoute struct {
	PrimaryGenre   string `json:"primary_genre"`
	CanonicalGenre string `json:"canonical_genre,omitempty"`
}

// MasterConstraints hold for every chapter.
type MasterConstraints struct {
	CoreTone       string `json:"core_tone"`
	PacingStrategy string `json:"pacing_strategy"`
}

// OverridePolicy names fields of the master contract by dotted paths.
type OverridePolicy struct {
	Locked          []string `json:"locked"`
	AppendOnly      []string `json:"append_only"`
	OverrideAllowed []string `json:"override_allowed"`
}

// DefaultPolicy is the policy of a master contract that has none.
func DefaultPolicy() OverridePolicy {
	return OverridePolicy{
		Locked: []string{"route.primary_genre", "master_constraints.core_tone"}, AppendOnly: []string{"anti_patterns"}, OverrideAllowed: []string{},
	}
}

// ContractOverrides is what a lower layer does to the master contract: path → value. Locked values may only be repeated.
type ContractOverrides struct {
	Locked          map[string]any `json:"locked,omitempty"`
	AppendOnly      map[string]any `json:"append_only,omitempty"`
	OverrideAllowed map[string]any `json:"override_allowed,omitempty"`
}

// VolumeContract is contracts/volume-NN.json.
type VolumeContract struct {
	Schema       string            `json:"schema"`
	Kind         ContractKind      `json:"contract_type"`
	Volume       int               `json:"volume"`
	Goal         VolumeGoal        `json:"volume_goal"`
	Tropes       []string          `json:"selected_tropes"`
	Pacing       VolumePacing      `json:"selected_pacing"`
	Scenes       []string          `json:"selected_scenes"`
	AntiPatterns []string          `json:"anti_patterns"`
	Constraints  []string          `json:"system_constraints"`
	Overrides    ContractOverrides `json:"overrides"`
}

// VolumeGoal is what the volume is for.
type VolumeGoal struct {
	Summary string `json:"summary"`
}

// VolumePacing is the shape of the volume's tension.
type VolumePacing struct {
	Wave string `json:"wave"`
}

// ReviewContract is contracts/review.json.
type ReviewContract struct {
	Schema        string            `json:"schema"`
	Kind          ContractKind      `json:"contract_type"`
	MustCheck     []string          `json:"must_check"`
	BlockingRules []string          `json:"blocking_rules"`
	Risks         []string          `json:"genre_specific_risks"`
	AntiPatterns  []string          `json:"anti_patterns"`
	Constraints   []string          `json:"system_constraints"`
	Thresholds    ReviewThresholds  `json:"review_thresholds"`
	Overrides     ContractOverrides `json:"overrides"`
}

// ReviewThresholds are always zero: what blocks is decided by the rules, and no contract loosens them.
type ReviewThresholds struct {
	Blocking int `json:"blocking_count"`
	Missed   int `json:"missed_nodes"`
}

// ParseMasterContract reads a master contract that is handed in; the error is CodeInvalid with every fault.
func ParseMasterContract(file string, data []byte) (*MasterContract, error) {
	h, o := openContract(file, data, ContractMaster, "route", "master_constraints", "base_context", "anti_patterns", "override_policy")
	if o == nil {
		return nil, h.err()
	}
	c := &MasterContract{Schema: SchemaContract, Kind: ContractMaster, Policy: DefaultPolicy()}
	if r := o.required("route"); r != nil {
		r.misspelled("primary_genre", "canonical_genre")
		c.Route = ContractRoute{PrimaryGenre: r.need("primary_genre"), CanonicalGenre: r.str("canonical_genre")}
	}
	if m := o.required("master_constraints"); m != nil {
		m.misspelled("core_tone", "pacing_strategy")
		c.Constraints = MasterConstraints{CoreTone: m.need("core_tone"), PacingStrategy: m.str("pacing_strategy")}
	}
	c.BaseContext, c.AntiPatterns = o.listOf("base_context"), o.patterns()
	if p := o.sub("override_policy"); p != nil {
		p.misspelled("locked", "append_only", "override_allowed")
		c.Policy = OverridePolicy{Locked: p.listOf("locked"), AppendOnly: p.listOf("append_only"), OverrideAllowed: p.listOf("override_allowed")}
	}
	if len(h.faults) == 0 {
		h.faults = c.Validate(file)
	}
	return c, h.err()
}

// ParseVolumeContract reads the contract of volume n that is handed in.
func ParseVolumeContract(file string, data []byte, n int) (*VolumeContract, error) {
	h, o := openContract(file, data, ContractVolume, "volume", "volume_goal", "selected_tropes", "selected_pacing", "selected_scenes",
		"anti_patterns", "system_constraints", "overrides")
	if o == nil {
		return nil, h.err()
	}
	c := &VolumeContract{Schema: SchemaContract, Kind: ContractVolume, Volume: n}
	if v, ok := o.integer("volume", 1); ok && v != n {
		at, key := o.get("volume")
		o.fault(at, key, "%s is not this volume: it must be %d", at.describe(), n)
	}
	if g := o.required("volume_goal"); g != nil {
		g.misspelled("summary")
		c.Goal.Summary = g.need("summary")
	}
	if p := o.sub("selected_pacing"); p != nil {
		p.misspelled("wave")
		c.Pacing.Wave = p.str("wave")
	}
	c.Tropes, c.Scenes = o.listOf("selected_tropes"), o.listOf("selected_scenes")
	c.AntiPatterns, c.Constraints = o.patterns(), o.listOf("system_constraints")
	c.Overrides = o.overrides()
	return c, h.err()
}

// ParseReviewContract reads a review contract that is handed in.
func ParseReviewContract(file string, data []byte) (*ReviewContract, error) {
	h, o := openContract(file, data, ContractReview, "must_check", "blocking_rules", "genre_specific_risks", "anti_patterns",
		"system_constraints", "review_thresholds", "overrides")
	if o == nil {
		return nil, h.err()
	}
	c := &ReviewContract{
		Schema: SchemaContract, Kind: ContractReview, MustCheck: o.listOf("must_check"), BlockingRules: o.listOf("blocking_rules"),
		Risks: o.listOf("genre_specific_risks"), AntiPatterns: o.patterns(), Constraints: o.listOf("system_constraints"),
	}
	if t := o.sub("review_thresholds"); t != nil {
		t.misspelled("blocking_count", "missed_nodes")
		for _, key := range []string{"blocking_count", "missed_nodes"} {
			if v, ok := t.integer(key, 0); ok && v != 0 {
				n, _ := t.get(key)
				t.fault(n, key, "must be 0: no contract loosens a gate")
			}
		}
	}
	c.Overrides = o.overrides()
	return c, h.err()
}

func openContract(file string, data []byte, kind ContractKind, keys ...string) (*handIn, *inObj) {
	h, o := openHandIn(file, string(kind)+"-contract", data)
	if o == nil {
		return h, nil
	}
	o.misspelled(append([]string{"schema", "contract_type", "meta"}, keys...)...)
	for key, want := range map[string]string{"schema": SchemaContract, "contract_type": string(kind)} {
		if n, _ := o.get(key); n != nil && (n.kind != inString || n.text != want) {
			o.fault(n, key, "%s is not the format of this file; allowed: %s", n.describe(), want)
		}
	}
	return h, o
}

func (o *inObj) required(key string) *inObj {
	if n, _ := o.get(key); n == nil {
		o.fault(nil, key, "is missing; it must be an object")
		return nil
	}
	return o.sub(key)
}

func (o *inObj) listOf(key string) []string {
	if l := o.strings(key); l != nil {
		return l
	}
	return []string{}
}

// patterns reads anti_patterns: texts, or objects with a text as the older tool stores them; of several with one text the
// first counts (reference harness 4.8).
func (o *inObj) patterns() []string {
	const key = "anti_patterns"
	list := []string{}
	n, _ := o.get(key)
	switch {
	case n == nil:
		return list
	case n.kind != inArray:
		o.fault(n, key, "must be a list of strings, not %s", n.describe())
		return list
	}
	for i, it := range n.items {
		at, v := fmt.Sprintf("%s[%d]", key, i), it
		if it.kind == inObject {
			if v = it.member("text"); v == nil {
				o.fault(it, at+".text", "is missing; it must be a string that is not blank")
				continue
			}
			at += ".text"
		}
		switch {
		case v.kind != inString || strings.TrimSpace(v.text) == "":
			o.fault(v, at, "must be a string that is not blank, not %s", v.describe())
		case !slices.Contains(list, v.text):
			list = append(list, v.text)
		}
	}
	return list
}

func (o *inObj) overrides() ContractOverrides {
	var c ContractOverrides
	v := o.sub("overrides")
	if v == nil {
		return c
	}
	v.misspelled("locked", "append_only", "override_allowed")
	for _, f := range []struct {
		key string
		to  *map[string]any
	}{{"locked", &c.Locked}, {"append_only", &c.AppendOnly}, {"override_allowed", &c.OverrideAllowed}} {
		if m := v.sub(f.key); m != nil && len(m.n.members) > 0 {
			*f.to = m.n.object()
		}
	}
	return c
}

// Validate checks that the policy says one thing of each field.
func (c *MasterContract) Validate(file string) []Fault {
	k := checker{file: file, rule: "contract"}
	k.word("schema", c.Schema, SchemaContract)
	k.word("contract_type", string(c.Kind), string(ContractMaster))
	k.filled("route.primary_genre", c.Route.PrimaryGenre)
	k.filled("master_constraints.core_tone", c.Constraints.CoreTone)
	seen := map[string]string{}
	for _, part := range []struct {
		name  string
		paths []string
	}{{"locked", c.Policy.Locked}, {"append_only", c.Policy.AppendOnly}, {"override_allowed", c.Policy.OverrideAllowed}} {
		for i, path := range part.paths {
			at := fmt.Sprintf("override_policy.%s[%d]", part.name, i)
			switch was := seen[path]; {
			case strings.HasPrefix(path, "override_policy") || path == "schema" || path == "contract_type":
				k.add(at, "%q cannot be opened to lower layers", path)
			case was != "" && was != part.name:
				k.add(at, "%q cannot be both %s and %s", path, was, part.name)
			}
			seen[path] = part.name
		}
	}
	return k.faults
}

// Validate checks that a recorded volume contract is complete.
func (c *VolumeContract) Validate(file string) []Fault {
	k := checker{file: file, rule: "contract"}
	k.word("schema", c.Schema, SchemaContract)
	k.word("contract_type", string(c.Kind), string(ContractVolume))
	k.least("volume", c.Volume, 1)
	k.filled("volume_goal.summary", c.Goal.Summary)
	return k.faults
}

// Validate checks that a recorded review contract loosens nothing.
func (c *ReviewContract) Validate(file string) []Fault {
	k := checker{file: file, rule: "contract"}
	k.word("schema", c.Schema, SchemaContract)
	k.word("contract_type", string(c.Kind), string(ContractReview))
	if c.Thresholds != (ReviewThresholds{}) {
		k.add("review_thresholds", "must be 0: no contract loosens a gate")
	}
	return k.faults
}

// ParseContractKind reads a kind as typed.
func ParseContractKind(s string) (ContractKind, error) {
	if k := ContractKind(s); slices.Contains(ContractKinds(), k) {
		return k, nil
	}
	return "", Errorf(CodeUsage, "there is no contract %q", s).WithHint("the contracts are master, volume N and review")
}
