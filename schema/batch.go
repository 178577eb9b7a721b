package schema

// BatchStatus is the state of a batch (seed batch_writer).
type BatchStatus string

// The states; paused is the wait after every third chapter, for which the seed has no word of its own.
const (
	BatchRunning   BatchStatus = "running"
	BatchPaused    BatchStatus = "paused"
	BatchCompleted BatchStatus = "completed"
	BatchStopped   BatchStatus = "stopped"
	BatchFailed    BatchStatus = "failed"
)

// BatchStatuses lists the states.
func BatchStatuses() []BatchStatus {
	return []BatchStatus{BatchRunning, BatchPaused, BatchCompleted, BatchStopped, BatchFailed}
}

// Results of one chapter of a batch.
const (
	BatchChapterSuccess = "success"
	BatchChapterFailed  = "failed"
	BatchChapterSkipped = "skipped"
)

// BatchState is books/<book>/batch_state.json (seed batch_writer, reference harness 4.11).
type BatchState struct {
	TaskID    string                 `json:"task_id"` // batch_YYYYMMDD_HHMMSS, UTC
	Range     BatchRange             `json:"range"`
	Status    BatchStatus            `json:"status"`
	Current   int                    `json:"current_chapter"` // the next chapter to write
	Completed []int                  `json:"completed_chapters"`
	Failed    []int                  `json:"failed_chapters"`
	Results   map[string]BatchResult `json:"chapter_results"` // key: the number, unpadded
	CreatedAt string                 `json:"created_at"`
	UpdatedAt string                 `json:"updated_at,omitempty"`
	Mode      string                 `json:"mode,omitempty"`
	Reason    string                 `json:"stop_reason,omitempty"`
	Branch    string                 `json:"branch,omitempty"` // the batch is bound to it (DESIGN 12, Locks)
	Metadata  map[string]any         `json:"metadata,omitempty"`
}

// BatchRange is the chapters of a batch, both ends included.
type BatchRange struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// BatchResult is what became of one chapter.
type BatchResult struct {
	Status    string  `json:"status"`
	Score     float64 `json:"score"` // OverallScore; for the eye only
	Words     int     `json:"words"`
	Completed string  `json:"completed_at,omitempty"`
	Seconds   float64 `json:"duration_seconds,omitempty"`
	Error     string  `json:"error,omitempty"`
}

// Validate checks that a batch file agrees with itself.
func (b *BatchState) Validate(file string) []Fault {
	c := checker{file: file, rule: "batch"}
	c.filled("task_id", b.TaskID)
	c.word("status", string(b.Status), wordsOf(BatchStatuses())...)
	c.least("range.start", b.Range.Start, 1)
	c.least("range.end", b.Range.End, b.Range.Start)
	if b.Current < b.Range.Start || b.Current > b.Range.End+1 {
		c.add("current_chapter", "is %d, outside the range %d to %d", b.Current, b.Range.Start, b.Range.End)
	}
	for _, list := range []struct {
		key      string
		chapters []int
	}{{"completed_chapters", b.Completed}, {"failed_chapters", b.Failed}} {
		for i, n := range list.chapters {
			if n < b.Range.Start || n > b.Range.End {
				c.add(list.key+"["+itoa(i)+"]", "is %d, outside the range %d to %d", n, b.Range.Start, b.Range.End)
			}
		}
	}
	for _, k := range sortedKeys(b.Results) {
		c.word("chapter_results."+k+".status", b.Results[k].Status, BatchChapterSuccess, BatchChapterFailed, BatchChapterSkipped)
	}
	return c.faults
}
