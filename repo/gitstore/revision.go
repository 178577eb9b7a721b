package gitstore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"git-novel/schema"
)

// ResolveRev gives the commit that a revision names: a full or abbreviated id, HEAD or @, a branch, a tag, a full ref
// name, NAME@{N} from the reflog, followed by any of ^, ^N, ~N, ^{commit}, ^{} and ^0. Annotated tags lead to their commit.
// CodeNotFound when there is none, CodeInvalid when an abbreviation fits several objects.
func (r *Repo) ResolveRev(rev string) (schema.OID, error) {
	base, steps := cutSteps(rev)
	id, err := r.revBase(base, rev)
	if err != nil {
		return schema.OID{}, err
	}
	if id, err = r.peel(id, rev); err != nil {
		return schema.OID{}, err
	}
	for steps != "" {
		op := steps[0]
		rest := steps[1:]
		if op == '^' && strings.HasPrefix(rest, "{") {
			what, after, ok := strings.Cut(rest[1:], "}")
			if !ok || what != "" && what != "commit" && what != "0" {
				return schema.OID{}, noRev(rev)
			}
			steps = after
			continue
		}
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n := 1
		if digits > 0 {
			if n, err = strconv.Atoi(rest[:digits]); err != nil {
				return schema.OID{}, noRev(rev)
			}
		}
		steps = rest[digits:]
		if id, err = r.step(id, op, n, rev); err != nil {
			return schema.OID{}, err
		}
	}
	return id, nil
}

func noRev(rev string) error {
	return schema.Errorf(schema.CodeNotFound, "git has no revision %q", rev).
		WithHint("see the revisions with: git novel log, git branch -a, git tag")
}

// cutSteps splits at the first ^ or ~; neither can stand in a name.
func cutSteps(rev string) (base, steps string) {
	if i := strings.IndexAny(rev, "^~"); i >= 0 {
		return rev[:i], rev[i:]
	}
	return rev, ""
}

// step goes to the n-th parent (^) or n first parents back (~).
func (r *Repo) step(id schema.OID, op byte, n int, rev string) (schema.OID, error) {
	if op == '^' {
		if n == 0 {
			return id, nil
		}
		c, err := r.logCommit(id)
		if err != nil {
			return schema.OID{}, err
		}
		if n > len(c.Parents) {
			return schema.OID{}, noRev(rev)
		}
		return c.Parents[n-1], nil
	}
	for range n {
		c, err := r.logCommit(id)
		if err != nil {
			return schema.OID{}, err
		}
		if len(c.Parents) == 0 {
			return schema.OID{}, noRev(rev)
		}
		id = c.Parents[0]
	}
	return id, nil
}

// revBase resolves a revision without its steps.
func (r *Repo) revBase(base, rev string) (schema.OID, error) {
	if base == "" || strings.HasPrefix(base, "-") {
		return schema.OID{}, noRev(rev)
	}
	if id, err := schema.ParseOID(base); err == nil {
		return id, nil
	}
	if base == "@" {
		base = "HEAD"
	}
	if name, n, ok := cutReflog(base); ok {
		return r.revReflog(name, n, rev)
	}
	if name, id, ok, err := r.dwim(base); err != nil || ok {
		_ = name
		return id, err
	}
	return r.abbreviated(base, rev)
}

// dwim finds a short ref name by git's rules.
func (r *Repo) dwim(name string) (full string, id schema.OID, ok bool, err error) {
	for _, full := range []string{
		name, "refs/" + name, "refs/tags/" + name, "refs/heads/" + name, "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD",
	} {
		if CheckRefName(full) != nil {
			continue
		}
		if _, id, ok, err := r.follow(full); err != nil || ok {
			return full, id, ok, err
		}
	}
	return "", schema.OID{}, false, nil
}

func cutReflog(base string) (name string, n int, ok bool) {
	name, rest, ok := strings.Cut(base, "@{")
	digits, ok2 := strings.CutSuffix(rest, "}")
	if !ok || !ok2 {
		return "", 0, false
	}
	n, err := strconv.Atoi(digits)
	return name, n, err == nil && n >= 0
}

// revReflog gives what a ref held n moves ago; without a name the current branch.
func (r *Repo) revReflog(name string, n int, rev string) (schema.OID, error) {
	if name == "" {
		head, err := r.Head()
		if err != nil {
			return schema.OID{}, err
		}
		if name = head.Ref; name == "" {
			name = "HEAD"
		}
	}
	if name == "@" {
		name = "HEAD"
	}
	full, id, ok, err := r.dwim(name)
	if err != nil {
		return schema.OID{}, err
	}
	if !ok {
		return schema.OID{}, noRev(rev)
	}
	if n == 0 {
		return id, nil
	}
	log, err := r.Reflog(full)
	if err != nil {
		return schema.OID{}, err
	}
	if n < len(log) {
		return log[n].New, nil
	}
	if n == len(log) && n > 0 && !log[n-1].Old.IsZero() {
		return log[n-1].Old, nil
	}
	return schema.OID{}, noRev(rev)
}

// peel follows annotated tags to a commit.
func (r *Repo) peel(id schema.OID, rev string) (schema.OID, error) {
	for range 16 {
		o, err := r.db.get(id)
		if errors.Is(err, errNoObject) {
			return schema.OID{}, noRev(rev)
		}
		if err != nil {
			return schema.OID{}, objectError(id, err)
		}
		switch o.typ {
		case CommitObject:
			return id, nil
		case TagObject:
			line, _, _ := bytes.Cut(o.data, []byte("\n"))
			hex, ok := strings.CutPrefix(string(line), "object ")
			next, err := schema.ParseOID(hex)
			if !ok || err != nil {
				return schema.OID{}, damaged(id, errDamaged)
			}
			id = next
		default:
			return schema.OID{}, schema.Errorf(schema.CodeNotFound, "%q names a %s, not a commit", rev, o.typ)
		}
	}
	return schema.OID{}, noRev(rev)
}

// minAbbrev is git's shortest abbreviation.
const minAbbrev = 4

// abbreviated finds the one commit whose id starts with the digits; objects of other types do not count as long as a
// commit fits.
func (r *Repo) abbreviated(digits, rev string) (schema.OID, error) {
	digits = strings.ToLower(digits)
	if len(digits) < minAbbrev || len(digits) >= 40 || strings.Trim(digits, "0123456789abcdef") != "" {
		return schema.OID{}, noRev(rev)
	}
	var commits []schema.OID
	for _, id := range r.withPrefix(digits) {
		if _, err := r.peel(id, rev); err == nil {
			commits = append(commits, id)
		}
	}
	switch len(commits) {
	case 0:
		return schema.OID{}, noRev(rev)
	case 1:
		return commits[0], nil
	default:
		return schema.OID{}, schema.Errorf(schema.CodeInvalid, "the abbreviation %s fits %d commits", digits, len(commits)).
			WithHint("give more digits")
	}
}

// withPrefix lists the distinct objects whose name starts with the digits.
func (r *Repo) withPrefix(digits string) []schema.OID {
	first, _ := schema.ParseOID(digits + strings.Repeat("0", 40-len(digits)))
	match := func(id schema.OID) bool { return strings.HasPrefix(id.String(), digits) }
	const limit = 4096
	var out []schema.OID
	for _, d := range r.db.directories() {
		d.list()
		for _, p := range d.packs {
			out = append(out, p.withPrefix(first, match, limit)...)
		}
		entries, err := os.ReadDir(filepath.Join(d.path, digits[:2]))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if id, err := schema.ParseOID(digits[:2] + e.Name()); err == nil && match(id) {
				out = append(out, id)
			}
		}
	}
	slices.SortFunc(out, func(a, b schema.OID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(out)
}
