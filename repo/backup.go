package repo

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

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

// ShownURL takes user, password and query out of an address, also out of one that does not parse.
func ShownURL(raw string) string {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return raw
	}
	host, path, slash := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	path, _, _ = strings.Cut(path, "?")
	if slash {
		path = "/" + path
	}
	return scheme + "://" + host + path
}

// redact takes the secrets of an address out of what git wrote.
func redact(text, address string) string {
	if shown := ShownURL(address); shown != address {
		text = strings.ReplaceAll(text, address, shown)
		text = strings.ReplaceAll(text, strings.TrimRight(address, "/"), strings.TrimRight(shown, "/"))
	}
	u, err := url.Parse(address)
	if err != nil {
		return text
	}
	if u.RawQuery != "" {
		text = strings.ReplaceAll(text, "?"+u.RawQuery, "")
	}
	if u.User != nil {
		text = strings.ReplaceAll(text, u.User.String()+"@", "")
		if secret, ok := u.User.Password(); ok && len(secret) > 3 {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
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
// repository. A relative folder is relative to dir. A remote of that name with another address is CodeConflict.
func (l *Library) AddBackup(name, address, dir string) (Remote, error) {
	if !isBackupName(name) {
		return Remote{}, schema.Errorf(schema.CodeUsage, "%q cannot be the name of a backup", name).
			WithHint("use letters, digits, - and _")
	}
	if strings.HasPrefix(address, "-") || strings.TrimSpace(address) == "" || strings.ContainsAny(address, "\x00\n\r") {
		return Remote{}, schema.Errorf(schema.CodeUsage, "%q cannot be the address of a backup", ShownURL(address)).
			WithHint("name a git address or a folder")
	}
	path := localPath(address, dir)
	if path != "" && !filepath.IsAbs(path) {
		return Remote{}, schema.Errorf(schema.CodeUsage, "%q cannot be the address of a backup", address).
			WithHint("a file:// address has three slashes before the path: file:///backups/novel.git")
	}
	if path != "" && sameDir(path, l.Root()) {
		return Remote{}, schema.Errorf(schema.CodeUsage, "%s is the library itself", path).WithHint("name another folder, best on another disk")
	}
	if have, ok := l.store.Config().Get("remote." + name + ".url"); ok && have != address && have != path {
		return Remote{}, schema.Errorf(schema.CodeConflict, "there is a remote %s already: %s", name, ShownURL(have)).
			WithHint("choose another name, or change it with: git remote set-url %s ADDRESS", name)
	}
	if path != "" {
		address = path
		if err := l.prepareFolder(path); err != nil {
			return Remote{}, err
		}
	}
	for _, kv := range [][2]string{
		{"url", address}, {"fetch", "+refs/heads/*:refs/remotes/" + name + "/*"}, {backupMark, "true"},
	} {
		if have, ok := l.store.Config().Get("remote." + name + "." + kv[0]); ok && (have == kv[1] || kv[0] == "fetch") {
			continue
		}
		if err := l.store.SetConfig("remote."+name+"."+kv[0], kv[1]); err != nil {
			return Remote{}, err
		}
	}
	return Remote{Name: name, URL: address}, nil
}

// isBackupName lets through what is a remote's name, a ref's part and a word on a command line, all without quoting.
func isBackupName(name string) bool {
	ok := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' }
	return name != "" && name[0] != '-' && len(name) <= 100 && !strings.ContainsFunc(name, func(r rune) bool { return !ok(r) }) &&
		gitstore.CheckRefName("refs/remotes/"+name+"/x") == nil
}

// localPath makes the absolute path of an address that names a folder; "" for one that goes over a network.
func localPath(address, dir string) string {
	if rest, ok := strings.CutPrefix(address, "file://"); ok {
		rest = strings.TrimPrefix(rest, "localhost")
		if plain, err := url.PathUnescape(rest); err == nil {
			rest = plain // git decodes it too
		}
		if path := filepath.FromSlash(rest); filepath.IsAbs(path) {
			return filepath.Clean(path)
		}
		return rest
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
		defer func() { _ = bare.Close() }()
		if bare.Location().WorkTree != "" {
			return schema.Errorf(schema.CodeGit, "%s is a repository with a worktree; a backup is a bare one", path).
				WithHint("name an empty or new folder")
		}
		return nil
	case err != nil && !os.IsNotExist(err):
		return schema.Wrap(err, schema.CodeGit, "the folder %s cannot be used as a backup", path)
	}
	bare, err := gitstore.CreateBare(path, "", l.o.Env)
	if err != nil {
		return err
	}
	return bare.Close()
}

// openOther opens the repository that a folder is, not one that it lies in.
func (l *Library) openOther(path string) (*gitstore.Repo, error) {
	loc, err := gitstore.Discover(path)
	if err != nil {
		return nil, err
	}
	if !sameDir(loc.GitDir, path) && !sameDir(loc.WorkTree, path) {
		return nil, schema.Errorf(schema.CodeGit, "%s is a folder inside the git repository %s, not one itself", path, loc.GitDir)
	}
	return gitstore.Open(loc, l.o.Env)
}
