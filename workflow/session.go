package workflow

import (
	"context"
	"path/filepath"
	"time"

	"git-novel/repo"
	"git-novel/repo/gitcmd"
	"git-novel/repo/gitstore"
	"git-novel/repo/index"
	"git-novel/schema"
)

// Actor is who gives the command. Some steps are a person's alone (DESIGN 5, Override).
type Actor struct {
	Terminal bool   // a person sits at a terminal
	Run      string // id of the agent run that we are inside, empty otherwise
}

// Person reports that a person, not a program, gives the command.
func (a Actor) Person() bool { return a.Terminal && a.Run == "" }

// Options is what a front end knows about the process.
type Options struct {
	Root     string // the library, when it was named; absolute
	Dir      string // the current folder, absolute
	Book     string // the book, when it was named
	Command  string // what the person started, for whoever finds a lock held
	Wait     time.Duration
	Getenv   func(string) string
	Environ  func() []string // the whole environment, for the programs of agents; nil gives them an empty one
	Now      func() time.Time
	LookPath func(string) (string, error)
	Actor    Actor
}

// File is a handed-in file: its name as the user gave it, for messages, and its bytes.
type File struct {
	Name string
	Data []byte
}

// Session is an open library and who acts on it. It serves one command at a time.
type Session struct {
	lib     *repo.Library
	o       Options
	notices []schema.Text
	state   *schema.LibraryState // the library's switches, once they were read
	index   *index.DB            // opened by the first question to it

	makesNothing bool // the command may not even make the index file
}

// Open opens the library that o.Root or o.Dir lies in. A crash of an earlier command is repaired first; Notices says so.
// It fails with CodeNotLibrary when there is none.
func Open(ctx context.Context, o Options) (*Session, error) {
	s := &Session{o: o}
	dir := o.Root
	if dir == "" {
		dir = o.Dir
	}
	lib, err := repo.Open(ctx, dir, o.repo(s.notice))
	if err != nil {
		return nil, err
	}
	s.lib = lib
	if _, err := lib.RestoreDrafts(ctx); err != nil {
		// A journal that cannot be read stops no command: the segments stay in it for the next one.
		s.notice(schema.Textf("lost draft segments could not be looked for: %s", err.Error()))
	}
	return s, nil
}

func (o Options) repo(notice func(schema.Text)) repo.Options {
	home := o.Getenv("HOME")
	if home == "" {
		home = o.Getenv("USERPROFILE")
	}
	return repo.Options{
		Wait: o.Wait, Command: o.Command, Clock: o.Now, Git: o.git(), Notice: notice,
		Env: gitstore.Env{Home: home, XDGConfigHome: o.Getenv("XDG_CONFIG_HOME"), Getenv: o.Getenv, Clock: o.Now},
	}
}

func (s *Session) notice(t schema.Text) { s.notices = append(s.notices, t) }

// Notices is what the library had to say on the way: a repaired crash, restored drafts, what is owed.
func (s *Session) Notices() []schema.Text { return s.notices }

// Close frees what the session holds open. A program that serves one command and ends need not call it.
func (s *Session) Close() {
	s.closeIndex()
	s.lib.Close()
}

// Root is the library's folder, absolute.
func (s *Session) Root() string { return s.lib.Root() }

// git is the git program, nil when there is none.
func (o Options) git() *gitcmd.Git {
	g, ok := gitcmd.Find(o.LookPath, o.Getenv)
	if !ok {
		return nil
	}
	return g
}

// abs makes a library path absolute.
func (s *Session) abs(path string) string {
	return filepath.Join(s.lib.Root(), filepath.FromSlash(path))
}

// bookName is the book that the command is about: the one that was named, or the only one there is.
func (s *Session) bookName(snap *repo.Snapshot) (schema.BookName, error) {
	books, err := repo.Books(snap)
	if err != nil {
		return "", err
	}
	if s.o.Book == "" {
		switch len(books) {
		case 1:
			return books[0], nil
		case 0:
			return "", schema.Errorf(schema.CodeNotFound, "the library has no book yet").
				WithHint("start one with `git novel book new NAME`, or take one in with `git novel import PATH --book NAME`")
		}
		return "", schema.Errorf(schema.CodeUsage, "the library has %d books: say which one with --book", len(books)).
			WithHint("the books are: %s", joinNames(books))
	}
	name, err := schema.StrictBookName(s.o.Book)
	if err != nil {
		return "", err
	}
	for _, b := range books {
		if b == name {
			return b, nil
		}
	}
	return "", schema.Errorf(schema.CodeNotFound, "there is no book %s", string(name)).
		WithHint("the books are: %s; start a new one with `git novel book new NAME`", joinNames(books))
}

func joinNames(books []schema.BookName) string {
	out := ""
	for i, b := range books {
		if i > 0 {
			out += ", "
		}
		out += string(b)
	}
	if out == "" {
		out = "–"
	}
	return out
}
