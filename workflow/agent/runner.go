package agent

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/brief"
	"git-novel/workflow/review"
)

// Runner is an agent: something that answers a task. Run returns a *schema.Error of CodeAgent when the agent itself
// failed, and the context's error as CodeInterrupted.
type Runner interface {
	// Name is how records name the producer, e.g. builtin:reviewer.
	Name() string
	Run(ctx context.Context, job Job) (*Result, error)
}

// Job is a task with its inputs as values. Only the input of the task's kind is set.
type Job struct {
	Task    schema.Task
	Text    string        // the chapter, for kinds that speak of a text
	Context *brief.Input  // TaskContext
	Write   *WriteInput   // TaskWrite
	Review  *review.Input // TaskReview, TaskRecheck; Text is taken from the job
	Data    *DataInput    // TaskData; Text is taken from the job

	// Check refuses an answer that does not fit, so that an outside program may be asked again. Built-in agents need none.
	Check func(files map[string][]byte) error
}

// Names of the files in a Result.
const (
	FileTaskBook       = "task_book.md"
	FileText           = "chapter.md"
	FileReview         = "review_results.json"
	FileRecheck        = "recheck_results.json"
	FileFulfillment    = "fulfillment_result.json"
	FileDisambiguation = "disambiguation_result.json"
	FileExtraction     = "extraction_result.json"
)

// Result is what an agent hands back: not yet validated.
type Result struct {
	Run      string            // run id
	Producer string            // Runner.Name
	Depth    string            // schema.DepthMechanical for a built-in agent, schema.DepthAgent for a program
	Files    map[string][]byte // by the names above
}

// RunID is the id of a producer's run of a task: r- and eight hexadecimal digits.
func RunID(t schema.Task, producer string) string {
	id := schema.HashBlob([]byte(strings.Join([]string{
		t.ID, string(t.Kind), t.Book, t.Chapter, t.Blob.String(), strconv.Itoa(t.Round), producer,
	}, "\x00")))
	return "r-" + hex.EncodeToString(id[:4])
}
