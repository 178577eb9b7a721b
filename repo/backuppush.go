package repo

import (
	"context"
	"slices"
	"strings"
	"time"

	"git-novel/repo/gitcmd"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// Push is one ref that a backup gets.
type Push struct {
	Name string // full name
	ID   schema.OID
	Held schema.OID  // what the backup holds instead, where that is known
	Note schema.Text // why it was left out or refused; empty when the backup has it now
}

// PushBackup pushes refs to a backup, all or none, never forced, and then compares with what the backup reports. New branches
// and fast-forwards only: a branch that the backup holds elsewhere is CodeGit, with a note on the ref; a tag that it holds
// elsewhere is left out, with a note. Without a git program only folders can be reached. After an error the refs that the
// backup has not got have a note.
func (l *Library) PushBackup(ctx context.Context, r Remote, refs []Push) ([]Push, error) {
	git, ok := l.Git()
	if !ok {
		return l.pushNative(ctx, r, refs)
	}
	held, err := l.listRemote(ctx, git, r)
	if err != nil {
		return notPushed(refs, nil), err
	}
	specs, err := l.refspecs(refs, held)
	if err != nil {
		return notPushed(refs, held), err
	}
	if len(specs) > 0 {
		if err := l.push(ctx, git, r, refs, specs); err != nil {
			return notPushed(refs, held), err
		}
	}
	if held, err = l.listRemote(ctx, git, r); err != nil {
		return notPushed(refs, nil), err
	}
	return refs, confirm(r, refs, held)
}

// refspecs decides what is to be pushed: what the backup has not got. It notes tags that the backup holds elsewhere, and
// refuses when a branch would not move forward.
func (l *Library) refspecs(refs []Push, held map[string]schema.OID) ([]string, error) {
	var specs []string
	refused := false
	for i, p := range refs {
		have, there := held[p.Name]
		switch {
		case there && have == p.ID:
			continue
		case there && isTag(p.Name):
			refs[i].Note = heldElsewhere(have)
			continue
		case there:
			forward, err := isForward(l.store, have, p)
			if err != nil {
				return nil, err
			}
			if !forward {
				refs[i].Note, refused = notForward(have), true
				continue
			}
		}
		specs = append(specs, p.ID.String()+":"+p.Name)
	}
	if refused {
		return nil, errNeverForced()
	}
	return specs, nil
}

func (l *Library) push(ctx context.Context, git *gitcmd.Git, r Remote, refs []Push, specs []string) error {
	cmd := gitcmd.Cmd{
		Dir: l.Root(), Timeout: pushTimeout, Env: []string{BackupEnv + "=1"},
		Args: append([]string{"push", "--atomic", "--porcelain", "--end-of-options", r.Name}, manySpecs(refs, specs)...),
	}
	res, err := git.Run(ctx, cmd)
	if err != nil || res.Code == 0 {
		return err
	}
	noteRefusals(refs, string(res.Stdout))
	res.Stderr = redact(res.Stderr, r.URL)
	return schema.Wrap(gitcmd.Failed(cmd, res), schema.CodeGit, "the backup %s did not take the push", r.Name).
		WithHint("what is committed is safe here; see what the backup has with: git ls-remote %s", r.Name)
}

// BackupEnv is set for the hooks of a push that `backup run` makes: a pre-push hook of ours lets it through, because a
// backup never refuses unfinished work (DESIGN 12).
const BackupEnv = "NOVEL_BACKUP"

// maxSpecs bounds a command line of refspecs, in bytes. Windows takes 32 KiB.
const maxSpecs = 20 << 10

// manySpecs puts patterns in the place of a list of refs that is too long for a command line. They say the same: tags that
// are left out are excluded by name, and a tag never moves.
func manySpecs(refs []Push, specs []string) []string {
	size := 0
	for _, s := range specs {
		size += len(s) + 1
	}
	if size <= maxSpecs {
		return specs
	}
	var out []string
	patterns := []string{TrashPrefix, TagPrefix}
	for _, s := range specs {
		_, name, _ := strings.Cut(s, ":")
		if !slices.ContainsFunc(patterns, func(p string) bool { return strings.HasPrefix(name, p) }) {
			out = append(out, s)
		}
	}
	for _, p := range patterns {
		if slices.ContainsFunc(refs, func(r Push) bool { return strings.HasPrefix(r.Name, p) }) {
			out = append(out, p+"*:"+p+"*")
		}
	}
	for _, r := range refs {
		if !r.Note.IsZero() {
			out = append(out, "^"+r.Name)
		}
	}
	return out
}

func isTag(name string) bool { return strings.HasPrefix(name, "refs/tags/") }

// isForward reports whether a branch that the backup holds at old would move forward.
func isForward(store *gitstore.Repo, old schema.OID, p Push) (bool, error) {
	if !strings.HasPrefix(p.Name, "refs/heads/") || !store.Has(old) {
		return false, nil
	}
	return store.IsAncestor(old, p.ID)
}

func heldElsewhere(have schema.OID) schema.Text {
	return schema.Textf("the backup holds this tag at %s; it is left there", have.Short())
}

func notForward(have schema.OID) schema.Text {
	return schema.Textf("rejected: the backup has %s, which is not in this history", have.Short())
}

func errNeverForced() error {
	return schema.Errorf(schema.CodeGit, "the backup holds commits that are not here, and a backup is never forced").
		WithHint("look at both histories; another copy of the library may have pushed")
}

// notPushed notes the refs that a failed backup has not got.
func notPushed(refs []Push, held map[string]schema.OID) []Push {
	for i, p := range refs {
		if held[p.Name] == p.ID {
			continue
		}
		refs[i].Held = held[p.Name]
		if p.Note.IsZero() {
			refs[i].Note = schema.Textf("not pushed")
		}
	}
	return refs
}

// pushTimeout ends a push that hangs.
const pushTimeout = 30 * time.Minute

// noteRefusals puts git's reasons on the refs: lines of `git push --porcelain` are "flag\tfrom:to\tsummary".
func noteRefusals(refs []Push, porcelain string) {
	for line := range strings.Lines(porcelain) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) < 3 || f[0] != "!" {
			continue
		}
		_, to, _ := strings.Cut(f[1], ":")
		for i := range refs {
			if refs[i].Name == to {
				refs[i].Note = schema.Textf("%s", f[2])
			}
		}
	}
}

// confirm compares what the backup reports with what it should have.
func confirm(r Remote, refs []Push, held map[string]schema.OID) error {
	var missing []schema.Fault
	for _, p := range refs {
		if p.Note.IsZero() && held[p.Name] != p.ID {
			missing = append(missing, schema.Fault{Field: p.Name, Rule: "backup-differs", Msg: schema.Textf("the backup has %s, not %s", held[p.Name].Short(), p.ID.Short())})
		}
	}
	if len(missing) > 0 {
		return schema.Errorf(schema.CodeGit, "the backup %s reports something else than what was pushed", r.Name).WithDetails(missing...)
	}
	return nil
}

// listRemote asks a backup for its refs.
func (l *Library) listRemote(ctx context.Context, git *gitcmd.Git, r Remote) (map[string]schema.OID, error) {
	res, err := l.remote(ctx, git, r, "ls-remote", "--end-of-options", r.Name)
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeGit, "the backup %s cannot be reached (%s)", r.Name, r.Shown()).
			WithHint("what is committed is safe here; try `git novel backup run` again later")
	}
	out := map[string]schema.OID{}
	for line := range strings.Lines(string(res.Stdout)) {
		id, name, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !ok || strings.HasSuffix(name, "^{}") {
			continue
		}
		if oid, err := schema.ParseOID(id); err == nil {
			out[name] = oid
		}
	}
	return out, nil
}

// remote runs a git command that talks to a backup. What it complains about holds no secret of the address.
func (l *Library) remote(ctx context.Context, git *gitcmd.Git, r Remote, args ...string) (gitcmd.Result, error) {
	cmd := gitcmd.Cmd{Dir: l.Root(), Args: args, Timeout: pushTimeout}
	res, err := git.Run(ctx, cmd)
	if err != nil || res.Code == 0 {
		return res, err
	}
	res.Stderr = redact(res.Stderr, r.URL)
	return res, gitcmd.Failed(cmd, res)
}

// CloneBackup makes a bare copy of a backup in a new folder, for looking at it.
func (l *Library) CloneBackup(ctx context.Context, r Remote, dir string) (*gitstore.Repo, error) {
	git, ok := l.Git()
	if !ok {
		return l.cloneNative(ctx, r, dir)
	}
	if _, err := l.remote(ctx, git, r, "clone", "--quiet", "--bare", "--no-local", "--end-of-options", r.URL, dir); err != nil {
		return nil, schema.Wrap(err, schema.CodeGit, "the backup %s cannot be cloned", r.Name).
			WithHint("what is committed is safe here; try `git novel backup run` again later")
	}
	return l.openOther(dir)
}
