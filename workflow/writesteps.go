package workflow

import (
	"bytes"
	"fmt"

	"git-novel/schema"
	"git-novel/workflow/agent"
	"git-novel/workflow/state"
)

// review is step 3: a full review of exactly this text.
func (r *writing) review() error {
	name := schema.Textf("review")
	w, c, err := r.now()
	if err != nil {
		return err
	}
	gaps := c.Gaps(w.rules.Rules)
	switch {
	case c.State == schema.StateCommitted || c.State == schema.StateReviewed && len(gaps) == 0:
		return r.give(r.done("3", name, StepSkipped, schema.Textf("reviewed before")))
	case len(gaps) == 0:
		// The evidence is complete and the state has not followed, as after a change of the settings.
		if _, err := r.s.StateSet(r.ctx, arg(c.Key), string(schema.StateReviewed)); err != nil {
			return err
		}
		return r.give(r.done("3", name, StepSkipped, schema.Textf("reviewed before")))
	case c.Review != nil && c.Review.Text == c.Text && len(c.Review.Open) == 0 && w.rules.Rules.Dimensions.Minus(c.Review.Dims).Len() == 0 &&
		!(w.rules.Rules.RequireAgent && c.Review.Depth == schema.DepthMechanical):
		return r.give(r.done("3", name, StepSkipped, schema.Textf("a full review of this text is recorded; step 4 completes it")))
	}
	return r.fullReview("3", name, w, c)
}

// fullReview has the whole text reviewed and records what comes of it.
func (r *writing) fullReview(step string, name schema.Text, w *work, c *state.Chapter) error {
	if wants, err := r.onlyMechanical(w); err != nil || wants {
		return orError(err, func() error { return r.wants(step, name, w, c, c.Gaps(w.rules.Rules)) })
	}
	text, err := w.chapterText(c)
	if err != nil {
		return err
	}
	rec, err := r.s.agentReview(r.ctx, w, c, text)
	if err != nil {
		return r.agentFailed(step, name, schema.Textf("the reviewer failed; the chapter stays %s", c.State), err)
	}
	res, err := r.s.recordReview(r.ctx, arg(r.key), func(w *work, c *state.Chapter, _ []byte) (*schema.Review, error) {
		if _, err := w.unchanged(c.Key, text); err != nil {
			return nil, err
		}
		if rec.Round != w.round(c) {
			return nil, schema.Errorf(schema.CodeConflict, "another review of chapter %s was recorded while the command was at work", string(c.Key)).
				WithHint("run the command again")
		}
		return rec, nil
	})
	if err != nil {
		return err
	}
	st := r.done(step, name, StepDone, schema.Textf("round %d: %d issues, %d blocking", res.Round, len(res.Issues), res.Blocking))
	st.Commit, st.Issues = res.Commit, res.Issues
	if res.Blocking == 0 {
		return r.give(st)
	}
	st.Status, st.Next = StepBlocked, res.Next
	if err := r.give(st); err != nil {
		return err
	}
	return schema.Errorf(schema.CodeRule, "the review of chapter %s blocks: %d issues", string(r.key), res.Blocking).
		WithHint("repair the text, then run `git novel write %s` again: it reviews the new text in full", w.rules.Arg(r.key))
}

// wants ends the flow where the library requires more than a built-in reviewer gives.
func (r *writing) wants(step string, name schema.Text, w *work, c *state.Chapter, gaps []schema.Fault) error {
	st := r.done(step, name, StepBlocked, schema.Textf("this library requires a reviewer agent or a person"))
	st.Next = state.Next(w.rules, c)
	if err := r.give(st); err != nil {
		return err
	}
	return schema.Errorf(schema.CodeRule, "chapter %s waits for a review that is not mechanical", string(c.Key)).WithDetails(gaps...).
		WithHint("record it, then run `git novel write %s` again", w.rules.Arg(c.Key))
}

// onlyMechanical reports a library that requires more than the reviewer there is can give.
func (r *writing) onlyMechanical(w *work) (bool, error) {
	a, err := r.s.agent(schema.RoleReviewer, w.cfg)
	return err == nil && w.rules.Rules.RequireAgent && a.Builtin(), err
}

func orError(err error, fn func() error) error {
	if err != nil {
		return err
	}
	return fn()
}

// agentFailed shows a step that an agent did not come through. Nothing was changed, so the chapter is where it was.
func (r *writing) agentFailed(step string, name, detail schema.Text, err error) error {
	if schema.CodeOf(err) != schema.CodeAgent {
		return err
	}
	if gerr := r.give(r.done(step, name, StepBlocked, detail)); gerr != nil {
		return gerr
	}
	return err
}

// polished marks, in the work area, the text that the polish agent is done with.
func polished(w *work, c *state.Chapter) string {
	return schema.TmpChapterDir(w.name, c.Key.ID()) + "/polished"
}

// polish is step 4: style and anti-AI. Without a polish agent the text stays as it is. What the agent changed is saved with
// its run, and looked at by another run: a re-check, or a full review where it changed too much for one.
func (r *writing) polish() error {
	name := schema.Textf("polish and re-check")
	w, c, err := r.now()
	if err != nil {
		return err
	}
	if c.State == schema.StateCommitted {
		return r.give(r.done("4", name, StepSkipped, schema.Textf("the chapter is committed")))
	}
	done, err := r.runPolish(name, w, c)
	if err != nil {
		return err
	}
	if w, c, err = r.now(); err != nil {
		return err
	}
	gaps := c.Gaps(w.rules.Rules)
	if c.State.Rank() >= schema.StateReviewed.Rank() && len(gaps) == 0 {
		if done {
			return r.give(r.done("4", name, StepDone, schema.Textf("the polish agent left the text as it was")))
		}
		return r.give(r.done("4", name, StepSkipped, schema.Textf("nothing to change, the review covered ai_flavor")))
	}
	if v := c.Review; v != nil && v.Text != c.Text && !w.rules.Rules.WithinPolish(c.Polish, v.Chars) {
		if err := r.fullReview("4", name, w, c); err != nil {
			return err
		}
		if w, c, err = r.now(); err != nil {
			return err
		}
		if gaps = c.Gaps(w.rules.Rules); len(gaps) == 0 {
			return nil
		}
	}
	if wants, err := r.onlyMechanical(w); err != nil || wants {
		return orError(err, func() error { return r.wants("4", name, w, c, gaps) })
	}
	text, err := w.chapterText(c)
	if err != nil {
		return err
	}
	res, err := r.s.agentRecheck(r.ctx, w, c, text)
	if err != nil {
		return r.agentFailed("4", name, schema.Textf("the re-check failed; the chapter stays %s", c.State), err)
	}
	st := r.done("4", name, StepDone, schema.Textf("re-check: %d issues, %d blocking", len(res.Issues), res.Blocking))
	st.Commit, st.Issues = res.Commit, res.Issues
	if len(res.Missing) == 0 {
		return r.give(st)
	}
	st.Status, st.Next = StepBlocked, res.Next
	if err := r.give(st); err != nil {
		return err
	}
	return schema.Errorf(schema.CodeRule, "chapter %s is not reviewed yet", string(c.Key)).WithDetails(res.Missing...).
		WithHint("repair the text, then run `git novel write %s` again: it reviews the new text in full", w.rules.Arg(c.Key))
}

// runPolish has the polish agent go over a text once, and saves what it changed. False when there is nothing to do.
func (r *writing) runPolish(name schema.Text, w *work, c *state.Chapter) (bool, error) {
	mark := polished(w, c)
	if data, err := r.s.lib.ReadFile(mark); err == nil && string(data) == c.Text.String() {
		return false, nil
	}
	text, err := w.chapterText(c)
	if err != nil {
		return false, err
	}
	res, err := r.s.agentPolish(r.ctx, w, c, text)
	if err != nil {
		return false, r.agentFailed("4", name, schema.Textf("the polish agent failed; the text is as it was"), err)
	}
	if res == nil {
		return false, nil
	}
	after := res.Files[agent.FileText]
	if !bytes.Equal(after, text) {
		if err := r.s.asRun(res.Run, func() error {
			_, err := r.s.ChapterSave(r.ctx, SaveInput{Chapter: arg(c.Key), Text: after, File: res.Producer, base: text})
			return err
		}); err != nil {
			return false, err
		}
	}
	return true, r.s.writeTemp(mark, []byte(schema.HashBlob(after).String()))
}

// writeBack is step 5: facts and summary enter the book's memory.
func (r *writing) writeBack() error {
	name := schema.Textf("write-back")
	_, c, err := r.now()
	if err != nil {
		return err
	}
	if c.State == schema.StateCommitted {
		return r.give(r.done("5", name, StepSkipped, schema.Textf("committed before")))
	}
	res, err := r.s.ChapterCommit(r.ctx, CommitInput{Chapter: arg(c.Key)})
	if schema.CodeOf(err) == schema.CodeAgent && err != nil {
		return r.agentFailed("5", name, schema.Textf("the data agent failed; the chapter stays reviewed and its write-back is owed"), err)
	}
	if err != nil {
		st := r.done("5", name, StepBlocked, schema.Textf("rejected; the chapter stays reviewed and its write-back is owed"))
		if res != nil {
			st.Next = res.Next
		}
		if gerr := r.give(st); gerr != nil {
			return gerr
		}
		return err
	}
	st := r.done("5", name, StepDone, schema.Textf("accepted, summary of %d characters stored", schema.UTF16Len(res.Summary)))
	st.Commit = res.Commit
	return r.give(st)
}

// backup is step 6: a verified copy elsewhere. Without a backup the flow ends well and says so.
func (r *writing) backup() error {
	name := schema.Textf("backup")
	if len(r.s.lib.Backups()) == 0 {
		return r.give(r.done("6", name, StepSkipped, schema.Textf("no backup is configured (git novel backup add NAME URL)")))
	}
	res, err := r.s.BackupRun(r.ctx, BackupInput{Chapter: arg(r.key)})
	if err != nil {
		st := r.done("6", name, StepBlocked, schema.Textf("the chapter is committed; the push failed"))
		st.Backup = res
		if gerr := r.give(st); gerr != nil {
			return gerr
		}
		return err
	}
	st := r.done("6", name, StepDone, schema.Textf("pushed %s to %s, compared with what the backup reports", short(res.Facts.Pushed), res.Facts.Remote))
	st.Backup = res
	return r.give(st)
}

func short(id string) string {
	return fmt.Sprintf("%.10s", id)
}
