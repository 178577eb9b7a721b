package agent

import (
	"context"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/brief"
	"git-novel/workflow/review"
)

// BuiltinPrefix begins the name of every built-in agent.
const BuiltinPrefix = "builtin:"

// Builtin gives the built-in agent of a role. The name may carry the prefix. Unknown roles are CodeNotFound.
func Builtin(role string) (Runner, error) {
	role = strings.TrimPrefix(role, BuiltinPrefix)
	names := make([]string, 0, len(schema.Roles()))
	for _, r := range schema.Roles() {
		if string(r) == role {
			return builtin(r), nil
		}
		names = append(names, BuiltinPrefix+string(r))
	}
	return nil, schema.Errorf(schema.CodeNotFound, "there is no built-in agent %q", role).
		WithHint("the built-in agents are %s", strings.Join(names, ", "))
}

// builtin is the built-in agent of a role.
type builtin schema.Role

func (b builtin) Name() string { return BuiltinPrefix + string(b) }

func (b builtin) Run(ctx context.Context, job Job) (*Result, error) {
	if ctx.Err() != nil {
		return nil, schema.Wrap(ctx.Err(), schema.CodeInterrupted, "the run of %s was interrupted", b.Name())
	}
	if job.Task.Kind.Role() != schema.Role(b) {
		return nil, schema.Errorf(schema.CodeUsage, "%s does not answer a task of kind %q", b.Name(), string(job.Task.Kind))
	}
	files, err := b.answer(job)
	if err != nil {
		return nil, err
	}
	return &Result{Run: RunID(job.Task, b.Name()), Producer: b.Name(), Depth: schema.DepthMechanical, Files: files}, nil
}

func (b builtin) answer(job Job) (map[string][]byte, error) {
	switch job.Task.Kind {
	case schema.TaskContext:
		if job.Context == nil {
			return nil, noInput(job)
		}
		book, err := brief.Build(*job.Context)
		if err != nil {
			return nil, err
		}
		return map[string][]byte{FileTaskBook: []byte(book.Text)}, nil
	case schema.TaskWrite:
		if job.Write == nil {
			return nil, noInput(job)
		}
		text, err := Write(*job.Write)
		if err != nil {
			return nil, err
		}
		return map[string][]byte{FileText: []byte(text)}, nil
	case schema.TaskReview, schema.TaskRecheck:
		return b.review(job)
	case schema.TaskPolish: // without a model there is nothing that could be said better: the text stays as it is
		return map[string][]byte{FileText: []byte(job.Text)}, nil
	case schema.TaskData:
		in := DataInput{}
		if job.Data != nil {
			in = *job.Data
		}
		in.Text = job.Text
		return Data(in).Files()
	}
	return nil, noInput(job)
}

func noInput(job Job) error {
	return schema.Errorf(schema.CodeUnexpected, "the task %s of kind %q came without its input", job.Task.ID, string(job.Task.Kind))
}

func (b builtin) review(job Job) (map[string][]byte, error) {
	in := review.Input{}
	if job.Review != nil {
		in = *job.Review
	}
	in.Text, in.Round = job.Text, job.Task.Round
	var out *schema.ReviewInput
	file := FileReview
	if job.Task.Kind == schema.TaskRecheck {
		file, out = FileRecheck, review.RecheckMechanical(in)
	} else {
		out = review.Mechanical(in)
	}
	if !job.Task.Blob.IsZero() {
		out.TextBlob = &job.Task.Blob
	}
	out.Run, out.Task = RunID(job.Task, b.Name()), job.Task.ID
	data, err := review.Encode(job.Task.Chapter, out)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{file: data}, nil
}
