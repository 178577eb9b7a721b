package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// dimensions reads the conclusions in any of the forms of DESIGN 7 and reference harness 4.1: "dimensions" as an object of
// conclusions or as a list of names, "dimension_results" as an object or a list of objects. Every conclusion must agree
// with the issues of its category.
func (p *reviewParser) dimensions(issues []Issue) Dimensions {
	found := Dimensions{}
	given := false
	for _, key := range []string{"dimensions", "dimension_results"} {
		n, _ := p.o.get(key)
		if n == nil {
			continue
		}
		given = true
		switch {
		case n.kind != inObject && n.kind != inArray:
			p.o.fault(n, key, "must be an object of conclusions or a list, not %s", n.describe())
		case len(n.members)+len(n.items) == 0:
			p.o.fault(n, key, "covers no dimension; leave it out when the review covers %s", joinWords(p.defaultDimensions()))
		case n.kind == inObject:
			for _, m := range n.members {
				p.conclude(found, issues, key+"."+m.key, m.key, m.off, m.val)
			}
		default:
			p.dimensionList(found, issues, key, n)
		}
	}
	if !given {
		for _, c := range p.defaultDimensions() {
			found[c] = Conclusion(countBy(issues, c))
		}
	}
	return found
}

func (p *reviewParser) dimensionList(found Dimensions, issues []Issue, key string, n *inNode) {
	seen := map[string]bool{}
	for i, it := range n.items {
		path := fmt.Sprintf("%s[%d]", key, i)
		var (
			name string
			val  *inNode
		)
		switch it.kind {
		case inString:
			var rest string
			name, rest, _ = strings.Cut(strings.Replace(it.text, "：", ":", 1), ":")
			name = strings.TrimSpace(name)
			if rest = strings.TrimSpace(rest); rest != "" {
				val = &inNode{kind: inString, off: it.off, text: rest}
			}
		case inObject:
			o := &inObj{h: p.h, n: it, path: path}
			name = o.need("dimension", "name", "category")
			if val, _ = o.get("conclusion", "result", "status", "verdict", "count", "issues_count"); val == nil {
				o.fault(nil, "conclusion", `is missing; it must be "pass" or the number of issues`)
				continue
			}
		default:
			p.h.add(it.off, path, "must be the name of a dimension, or an object, not %s", it.describe())
			continue
		}
		if seen[name] {
			p.h.add(it.off, path, "the dimension %q is named twice", name)
			continue
		}
		seen[name] = true
		p.conclude(found, issues, path, name, it.off, val)
	}
}

// conclude notes one dimension. A nil val is a name without a conclusion: the issues are the conclusion.
func (p *reviewParser) conclude(found Dimensions, issues []Issue, path, name string, off int, val *inNode) {
	c := Category(name)
	if !slices.Contains(p.allowedDimensions(), c) {
		p.h.add(off, path, "%q is not a dimension here; allowed: %s", name, joinWords(p.allowedDimensions()))
		return
	}
	n := countBy(issues, c)
	if val != nil {
		said, ok := readConclusion(val)
		if !ok {
			p.h.add(val.off, path, `%s is not a conclusion; allowed: "pass" or the number of issues`, val.describe())
			return
		}
		if said != n {
			p.h.add(val.off, path, "concludes on %d issues, but the list holds %d of category %s", said, n, name)
			return
		}
	}
	found[c] = Conclusion(n)
}

var reFoundIssues = Pattern(`^发现\s*([0-9]{1,4})\s*个问题[。.]?$`)

// readConclusion takes "pass", a number, the peer's 发现N个问题, and an object that holds one of them.
func readConclusion(n *inNode) (int, bool) {
	switch n.kind { //nolint:exhaustive // the others are no conclusion
	case inNumber:
		v, ok := n.integer()
		return v, ok && v >= 0
	case inString:
		s := strings.TrimSpace(n.text)
		if strings.EqualFold(s, "pass") || s == "通过" {
			return 0, true
		}
		if m := reFoundIssues().FindStringSubmatch(s); m != nil {
			s = m[1]
		}
		v, err := strconv.ParseUint(s, 10, 16)
		return int(v), err == nil
	case inObject:
		for _, k := range []string{"conclusion", "result", "status", "verdict", "count", "issues_count"} {
			if v := n.member(k); v != nil && v.kind != inObject {
				return readConclusion(v)
			}
		}
	}
	return 0, false
}
