package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/agent"
	"git-novel/workflow/memory"
	"git-novel/workflow/state"
)

// Artifacts are the four handed-in files of a chapter commit; nil means not given.
type Artifacts struct {
	Review, Fulfillment, Disambiguation, Extraction *File

	producer string      // of the three, when an agent was asked for them
	base     *schema.OID // the text that this agent read
}

// given reports that the data agent's three files came with the command.
func (a Artifacts) given() bool {
	return a.Fulfillment != nil || a.Disambiguation != nil || a.Extraction != nil
}

// CommitInput is step 5 of one chapter.
type CommitInput struct {
	Chapter   string
	Artifacts Artifacts // without them the built-in data agent reads the text
	Waive     []schema.Waiver
	DryRun    bool
	Enrich    bool // an adopted chapter gets extraction and summary
}

// Status words of a chapter commit, as the seed has them.
const (
	StatusAccepted = "accepted"
	StatusRejected = "rejected"
)

// CommitResult says what became of a chapter commit. It has the fields of the commit record, as the seed's tool prints them,
// and what only this run knows.
type CommitResult struct {
	Book           string                 `json:"book"`
	Chapter        string                 `json:"chapter"`
	Key            string                 `json:"key"`
	Status         string                 `json:"status"`
	Reasons        []schema.Fault         `json:"reasons,omitempty"`
	DryRun         bool                   `json:"dry_run,omitempty"`
	State          schema.State           `json:"state"`
	Revision       int                    `json:"revision,omitempty"`
	Text           schema.Binding         `json:"text"`
	Summary        string                 `json:"summary,omitempty"`
	Producer       string                 `json:"producer,omitempty"` // of the artifacts
	Warnings       []schema.Text          `json:"warnings,omitempty"`
	Commit         string                 `json:"commit,omitempty"`
	Next           []state.Action         `json:"next,omitempty"`
	Review         *schema.ReviewDigest   `json:"review,omitempty"`
	ReviewResult   *schema.Review         `json:"review_result,omitempty"`
	Fulfillment    *schema.Fulfillment    `json:"fulfillment_result,omitempty"`
	Disambiguation *schema.Disambiguation `json:"disambiguation_result,omitempty"`
	Extraction     *schema.Extraction     `json:"extraction_result,omitempty"`
}

// parsed are the artifacts after validation.
type parsed struct {
	review         *schema.ReviewInput
	fulfillment    *schema.Fulfillment
	disambiguation *schema.Disambiguation
	extraction     *schema.Extraction
	producer       string
}

// errDryRun ends an Update that must not write.
var errDryRun = errors.New("dry run")

// ChapterCommit accepts a chapter into the book's memory, or rejects it with every reason. Validation of the artifacts
// (CodeInvalid) comes before the rules (CodeRule). A rejection comes back as a result and an error both. The data agent
// reads before the library is locked; what it found counts only for the text that it read.
func (s *Session) ChapterCommit(ctx context.Context, in CommitInput) (*CommitResult, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	c, err := w.resolve(in.Chapter)
	if err != nil {
		return nil, err
	}
	if in.Enrich {
		// Before the agent reads: what it will find cannot help a chapter that is not to be enriched.
		if err := w.rules.Decide(c.Key, state.EnrichEvent{SummaryText: "?"}).Error(schema.Textf("chapter %s cannot be enriched", string(c.Key))); err != nil {
			return nil, err
		}
	}
	p, text, err := s.artifacts(ctx, w, c, in.Artifacts)
	if err != nil {
		return nil, err
	}
	var r *CommitResult
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.fresh(tx, w)
		if err != nil {
			return err
		}
		c, err := w.unchanged(c.Key, text)
		if err != nil {
			return err
		}
		r = &CommitResult{
			Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), State: c.State, Text: bind(c.Path, text), Producer: p.producer,
			Warnings: p.warnings(c), Fulfillment: p.fulfillment, Disambiguation: p.disambiguation, Extraction: p.extraction,
		}
		if in.Enrich {
			err = s.enrich(tx, w, c, p, r)
		} else {
			err = s.accept(tx, w, c, p, in.Waive, r)
		}
		if err == nil && in.DryRun {
			return errDryRun
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		r.DryRun = true
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.Commit = res.Commit.String()
	return r, nil
}

func (s *Session) accept(tx *repo.Tx, w *work, c *state.Chapter, p *parsed, waive []schema.Waiver, r *CommitResult) error {
	recorded, err := w.review(c.Key)
	if err != nil {
		return err
	}
	outline, err := w.outline(c.Key)
	if err != nil {
		return err
	}
	r.Warnings = append(r.Warnings, w.payoffsDue(c, outline, p)...)
	d := w.rules.Decide(c.Key, state.CommitEvent{
		Recorded: recorded, Given: p.review, Outline: outline, Fulfillment: p.fulfillment, Disambiguation: p.disambiguation,
		Waivers: waive, SummaryText: p.extraction.SummaryText,
	})
	r.Review, r.ReviewResult = digest(recorded, waive), recorded
	if err := d.Error(schema.Textf("chapter %s is rejected", string(c.Key))); err != nil {
		r.Status, r.Reasons, r.Next = StatusRejected, d.Faults, d.Do
		return err
	}
	r.Status, r.State, r.Revision, r.Summary = StatusAccepted, d.Next, 1, p.extraction.SummaryText
	rec := &schema.Commit{
		Schema: schema.SchemaCommit, Book: string(w.name), Chapter: c.Key.ID(), Revision: 1, Status: StatusAccepted, Text: r.Text,
		Review: r.Review, ReviewResult: recorded, Fulfillment: p.fulfillment, Disambiguation: p.disambiguation, Extraction: p.extraction,
	}
	if c.Recheck != nil && c.Recheck.Text == c.Text {
		rec.Review.Recheck = c.Recheck.Run
	}
	if err := w.takeText(tx, c); err != nil {
		return err
	}
	if err := writeRecord(tx, schema.CommitPath(w.name, c.Key.ID()), rec); err != nil {
		return err
	}
	w.set(c.Key, d.Next)
	if err := w.writeState(tx); err != nil {
		return err
	}
	if err := s.putSummary(tx, w, c.Key, p.extraction.SummaryText); err != nil {
		return err
	}
	if err := w.takeOutline(tx, c.Key); err != nil {
		return err
	}
	if err := s.takeDrafts(tx, w, c.Key); err != nil {
		return err
	}
	after := *c
	after.State, after.Commit, after.Unsaved = d.Next, state.CommitOf(rec), false
	r.Next = w.next(&after)
	tx.Message(s.message(schema.Message{
		Verb: schema.VerbCommit, Book: string(w.name), Chapter: string(c.Key), Subject: fmt.Sprintf("入库 %d 字", r.Text.Chars),
		From: c.State, To: d.Next, Text: r.Text.Blob, Extra: overrideTrailers(rec.Review),
	}))
	return nil
}

// warnings tells what an accepted commit leaves open.
func (p *parsed) warnings(c *state.Chapter) []schema.Text {
	if p.producer == agent.BuiltinPrefix+"data" {
		return []schema.Text{schema.Textf("facts and summary of chapter %s were taken by the built-in data agent, mechanically", string(c.Key))}
	}
	return nil
}

// digest is what a commit says of its review.
func digest(r *schema.Review, waived []schema.Waiver) *schema.ReviewDigest {
	d := &schema.ReviewDigest{Overrides: []schema.OverrideDigest{}, Waived: append([]schema.Waiver{}, waived...)}
	if r == nil {
		return d
	}
	d.Round, d.Blocking = r.Round, r.Blocking
	for _, i := range r.Issues {
		if i.Override != nil {
			d.Overrides = append(d.Overrides, schema.OverrideDigest{Issue: i.ID, Reason: i.Override.Reason, By: i.Override.By})
		}
	}
	return d
}

func overrideTrailers(d *schema.ReviewDigest) []schema.Trailer {
	var out []schema.Trailer
	for _, o := range d.Overrides {
		out = append(out, schema.Trailer{Key: schema.TrailerOverride, Value: o.Issue + " " + o.Reason})
	}
	return out
}

// artifacts reads the chapter and its artifacts: those that were given, all or none, else the data agent's.
func (s *Session) artifacts(ctx context.Context, w *work, c *state.Chapter, given Artifacts) (*parsed, []byte, error) {
	text, err := w.chapterText(c)
	if err != nil {
		return nil, nil, err
	}
	p := &parsed{producer: orElse(given.producer, "agent:data")}
	if !given.given() {
		outline, err := w.outline(c.Key)
		if err != nil {
			return nil, nil, err
		}
		asked, err := s.agentData(ctx, w, c, outline, text, func() *memory.View { return w.memoryBefore(c) })
		if err != nil {
			return nil, nil, err
		}
		asked.Review = given.Review
		given, p.producer = asked, asked.producer
	}
	if given.base != nil && *given.base != schema.HashBlob(text) {
		return nil, nil, changedMeanwhile(c)
	}
	return p, text, p.parse(given, w, c)
}

// parse validates all four files and reports every fault of all of them at once.
func (p *parsed) parse(a Artifacts, w *work, c *state.Chapter) error {
	number, _ := c.Key.Number()
	var faults []schema.Fault
	collect := func(err error) {
		var se *schema.Error
		switch {
		case err == nil:
		case errors.As(err, &se) && len(se.Details) > 0:
			faults = append(faults, se.Details...)
		case errors.As(err, &se):
			faults = append(faults, schema.Fault{Msg: se.Msg})
		}
	}
	missing := func(f *File, name string) bool {
		if f == nil {
			faults = append(faults, schema.Fault{Field: name, Msg: schema.Textf("the artifact %s is missing", name)})
		}
		return f == nil
	}
	var err error
	if a.Review != nil {
		p.review, err = schema.ParseReviewInput(a.Review.Name, a.Review.Data, schema.ReviewWant{
			Book: string(w.name), Chapter: c.Key.ID(), Round: w.round(c), Artifact: true,
		})
		collect(err)
	}
	if !missing(a.Fulfillment, schema.ArtifactFulfillment) {
		p.fulfillment, err = schema.ParseFulfillment(a.Fulfillment.Name, a.Fulfillment.Data, number)
		collect(err)
	}
	if !missing(a.Disambiguation, schema.ArtifactDisambiguation) {
		p.disambiguation, err = schema.ParseDisambiguation(a.Disambiguation.Name, a.Disambiguation.Data, number)
		collect(err)
	}
	if !missing(a.Extraction, schema.ArtifactExtraction) {
		p.extraction, err = schema.ParseExtraction(a.Extraction.Name, a.Extraction.Data, number)
		collect(err)
	}
	if len(faults) > 0 {
		return schema.Errorf(schema.CodeInvalid, "the artifacts of chapter %s are not valid", string(c.Key)).WithDetails(faults...).
			WithHint("correct every line above and run the command again; formats: `git novel schema`")
	}
	if strings.TrimSpace(p.extraction.SummaryText) != "" {
		p.extraction.SummaryText = schema.TrimJS(p.extraction.SummaryText)
	}
	return nil
}

// enrich adds extraction and summary to an adopted chapter; its revision rises, its text and state stay.
func (s *Session) enrich(tx *repo.Tx, w *work, c *state.Chapter, p *parsed, r *CommitResult) error {
	d := w.rules.Decide(c.Key, state.EnrichEvent{Pending: len(p.disambiguation.Pending), SummaryText: p.extraction.SummaryText})
	if err := d.Error(schema.Textf("chapter %s cannot be enriched", string(c.Key))); err != nil {
		r.Status, r.Reasons, r.Next = StatusRejected, d.Faults, d.Do
		return err
	}
	rec, err := w.commit(c.Key)
	if err != nil {
		return err
	}
	rec.Revision++
	rec.Fulfillment, rec.Disambiguation, rec.Extraction = p.fulfillment, p.disambiguation, p.extraction
	r.Status, r.Revision, r.Summary = StatusAccepted, rec.Revision, p.extraction.SummaryText
	if err := w.takeText(tx, c); err != nil {
		return err
	}
	if err := writeRecord(tx, schema.CommitPath(w.name, c.Key.ID()), rec); err != nil {
		return err
	}
	if err := s.putSummary(tx, w, c.Key, p.extraction.SummaryText); err != nil {
		return err
	}
	after := *c
	after.Commit, after.Unsaved = state.CommitOf(rec), false
	r.Next = w.next(&after)
	tx.Message(s.message(schema.Message{
		Verb: schema.VerbCommit, Book: string(w.name), Chapter: string(c.Key), Subject: "补记事实与摘要", Text: r.Text.Blob,
	}))
	return nil
}
