package state

import "git-novel/schema"

// Mode is the mode of a tree entry, in git's own octal numbers.
type Mode uint32

// The modes.
const (
	ModeFile    Mode = 0o100644
	ModeExec    Mode = 0o100755
	ModeLink    Mode = 0o120000
	ModeDir     Mode = 0o040000
	ModeGitlink Mode = 0o160000
)

// Entry is one name in a folder of a tree.
type Entry struct {
	Name string
	Mode Mode
	ID   schema.OID
}

// Change is one path that differs between two trees. A zero id says that the path is absent on that side.
type Change struct {
	Path     string
	Old, New schema.OID
	Mode     Mode // of the new side
}

// Tree reads the tree of one commit, or of the index. Paths are slash separated and relative to the library's root.
type Tree interface {
	// Blob gives the id of a file; false when the path is absent or no file.
	Blob(path string) (schema.OID, bool, error)
	// List gives the entries of a folder, none when it is absent.
	List(dir string) ([]Entry, error)
}

// Blobs reads file contents by id. An id that is not there is an error of CodeNotFound.
type Blobs interface {
	ReadBlob(id schema.OID) ([]byte, error)
}

// EditedChars counts, in UTF-16 units, what a minimal diff inserts and deletes to turn a into b.
type EditedChars func(a, b string) (inserted, deleted int)

// Step is one commit as the checker sees it: what changed against its first parent.
type Step struct {
	Changes []Change
	Blobs   Blobs
	Edited  EditedChars
	// Parent is the parent's tree. It is read only for chapters that a State made by Load has not looked at yet; a State
	// folded from the first commit on needs none.
	Parent Tree
}

// Move is what a commit did to one chapter, as far as its trees prove it.
type Move struct {
	Book     schema.BookName
	Chapter  schema.ChapterKey
	From, To schema.State
	Text     schema.OID // after the commit; zero when the chapter left
	Revision int        // of the chapter commit after the commit, 0 without one
	Adopted  bool
	Accepted bool // the chapter became committed, or a retcon of it was accepted
}

// Verdict is the checker's answer to one commit.
type Verdict struct {
	State  *State         // after the commit
	Faults []schema.Fault // what makes the commit illegal; none when every change is a chain of legal steps
	Moves  []Move         // by book and chapter
}
