package gitstore

import (
	"strings"
	"time"

	"git-novel/schema"
)

// Mode is the mode of a tree or index entry.
type Mode uint32

// The modes git knows.
const (
	ModeFile    Mode = 0o100644
	ModeExec    Mode = 0o100755
	ModeLink    Mode = 0o120000
	ModeDir     Mode = 0o040000
	ModeGitlink Mode = 0o160000
)

// IsFile reports a regular file, executable or not.
func (m Mode) IsFile() bool { return m == ModeFile || m == ModeExec }

func (m Mode) valid() bool {
	switch m {
	case ModeFile, ModeExec, ModeLink, ModeDir, ModeGitlink:
		return true
	default:
		return false
	}
}

// ObjectType is the type of a git object.
type ObjectType uint8

// The object types, with the numbers of the pack format.
const (
	CommitObject ObjectType = 1
	TreeObject   ObjectType = 2
	BlobObject   ObjectType = 3
	TagObject    ObjectType = 4
)

// String is git's word for the type.
func (t ObjectType) String() string {
	switch t {
	case CommitObject:
		return "commit"
	case TreeObject:
		return "tree"
	case BlobObject:
		return "blob"
	case TagObject:
		return "tag"
	default:
		return "unknown"
	}
}

// Entry is one entry of a tree. Its zero value stands for "absent".
type Entry struct {
	Name string
	Mode Mode
	ID   schema.OID
}

// IsZero reports the absent entry.
func (e Entry) IsZero() bool { return e.Mode == 0 }

// IsDir reports a subtree.
func (e Entry) IsDir() bool { return e.Mode == ModeDir }

// Ident is who did something and when.
type Ident struct {
	Name, Email string
	When        time.Time
}

// Commit is a commit object. ID and Raw are set on commits that were read; a commit to be written needs only the others.
type Commit struct {
	ID                schema.OID
	Tree              schema.OID
	Parents           []schema.OID
	Author, Committer Ident
	Encoding          string // empty is UTF-8
	Message           string
	Raw               []byte // the whole object as stored
}

// Subject is the first line of the message.
func (c *Commit) Subject() string {
	s, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n")
	return s
}

// EmptyTree is the id of the tree without entries, which every function here knows whether it is stored or not.
func EmptyTree() schema.OID {
	return schema.OID{
		0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb, 0xee, 0x49, 0x04,
	}
}
