package hooks

import (
	"io"
	"maps"
	"slices"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
)

// pushed is one line that git gives to pre-push.
type pushed struct {
	id     schema.OID // zero: the ref is deleted there
	ref    string     // its name there
	remote schema.OID // what is there now, zero when nothing
}

// prePush keeps history that a backup has confirmed from being rewritten: there may be no other copy of it.
func (r *run) prePush(args []string, input io.Reader) error {
	data, err := readInput(input)
	if err != nil {
		return err
	}
	list, err := parsePushed(string(data))
	if err != nil {
		return err
	}
	remote := ""
	if len(args) > 0 {
		remote = args[0]
	}
	confirmed := repo.ReadConfirmed(r.store.Location())
	var faults []schema.Fault
	for _, p := range list {
		for _, backup := range slices.Sorted(maps.Keys(confirmed)) {
			had, ok := confirmed[backup][p.ref]
			if !ok {
				continue
			}
			f, err := r.rewrites(p, backup, had, backup == remote)
			if err != nil {
				return err
			}
			faults = append(faults, f...)
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return schema.Errorf(schema.CodeRule, "this push would rewrite history that a backup has confirmed").
		WithHint("bring the confirmed commits back with `git merge COMMIT`, then push, or use `git novel backup run`").
		WithDetails(faults...)
}

// rewrites judges one pushed ref against what a backup was seen to hold.
func (r *run) rewrites(p pushed, backup string, had schema.OID, same bool) ([]schema.Fault, error) {
	fault := func(rule string, msg schema.Text) ([]schema.Fault, error) {
		return []schema.Fault{{Field: p.ref, Rule: rule, Msg: msg}}, nil
	}
	if p.id.IsZero() {
		// A trash branch may be purged; the author has typed its name for that.
		if !same || strings.HasPrefix(p.ref, repo.TrashPrefix) {
			return nil, nil
		}
		return fault("confirmed-deleted", schema.Textf("the backup %s holds %s there, and deleting it takes that away", backup, had.Short()))
	}
	if p.id == had {
		return nil, nil
	}
	if strings.HasPrefix(p.ref, "refs/tags/") {
		return fault("confirmed-tag", schema.Textf("the backup %s holds this tag at %s; a tag never moves", backup, had.Short()))
	}
	if in, err := r.contains(had, p.id); err != nil || in {
		return nil, err
	}
	// An older part of the same history may go where less is: that takes nothing away.
	older, err := r.contains(p.id, had)
	if err != nil {
		return nil, err
	}
	if older && !p.remote.IsZero() {
		older, err = r.contains(p.remote, p.id)
	}
	if err != nil || older {
		return nil, err
	}
	return fault("confirmed-rewritten", schema.Textf("the backup %s holds %s, which the pushed history %s does not have", backup, had.Short(), p.id.Short()))
}

// contains reports that commit a is in the history of b. What is not in this repository is in no history.
func (r *run) contains(a, b schema.OID) (bool, error) {
	if a == b {
		return true, nil
	}
	if !r.store.Has(a) || !r.store.Has(b) {
		return false, nil
	}
	return r.store.IsAncestor(a, b)
}

// parsePushed reads lines of "local-ref local-id remote-ref remote-id".
func parsePushed(text string) ([]pushed, error) {
	var out []pushed
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) != 4 {
			return nil, badLine(line)
		}
		id, err1 := schema.ParseOID(f[1])
		remote, err2 := schema.ParseOID(f[3])
		if err1 != nil || err2 != nil {
			return nil, badLine(line)
		}
		out = append(out, pushed{id: id, ref: f[2], remote: remote})
	}
	return out, nil
}

func badLine(line string) error {
	return schema.Errorf(schema.CodeInvalid, "git hands a line to the hook that cannot be read: %q", strings.TrimSpace(line))
}
