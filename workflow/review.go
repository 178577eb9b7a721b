package workflow

import (
	"context"
	"fmt"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/agent"
	"git-novel/workflow/review"
	"git-novel/workflow/state"
)

// ReviewRecordInput is a full review that a reviewer hands in.
type ReviewRecordInput struct {
	Chapter  string
	File     File
	TextBlob string // the blob that the reviewer read, when the JSON does not say
	AtRecord bool   // the reviewer read what lies on disk now
}

// ReviewResult says what a recorded review did.
type ReviewResult struct {
	Book     string         `json:"book"`
	Chapter  string         `json:"chapter"`
	Key      string         `json:"key"`
	Round    int            `json:"round"`
	Text     schema.Binding `json:"text"`
	From     schema.State   `json:"from"`
	State    schema.State   `json:"state"`
	Advanced bool           `json:"advanced"`
	Blocking int            `json:"blocking_count"`
	Issues   []schema.Issue `json:"issues"`
	Missing  []schema.Fault `json:"missing,omitempty"` // what is still missing before the chapter counts as reviewed
	Commit   string         `json:"commit"`
	Learned  []string       `json:"flavor_added,omitempty"` // phrases that ai-flavor.txt got from it
	Next     []state.Action `json:"next,omitempty"`
}

// evidenceRecord is a review or a re-check on its way into a chapter's record folder.
type evidenceRecord struct {
	path     string
	value    any
	issues   []schema.Issue
	round    int
	blocking int
	verb     string
	subject  string
	extra    []schema.Trailer
	remove   string               // another record that this one ends
	apply    func(*state.Chapter) // the chapter as the rules see it with this record
}

// ReviewRecord records a full review, bound to the text that the reviewer read. A review that still blocks is recorded
// too: the chapter just does not advance.
func (s *Session) ReviewRecord(ctx context.Context, in ReviewRecordInput) (*ReviewResult, error) {
	return s.recordReview(ctx, in.Chapter, func(w *work, c *state.Chapter, text []byte) (*schema.Review, error) {
		input, err := schema.ParseReviewInput(in.File.Name, in.File.Data, schema.ReviewWant{Book: string(w.name), Chapter: c.Key.ID(), Round: w.round(c)})
		if err != nil {
			return nil, err
		}
		binding, err := bindingOf(input, in, c, text)
		if err != nil {
			return nil, err
		}
		if err := s.claims(input); err != nil {
			return nil, err
		}
		rec := w.newReview(c, text, input, binding)
		rec.Dispute = s.disputeOf(w, c, input.Task, text)
		return rec, nil
	})
}

// claims settles what a result says of its maker: the run that we are inside is a fact, and a person's own review comes only
// from `review pass`.
func (s *Session) claims(in *schema.ReviewInput) error {
	in.Run = orElse(s.o.Actor.Run, in.Run)
	if strings.HasPrefix(in.Producer, personPrefix) {
		return schema.Errorf(schema.CodeInvalid, "producer %q: a review that is handed in is not a person's own", in.Producer).
			WithHint("a person gives a review with `git novel review pass N --note T`; an agent is called agent:NAME")
	}
	return nil
}

// personPrefix begins the producer of a person's own review.
const personPrefix = "person:"

// bindingOf decides which text the reviewer read. The result must say so: in its JSON, by --text-blob, or by --at-record.
func bindingOf(input *schema.ReviewInput, in ReviewRecordInput, c *state.Chapter, text []byte) (string, error) {
	now := schema.HashBlob(text)
	said := input.TextBlob
	if in.TextBlob != "" {
		blob, err := schema.ParseOID(in.TextBlob)
		if err != nil {
			return "", err
		}
		if said != nil && *said != blob {
			return "", schema.Errorf(schema.CodeInvalid, "the review says it read text %s, --text-blob says %s", said.Short(), blob.Short())
		}
		said = &blob
	}
	switch {
	case said != nil && *said != now:
		return "", schema.Errorf(schema.CodeRule, "the review is of another text: it read %s, chapter %s is now %s", said.Short(), string(c.Key), now.Short()).
			WithHint("have the current text reviewed: `git novel review task %s`", arg(c.Key))
	case said != nil:
		return schema.BindingTask, nil
	case in.AtRecord:
		return schema.BindingAtRecord, nil
	}
	return "", schema.Errorf(schema.CodeRule, "the review does not say which text it read").
		WithHint("the reviewer returns text.blob of its task; or add --text-blob %s, or --at-record if it read what is on disk now", now.String())
}

// newReview makes the record of a full review.
func (w *work) newReview(c *state.Chapter, text []byte, in *schema.ReviewInput, binding string) *schema.Review {
	producer, depth := producerOf(in)
	blocking := in.Blocking()
	return &schema.Review{
		Schema: schema.SchemaReview, Book: string(w.name), Chapter: c.Key.ID(), Round: w.round(c),
		Run: orElse(in.Run, agent.RunID(w.job(schema.TaskReview, c, text).Task, producer)), Producer: producer,
		Depth: depth, Binding: binding, Text: bind(c.Path, text), Dimensions: in.Dimensions, Issues: in.Issues,
		IssuesCount: len(in.Issues), Blocking: blocking, HasBlocking: blocking > 0, Summary: in.Summary,
	}
}

// producerOf is who made a result, and how deep it can go.
func producerOf(in *schema.ReviewInput) (producer, depth string) {
	switch {
	case in.Producer == "":
		return "agent:reviewer", schema.DepthAgent
	case isBuiltin(in.Producer):
		return in.Producer, schema.DepthMechanical
	}
	return in.Producer, schema.DepthAgent
}

// round is the number of the next review round of a chapter.
func (w *work) round(c *state.Chapter) int {
	if c.Review == nil {
		return 1
	}
	return c.Review.Round + 1
}

// ReviewPass is a person's own full review without issues. Only a person at a terminal gives it.
func (s *Session) ReviewPass(ctx context.Context, chapter, note string) (*ReviewResult, error) {
	if note = schema.TrimJS(note); note == "" {
		return nil, schema.Errorf(schema.CodeUsage, "the note of the review is empty").WithHint("say what you looked at: --note T")
	}
	if !s.o.Actor.Person() {
		return nil, schema.Errorf(schema.CodeRule, "only a person at a terminal can pass a review by hand").
			WithHint("an agent hands its review in with `git novel review record --chapter %s --results F`", chapter)
	}
	by, err := s.who()
	if err != nil {
		return nil, err
	}
	return s.recordReview(ctx, chapter, func(w *work, c *state.Chapter, text []byte) (*schema.Review, error) {
		return w.passed(c, text, by, note), nil
	})
}

// passed is a person's review that found nothing.
func (w *work) passed(c *state.Chapter, text []byte, by, note string) *schema.Review {
	dims := schema.Dimensions{}
	for _, d := range w.rules.Rules.Dimensions.List() {
		dims[d] = 0
	}
	dims[schema.CategoryAIFlavor] = 0
	r := w.newReview(c, text, &schema.ReviewInput{Dimensions: dims, Issues: []schema.Issue{}, Summary: note}, schema.BindingAtRecord)
	r.Producer, r.Depth, r.Run = personPrefix+by, schema.DepthPerson, ""
	return r
}

// recordReview puts a full review into the chapter's record and advances the chapter when the evidence is complete.
func (s *Session) recordReview(ctx context.Context, chapter string, build func(*work, *state.Chapter, []byte) (*schema.Review, error)) (*ReviewResult, error) {
	return s.record(ctx, chapter, func(w *work, c *state.Chapter, text []byte) (*evidenceRecord, state.Decision, error) {
		rec, err := build(w, c, text)
		if err != nil {
			return nil, state.Decision{}, err
		}
		e := state.ReviewOf(rec)
		d := w.rules.Decide(c.Key, state.ReviewEvent{Record: e})
		out := &evidenceRecord{
			path: schema.ReviewPath(w.name, c.Key.ID()), value: rec, issues: rec.Issues, round: rec.Round, blocking: rec.Blocking,
			verb: schema.VerbReview, subject: fmt.Sprintf("第%d轮 %d 阻断", rec.Round, rec.Blocking),
		}
		if state.SupersedesRecheck(e, c.Recheck) {
			out.remove = schema.RecheckPath(w.name, c.Key.ID())
		}
		out.apply = func(c *state.Chapter) {
			c.Review, c.Polish = e, state.Edits{}
			if out.remove != "" {
				c.Recheck = nil
			}
		}
		return out, d, nil
	})
}

// record is the one place where evidence enters a chapter: review, re-check, pass and override. The text that it speaks of
// is committed with it.
func (s *Session) record(ctx context.Context, chapter string, build func(*work, *state.Chapter, []byte) (*evidenceRecord, state.Decision, error)) (*ReviewResult, error) {
	var r *ReviewResult
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.gather(tx.Snapshot())
		if err != nil {
			return err
		}
		c, err := w.resolve(chapter)
		if err != nil {
			return err
		}
		text, err := w.chapterText(c)
		if err != nil {
			return err
		}
		rec, d, err := build(w, c, text)
		if err != nil {
			return err
		}
		if err := d.Error(schema.Textf("the review of chapter %s cannot be recorded", string(c.Key))); err != nil {
			return err
		}
		r = &ReviewResult{
			Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), Round: rec.round, Text: bind(c.Path, text), From: c.State, State: d.Next,
			Advanced: d.Advanced(), Blocking: rec.blocking, Issues: rec.issues, Missing: d.Faults,
		}
		if err := w.takeText(tx, c); err != nil {
			return err
		}
		if err := writeRecord(tx, rec.path, rec.value); err != nil {
			return err
		}
		if rec.remove != "" {
			if err := removeIfThere(tx, rec.remove); err != nil {
				return err
			}
		}
		if rec.verb == schema.VerbReview {
			if r.Learned, err = s.growFlavor(tx, rec.issues, text); err != nil {
				return err
			}
		}
		if d.Advanced() {
			w.set(c.Key, d.Next)
			if err := w.writeState(tx); err != nil {
				return err
			}
			if err := s.takeDrafts(tx, w, c.Key); err != nil {
				return err
			}
		}
		after := *c
		after.State, after.Unsaved = d.Next, false
		rec.apply(&after)
		r.Next = w.next(&after)
		tx.Message(s.message(schema.Message{
			Verb: rec.verb, Book: string(w.name), Chapter: string(c.Key), Subject: rec.subject, From: c.State, To: d.Next, Text: r.Text.Blob, Extra: rec.extra,
		}))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Commit = res.Commit.String()
	return r, nil
}

// ReviewView is the evidence of a chapter, for reading.
type ReviewView struct {
	Book    string          `json:"book"`
	Chapter string          `json:"chapter"`
	State   schema.State    `json:"state"`
	Stale   bool            `json:"stale"`
	Review  *schema.Review  `json:"review"`
	Recheck *schema.Recheck `json:"recheck,omitempty"`
	Pending string          `json:"pending_dispute,omitempty"` // what a person holds against it, until another review answers
	Report  string          `json:"report"`                    // Markdown, Chinese
}

// ReviewShow gives the review that counts, as data and as a report.
func (s *Session) ReviewShow(_ context.Context, chapter string) (*ReviewView, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	c, err := w.resolve(chapter)
	if err != nil {
		return nil, err
	}
	rec, err := w.review(c.Key)
	if err != nil {
		return nil, err
	}
	if rec == nil {
		return nil, schema.Errorf(schema.CodeNotFound, "chapter %s has no review yet", string(c.Key)).
			WithHint("hand out a task with `git novel review task %s`", arg(c.Key))
	}
	recheck, err := w.recheck(c.Key)
	if err != nil {
		return nil, err
	}
	pending := ""
	if text, err := w.chapterText(c); err == nil {
		pending = s.disputeOf(w, c, "", text)
	}
	report := review.Report(rec) + review.PendingDispute(pending)
	if recheck != nil {
		report += review.RecheckReport(recheck)
	}
	return &ReviewView{
		Book: string(w.name), Chapter: c.Key.ID(), State: c.State, Stale: c.Stale(), Review: rec, Recheck: recheck, Pending: pending, Report: report,
	}, nil
}
