package state

import (
	"testing"

	"git-novel/schema"
)

// TestNodeThatIsOnTheWayAndMust: a CPN that the outline also lists as must-cover cannot be waived; another one can.
func TestNodeThatIsOnTheWayAndMust(t *testing.T) {
	t.Parallel()
	o := &schema.Outline{Content: schema.OutlineContent{CPNs: []string{"甲", "乙"}, MustCover: []string{"甲"}}}
	waived := []schema.Waiver{{Node: "甲", Reason: "r"}, {Node: "乙", Reason: "r"}}
	missed := &schema.Fulfillment{Planned: o.Nodes(), Missed: []schema.Node{{Type: schema.NodeCPN, Text: "甲"}, {Type: schema.NodeCPN, Text: "乙"}}}
	faults := nodeFaults(o, missed, waived)
	if len(faults) != 1 {
		t.Fatalf("%v", faults)
	}
	o.Content.MustCover = nil
	missed.Planned = o.Nodes()
	if faults := nodeFaults(o, missed, waived); len(faults) != 0 {
		t.Errorf("%v", faults)
	}
}
