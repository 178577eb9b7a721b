package hooks

import (
	"context"
	"slices"
	"strings"

	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow"
	"git-novel/workflow/state"
)

// commits judges every commit that the push brings, each against its first parent, from what the server has. A merge is a
// step like another: the result must be a legal continuation of the line that it goes on.
func (p *receive) commits(ctx context.Context) error {
	var tips []schema.OID
	for _, u := range p.updates {
		if !history(u.ref) || u.new.IsZero() {
			continue
		}
		c, err := p.store.ResolveRev(u.new.String())
		switch {
		case err == nil:
			tips = append(tips, c)
		case !strings.HasPrefix(u.ref, "refs/tags/") || !p.store.Has(u.new):
			return err
		}
	}
	fresh, err := p.fresh(tips)
	if err != nil {
		return err
	}
	j := &judge{store: p.store, kept: map[schema.OID]*kept{}}
	j.expect(fresh)
	for _, c := range fresh {
		if err := ctx.Err(); err != nil {
			return schema.Wrap(err, schema.CodeInterrupted, "the check of the push was interrupted")
		}
		v, err := j.next(c)
		if err != nil {
			return err
		}
		p.addFaults(c.ID, v.Faults)
	}
	return p.sideways()
}

func (p *receive) addFaults(commit schema.OID, faults []schema.Fault) {
	for _, f := range remedied(faults, p.told) {
		f.Msg = schema.Textf("commit %s: %s (%s)", commit.Short(), f.Msg, f.Rule)
		p.faults, p.steps = append(p.faults, f), true
	}
}

// fresh lists the commits that the server does not have in its histories, parents before children. Most pushes continue
// one branch: then the walk ends at the first commit that some ref names, and the server's own history is not read.
func (p *receive) fresh(tips []schema.OID) ([]*gitstore.Commit, error) {
	have := p.before()
	known := map[schema.OID]bool{}
	for _, id := range have {
		known[id] = true
	}
	straight := true
	list, err := p.walk(tips, known, func(c *gitstore.Commit) bool {
		straight = straight && len(c.Parents) == 1
		return straight || len(have) == 0
	})
	if err != nil || straight || len(have) == 0 {
		return list, err
	}
	err = p.store.LogTips(have, nil, func(c *gitstore.Commit) (bool, error) {
		known[c.ID] = true
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return p.walk(tips, known, func(*gitstore.Commit) bool { return true })
}

// walk gives the commits above known, parents first, until more is false.
func (p *receive) walk(tips []schema.OID, known map[schema.OID]bool, more func(*gitstore.Commit) bool) ([]*gitstore.Commit, error) {
	var list []*gitstore.Commit
	err := p.store.LogTips(tips, func(id schema.OID) bool { return known[id] }, func(c *gitstore.Commit) (bool, error) {
		// Of a commit only these two are needed, and a first push brings thousands.
		list = append(list, &gitstore.Commit{ID: c.ID, Tree: c.Tree, Parents: c.Parents})
		return more(c), nil
	})
	slices.Reverse(list)
	return list, err
}

// sideways judges a branch whose old tip is not on the first-parent line of its new one, as after `git pull`: seen from the
// server, everything that the push brings is then one step, and must be legal as one.
func (p *receive) sideways() error {
	for _, u := range p.updates {
		if !strings.HasPrefix(u.ref, "refs/heads/") || !history(u.ref) || u.old.IsZero() || u.new.IsZero() || u.old == u.new {
			continue
		}
		in, err := p.store.IsAncestor(u.old, u.new)
		if err != nil {
			return err
		}
		if !in {
			continue // told already
		}
		on, err := p.onLine(u.old, u.new)
		if err != nil {
			return err
		}
		if on {
			continue
		}
		from, err := p.store.Commit(u.old)
		if err != nil {
			return err
		}
		to, err := p.store.Commit(u.new)
		if err != nil {
			return err
		}
		before, err := workflow.StateAt(p.store, from.Tree)
		if err != nil {
			return err
		}
		v, err := check(p.store, before, u.old, from.Tree, to.Tree)
		if err != nil {
			return err
		}
		p.addFaults(u.new, v.Faults)
	}
	return nil
}

// onLine reports that a commit is on the first-parent line of another.
func (p *receive) onLine(a, b schema.OID) (bool, error) {
	for id := b; id != a; {
		c, err := p.store.Commit(id)
		if err != nil {
			return false, err
		}
		if len(c.Parents) == 0 {
			return false, nil
		}
		id = c.Parents[0]
	}
	return true, nil
}

// check judges the step from a commit, whose tree is from, to another tree.
func check(store *gitstore.Repo, before *state.State, parent, from, to schema.OID) (*state.Verdict, error) {
	step, err := workflow.StepBetween(store, from, to)
	if err != nil {
		return nil, err
	}
	if err := workflow.RememberDeleted(store, before, parent, step); err != nil {
		return nil, err
	}
	return state.Check(before, step)
}

// judge folds commits that come parents first.
type judge struct {
	store *gitstore.Repo
	kept  map[schema.OID]*kept
}

// kept is the state after a commit, held while commits that continue it are still to come.
type kept struct {
	state    *state.State
	tree     schema.OID
	children int
}

// expect counts who continues whom, so that no state is held longer than needed.
func (j *judge) expect(list []*gitstore.Commit) {
	for _, c := range list {
		if len(c.Parents) == 0 {
			continue
		}
		id := c.Parents[0]
		if j.kept[id] == nil {
			j.kept[id] = &kept{}
		}
		j.kept[id].children++
	}
}

// next judges a commit.
func (j *judge) next(c *gitstore.Commit) (*state.Verdict, error) {
	before, parent, from := state.NewState(), schema.OID{}, schema.OID{}
	if len(c.Parents) > 0 {
		k, err := j.at(c.Parents[0])
		if err != nil {
			return nil, err
		}
		before, parent, from = k.state, c.Parents[0], k.tree
	}
	v, err := check(j.store, before, parent, from, c.Tree)
	if err != nil {
		return nil, err
	}
	if k := j.kept[c.ID]; k != nil {
		k.state, k.tree = v.State, c.Tree
	}
	return v, nil
}

// at gives the state after a parent: folded, or loaded from its tree when it was there before the push.
func (j *judge) at(id schema.OID) (*kept, error) {
	k := j.kept[id]
	if k.children--; k.children <= 0 {
		delete(j.kept, id)
	}
	if k.state != nil {
		return k, nil
	}
	c, err := j.store.Commit(id)
	if err != nil {
		return nil, err
	}
	k.tree = c.Tree
	k.state, err = workflow.StateAt(j.store, c.Tree)
	return k, err
}
