package hooks

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"git-novel/repo"
	"git-novel/repo/gitcmd"
	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow"
	"git-novel/workflow/state"
)

// preCommit judges what is staged as the commit it is about to be. A commit that git-novel itself makes through git comes
// here too, and obeys the rules like any other.
func (r *run) preCommit(ctx context.Context) error {
	v, err := r.judgeStaged(ctx)
	if err != nil || v == nil || len(v.Faults) == 0 {
		return err
	}
	return schema.Errorf(schema.CodeRule, "this commit breaks the rules of the library, so git did not make it").
		WithHint("your files and what you staged are as they were; `git novel status` shows what may be done next").
		WithDetails(remedied(v.Faults, map[string]bool{})...)
}

// judgeStaged judges the staged tree against HEAD; nil when there is nothing to judge.
func (r *run) judgeStaged(ctx context.Context) (*state.Verdict, error) {
	head, err := r.store.Head()
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(head.Ref, repo.TrashPrefix) {
		return nil, nil //nolint:nilnil // a trash branch holds what was thrown away, not a history
	}
	if op, busy := r.store.Busy(); busy && op == "merge" {
		r.notes = append(r.notes, schema.Textf("a merge is under way: its result is not checked here; `git novel verify` checks it"))
		return nil, nil //nolint:nilnil // see above
	}
	var parent schema.OID
	if !head.Unborn {
		c, err := r.store.Commit(head.ID)
		if err != nil {
			return nil, err
		}
		parent = c.Tree
	}
	step, err := r.staged(ctx, parent)
	if err != nil || len(step.Changes) == 0 {
		return nil, err
	}
	before, err := workflow.StateAt(r.store, parent)
	if err != nil {
		return nil, err
	}
	if err := workflow.RememberDeleted(r.store, before, head.ID, step); err != nil {
		return nil, err
	}
	return state.Check(before, step)
}

// staged gives the step from HEAD's tree to what is staged. git names the index that the commit is made from, which for
// `git commit -a` or `git commit FILE` is not the usual one.
func (r *run) staged(ctx context.Context, parent schema.OID) (state.Step, error) {
	index := r.o.Getenv("GIT_INDEX_FILE")
	ix, err := r.readIndex(index)
	if err != nil {
		return state.Step{}, err
	}
	if ix.Unsupported != "" {
		if g := gitProgram(r.o); g != nil {
			return r.stagedByGit(ctx, g, index, parent)
		}
	}
	tree, view, err := r.store.StagedTree(ix)
	if err != nil {
		return state.Step{}, err
	}
	return workflow.StepBetween(view, parent, tree)
}

func (r *run) readIndex(file string) (*gitstore.Index, error) {
	if file == "" {
		return r.store.ReadIndex()
	}
	return r.store.ReadIndexAt(r.abs(file))
}

// stagedByGit asks git for what is staged in an index that only it reads.
func (r *run) stagedByGit(ctx context.Context, g *gitcmd.Git, index string, parent schema.OID) (state.Step, error) {
	if parent.IsZero() {
		parent = gitstore.EmptyTree()
	}
	cmd := gitcmd.Cmd{Dir: r.o.Dir, Args: []string{
		"diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", parent.String(), "--", ":(top)" + schema.NovelsDir, ":(top)" + schema.DataDir,
	}}
	if index != "" {
		cmd.Env = []string{"GIT_INDEX_FILE=" + r.abs(index)}
	}
	res, err := g.Check(ctx, cmd)
	if err != nil {
		return state.Step{}, err
	}
	step, err := workflow.StepBetween(r.store, parent, parent)
	if err != nil {
		return state.Step{}, err
	}
	step.Changes, err = parseRaw(res.Stdout)
	return step, err
}

// parseRaw reads git's raw differences: ":oldmode newmode oldid newid letter", then the path, each ended by a NUL.
func parseRaw(data []byte) ([]state.Change, error) {
	var out []state.Change
	fields := bytes.Split(data, []byte{0})
	for i := 0; i < len(fields)-1; i += 2 {
		f := strings.Fields(strings.TrimPrefix(string(fields[i]), ":"))
		if len(f) != 5 || len(fields)%2 == 0 || len(fields[i+1]) == 0 {
			return nil, schema.Errorf(schema.CodeGit, "git lists the staged changes in an unknown form: %q", string(fields[i]))
		}
		mode, err1 := strconv.ParseUint(f[1], 8, 32)
		from, err2 := schema.ParseOID(f[2])
		to, err3 := schema.ParseOID(f[3])
		if err1 != nil || err2 != nil || err3 != nil {
			return nil, schema.Errorf(schema.CodeGit, "git lists the staged changes in an unknown form: %q", string(fields[i]))
		}
		out = append(out, state.Change{Path: string(fields[i+1]), Old: from, New: to, Mode: state.Mode(mode)})
	}
	return out, nil
}

// remedied puts behind each fault the command that does it right; one that several share is told once, as told remembers.
func remedied(faults []schema.Fault, told map[string]bool) []schema.Fault {
	out := make([]schema.Fault, 0, len(faults))
	for _, f := range faults {
		if how, ok := state.Remedy(f.Rule, chapterOf(f.File)); ok && !told[how.String()] {
			told[how.String()] = true
			f.Msg = schema.Textf("%s → %s", f.Msg, how)
		}
		out = append(out, f)
	}
	return out
}

// chapterOf is what the command line calls the chapter that a file belongs to.
func chapterOf(file string) string {
	p := schema.ParsePath(file)
	key := schema.KeyOfID(p.ID)
	if info, ok := schema.ParseChapterFile(p.Name); ok && p.Kind == schema.PathChapter {
		key = info.Key
	} else if !p.IsRecord() {
		return "N"
	}
	if n, ok := key.Number(); ok {
		return strconv.Itoa(n)
	}
	return argument(string(key))
}
