package state

import (
	"strings"

	"git-novel/schema"
)

// CommitEvent is a chapter commit with its artifacts, all of them validated by schema before.
type CommitEvent struct {
	Recorded       *schema.Review      // review.json, for comparison with Given
	Given          *schema.ReviewInput // --review-result; nil takes the recorded review
	Outline        *schema.Outline     // nil when the chapter has none
	Fulfillment    *schema.Fulfillment
	Disambiguation *schema.Disambiguation
	Waivers        []schema.Waiver
	SummaryText    string // what will be stored as the summary
}

// Kind is KindCommit.
func (CommitEvent) Kind() Kind { return KindCommit }

func (e CommitEvent) decide(b *Book, c *Chapter) Decision {
	out := commitGate(b, c)
	if c.State != schema.StateCommitted {
		out = append(out, e.artifacts(c)...)
	}
	return judge(b, c, schema.StateCommitted, out)
}

// MayCommit names every reason against a chapter commit that does not lie in its artifacts; none means that the chapter
// only waits for step 5.
func (b *Book) MayCommit(c *Chapter) []schema.Fault { return commitGate(b, c) }

// commitGate judges state, evidence and order (DESIGN 5, Commit accepted).
func commitGate(b *Book, c *Chapter) faults {
	out := standing(c)
	if !out.open(c) {
		return out
	}
	if c.State == schema.StateDrafted {
		out.add("chapter-not-reviewed", schema.Textf("chapter %s is drafted, not reviewed", string(c.Key)))
	}
	out = append(out, c.Gaps(b.Rules)...)
	if n, ok := c.Number(); ok {
		out = append(out, lowerCommitted(b, n)...)
	}
	return out
}

// artifacts judges what the four artifacts say.
func (e CommitEvent) artifacts(c *Chapter) faults {
	var out faults
	switch {
	case e.Given == nil:
	case e.Recorded == nil:
		out.add("review-differs", schema.Textf("the review result was never recorded"))
	case !e.Given.Same(e.Recorded):
		out.add("review-differs", schema.Textf("the review result is not the recorded review of round %d", e.Recorded.Round))
	}
	if e.Fulfillment == nil {
		out.add("artifact-missing", schema.Textf("the artifact %s is missing", schema.ArtifactFulfillment))
	} else {
		out = append(out, nodeFaults(e.Outline, e.Fulfillment, e.Waivers)...)
	}
	if e.Disambiguation == nil {
		out.add("artifact-missing", schema.Textf("the artifact %s is missing", schema.ArtifactDisambiguation))
	} else if n := len(e.Disambiguation.Pending); n > 0 {
		out.add("pending", schema.Textf("%d names are not resolved (pending)", n))
	}
	if strings.TrimSpace(e.SummaryText) == "" {
		out.add("summary-missing", schema.Textf("chapter %s has no summary to store", string(c.Key)))
	}
	return out
}

// nodeFaults judges the outline nodes: a missed CBN or must-cover node is never accepted, another one only when it is
// waived with a reason. A node given as a bare string has the type that the outline, or the planned list, gives it.
func nodeFaults(outline *schema.Outline, f *schema.Fulfillment, waivers []schema.Waiver) faults {
	var out faults
	kinds := nodeKinds(outline, f)
	waived := map[string]bool{}
	for _, w := range waivers {
		node := nodeName(w.Node)
		if strings.TrimSpace(w.Reason) == "" {
			out.add("waiver-reason", schema.Textf("the waiver of node %q needs a reason", w.Node))
			continue
		}
		waived[node] = true
	}
	missed := map[string]bool{}
	for _, n := range missedNodes(outline, f) {
		name := nodeName(n.Text)
		if missed[name] {
			continue
		}
		missed[name] = true
		kind := n.Type
		if kind == "" || kinds[name] == schema.NodeCBN || kinds[name] == schema.NodeMustCover {
			// The outline's word wins over a milder type in the artifact.
			if k, ok := kinds[name]; ok {
				kind = k
			}
		}
		switch {
		case kind == schema.NodeCBN || kind == schema.NodeMustCover:
			out.add("node-missed", schema.Textf("the %s node %q is missed, and a node of this kind cannot be waived", kind, n.Text))
		case !waived[name]:
			out.add("node-missed", schema.Textf("the node %q is missed and not waived", n.Text))
		}
	}
	for _, w := range waivers {
		if !missed[nodeName(w.Node)] {
			out.add("waiver-unknown", schema.Textf("the waived node %q is not a missed node", w.Node))
		}
	}
	return out
}

// nodeName is what two nodes are compared by.
func nodeName(s string) string { return schema.NodeName(s) }

// nodeKinds gives each node that has a type its type, the outline's first. A node of the outline that is on the way and must
// be covered too must be covered.
func nodeKinds(outline *schema.Outline, f *schema.Fulfillment) map[string]string {
	kinds := map[string]string{}
	if outline != nil {
		for _, n := range outline.Nodes() {
			if name := nodeName(n.Text); kinds[name] == "" || n.Type == schema.NodeMustCover && kinds[name] != schema.NodeCBN {
				kinds[name] = n.Type
			}
		}
	}
	for _, n := range f.Planned {
		if name := nodeName(n.Text); n.Type != "" && kinds[name] == "" {
			kinds[name] = n.Type
		}
	}
	return kinds
}

// missedNodes gives the nodes that the artifact calls missed, and those that it says nothing about although the outline
// must have them covered or the artifact itself planned them: silence is not cover.
func missedNodes(outline *schema.Outline, f *schema.Fulfillment) []schema.Node {
	told := append(append([]schema.Node(nil), f.Covered...), f.Missed...)
	out := append([]schema.Node(nil), f.Missed...)
	add := func(n schema.Node, same func(a, b schema.Node) bool) {
		for _, t := range told {
			if same(t, n) {
				return
			}
		}
		told, out = append(told, n), append(out, n)
	}
	if outline != nil {
		for _, n := range outline.Nodes() {
			if n.Type == schema.NodeMustCover || n.Type == schema.NodeCBN {
				add(n, speaksOf)
			}
		}
	}
	for _, n := range f.Planned {
		add(n, func(a, b schema.Node) bool { return nodeName(a.Text) == nodeName(b.Text) })
	}
	return out
}

// speaksOf reports whether an artifact's node is the outline's: the same words, a longer or shorter wording of them, or
// the one CBN that a chapter has, which a data agent may word in its own way.
func speaksOf(told, outline schema.Node) bool {
	a, b := nodeName(told.Text), nodeName(outline.Text)
	return strings.Contains(a, b) || a != "" && strings.Contains(b, a) ||
		told.Type == schema.NodeCBN && outline.Type == schema.NodeCBN
}

// EnrichEvent adds extraction and summary to an adopted chapter, without a review (`chapter-commit N --enrich`).
type EnrichEvent struct {
	Pending     int // unresolved names of the disambiguation artifact
	SummaryText string
}

// Kind is KindEnrich.
func (EnrichEvent) Kind() Kind { return KindEnrich }

func (e EnrichEvent) decide(b *Book, c *Chapter) Decision {
	out := standing(c)
	if out.committed(c) {
		if !c.Adopted() {
			out.add("enrich-written", schema.Textf("chapter %s was written here: its facts came with its chapter commit", string(c.Key)))
		}
		if c.Edited() {
			out.add("chapter-edited", schema.Textf("the text of chapter %s was changed by hand after it was committed", string(c.Key)))
		}
	}
	if e.Pending > 0 {
		out.add("pending", schema.Textf("%d names are not resolved (pending)", e.Pending))
	}
	if strings.TrimSpace(e.SummaryText) == "" {
		out.add("summary-missing", schema.Textf("chapter %s has no summary to store", string(c.Key)))
	}
	d := judge(b, c, c.State, out)
	d.NoOp = false
	return d
}
