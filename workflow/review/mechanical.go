package review

import (
	"fmt"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/memory"
	"git-novel/workflow/prose"
)

// Producer is how records name the built-in reviewer.
const Producer = "builtin:reviewer"

// DefaultMinChars is the length below which a chapter is called short, in Han characters (seed batch_writer).
const DefaultMinChars = 1500

// Input is what the built-in reviewer reads. Only Text is required.
type Input struct {
	Number   int             // chapter number, -1 or 0 for an unnumbered chapter: then a heading number is not judged
	Round    int             // numbers the issues: r<round>-<i>
	Text     string          // the chapter as it is in the file
	Outline  *schema.Outline // nil: nothing about the outline is checked
	Memory   *memory.View    // as it stood before this chapter; nil: nobody is known to be dead
	Earlier  []Prints        // prints of earlier chapters
	Flavor   *Flavor         // nil: DefaultFlavor
	MinChars int             // Han characters; 0: DefaultMinChars; below 0: length is not judged
}

// Mechanical reviews a chapter. The result covers every category and is the same for the same input.
func Mechanical(in Input) *schema.ReviewInput {
	c := newChecker(in)
	if len(c.text.Paragraphs) == 0 {
		c.add(issue{
			severity: schema.SeverityCritical, category: schema.CategoryOther, what: "正文为空", evidence: "（全文没有一个非空行）",
			hint: "写入正文后重新审查", blocking: true,
		})
		return c.result(schema.Categories())
	}
	c.placeholders()
	c.heading()
	c.balance()
	c.length()
	c.repeats()
	c.forbidden()
	c.nodes()
	c.timePressure()
	c.deadActing()
	c.flavor()
	return c.result(schema.Categories())
}

// RecheckMechanical is the re-check: ai_flavor only, to be run independently of the polish step (DESIGN 5).
func RecheckMechanical(in Input) *schema.ReviewInput {
	c := newChecker(in)
	c.flavor()
	return c.result([]schema.Category{schema.CategoryAIFlavor})
}

type checker struct {
	in     Input
	text   *prose.Text
	issues []schema.Issue
}

func newChecker(in Input) *checker {
	if in.MinChars == 0 {
		in.MinChars = DefaultMinChars
	}
	if in.Flavor == nil {
		in.Flavor = DefaultFlavor()
	}
	return &checker{in: in, text: prose.Parse(in.Text)}
}

// issue is a finding before it gets its id. Paragraph 0 is the chapter as a whole.
type issue struct {
	severity  schema.Severity
	category  schema.Category
	paragraph int
	what      string
	evidence  string
	hint      string
	blocking  bool
	soft      bool // logic or character, but not a statement of fact
}

// evidenceRunes bounds a quotation.
const evidenceRunes = 120

func (c *checker) add(i issue) {
	where := "全章"
	if i.paragraph > 0 {
		where = fmt.Sprintf("第%d段", i.paragraph)
	}
	out := schema.Issue{
		ID: fmt.Sprintf("r%d-%d", c.in.Round, len(c.issues)+1), Severity: i.severity, Category: i.category, Location: where,
		Description: i.what, Evidence: prose.Cut(i.evidence, evidenceRunes), FixHint: i.hint,
		Blocking: i.blocking || i.severity == schema.SeverityCritical,
	}
	if i.soft {
		no := false
		out.Fact = &no
	}
	c.issues = append(c.issues, out)
}

func (c *checker) result(dims []schema.Category) *schema.ReviewInput {
	out := &schema.ReviewInput{Issues: c.issues, Dimensions: schema.Dimensions{}, Producer: Producer}
	if out.Issues == nil {
		out.Issues = []schema.Issue{}
	}
	for _, d := range dims {
		out.Dimensions[d] = 0
	}
	for _, i := range c.issues {
		out.Dimensions[i.Category]++
	}
	out.Summary = summary(out)
	return out
}

func summary(r *schema.ReviewInput) string {
	if len(r.Issues) == 0 {
		return "机械检查未发现问题。"
	}
	n := schema.SeverityCounts(r.Issues)
	var parts []string
	for _, s := range schema.Severities() {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", severityName(s), n[s]))
		}
	}
	return fmt.Sprintf("机械检查发现 %d 个问题（%s），其中阻断 %d 个。", len(r.Issues), strings.Join(parts, "、"), r.Blocking())
}

// names gives the other names of whom the memory knows.
func (c *checker) names(term string) []string {
	if c.in.Memory == nil {
		return nil
	}
	return c.in.Memory.Names(term)
}

func (c *checker) finder() prose.Finder { return prose.Finder{Text: c.text, Names: c.names} }
