package repo

import (
	"maps"
	"os"
	"path/filepath"

	"git-novel/repo/atomicfile"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// confirmedFile remembers, in the repository, what each backup was seen to hold. It is a cache of facts about another
// place: deleting it loses no data, and the next backup writes it anew.
const confirmedFile = "backups.json"

// Confirmed is what a backup was last seen to hold, by full ref name.
type Confirmed map[string]schema.OID

// ConfirmedRefs reads what each backup was last seen to hold.
func (l *Library) ConfirmedRefs() map[string]Confirmed { return ReadConfirmed(l.loc) }

// ReadConfirmed is ConfirmedRefs without opening the library, for a hook.
func ReadConfirmed(loc gitstore.Location) map[string]Confirmed {
	root, err := os.OpenRoot(filepath.Join(loc.CommonDir, "novel"))
	if err != nil {
		return map[string]Confirmed{}
	}
	defer func() { _ = root.Close() }()
	out := map[string]Confirmed{}
	data, err := root.ReadFile(confirmedFile)
	if err != nil || schema.Unmarshal(confirmedFile, data, &out) != nil {
		return map[string]Confirmed{}
	}
	return out
}

// Confirm remembers what a backup holds now. The caller has compared it with the backup itself.
func (l *Library) Confirm(name string, refs []Push) error {
	all := l.ConfirmedRefs()
	now := Confirmed{}
	maps.Copy(now, all[name])
	for _, p := range refs {
		if p.Note.IsZero() {
			now[p.Name] = p.ID
		}
	}
	all[name] = now
	data, err := schema.Marshal(all)
	if err != nil {
		return err
	}
	root, err := l.ownRoot()
	if err != nil {
		return err
	}
	return atomicfile.Write(root, confirmedFile, data, os.FileMode(0o644))
}
