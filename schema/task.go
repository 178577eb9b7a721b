package schema

import (
	"encoding/hex"
	"strings"
)

// TaskKind says what a task asks for.
type TaskKind string

// The kinds of tasks that git-novel hands out (DESIGN 2, 11).
const (
	TaskContext TaskKind = "context" // the task book for the writer
	TaskWrite   TaskKind = "write"   // the text of a chapter
	TaskReview  TaskKind = "review"  // a full review
	TaskRecheck TaskKind = "recheck" // the independent anti-AI re-check
	TaskPolish  TaskKind = "polish"  // a text with the issues of a review repaired
	TaskData    TaskKind = "data"    // the artifacts of the chapter commit
)

// TaskKinds lists the kinds.
func TaskKinds() []TaskKind {
	return []TaskKind{TaskContext, TaskWrite, TaskReview, TaskRecheck, TaskPolish, TaskData}
}

// Role says which agent answers a kind of task.
func (k TaskKind) Role() Role {
	switch k {
	case TaskContext:
		return RoleContext
	case TaskWrite:
		return RoleWriter
	case TaskReview, TaskRecheck:
		return RoleReviewer
	case TaskPolish:
		return RolePolish
	case TaskData:
		return RoleData
	}
	return ""
}

// SchemaTask is the schema name of a task file.
const SchemaTask = "novel-task/v1"

// Task is a piece of work that git-novel hands out. It lies git-ignored at TaskPath until it is answered; a re-check is
// accepted only as the answer to one (DESIGN 5).
type Task struct {
	Schema  string         `json:"schema"`
	ID      string         `json:"id"`
	Kind    TaskKind       `json:"kind"`
	Book    string         `json:"book"`
	Chapter string         `json:"chapter"` // chapter id
	Blob    OID            `json:"blob,omitzero"`
	Path    string         `json:"path,omitempty"` // of the text, slash separated, from the library's root
	Chars   int            `json:"chars,omitempty"`
	Round   int            `json:"round,omitempty"`    // of the review that will answer it
	Dispute string         `json:"dispute,omitempty"`  // what a person holds against the last review
	SavedBy string         `json:"saved_by,omitempty"` // run that saved this text: it may not re-check it
	Inputs  map[string]any `json:"inputs,omitempty"`
}

// TaskID is the id of a task with this content: t- and 12 hexadecimal digits. The same work gets the same id; a caller that
// wants another one adds a nonce.
func TaskID(kind TaskKind, book, chapter string, blob OID, round int, nonce string) string {
	id := HashBlob([]byte(strings.Join([]string{string(kind), book, chapter, blob.String(), itoa(round), nonce}, "\x00")))
	return "t-" + hex.EncodeToString(id[:6])
}

// CheckTaskID refuses an id that could not be the name of a task file.
func CheckTaskID(id string) error {
	ok := id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
	if !ok {
		return Errorf(CodeUsage, "%q is not a task id", id).
			WithHint("`git novel review task N` prints the id of a new task")
	}
	return nil
}

// TaskPath is where a task lies, slash separated and relative to the library's root: the git-ignored work area of its
// chapter. id must have passed CheckTaskID.
func TaskPath(b BookName, chapter, id string) string {
	return TmpChapterDir(b, chapter) + "/task-" + id + ".json"
}

// ParseTask reads a task file.
func ParseTask(file string, data []byte) (*Task, error) {
	var t Task
	if err := Unmarshal(file, data, &t); err != nil {
		return nil, err
	}
	if faults := t.Validate(file); len(faults) > 0 {
		return nil, Errorf(CodeInvalid, "%s is not a valid task", file).WithDetails(faults...).
			WithHint("make a new one with `git novel review task N`")
	}
	return &t, nil
}

// Validate checks that a task is complete: work on a text names the text.
func (t *Task) Validate(file string) []Fault {
	c := checker{file: file, rule: "task"}
	c.word("schema", t.Schema, SchemaTask)
	if CheckTaskID(t.ID) != nil {
		c.add("id", "%q is not a task id", t.ID)
	}
	c.word("kind", string(t.Kind), wordsOf(TaskKinds())...)
	c.filled("book", t.Book)
	c.chapterID("chapter", t.Chapter)
	c.least("round", t.Round, 0)
	switch t.Kind {
	case TaskReview, TaskRecheck, TaskPolish, TaskData:
		c.binding("text", Binding{Path: t.Path, Blob: t.Blob, Chars: t.Chars})
	case TaskContext, TaskWrite:
	}
	return c.faults
}
