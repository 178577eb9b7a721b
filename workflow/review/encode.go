package review

import "git-novel/schema"

// encoded is a review as an agent hands it in (reference harness 4.1, DESIGN 7).
type encoded struct {
	Chapter     string            `json:"chapter,omitempty"`
	Producer    string            `json:"producer,omitempty"`
	Run         string            `json:"run,omitempty"`
	Task        string            `json:"task,omitempty"`
	Text        *encodedText      `json:"text,omitempty"`
	Dimensions  schema.Dimensions `json:"dimensions"`
	Issues      []schema.Issue    `json:"issues"`
	IssuesCount int               `json:"issues_count"`
	Blocking    int               `json:"blocking_count"`
	HasBlocking bool              `json:"has_blocking"`
	Summary     string            `json:"summary"`
}

type encodedText struct {
	Blob schema.OID `json:"blob"`
}

// Encode writes a review in the form that schema.ParseReviewInput and ParseRecheckInput read. chapter is the chapter id.
func Encode(chapter string, r *schema.ReviewInput) ([]byte, error) {
	e := encoded{
		Chapter: chapter, Producer: r.Producer, Run: r.Run, Task: r.Task, Dimensions: r.Dimensions, Issues: r.Issues,
		IssuesCount: len(r.Issues), Blocking: r.Blocking(), HasBlocking: r.Blocking() > 0, Summary: r.Summary,
	}
	if r.TextBlob != nil {
		e.Text = &encodedText{Blob: *r.TextBlob}
	}
	return schema.Marshal(e)
}
