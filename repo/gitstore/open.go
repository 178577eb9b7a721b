package gitstore

import (
	"os"
	"strings"

	"git-novel/schema"
)

// Repo is an open repository. It belongs to one goroutine. Opening reads only the configuration; everything else is read
// when it is asked for. What can change under us (refs, index, packs) is looked at again each time.
type Repo struct {
	loc    Location
	env    Env
	config *Config
	db     *objectDB
	work   *os.Root   // opened on first use
	packed packedRefs // the last packed-refs file that was read
	index  *Index     // the last index that was read
	rules  *statRules // how far stat data is trusted, from the config
	shared sharing
	shal   map[schema.OID]bool
}

// Open opens the repository at loc. It refuses object formats and ref stores that the engine does not speak, and a
// repository owned by somebody else unless safe.directory allows it, as git does.
func Open(loc Location, env Env) (*Repo, error) {
	if env.Clock == nil {
		return nil, schema.Errorf(schema.CodeUnexpected, "the git engine was opened without a clock")
	}
	config, err := loadConfig(loc, env)
	if err != nil {
		return nil, err
	}
	if err := checkOwner(loc, env, config); err != nil {
		return nil, err
	}
	if err := checkFormat(loc, config); err != nil {
		return nil, err
	}
	return &Repo{loc: loc, env: env, config: config, db: newObjectDB(loc.CommonDir), shared: readSharing(config)}, nil
}

// Close releases the open files. A Repo must not be used after it.
func (r *Repo) Close() error {
	r.db.close()
	if r.work != nil {
		_ = r.work.Close()
		r.work = nil
	}
	return nil
}

// Location tells where the repository lies.
func (r *Repo) Location() Location { return r.loc }

// Config is the merged configuration as it was when the repository was opened or last changed through SetConfig.
func (r *Repo) Config() *Config { return r.config }

// checkFormat refuses what the engine cannot read.
func checkFormat(loc Location, c *Config) error {
	if f, ok := c.Get("extensions.objectformat"); ok && !strings.EqualFold(f, "sha1") {
		return schema.Errorf(schema.CodeNotLibrary, "%s uses the object format %s; git-novel works with sha1 repositories only", loc.CommonDir, f).
			WithHint("make a new library with: git novel init")
	}
	if f, ok := c.Get("extensions.refstorage"); ok && !strings.EqualFold(f, "files") {
		return schema.Errorf(schema.CodeNotLibrary, "%s keeps its refs as %s; git-novel works with ref files only", loc.CommonDir, f).
			WithHint("convert it with: git refs migrate --ref-format=files")
	}
	version := c.Int("core.repositoryformatversion", 0)
	if version > 1 {
		return schema.Errorf(schema.CodeNotLibrary, "%s has repository format version %d, which git-novel does not know", loc.CommonDir, version)
	}
	if version == 0 {
		return nil
	}
	for _, v := range c.vars {
		name, ok := strings.CutPrefix(v.key, "extensions.")
		if !ok {
			continue
		}
		switch name {
		case "noop", "noop-v1", "preciousobjects", "partialclone", "worktreeconfig", "objectformat", "refstorage",
			"relativeworktrees", "submodulepathconfig":
		default:
			return schema.Errorf(schema.CodeNotLibrary, "%s uses the git extension %s, which git-novel does not know", loc.CommonDir, name)
		}
	}
	return nil
}

// worktree is the root of the worktree, confined: paths below it cannot lead outside.
func (r *Repo) worktree() (*os.Root, error) {
	if r.work != nil {
		return r.work, nil
	}
	if r.loc.WorkTree == "" {
		return nil, schema.Errorf(schema.CodeNotLibrary, "%s is a bare repository and has no files to work on", r.loc.GitDir)
	}
	root, err := os.OpenRoot(r.loc.WorkTree)
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot open the folder %s", r.loc.WorkTree)
	}
	r.work = root
	return root, nil
}
