package repo

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"git-novel/schema"
)

// What the cache decodes is what it encoded, and anything else is refused without a panic.
func TestEvidenceCode(t *testing.T) {
	t.Parallel()
	text := rapid.StringN(0, 8, -1)
	num := rapid.IntRange(-5, 1<<40)
	bind := func(t *rapid.T) schema.Binding {
		return schema.Binding{Path: text.Draw(t, "path"), Blob: schema.HashBlob([]byte(text.Draw(t, "blob"))), Chars: num.Draw(t, "chars")}
	}
	findings := func(t *rapid.T) (schema.Dimensions, []schema.Issue) {
		dims := schema.Dimensions{}
		for _, c := range rapid.SliceOf(rapid.SampledFrom(schema.Categories())).Draw(t, "dims") {
			dims[c] = schema.Conclusion(rapid.IntRange(0, 9).Draw(t, "n"))
		}
		var issues []schema.Issue
		for range rapid.IntRange(0, 3).Draw(t, "issues") {
			i := schema.Issue{ID: text.Draw(t, "id"), Severity: schema.SeverityHigh, Category: schema.CategoryLogic, Blocking: rapid.Bool().Draw(t, "b")}
			if rapid.Bool().Draw(t, "has fact") {
				fact := rapid.Bool().Draw(t, "fact")
				i.Fact = &fact
			}
			if rapid.Bool().Draw(t, "override") {
				i.Override = &schema.Override{Reason: text.Draw(t, "why"), By: text.Draw(t, "by")}
			}
			issues = append(issues, i)
		}
		return dims, issues
	}
	rapid.Check(t, func(t *rapid.T) {
		e := &Evidence{Outline: rapid.Bool().Draw(t, "outline")}
		if rapid.Bool().Draw(t, "review") {
			r := &schema.Review{Schema: "s", Book: text.Draw(t, "book"), Round: num.Draw(t, "round"), Text: bind(t), Depth: text.Draw(t, "depth")}
			r.Dimensions, r.Issues = findings(t)
			e.Review = r
		}
		if rapid.Bool().Draw(t, "recheck") {
			r := &schema.Recheck{Schema: "s", Task: text.Draw(t, "task"), Text: bind(t), HasBlocking: true}
			r.Dimensions, r.Issues = findings(t)
			e.Recheck = r
		}
		if rapid.Bool().Draw(t, "commit") {
			base := bind(t)
			e.Commit = &schema.Commit{
				Schema: "s", Origin: text.Draw(t, "origin"), Revision: num.Draw(t, "revision"), Text: bind(t), Base: &base, Extraction: &schema.Extraction{},
				Review: &schema.ReviewDigest{
					Round: 3, Overrides: []schema.OverrideDigest{{Issue: text.Draw(t, "issue")}}, Waived: []schema.Waiver{{Node: text.Draw(t, "node")}},
				},
			}
		}
		raw := encodeEvidence(e)
		got, ok := decodeEvidence(raw)
		if !ok || render(got) != render(e) {
			t.Fatalf("%v\n%s\n%s", ok, render(got), render(e))
		}
		cut := rapid.IntRange(0, len(raw)).Draw(t, "cut")
		if _, ok := decodeEvidence(raw[:cut]); ok && cut < len(raw) {
			t.Fatalf("%d of %d bytes are taken for a whole entry", cut, len(raw))
		}
	})
}

func render(e *Evidence) string {
	s := fmt.Sprint(e.Outline)
	var issues []schema.Issue
	if e.Review != nil {
		r := *e.Review
		issues, r.Issues = r.Issues, nil
		s += fmt.Sprintf("%+v", r)
	}
	if e.Recheck != nil {
		r := *e.Recheck
		issues, r.Issues = append(issues, r.Issues...), nil
		s += fmt.Sprintf("%+v", r)
	}
	for _, i := range issues {
		s += fmt.Sprintf("%s %s %s %v;", i.ID, i.Severity, i.Category, i.Blocking)
		if i.Fact != nil {
			s += fmt.Sprint(*i.Fact)
		}
		if i.Override != nil {
			s += fmt.Sprint(*i.Override)
		}
	}
	if c := e.Commit; c != nil {
		s += fmt.Sprintf("%s %d %+v %+v %v %+v", c.Origin, c.Revision, c.Text, *c.Base, c.Extraction != nil, *c.Review)
	}
	return s
}

func FuzzDecodeEvidence(f *testing.F) {
	f.Add(encodeEvidence(&Evidence{Outline: true, Commit: &schema.Commit{Schema: "s"}}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if e, ok := decodeEvidence(raw); ok {
			if again, ok := decodeEvidence(encodeEvidence(e)); !ok || fmt.Sprint(again.Outline) != fmt.Sprint(e.Outline) {
				t.Fatal("not stable")
			}
		}
	})
}

func FuzzRecordCache(f *testing.F) {
	c := &recordCache{fresh: map[schema.OID]*Evidence{schema.HashBlob(nil): {Outline: true}}, wanted: map[schema.OID]bool{}}
	f.Add(c.render())
	f.Fuzz(func(_ *testing.T, data []byte) {
		c := &recordCache{fresh: map[schema.OID]*Evidence{}, wanted: map[schema.OID]bool{}}
		c.open(data)
		c.get(schema.HashBlob(nil))
		c.render()
	})
}
