package workflow

import (
	"context"
	"maps"
	"path"

	"git-novel/schema"
	"git-novel/workflow/agent"
	"git-novel/workflow/brief"
	"git-novel/workflow/memory"
	"git-novel/workflow/review"
	"git-novel/workflow/state"
)

// assign has the agent of a task's role answer it: the program that is configured, else the built-in one. fill adds what only
// the built-in agent is handed as values; a program reads the files that the task names.
func (s *Session) assign(ctx context.Context, w *work, c *state.Chapter, job agent.Job, fill func(*agent.Job) error) (*agent.Result, error) {
	role := job.Task.Kind.Role()
	program, err := s.runner(role, w.cfg)
	if err != nil {
		return nil, err
	}
	if program == nil {
		if fill != nil {
			if err := fill(&job); err != nil {
				return nil, err
			}
		}
		return runBuiltin(ctx, role, job)
	}
	if err := s.inputs(w, c, &job); err != nil {
		return nil, err
	}
	if job.Task.Inputs["text_path"] != nil {
		defer s.removeTemp(job.Task.Inputs["text_path"].(string))
	}
	return program.Run(ctx, job)
}

// inputs names, in a task for a program, the files that belong to it, by paths from the library's root. The text is a copy
// of the bytes that the task speaks of: what lies at its own path may change while the program reads.
func (s *Session) inputs(w *work, c *state.Chapter, job *agent.Job) error {
	t := &job.Task
	in := map[string]any{"root": s.lib.Root(), "key": string(c.Key), "settings": schema.SettingsDir(w.name)}
	if !t.Blob.IsZero() {
		p := schema.TmpChapterDir(w.name, c.Key.ID()) + "/text-" + t.ID + ".md"
		if err := s.writeTemp(p, []byte(job.Text)); err != nil {
			return err
		}
		in["text_path"] = p
	}
	for name, p := range map[string]string{
		"outline": schema.OutlinePath(w.name, c.Key.ID()), "last_review": schema.ReviewPath(w.name, c.Key.ID()),
		"draft": schema.MirrorPath(w.name, schema.DraftKey(string(c.Key))), "ai_flavor": schema.AIFlavorPath,
		"task_book": schema.TmpChapterDir(w.name, c.Key.ID()) + "/" + agent.FileTaskBook,
	} {
		if _, err := s.lib.ReadFile(p); err == nil {
			in[name] = p
		}
	}
	if t.Kind == schema.TaskReview {
		if holds := s.contractInput(w, c.Key); holds != nil {
			in["contracts"] = holds
		}
	}
	if w.cfg.Chapters.MinChars > 0 {
		in["min_chars"] = w.cfg.Chapters.MinChars
	}
	maps.Copy(in, t.Inputs)
	t.Inputs = in
	return nil
}

// newJob is a task without a text: the context and the writer.
func (w *work) newJob(kind schema.TaskKind, c *state.Chapter) agent.Job {
	t := schema.Task{Schema: schema.SchemaTask, Kind: kind, Book: string(w.name), Chapter: c.Key.ID()}
	t.ID = schema.TaskID(kind, t.Book, t.Chapter, t.Blob, t.Round, "")
	return agent.Job{Task: t}
}

// readOther refuses a result that says it read another text than its task's.
func readOther(in *schema.ReviewInput, want schema.OID) error {
	if in.TextBlob != nil && *in.TextBlob != want {
		return schema.Errorf(schema.CodeInvalid, "the review says it read text %s, the task is about %s", in.TextBlob.Short(), want.Short())
	}
	return nil
}

// agentReview has the reviewer read a text in full and makes the record of it.
func (s *Session) agentReview(ctx context.Context, w *work, c *state.Chapter, text []byte) (*schema.Review, error) {
	want := schema.ReviewWant{Book: string(w.name), Chapter: c.Key.ID(), Round: w.round(c)}
	job := w.job(schema.TaskReview, c, text)
	job.Task.Inputs = map[string]any{"dimensions": append(w.rules.Rules.Dimensions.List(), aiFlavorOf(w)...)}
	job.Check = func(files map[string][]byte) error {
		in, err := schema.ParseReviewInput(agent.FileReview, files[agent.FileReview], want)
		if err != nil {
			return err
		}
		return readOther(in, job.Task.Blob)
	}
	res, err := s.assign(ctx, w, c, job, func(job *agent.Job) (err error) {
		job.Review, err = s.reviewInput(w, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	in, err := schema.ParseReviewInput(agent.FileReview, res.Files[agent.FileReview], want)
	if err != nil {
		return nil, err
	}
	in.Producer, in.Run = res.Producer, res.Run
	return w.newReview(c, text, in, schema.BindingTask), nil
}

// agentRecheck has the reviewer look at the ai_flavor of a text, in a run of its own, and records what it finds.
func (s *Session) agentRecheck(ctx context.Context, w *work, c *state.Chapter, text []byte) (*ReviewResult, error) {
	task, err := s.newTask(w, c, text, ReviewTaskInput{Chapter: arg(c.Key), Kind: schema.TaskRecheck})
	if err != nil {
		return nil, err
	}
	want := schema.ReviewWant{Book: string(w.name), Chapter: c.Key.ID(), Round: w.round(c)}
	job := agent.Job{Task: *task, Text: string(text)}
	job.Check = func(files map[string][]byte) error {
		in, err := schema.ParseRecheckInput(agent.FileRecheck, files[agent.FileRecheck], want)
		if err != nil {
			return err
		}
		return readOther(in, task.Blob)
	}
	out, err := s.assign(ctx, w, c, job, func(job *agent.Job) (err error) {
		job.Review = &review.Input{}
		job.Review.Flavor, err = s.flavor()
		return err
	})
	if err != nil {
		s.removeTemp(schema.TaskPath(w.name, task.Chapter, task.ID))
		return nil, err
	}
	return s.reviewRecheck(ctx, RecheckInput{
		Chapter: arg(c.Key), Task: task.ID, File: File{Name: agent.FileRecheck, Data: out.Files[agent.FileRecheck]},
	}, out)
}

// agentPolish has the polish agent repair what a review found; nil when none is configured.
func (s *Session) agentPolish(ctx context.Context, w *work, c *state.Chapter, text []byte) (*agent.Result, error) {
	if program, err := s.runner(schema.RolePolish, w.cfg); err != nil || program == nil {
		return nil, err
	}
	job := w.job(schema.TaskPolish, c, text)
	rec, err := w.review(c.Key)
	if err != nil {
		return nil, err
	}
	if rec != nil {
		job.Task.Inputs = map[string]any{"issues": rec.Issues}
	}
	job.Check = checkAnswer
	return s.assign(ctx, w, c, job, nil)
}

// checkAnswer holds a text that an agent wrote against what a chapter may be.
func checkAnswer(files map[string][]byte) error {
	text := files[agent.FileText]
	if blank(text) {
		return schema.Errorf(schema.CodeInvalid, "the answer is empty")
	}
	return checkText(agent.FileText, text)
}

// agentText has the writer agent write a chapter; nil when none is configured.
func (s *Session) agentText(ctx context.Context, w *work, c *state.Chapter) (*agent.Result, error) {
	if program, err := s.runner(schema.RoleWriter, w.cfg); err != nil || program == nil {
		return nil, err
	}
	job := w.newJob(schema.TaskWrite, c)
	job.Check = checkAnswer
	return s.assign(ctx, w, c, job, nil)
}

// agentTaskBook has the context agent make the task book of a chapter; nil when none is configured.
func (s *Session) agentTaskBook(ctx context.Context, w *work, c *state.Chapter) (*ContextResult, error) {
	if program, err := s.runner(schema.RoleContext, w.cfg); err != nil || program == nil {
		return nil, err
	}
	own, err := s.taskBook(w, c, DefaultBudget)
	if err != nil {
		return nil, err
	}
	base := schema.TmpChapterDir(w.name, c.Key.ID()) + "/base_" + agent.FileTaskBook
	if err := s.writeTemp(base, []byte(own.Text)); err != nil {
		return nil, err
	}
	job := w.newJob(schema.TaskContext, c)
	job.Task.Inputs = map[string]any{"base": base, "budget_tokens": DefaultBudget}
	job.Check = func(files map[string][]byte) error { return brief.Check(string(files[agent.FileTaskBook])) }
	res, err := s.assign(ctx, w, c, job, nil)
	if err != nil {
		return nil, err
	}
	text := string(res.Files[agent.FileTaskBook])
	return &ContextResult{Book: own.Book, Chapter: own.Chapter, TaskBook: &brief.TaskBook{
		Text: text, Tokens: brief.Tokens(text), Budget: own.Budget, Dropped: own.Dropped, Warnings: own.Warnings,
	}}, nil
}

// agentData has the data agent read a chapter and hand in the three artifacts of its commit. view gives what the chapters
// before this one say.
func (s *Session) agentData(ctx context.Context, w *work, c *state.Chapter, outline *schema.Outline, text []byte, view func() *memory.View) (Artifacts, error) {
	job := w.job(schema.TaskData, c, text)
	number, _ := c.Key.Number()
	job.Check = func(files map[string][]byte) error {
		return (&parsed{}).parse(artifactFiles("", files), w, c)
	}
	res, err := s.assign(ctx, w, c, job, func(job *agent.Job) error {
		settings, err := s.settings(w)
		if err != nil {
			return err
		}
		var files []agent.SettingsFile
		for _, f := range settings {
			files = append(files, agent.SettingsFile{Name: f.Name, Text: f.Text})
		}
		job.Data = &agent.DataInput{Number: number, Outline: outline, Memory: view(), Known: agent.EntitiesOf(files)}
		return nil
	})
	if err != nil {
		return Artifacts{}, err
	}
	a := artifactFiles(res.Producer+" ", res.Files)
	a.producer, a.base = res.Producer, &job.Task.Blob
	return a, nil
}

func artifactFiles(prefix string, files map[string][]byte) Artifacts {
	file := func(name string) *File { return &File{Name: prefix + path.Base(name), Data: files[name]} }
	return Artifacts{
		Disambiguation: file(agent.FileDisambiguation), Fulfillment: file(agent.FileFulfillment), Extraction: file(agent.FileExtraction),
	}
}

// asRun has fn act as an agent's run, so that its commits name it.
func (s *Session) asRun(run string, fn func() error) error {
	was := s.o.Actor.Run
	s.o.Actor.Run = run
	defer func() { s.o.Actor.Run = was }()
	return fn()
}
