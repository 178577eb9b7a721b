package hooks

import (
	"context"
	"os"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/state"
)

// commitMsg compares what a message says in our trailers with what the commit does. It only tells: trees are judged, not
// messages, and a message can be a copy of another commit's.
func (r *run) commitMsg(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return schema.Errorf(schema.CodeUsage, "the hook %s needs the file of the message", CommitMsg)
	}
	file := r.abs(args[0])
	st, err := os.Stat(file)
	if err != nil || st.Size() > maxInput {
		return nil //nolint:nilerr // git reads it itself and will say what is wrong
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	m, ours := schema.ParseMessage(r.spoken(string(data)))
	if !ours || m.From == m.To {
		return nil
	}
	v, err := r.judgeStaged(ctx)
	if err != nil {
		return err
	}
	if v == nil {
		v = &state.Verdict{}
	}
	for _, n := range state.Notes(m, v.Moves) {
		r.notes = append(r.notes, n.Msg)
	}
	if len(v.Moves) == 0 {
		r.notes = append(r.notes, schema.Textf("the message says %s -> %s, and the commit moves no chapter", m.From.Trailer(), m.To.Trailer()))
	}
	return nil
}

// spoken is the message without the comments that git puts into the editor.
func (r *run) spoken(text string) string {
	mark, ok := r.store.Config().Get("core.commentChar")
	if !ok || mark == "" || mark == "auto" {
		mark = "#"
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, mark+" ------------------------ >8 ") {
			break
		}
		if !strings.HasPrefix(line, mark) {
			b.WriteString(line)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
