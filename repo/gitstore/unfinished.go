package gitstore

import "git-novel/schema"

var errLater = schema.Errorf(schema.CodeUnexpected, "unfinished")

func Create(dir, branch string, env Env) (*Repo, error)     { return nil, errLater }
func CreateBare(dir, branch string, env Env) (*Repo, error) { return nil, errLater }
func (r *Repo) SetConfig(key, value string) error           { return errLater }
func (r *Repo) UnsetConfig(key string) error                { return errLater }

func (b *Batch) IndexTree(ix *Index) (schema.OID, error) { return schema.OID{}, errLater }

func (r *Repo) Foreign(paths []string) (reason string, foreign bool) { return "", false }
