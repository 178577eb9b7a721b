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

// TestNodeInOtherForms: a data agent's blanks and full-width bars do not make another node of it.
func TestNodeInOtherForms(t *testing.T) {
	t.Parallel()
	o := &schema.Outline{Content: schema.OutlineContent{CBN: "唐王 | 入 | 冥", CPNs: []string{"甲 | 看 | 乙"}, MustCover: []string{"判官｜改｜簿"}}}
	f := &schema.Fulfillment{
		Planned: o.Nodes(), Missed: []schema.Node{{Text: "甲｜看｜乙"}},
		Covered: []schema.Node{{Text: "唐王｜入｜冥"}, {Text: "判官|改|簿"}},
	}
	if faults := nodeFaults(o, f, []schema.Waiver{{Node: "甲|看|乙", Reason: "r"}}); len(faults) != 0 {
		t.Errorf("%v", faults)
	}
	f.Missed = []schema.Node{{Text: "唐王|入|冥"}}
	f.Covered = []schema.Node{{Text: "甲|看|乙"}, {Text: "判官|改|簿"}}
	if faults := nodeFaults(o, f, []schema.Waiver{{Node: "唐王 | 入 | 冥", Reason: "r"}}); len(faults) != 1 {
		t.Errorf("a missed CBN is waived: %v", faults)
	}
}
