package schema

import "fmt"

// StatusAccepted is the status of every stored chapter commit.
const StatusAccepted = "accepted"

// Validate checks that a chapter commit is complete and agrees with itself (DESIGN 5, Commit accepted).
func (c *Commit) Validate(file string) []Fault {
	k := checker{file: file, rule: "commit"}
	k.word("schema", c.Schema, SchemaCommit)
	k.filled("book", c.Book)
	k.filled("chapter", c.Chapter)
	k.least("revision", c.Revision, 1)
	k.word("status", c.Status, StatusAccepted)
	k.word("origin", c.Origin, OriginWritten, OriginAdopted)
	k.binding("text", c.Text)
	if c.Base != nil {
		k.binding("base", *c.Base)
	}
	if !c.Adopted() {
		c.checkComplete(&k)
	}
	if c.ReviewResult != nil {
		c.checkReview(&k)
	}
	if c.Fulfillment != nil {
		c.checkNodes(&k)
	}
	if d := c.Disambiguation; d != nil && len(d.Pending) > 0 {
		k.add("disambiguation_result.pending", "holds %d names that nobody resolved", len(d.Pending))
	}
	if c.Extraction != nil {
		c.checkExtraction(&k)
	}
	return k.faults
}

// checkComplete: a chapter that was written here has the whole evidence.
func (c *Commit) checkComplete(k *checker) {
	for _, part := range []struct {
		field string
		there bool
	}{
		{"review", c.Review != nil},
		{ArtifactReview, c.ReviewResult != nil},
		{ArtifactFulfillment, c.Fulfillment != nil},
		{ArtifactDisambiguation, c.Disambiguation != nil},
		{ArtifactExtraction, c.Extraction != nil},
	} {
		if !part.there {
			k.add(part.field, "is missing; only an adopted chapter may be without it")
		}
	}
}

// checkReview compares the stored review with its digest and its chapter. Whether the review speaks of this text, or of an
// earlier one that a re-check or a typo edit leads away from, is for the rules, which see the other records too.
func (c *Commit) checkReview(k *checker) {
	r := c.ReviewResult
	k.prefix = ArtifactReview + "."
	r.check(k)
	k.prefix = ""
	if r.Book != c.Book || r.Chapter != c.Chapter {
		k.add(ArtifactReview, "belongs to chapter %s of %q, not to this chapter", r.Chapter, r.Book)
	}
	if open := r.OpenBlocking(); open > 0 {
		k.add(ArtifactReview, "holds %d blocking issues that are not overridden", open)
	}
	if c.Review == nil {
		return
	}
	if c.Review.Round != r.Round {
		k.add("review.round", "is %d, but the stored review is of round %d", c.Review.Round, r.Round)
	}
	if c.Review.Blocking != 0 {
		k.add("review.blocking_count", "is %d; a commit with blocking issues is never accepted", c.Review.Blocking)
	}
	var overridden []OverrideDigest
	for _, i := range r.Issues {
		if i.Override != nil {
			overridden = append(overridden, OverrideDigest{Issue: i.ID, Reason: i.Override.Reason, By: i.Override.By})
		}
	}
	if !sameOverrides(c.Review.Overrides, overridden) {
		k.add("review.overrides", "does not name the overridden issues of the stored review")
	}
	for i, w := range c.Review.Waived {
		k.filled(fmt.Sprintf("review.waived[%d].node", i), w.Node)
		k.filled(fmt.Sprintf("review.waived[%d].reason", i), w.Reason)
	}
}

func sameOverrides(a, b []OverrideDigest) bool {
	if len(a) != len(b) {
		return false
	}
	count := map[OverrideDigest]int{}
	for _, o := range a {
		count[o]++
	}
	for _, o := range b {
		if count[o]--; count[o] < 0 {
			return false
		}
	}
	return true
}

// checkNodes: a missed CBN or must-cover node can never be accepted, another one only when it was waived.
func (c *Commit) checkNodes(k *checker) {
	for i, n := range c.Fulfillment.Missed {
		at := fmt.Sprintf("%s.missed_nodes[%d]", ArtifactFulfillment, i)
		switch {
		case n.Type == NodeCBN || n.Type == NodeMustCover:
			k.add(at, "the node %q of type %s is missed", n.Text, n.Type)
		case !c.waived(n.Text):
			k.add(at, "the node %q is missed and not waived", n.Text)
		}
	}
	for _, list := range [][]Node{c.Fulfillment.Planned, c.Fulfillment.Covered, c.Fulfillment.Missed, c.Fulfillment.Extra} {
		for _, n := range list {
			if _, ok := ParseNodeType(n.Type); n.Type != "" && !ok {
				k.add(ArtifactFulfillment, "%q is not a node type", n.Type)
			}
		}
	}
}

func (c *Commit) waived(node string) bool {
	if c.Review == nil {
		return false
	}
	for _, w := range c.Review.Waived {
		if NodeName(w.Node) == NodeName(node) {
			return true
		}
	}
	return false
}

func (c *Commit) checkExtraction(k *checker) {
	number, numbered := KeyOfID(c.Chapter).Number()
	if !numbered {
		number = 0
	}
	ids := map[string]bool{}
	for i, e := range c.Extraction.Events {
		at := fmt.Sprintf("%s.accepted_events[%d].", ArtifactExtraction, i)
		k.filled(at+"event_id", e.ID)
		if e.ID != "" && ids[e.ID] {
			k.add(at+"event_id", "the event id %q is given twice", e.ID)
		}
		ids[e.ID] = true
		k.word(at+"event_type", e.Type, wordsOf(EventTypes())...)
		k.filled(at+"subject", e.Subject)
		if e.Chapter != number {
			k.add(at+"chapter", "%d is not this chapter", e.Chapter)
		}
	}
	for i, d := range c.Extraction.States {
		at := fmt.Sprintf("%s.state_deltas[%d].", ArtifactExtraction, i)
		k.filled(at+"entity_id", d.Entity)
		k.filled(at+"field", d.Field)
	}
}
