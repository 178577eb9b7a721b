package state

import (
	"math/bits"
	"slices"

	"git-novel/schema"
)

const (
	// MaxTypoEdits is how many inserted plus deleted UTF-16 units all typo edits of one accepted text may have together
	// (DESIGN 5, Retcon).
	MaxTypoEdits = 20
	// MaxChapterNumber is the last chapter number (DESIGN 4).
	MaxChapterNumber = 9999
)

// Dims is a set of review dimensions.
type Dims uint16

// NewDims gives the set of the named dimensions; a name that is none is left out.
func NewDims(names ...schema.Category) Dims {
	var d Dims
	for _, n := range names {
		if i := slices.Index(schema.Categories(), n); i >= 0 {
			d |= 1 << i
		}
	}
	return d
}

// DimsOf gives the dimensions that a record has a conclusion for.
func DimsOf(m schema.Dimensions) Dims {
	var d Dims
	for i, c := range schema.Categories() {
		if _, ok := m[c]; ok {
			d |= 1 << i
		}
	}
	return d
}

// Has reports whether every dimension of o is in d.
func (d Dims) Has(o Dims) bool { return d&o == o }

// Covers reports whether one dimension is in the set.
func (d Dims) Covers(c schema.Category) bool { return NewDims(c) != 0 && d.Has(NewDims(c)) }

// Minus gives the dimensions of d that are not in o.
func (d Dims) Minus(o Dims) Dims { return d &^ o }

// Len is the number of dimensions.
func (d Dims) Len() int { return bits.OnesCount16(uint16(d)) }

// List names the dimensions in their fixed order.
func (d Dims) List() []schema.Category {
	var out []schema.Category
	for i, c := range schema.Categories() {
		if d&(1<<i) != 0 {
			out = append(out, c)
		}
	}
	return out
}

// Rules is what a library may tune. The zero value is not valid: use DefaultRules or RulesOf.
type Rules struct {
	Dimensions   Dims // what a full review covers, at least the five
	PolishLimit  int  // percent of the reviewed text's UTF-16 units that polish may insert and delete, at most 15
	RequireAgent bool // a gate of the client, which the checker does not look at (DESIGN 12)
	Version      int  // rules = N
}

// DefaultRules are the built-in minimums.
func DefaultRules() Rules {
	return Rules{
		Dimensions: NewDims(schema.FullDimensions()...), PolishLimit: schema.MaxPolishLimit, Version: schema.RulesVersion,
	}
}

// RulesOf gives the rules of a library: what its settings ask for, never less than the built-in minimums. reviewer says
// whether a reviewer agent is configured, which decides what is required when the settings do not say.
func RulesOf(c *schema.Config, reviewer bool) Rules {
	r := DefaultRules()
	if c == nil {
		return r
	}
	r.Dimensions |= NewDims(c.Review.Dimensions...)
	r.PolishLimit = min(r.PolishLimit, max(c.Review.PolishLimit, 0))
	r.RequireAgent = c.RequiredDepth(reviewer) == schema.RequireAgent
	r.Version = max(c.Rules, 1)
	return r
}

// Stricter joins the rules of two parents of a merge.
func (r Rules) Stricter(o Rules) Rules {
	return Rules{
		Dimensions:   r.Dimensions | o.Dimensions,
		PolishLimit:  min(r.PolishLimit, o.PolishLimit),
		RequireAgent: r.RequireAgent || o.RequireAgent,
		Version:      max(r.Version, o.Version),
	}
}

// Edits is the size of a minimal diff in UTF-16 units. The zero value says that nobody has counted.
type Edits struct {
	Known    bool
	Inserted int
	Deleted  int
}

// Counted gives known edits.
func Counted(inserted, deleted int) Edits {
	return Edits{Known: true, Inserted: inserted, Deleted: deleted}
}

// Total is inserted plus deleted.
func (e Edits) Total() int { return e.Inserted + e.Deleted }

// WithinPolish reports whether polish of a text of chars UTF-16 units may rest on the review of the text before it.
func (r Rules) WithinPolish(e Edits, chars int) bool {
	return e.Known && e.Total()*100 <= r.PolishLimit*chars
}
