package gitstore

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"git-novel/schema"
)

// Create makes a repository with a worktree in dir, as "git init" does, and opens it. An empty branch means
// init.defaultBranch, else main. CodeConflict when dir already has one.
func Create(dir, branch string, env Env) (*Repo, error) {
	return create(dir, branch, env, false)
}

// CreateBare makes a bare repository in dir, such as a backup.
func CreateBare(dir, branch string, env Env) (*Repo, error) {
	return create(dir, branch, env, true)
}

func create(dir, branch string, env Env, bare bool) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot resolve the path %s", dir)
	}
	if branch, err = firstBranch(branch, env); err != nil {
		return nil, err
	}
	if err := makeDirs(abs); err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot make the folder %s", abs)
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot resolve the path %s", dir)
	}
	gitDir := abs
	if !bare {
		gitDir = filepath.Join(abs, ".git")
	}
	if isGitDir(gitDir) {
		return nil, schema.Errorf(schema.CodeConflict, "%s already holds a git repository", dir)
	}
	if _, err := os.Lstat(gitDir); err == nil && !bare {
		// An empty .git folder is what a crash in the middle of this leaves; anything else is somebody's.
		if !isDir(gitDir) {
			return nil, schema.Errorf(schema.CodeConflict, "%s is in the way of a new repository", gitDir)
		}
	}
	if err := fillGitDir(gitDir, branch, env, bare); err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot make a git repository in %s", dir)
	}
	loc := Location{GitDir: gitDir, CommonDir: gitDir}
	if !bare {
		loc.WorkTree = abs
	}
	return Open(loc, env)
}

func firstBranch(branch string, env Env) (string, error) {
	if branch == "" {
		c, err := loadConfig(Location{}, env)
		if err != nil {
			return "", err
		}
		branch, _ = c.Get("init.defaultbranch")
	}
	if branch == "" {
		branch = "main"
	}
	if strings.HasPrefix(branch, "-") || !validRefPath("refs/heads/"+branch) {
		return "", schema.Errorf(schema.CodeUsage, "%q is not a valid branch name", branch)
	}
	return branch, nil
}

// fillGitDir writes the files of a new repository; HEAD comes last, because without it the folder is no repository.
func fillGitDir(gitDir, branch string, env Env, bare bool) error {
	for _, d := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"} {
		if err := makeDirs(filepath.Join(gitDir, filepath.FromSlash(d))); err != nil {
			return err
		}
	}
	env.step("create.config")
	for _, f := range []struct{ name, text string }{
		{"description", "Unnamed repository; edit this file 'description' to name the repository.\n"},
		{"info/exclude", "# Patterns listed here are ignored in this clone only.\n"},
		{"config", newConfig(gitDir, bare)},
		{"HEAD", "ref: refs/heads/" + branch + "\n"},
	} {
		if err := replaceFile(filepath.Join(gitDir, filepath.FromSlash(f.name)), []byte(f.text)); err != nil {
			return err
		}
	}
	return nil
}

// newConfig is the config that git init writes, with what the file system can do.
func newConfig(gitDir string, bare bool) string {
	var b strings.Builder
	b.WriteString("[core]\n\trepositoryformatversion = 0\n")
	b.WriteString("\tfilemode = " + strconv.FormatBool(keepsModes(gitDir)) + "\n")
	b.WriteString("\tbare = " + strconv.FormatBool(bare) + "\n")
	if !bare {
		b.WriteString("\tlogallrefupdates = true\n")
	}
	if runtime.GOOS == "windows" {
		b.WriteString("\tsymlinks = false\n")
	}
	if foldsCase(gitDir) {
		b.WriteString("\tignorecase = true\n")
	}
	if runtime.GOOS == "darwin" {
		b.WriteString("\tprecomposeunicode = true\n")
	}
	return b.String()
}

// keepsModes tells whether the executable bit can be set and read back.
func keepsModes(dir string) bool {
	if runtime.GOOS == "windows" {
		return false
	}
	f, err := createTemp(dir, "tmp_mode_", 0o644)
	if err != nil {
		return true
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_ = f.Close()
	if os.Chmod(f.Name(), 0o755) != nil {
		return false
	}
	st, err := os.Lstat(f.Name())
	return err == nil && st.Mode().Perm()&0o100 != 0
}

// foldsCase tells whether a file can be found by its name in other case.
func foldsCase(dir string) bool {
	f, err := createTemp(dir, "tmp_case_", 0o644)
	if err != nil {
		return false
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_ = f.Close()
	_, err = os.Lstat(filepath.Join(dir, strings.ToUpper(filepath.Base(f.Name()))))
	return err == nil
}

// replaceFile writes a control file durably. No lock file is used: one that a crash left would bar the next try, and two
// creators write the same.
func replaceFile(file string, data []byte) error {
	f, err := createTemp(filepath.Dir(file), "tmp_init_", 0o666)
	if err != nil {
		return err
	}
	err = writeSynced(f, data)
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return syncDir(filepath.Dir(file))
}
