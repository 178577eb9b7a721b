package state

import (
	"strings"

	"git-novel/schema"
)

// OverrideEvent is a person's decision to go on in spite of one blocking issue (`review override`).
type OverrideEvent struct {
	Issue  string // id
	Reason string
	By     string
	Person bool // at a terminal, or in the panel with a token; never over MCP and never inside an agent run
}

// Kind is KindOverride.
func (OverrideEvent) Kind() Kind { return KindOverride }

func (e OverrideEvent) decide(b *Book, c *Chapter) Decision {
	out := standing(c)
	if !e.Person {
		out.add("override-person", schema.Textf("only a person may override an issue, at a terminal or in the panel"))
	}
	if strings.TrimSpace(e.Reason) == "" {
		out.add("override-reason", schema.Textf("an override needs a reason"))
	}
	if strings.TrimSpace(e.By) == "" {
		out.add("override-by", schema.Textf("an override needs the name of the person who decides"))
	}
	if out.open(c) {
		switch issue, ok := c.openIssue(e.Issue); {
		case !ok:
			out.add("override-unknown", schema.Textf("no open blocking issue of chapter %s has the id %s", string(c.Key), e.Issue))
		case !issue.Overridable:
			out.add("override-forbidden", schema.Textf(
				"issue %s is about %s and states a fact: no one may override it; fix the text or ask for another full review",
				issue.ID, string(issue.Category)))
		}
	}
	if len(out) > 0 {
		return judge(b, c, c.State, out)
	}
	after := *c
	after.Review, after.Recheck = c.Review.without(e.Issue), c.Recheck.without(e.Issue)
	return recorded(b, c, &after)
}

func (c *Chapter) openIssue(id string) (OpenIssue, bool) {
	if c.Review != nil {
		for _, i := range c.Review.Open {
			if i.ID == id {
				return i, true
			}
		}
	}
	if c.Recheck != nil && c.Recheck.Text == c.Text {
		for _, i := range c.Recheck.Open {
			if i.ID == id {
				return i, true
			}
		}
	}
	return OpenIssue{}, false
}

func (r *ReviewEvidence) without(id string) *ReviewEvidence {
	if r == nil {
		return nil
	}
	after := *r
	after.Open = withoutIssue(r.Open, id)
	return &after
}

func (r *RecheckEvidence) without(id string) *RecheckEvidence {
	if r == nil {
		return nil
	}
	after := *r
	after.Open = withoutIssue(r.Open, id)
	return &after
}

func withoutIssue(open []OpenIssue, id string) []OpenIssue {
	var out []OpenIssue
	for _, i := range open {
		if i.ID != id {
			out = append(out, i)
		}
	}
	return out
}
