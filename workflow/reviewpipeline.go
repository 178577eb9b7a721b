package workflow

import (
	"context"
	"time"

	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow/review"
	"git-novel/workflow/state"
)

// PipelineInput is a review with what the seed's review-pipeline is told to make of it.
type PipelineInput struct {
	ReviewRecordInput

	ResultsPath string // absolute path of the handed-in file, "" for standard input: in the work area it gets the normalised review
	MetricsOut  string // as typed; "" writes none
	ReportFile  string // as typed; "" writes none
	SaveMetrics bool   // the rows of the index are made from the records anyway; it is only said
}

// PipelineResult is the answer of review-pipeline. Its first four keys are the older tool's.
type PipelineResult struct {
	Chapter          any               `json:"chapter"` // number, or key of an unnumbered one
	ReviewResult     *schema.Review    `json:"review_result"`
	Metrics          review.MetricsRow `json:"metrics"`
	AntiPatternsMore int               `json:"anti_patterns_added"`
	AntiPatterns     []string          `json:"anti_patterns"`
	Book             string            `json:"book"`
	Key              string            `json:"key"`
	Recorded         bool              `json:"recorded"` // false: this very review of this text was on record
	From             schema.State      `json:"from"`
	State            schema.State      `json:"state"`
	Advanced         bool              `json:"advanced"`
	Missing          []schema.Fault    `json:"missing"`
	Commit           string            `json:"commit,omitempty"`
	ReportFile       string            `json:"report_file,omitempty"`
	MetricsFile      string            `json:"metrics_file,omitempty"`
	MetricsSaved     bool              `json:"metrics_saved"`
	Next             []state.Action    `json:"next"`
}

// ReviewPipeline is review record with the seed's options. The very review that is on record for this text is not recorded
// twice. Metrics are derived from the record; nothing reads them to decide.
func (s *Session) ReviewPipeline(ctx context.Context, in PipelineInput) (*PipelineResult, error) {
	r := &PipelineResult{AntiPatterns: []string{}, Missing: []schema.Fault{}, Next: []state.Action{}, MetricsSaved: in.SaveMetrics}
	var err error
	// Where the files go is looked at first: a review that is recorded is not taken back for a bad name.
	if in.ReportFile != "" {
		if r.ReportFile, err = s.outputFile(in.ReportFile, isReport); err != nil {
			return nil, err
		}
	}
	if in.MetricsOut != "" {
		if r.MetricsFile, err = s.outputFile(in.MetricsOut, isMetrics); err != nil {
			return nil, err
		}
	}
	onRecord, err := s.onRecord(in.ReviewRecordInput)
	if err != nil {
		return nil, err
	}
	if !onRecord {
		rec, err := s.ReviewRecord(ctx, in.ReviewRecordInput)
		if err != nil {
			return nil, err
		}
		r.Recorded, r.From, r.Advanced, r.Commit = true, rec.From, rec.Advanced, rec.Commit
		r.AntiPatterns, r.AntiPatternsMore = nonNil(rec.Learned), len(rec.Learned)
		r.Missing = nonNil(rec.Missing)
	}
	return r, s.finishPipeline(in, r)
}

// finishPipeline reads the record back and writes what was asked for.
func (s *Session) finishPipeline(in PipelineInput, r *PipelineResult) error {
	w, err := s.look()
	if err != nil {
		return err
	}
	c, err := w.resolve(in.Chapter)
	if err != nil {
		return err
	}
	rec, err := w.review(c.Key)
	if err != nil {
		return err
	}
	at, err := s.reviewedAt(w, c)
	if err != nil {
		return err
	}
	r.Book, r.Key, r.ReviewResult, r.State, r.Next = string(w.name), string(c.Key), rec, c.State, nonNil(w.next(c))
	r.Chapter = string(c.Key)
	if n, numbered := c.Key.Number(); numbered {
		r.Chapter = n
	}
	if !r.Recorded {
		r.From = c.State
	}
	r.Metrics = review.Metrics(rec, r.ReportFile, at)
	if r.ReportFile != "" {
		if err := s.writeTemp(r.ReportFile, []byte(review.Report(rec))); err != nil {
			return err
		}
	}
	if r.MetricsFile != "" {
		data, err := schema.Marshal(r.Metrics)
		if err != nil {
			return err
		}
		if err := s.writeTemp(r.MetricsFile, data); err != nil {
			return err
		}
	}
	if rel, ok := s.inLibrary(in.ResultsPath); in.ResultsPath != "" && ok && isTemp(rel) {
		data, err := schema.Marshal(rec)
		if err != nil {
			return err
		}
		return s.writeTemp(rel, data)
	}
	return nil
}

// onRecord reports whether this very review of the current text is the one on record, and nobody asked for another.
func (s *Session) onRecord(in ReviewRecordInput) (bool, error) {
	w, err := s.look()
	if err != nil {
		return false, err
	}
	c, err := w.resolve(in.Chapter)
	if err != nil {
		return false, err
	}
	rec, err := w.review(c.Key)
	if err != nil || rec == nil || rec.Text.Blob != c.Text {
		return false, err
	}
	want := schema.ReviewWant{Book: string(w.name), Chapter: c.Key.ID(), Round: rec.Round}
	given, err := schema.ParseReviewInput(in.File.Name, in.File.Data, want)
	if err != nil { // the record itself may come back, with the overrides that a person made
		want.Artifact = true
		given, err = schema.ParseReviewInput(in.File.Name, in.File.Data, want)
	}
	if err != nil {
		return false, nil //nolint:nilerr // recording it gives the faults
	}
	if in.TextBlob != "" && in.TextBlob != rec.Text.Blob.String() || !given.Same(rec) {
		return false, nil
	}
	text, err := w.chapterText(c)
	if err != nil {
		return false, err
	}
	return s.disputeOf(w, c, given.Task, text) == "", nil
}

// reviewedAt is when the review on record was recorded: the time of its commit, zero when the history does not say.
func (s *Session) reviewedAt(w *work, c *state.Chapter) (at time.Time, err error) {
	if w.snap.Commit().IsZero() {
		return at, nil
	}
	looked := 0
	err = s.lib.Store().Log(w.snap.Commit(), func(k *gitstore.Commit) (bool, error) {
		looked++
		m, ok := schema.ParseMessage(k.Message)
		if ok && m.Book == string(w.name) && m.ChapterID == c.Key.ID() && (m.Verb == schema.VerbReview || m.Verb == schema.VerbRetcon) {
			at = k.Author.When
			return false, nil
		}
		return looked < maxLookBack, nil
	})
	return at, err
}
