package workflow

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"git-novel/schema"
	"git-novel/workflow/sample"
)

// DemoStep is one piece of the demo's story. At most one of the pointers is set.
type DemoStep struct {
	Title  schema.Text   `json:"title,omitzero"`
	Lines  []schema.Text `json:"lines,omitempty"`
	Write  *WriteStep    `json:"write,omitempty"`
	Board  *Board        `json:"board,omitempty"`
	Backup *BackupResult `json:"backup,omitempty"`
	Verify *VerifyResult `json:"verify,omitempty"`
	Log    []LogRow      `json:"log,omitempty"`
	Diff   *DiffResult   `json:"-"`
}

// demo is one run of it.
type demo struct {
	ctx   context.Context
	o     Options
	dir   string
	book  sample.Sample
	s     *Session
	yield func(*DemoStep, error) bool
}

// Demo makes a library in a new folder and takes the three chapters of the sample book through everything: one from a
// file, one whose first review blocks and is repaired, one from draft segments; then a backup beside it, verified. It needs
// no git program, no identity and no network. A folder that holds anything is refused (CodeConflict).
func Demo(ctx context.Context, o Options, dir string) iter.Seq2[*DemoStep, error] {
	return func(yield func(*DemoStep, error) bool) {
		d := &demo{ctx: ctx, o: o, dir: dir, book: sample.Book(), yield: yield}
		if err := d.run(); err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

func (d *demo) run() error {
	entries, err := os.ReadDir(d.dir)
	if err == nil && len(entries) > 0 {
		return schema.Errorf(schema.CodeConflict, "%s is not empty", d.dir).WithHint("name a new folder: git novel demo DIR")
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return schema.Wrap(err, schema.CodeInvalid, "%s cannot be used", d.dir)
	}
	for _, step := range []func() error{d.library, d.first, d.second, d.third, d.proof} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) tell(st DemoStep) error {
	if !d.yield(&st, nil) {
		return errStopped
	}
	return nil
}

// library makes the library, its book, outlines and settings, and the backup beside it.
func (d *demo) library() error {
	res, err := Init(d.ctx, d.withIdentity(), d.dir)
	if err != nil {
		return err
	}
	d.o = d.withIdentity()
	d.o.Root, d.o.Dir, d.o.Book = d.dir, d.dir, ""
	if d.s, err = Open(d.ctx, d.o); err != nil {
		return err
	}
	if err := d.s.setDemoIdentity(); err != nil {
		return err
	}
	if _, err := d.s.BookNew(d.ctx, d.book.Name); err != nil {
		return err
	}
	if err := d.s.settingsFrom(d.ctx, d.book.Settings); err != nil {
		return err
	}
	for _, ch := range d.book.Chapters {
		if _, err := d.s.OutlineSet(d.ctx, fmt.Sprint(ch.Number), File{Name: "outline.json", Data: ch.Outline}, ""); err != nil {
			return err
		}
	}
	backup := filepath.Clean(d.dir) + "-backup.git"
	if _, err := d.s.BackupAdd(d.ctx, "backup", backup, filepath.Dir(d.dir)); err != nil {
		return err
	}
	return d.tell(DemoStep{Title: schema.Textf("A library, a book, three outlines and a backup"), Lines: []schema.Text{
		schema.Textf("library %s (branch %s)", d.dir, res.Branch),
		schema.Textf("book %s with world, characters and style contract", d.book.Name),
		schema.Textf("backup %s", backup),
	}})
}

// withIdentity lets the demo commit before its library has an identity of its own.
func (d *demo) withIdentity() Options {
	o := d.o
	getenv := d.o.Getenv
	o.Getenv = func(name string) string {
		if v := getenv(name); v != "" {
			return v
		}
		switch name {
		case "GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME":
			return demoName
		case "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL":
			return demoEmail
		}
		return ""
	}
	return o
}

const (
	demoName  = "git-novel demo"
	demoEmail = "demo@git-novel.invalid"
)

// setDemoIdentity gives the demo's library a local identity, so that the reader can go on in it.
func (s *Session) setDemoIdentity() error {
	for key, value := range map[string]string{"user.name": demoName, "user.email": demoEmail} {
		if err := s.lib.Store().SetConfig(key, value); err != nil {
			return err
		}
	}
	return nil
}

// first writes chapter 1 from a file.
func (d *demo) first() error {
	ch := d.book.Chapters[0]
	if err := d.tell(DemoStep{Title: schema.Textf("Chapter %d, from a file", ch.Number)}); err != nil {
		return err
	}
	return d.write(WriteInput{Chapter: fmt.Sprint(ch.Number), Text: []byte(ch.Text)})
}

// second writes chapter 2 with a text that the review blocks, then repairs it.
func (d *demo) second() error {
	ch := d.book.Chapters[1]
	if err := d.tell(DemoStep{Title: schema.Textf("Chapter %d, whose first text the review blocks", ch.Number)}); err != nil {
		return err
	}
	err := d.write(WriteInput{Chapter: fmt.Sprint(ch.Number), Text: []byte(ch.Broken)})
	if schema.CodeOf(err) != schema.CodeRule {
		if err == nil {
			err = schema.Errorf(schema.CodeUnexpected, "the review did not block a text with a gap in it")
		}
		return err
	}
	if err := d.tell(DemoStep{Lines: []schema.Text{schema.Textf("the author repairs the text and runs the same command again")}}); err != nil {
		return err
	}
	return d.write(WriteInput{Chapter: fmt.Sprint(ch.Number), Text: []byte(ch.Text)})
}

// third drafts chapter 3 segment by segment, then writes it from the mirror, lightly edited.
func (d *demo) third() error {
	ch := d.book.Chapters[2]
	asked := 0
	for _, seg := range ch.Segments {
		r, err := d.s.DraftCommit(d.ctx, DraftInput{Chapter: fmt.Sprint(ch.Number), Text: seg})
		if err != nil {
			return err
		}
		if r.NextAction == nextAsk {
			asked++
		}
	}
	if err := d.tell(DemoStep{
		Title: schema.Textf("Chapter %d, from its draft", ch.Number),
		Lines: []schema.Text{schema.Textf("%d segments in the draft mirror; the program asked the author %d times", len(ch.Segments), asked)},
	}); err != nil {
		return err
	}
	if err := d.write(WriteInput{Chapter: fmt.Sprint(ch.Number), Text: []byte(ch.Text)}); err != nil {
		return err
	}
	r, err := d.s.Diff(d.ctx, DiffInput{Chapter: fmt.Sprint(ch.Number), From: "draft"})
	if err != nil {
		return err
	}
	return d.tell(DemoStep{Title: schema.Textf("Draft and finished chapter %d, compared", ch.Number), Diff: r})
}

// proof verifies the backup and shows board and log.
func (d *demo) proof() error {
	v, err := d.s.BackupVerify(d.ctx, "")
	if err != nil {
		return err
	}
	if err := d.tell(DemoStep{Title: schema.Textf("The backup, cloned and verified"), Verify: &v.Verify}); err != nil {
		return err
	}
	if len(v.Verify.Faults) > 0 {
		return schema.Errorf(schema.CodeRule, "the backup breaks the rules").WithDetails(v.Verify.details()...)
	}
	log, err := d.s.Log(d.ctx, "")
	if err != nil {
		return err
	}
	if err := d.tell(DemoStep{Title: schema.Textf("The history (git log says the same)"), Log: log}); err != nil {
		return err
	}
	board, err := d.s.Status(d.ctx)
	if err != nil {
		return err
	}
	return d.tell(DemoStep{Title: schema.Textf("The board (git novel status)"), Board: board})
}

func (d *demo) write(in WriteInput) error {
	for st, err := range d.s.Write(d.ctx, in) {
		if st != nil {
			if terr := d.tell(DemoStep{Write: st}); terr != nil {
				return terr
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
