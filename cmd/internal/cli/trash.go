package cli

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

// trashCommands are the commands of the book group that move whole books.
func trashCommands(e *Env) []*cli.Command {
	return []*cli.Command{
		e.command("rename", "OLD NEW", e.t("give a book another name; records and evidence follow"), nil, 2, 2, runBookRename),
		e.command("delete", "NAME", e.t("move a book to a trash branch; without --yes only show what would go"), []cli.Flag{
			&cli.BoolFlag{Name: "yes", Usage: e.t("do it")},
			&cli.StringSliceFlag{Name: "key", Usage: e.t("only this part of the plan (`KEY`), may be repeated")},
		}, 1, 1, runBookDelete),
		e.command("trash", "", e.t("list the trash branches"), nil, 0, 0, runBookTrash),
		e.command("restore", "TRASH-BRANCH", e.t("bring a deleted book back; overwrites nothing, the trash branch stays"), []cli.Flag{
			&cli.StringFlag{Name: "as", Usage: e.t("under another `NAME`")},
		}, 1, 1, runBookRestore),
		e.command("purge", "TRASH-BRANCH", e.t("delete a trash branch for good, after its name is typed again"), []cli.Flag{
			&cli.StringFlag{Name: "confirm", Usage: e.t("the branch's `NAME` once more, where nobody can type it")},
		}, 1, 1, runBookPurge),
	}
}

func runBookRename(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.BookRename(c.ctx, c.Args().Get(0), c.Args().Get(1))
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) {
			p.line("%s is called %s now: %d files, commit %s", r.From, r.Book, r.Files, short(r.Commit))
			p.unsaved(r.Edited)
			p.next(r.Next)
		})
	})
}

func runBookDelete(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.BookDelete(c.ctx, workflow.BookDeleteInput{Book: c.Args().First(), Keys: c.StringSlice("key"), Apply: c.Bool("yes")})
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) { p.deletion(r) })
	})
}

func (p *printer) deletion(r *workflow.BookDeletion) {
	if r.Applied {
		p.line("%s: moved to the branch %s", r.Book, r.Branch)
	} else {
		p.line("%s: this would go to a trash branch", r.Book)
	}
	t := &table{}
	for _, e := range r.Entries {
		t.add(plain(e.Key), plain(e.Path), plain(p.env.t("%d files", e.Files)), plain(sizeText(e.Size)), p.painted(dim, p.parts(e)))
	}
	p.table(t, "  ")
	p.line("  together %d files, %s", r.Files, sizeText(r.Size))
	p.unsaved(r.Unsaved)
	for _, f := range r.Faults {
		fmt.Fprintf(p, "  %s %s\n", p.paint(red, p.env.t("in the way:")), p.env.lang.Fault(f))
	}
	if !r.Applied {
		p.line("nothing was deleted; do it with --yes")
		return
	}
	if r.Local != "" {
		p.line("  ignored files are in %s, which no backup pushes", r.Local)
	}
	p.line("nothing is lost: git novel book restore %s", r.Branch)
	p.next(r.Next)
}

func (p *printer) parts(e workflow.PlanEntry) string {
	var words []string
	if e.Untracked > 0 {
		words = append(words, p.env.t("%d untracked", e.Untracked))
	}
	if e.Ignored > 0 {
		words = append(words, p.env.t("%d ignored", e.Ignored))
	}
	return strings.Join(words, p.env.t(", "))
}

// shownFiles is how many unsaved files people are shown.
const shownFiles = 10

// unsaved lists files that git has not got as they lie on disk.
func (p *printer) unsaved(files []string) { p.files(p.env.t("unsaved:"), files) }

func (p *printer) untracked(files []string) { p.files(p.env.t("untracked:"), files) }

func (p *printer) files(lead string, files []string) {
	for i, f := range files {
		if i == shownFiles {
			p.line("  … %d more (--json lists them)", len(files)-i)
			return
		}
		fmt.Fprintf(p, "  %s %s\n", p.paint(yellow, lead), f)
	}
}

// sizeText shows a number of bytes.
func sizeText(n int64) string {
	switch {
	case n < 1<<10:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " KiB"
	}
	return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MiB"
}

func runBookTrash(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		rows, err := s.BookTrash(c.ctx)
		if err != nil {
			return err
		}
		return c.emit(rows, func(p *printer) {
			t := &table{}
			for _, r := range rows {
				what := plain(p.trashed(r))
				if r.Remote != "" {
					what = p.painted(dim, p.trashed(r)+" ("+r.Remote+")")
				}
				t.add(plain(r.Branch), what, plain(p.env.t("%d files", r.Files)), plain(sizeText(r.Size)), plain(r.Reason))
			}
			p.table(t, "")
			if len(rows) == 0 {
				p.line("the trash is empty")
			}
		})
	})
}

// trashed says what a trash branch holds.
func (p *printer) trashed(r workflow.TrashRow) string {
	switch r.Kind {
	case schema.TrashBook:
		return p.env.t("book %s", r.Book)
	case schema.TrashChapter:
		return p.env.t("chapter %s of %s", string(schema.KeyOfID(r.Chapter)), r.Book)
	case schema.TrashOther:
		return p.env.t("not made by git-novel")
	case schema.TrashDamaged:
	}
	return p.env.t("damaged records of %s", r.Book)
}

func runBookRestore(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.BookRestore(c.ctx, c.Args().First(), c.String("as"))
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) {
			p.line("%s is back: %d files, commit %s; %s stays", r.Book, r.Files, short(r.Commit), r.Branch)
			p.unsaved(r.Edited)
			p.untracked(r.Untracked)
			for _, n := range r.Notes {
				p.line("  note: %s", n)
			}
			p.next(r.Next)
		})
	})
}

func runBookPurge(c *call) error {
	branch := c.Args().First()
	confirm := c.String("confirm")
	if confirm == "" && c.options().Actor.Person() {
		var err error
		if confirm, err = c.ask(c.env.t("type the name of the branch to delete it for good: ")); err != nil {
			return err
		}
	}
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.BookPurge(c.ctx, branch, confirm)
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) {
			p.line("%s is gone (it was %s)", r.Branch, short(r.Commit))
			for _, cmd := range r.Remote {
				p.line("the backup still has it; delete it there with: %s", cmd)
			}
		})
	})
}

// ask reads one line from the person at the terminal.
func (c *call) ask(prompt string) (string, error) {
	if _, err := io.WriteString(c.env.Stderr, prompt); err != nil {
		return "", schema.Wrap(err, schema.CodeUnexpected, "the terminal cannot be written to")
	}
	line, err := bufio.NewReader(io.LimitReader(c.env.Stdin, 4096)).ReadString('\n')
	if err != nil && line == "" {
		return "", schema.Errorf(schema.CodeUsage, "nothing was typed")
	}
	return strings.TrimSpace(line), nil
}
