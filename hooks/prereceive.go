package hooks

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// maxTold bounds the faults that one refused push lists.
const maxTold = 50

// update is one ref of a push.
type update struct {
	ref      string
	old, new schema.OID // zero: the ref is not there before, or after
}

// receive judges one push.
type receive struct {
	*run

	updates []update
	refs    []gitstore.Ref // what the server has
	faults  []schema.Fault
	steps   bool            // a commit is at fault, and not only how a ref moves
	told    map[string]bool // remedies that were named
}

// preReceive judges all refs of a push together, before any of them moves. It fails closed: what cannot be judged is
// refused.
func (r *run) preReceive(ctx context.Context, input io.Reader) error {
	if r.store == nil {
		return schema.Errorf(schema.CodeNotLibrary, "%s is no git repository that git-novel can check, so the push is refused", r.o.Dir)
	}
	r.quarantine()
	data, err := readInput(input)
	if err != nil {
		return err
	}
	p := &receive{run: r, told: map[string]bool{}}
	if p.updates, err = parseUpdates(string(data)); err != nil {
		return err
	}
	if p.refs, err = r.store.Refs("refs/"); err != nil {
		return err
	}
	for _, u := range p.updates {
		if err := p.ref(u); err != nil {
			return err
		}
	}
	if err := p.commits(ctx); err != nil {
		return err
	}
	return p.answer()
}

// quarantine reads the objects of the push, which git keeps apart until this hook has agreed, and those that the server
// borrows from elsewhere.
func (r *run) quarantine() {
	var dirs []string
	for _, name := range []string{"GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY"} {
		if v := r.o.Getenv(name); v != "" {
			dirs = append(dirs, r.abs(v))
		}
	}
	for _, v := range pathList(r.o.Getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES")) {
		dirs = append(dirs, r.abs(v))
	}
	r.store.AddObjects(dirs...)
}

// pathList splits git's list of folders; one that holds the separator is quoted.
func pathList(list string) []string {
	var out []string
	for list != "" {
		if strings.HasPrefix(list, `"`) {
			if q, err := strconv.QuotedPrefix(list); err == nil {
				if s, err := strconv.Unquote(q); err == nil {
					out = append(out, s)
					list = strings.TrimPrefix(list[len(q):], string(filepath.ListSeparator))
					continue
				}
			}
		}
		var one string
		one, list, _ = strings.Cut(list, string(filepath.ListSeparator))
		if one != "" {
			out = append(out, one)
		}
	}
	return out
}

// parseUpdates reads lines of "old-id new-id ref".
func parseUpdates(text string) ([]update, error) {
	var out []update
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), " ", 3)
		if len(f) != 3 {
			return nil, badLine(line)
		}
		from, err1 := schema.ParseOID(f[0])
		to, err2 := schema.ParseOID(f[1])
		if err1 != nil || err2 != nil || !strings.HasPrefix(f[2], "refs/") {
			return nil, badLine(line)
		}
		out = append(out, update{ref: f[2], old: from, new: to})
	}
	return out, nil
}

// wipBranch is where `backup run --wip` goes on hosts that take branches only.
const wipBranch = "refs/heads/novel-wip/"

// history reports a ref that carries the history of a library. The others hold thrown away or unfinished work and are not
// judged: git's own look at the objects (receive.fsckObjects) is all they need.
func history(ref string) bool {
	if strings.HasPrefix(ref, repo.TrashPrefix) || strings.HasPrefix(ref, wipBranch) {
		return false
	}
	return strings.HasPrefix(ref, "refs/heads/") || strings.HasPrefix(ref, "refs/tags/")
}

// chapterTag is where the tags of accepted chapters are (DESIGN 12, Backup).
const chapterTag = "refs/tags/novel/"

// ref judges how one ref moves.
func (p *receive) ref(u update) error {
	switch {
	case u.old.IsZero() || u.old == u.new:
		return nil
	case strings.HasPrefix(u.ref, chapterTag):
		p.add(u.ref, "tag-moved", schema.Textf("the tag of an accepted chapter never moves and never goes away"))
		return nil
	case !strings.HasPrefix(u.ref, "refs/heads/") || !history(u.ref):
		return nil
	case u.new.IsZero():
		return p.deleted(u)
	}
	in, err := p.store.IsAncestor(u.old, u.new)
	if err == nil && !in {
		p.add(u.ref, "history-rewritten", schema.Textf("the server holds %s, which the pushed history %s does not have", u.old.Short(), u.new.Short()))
	}
	return err
}

// deleted judges a branch that goes away: its history must be in another one that stays.
func (p *receive) deleted(u update) error {
	kept := false
	err := p.store.LogTips(p.after(), nil, func(c *gitstore.Commit) (bool, error) {
		kept = kept || c.ID == u.old
		return !kept, nil
	})
	if err == nil && !kept {
		p.add(u.ref, "history-deleted", schema.Textf("no other branch or tag of the server has %s", u.old.Short()))
	}
	return err
}

// after lists the tips of the server's histories as the push would leave them.
func (p *receive) after() []schema.OID {
	var out []schema.OID
	for _, ref := range p.refs {
		if history(ref.Name) && !slices.ContainsFunc(p.updates, func(u update) bool { return u.ref == ref.Name }) {
			out = p.tip(out, ref.ID)
		}
	}
	for _, u := range p.updates {
		if history(u.ref) && !u.new.IsZero() {
			out = p.tip(out, u.new)
		}
	}
	return out
}

// before lists the tips of the histories that the server has, all of which were judged when they came.
func (p *receive) before() []schema.OID {
	var out []schema.OID
	for _, ref := range p.refs {
		if history(ref.Name) {
			out = p.tip(out, ref.ID)
		}
	}
	return out
}

// tip adds the commit that an object is or, as a tag, names. A tag of something else has no history.
func (p *receive) tip(list []schema.OID, id schema.OID) []schema.OID {
	c, err := p.store.ResolveRev(id.String())
	if err != nil || slices.Contains(list, c) {
		return list
	}
	return append(list, c)
}

func (p *receive) add(ref, rule string, msg schema.Text) {
	p.faults = append(p.faults, schema.Fault{Field: ref, Rule: rule, Msg: schema.Textf("%s (%s)", msg, rule)})
}

// answer is the refusal, if there is one.
func (p *receive) answer() error {
	if len(p.faults) == 0 {
		return nil
	}
	told := p.faults
	if len(told) > maxTold {
		told = append(slices.Clone(told[:maxTold]), schema.Fault{Msg: schema.Textf("and %d more", len(p.faults)-maxTold)})
	}
	err := schema.Errorf(schema.CodeRule, "the push breaks the rules of the library, and nothing of it was taken (faults: %d)", len(p.faults)).
		WithDetails(told...)
	if p.steps {
		return err.WithHint("`git novel verify` shows the same at home; make the chapter's step again by the command that does it, and push that")
	}
	return err.WithHint("take in what the server has with `git fetch` and `git merge`, and push again without force")
}
