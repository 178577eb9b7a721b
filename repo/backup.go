package repo

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-novel/repo/gitcmd"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// Remote is a backup of the library: a git remote that `backup add` marked as ours.
type Remote struct {
	Name string
	URL  string // as configured; show it with Shown
}

// Shown is the address without credentials.
func (r Remote) Shown() string { return ShownURL(r.URL) }

// ShownURL takes user and password out of an address.
func ShownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User == nil {
		return raw
	}
	u.User = nil
	return u.String()
}

// backupMark is the key in remote.<name>. that makes a remote a backup.
const backupMark = "novelBackup"

// Backups lists the backups of the library, by name.
func (l *Library) Backups() []Remote {
	cfg := l.store.Config()
	var out []Remote
	for _, name := range cfg.Subsections("remote") {
		if cfg.Bool("remote."+name+"."+backupMark, false) {
			u, _ := cfg.Get("remote." + name + ".url")
			out = append(out, Remote{Name: name, URL: u})
		}
	}
	slices.SortFunc(out, func(a, b Remote) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// AddBackup configures a backup. A folder that is not there yet becomes a bare repository; an existing one must be a git
// repository. A remote of that name with another address is CodeConflict.
func (l *Library) AddBackup(name, address, dir string) (Remote, error) {
	if err := gitstore.CheckRefName("refs/remotes/" + name + "/x"); err != nil || strings.ContainsAny(name, "/.") {
		return Remote{}, schema.Errorf(schema.CodeUsage, "%q cannot be the name of a backup", name).WithHint("use letters, digits and -")
	}
	if strings.HasPrefix(address, "-") || address == "" {
		return Remote{}, schema.Errorf(schema.CodeUsage, "%q cannot be the address of a backup", address)
	}
	if have, ok := l.store.Config().Get("remote." + name + ".url"); ok && have != address && have != localPath(address, dir) {
		return Remote{}, schema.Errorf(schema.CodeConflict, "there is a remote %s already: %s", name, ShownURL(have)).
			WithHint("choose another name, or change it with: git remote set-url %s ADDRESS", name)
	}
	if path := localPath(address, dir); path != "" {
		address = path
		if err := l.prepareFolder(path); err != nil {
			return Remote{}, err
		}
	}
	for _, kv := range [][2]string{
		{"url", address}, {"fetch", "+refs/heads/*:refs/remotes/" + name + "/*"}, {backupMark, "true"},
	} {
		if err := l.store.SetConfig("remote."+name+"."+kv[0], kv[1]); err != nil {
			return Remote{}, err
		}
	}
	return Remote{Name: name, URL: address}, nil
}

// localPath makes the absolute path of an address that names a folder; "" for one that goes over a network.
func localPath(address, dir string) string {
	if rest, ok := strings.CutPrefix(address, "file://"); ok {
		return filepath.FromSlash(rest)
	}
	if strings.Contains(address, "://") {
		return ""
	}
	// host:path is an address of ssh, unless a slash stands before the colon (git's own rule) or it is a drive letter.
	if at := strings.IndexByte(address, ':'); at > 1 && !strings.Contains(address[:at], "/") {
		return ""
	}
	if filepath.IsAbs(address) {
		return filepath.Clean(address)
	}
	return filepath.Join(dir, address)
}

// prepareFolder makes a bare repository where nothing is, and looks whether one is where something is.
func (l *Library) prepareFolder(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case err == nil && len(entries) > 0:
		bare, err := l.openOther(path)
		if err != nil {
			return schema.Wrap(err, schema.CodeGit, "the folder %s is no git repository that could be a backup", path).
				WithHint("name an empty or new folder")
		}
		return bare.Close()
	case err != nil && !os.IsNotExist(err):
		return schema.Wrap(err, schema.CodeGit, "the folder %s cannot be used as a backup", path)
	}
	bare, err := gitstore.CreateBare(path, "", l.o.Env)
	if err != nil {
		return err
	}
	return bare.Close()
}

func (l *Library) openOther(path string) (*gitstore.Repo, error) {
	loc, err := gitstore.Discover(path)
	if err != nil {
		return nil, err
	}
	return gitstore.Open(loc, l.o.Env)
}

// Push is one ref that a backup gets.
type Push struct {
	Name string // full name
	ID   schema.OID
	Note schema.Text // why it was left out or refused; empty when the backup has it now
}

// PushBackup pushes refs to a backup, all or none, never forced, and then compares with what the backup reports. New branches
// and fast-forwards only: a branch or tag that the backup holds elsewhere is CodeGit, with a note on the ref. Without a git
// program only folders can be reached.
func (l *Library) PushBackup(ctx context.Context, r Remote, refs []Push) ([]Push, error) {
	git, ok := l.Git()
	if !ok {
		return l.pushNative(ctx, r, refs)
	}
	held, err := l.listRemote(ctx, git, r)
	if err != nil {
		return refs, err
	}
	var specs []string
	for i, p := range refs {
		have, there := held[p.Name]
		switch {
		case there && have == p.ID:
		case there && strings.HasPrefix(p.Name, "refs/tags/"):
			refs[i].Note = schema.Textf("the backup holds this tag at %s; it is left there", have.Short())
		default:
			specs = append(specs, p.ID.String()+":"+p.Name)
		}
	}
	if len(specs) > 0 {
		args := append([]string{"push", "--atomic", "--porcelain", "--no-verify", "--end-of-options", r.Name}, specs...)
		res, err := git.Run(ctx, gitcmd.Cmd{Dir: l.Root(), Args: args, Timeout: pushTimeout})
		if err != nil {
			return refs, err
		}
		if res.Code != 0 {
			noteRefusals(refs, string(res.Stdout))
			return refs, schema.Wrap(gitcmd.Failed(gitcmd.Cmd{Args: args}, res), schema.CodeGit, "the backup %s did not take the push", r.Name).
				WithHint("what is committed is safe here; see what the backup has with: git ls-remote %s", r.Name)
		}
	}
	if held, err = l.listRemote(ctx, git, r); err != nil {
		return refs, err
	}
	return refs, confirm(r, refs, held)
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
	res, err := git.Check(ctx, gitcmd.Cmd{Dir: l.Root(), Args: []string{"ls-remote", "--end-of-options", r.Name}, Timeout: pushTimeout})
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

// CloneBackup makes a bare copy of a backup in a new folder, for looking at it.
func (l *Library) CloneBackup(ctx context.Context, r Remote, dir string) (*gitstore.Repo, error) {
	if git, ok := l.Git(); ok {
		_, err := git.Check(ctx, gitcmd.Cmd{
			Dir: l.Root(), Args: []string{"clone", "--quiet", "--bare", "--no-local", "--end-of-options", r.URL, dir}, Timeout: pushTimeout,
		})
		if err != nil {
			return nil, schema.Wrap(err, schema.CodeGit, "the backup %s cannot be cloned", r.Name)
		}
		return l.openOther(dir)
	}
	src, err := l.openFolder(r)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	dst, err := gitstore.CreateBare(dir, "", l.o.Env)
	if err != nil {
		return nil, err
	}
	refs, err := src.Refs("refs/")
	if err != nil {
		return nil, err
	}
	var push []Push
	for _, ref := range refs {
		push = append(push, Push{Name: ref.Name, ID: ref.ID})
	}
	_, err = copyRefs(ctx, src, dst, push, l)
	return dst, err
}
