package cli

import (
	"fmt"
	"strconv"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"
	"git-novel/workflow/state"

	"github.com/urfave/cli/v2"
)

func newChapterGroup(e *Env) *cli.Command {
	title := &cli.StringFlag{Name: "title", Usage: e.t("the chapter's `TITLE`")}
	file := &cli.StringFlag{Name: "file", Usage: e.t("`FILE` with the text, - for standard input")}
	after := &cli.StringFlag{Name: "after", Usage: e.t("put an unnumbered chapter that enters behind `CHAPTER`")}
	return e.group("chapter", e.t("chapters: list, save, show, rename, take out"),
		e.command("list", "", e.t("list the chapters in the book's order"), nil, 0, 0, runChapterList),
		e.command("new", "N", e.t("start a new chapter from a text (never overwrites)"), []cli.Flag{
			title, file, after,
		}, 1, 1, runChapterNew),
		e.command("save", "N", e.t("commit the chapter's text; a new file becomes drafted"), []cli.Flag{
			title, file, after,
			&cli.BoolFlag{Name: "typo", Usage: e.t("correct at most 20 characters of a committed chapter")},
		}, 1, 1, runChapterSave),
		e.command("show", "N", e.t("print a chapter's text"), []cli.Flag{
			&cli.StringFlag{Name: "rev", Usage: e.t("as it was at `REV`: a state or a git revision")},
		}, 1, 1, runChapterShow),
		e.command("rename", "N", e.t("give a chapter another title; its evidence stays"), []cli.Flag{
			&cli.StringFlag{Name: "title", Required: true, Usage: e.t("the chapter's `TITLE`")},
		}, 1, 1, runChapterRename),
		e.command("resolve", "N", e.t("end two files of one chapter: one text stays, the other goes into the draft mirror"), []cli.Flag{
			&cli.StringFlag{Name: "take", Usage: e.t("which text stays: `A`, B … by file name, or the file's name")},
		}, 1, 1, runChapterResolve),
		e.command("discard", "N", e.t("move an uncommitted chapter to a trash branch"), nil, 1, 1, runChapterDiscard),
		e.command("retract", "N", e.t("move the highest committed chapter to a trash branch"), []cli.Flag{reasonFlag(e)}, 1, 1, runChapterRetract),
	)
}

// reasonFlag is the reason that every step which changes finished work must give.
func reasonFlag(e *Env) *cli.StringFlag {
	return &cli.StringFlag{Name: "reason", Required: true, Usage: e.t("why, in a `SENTENCE` that the history keeps")}
}

func newChapterPathCommand(e *Env) *cli.Command {
	return e.command("chapter-path", "", e.t("print the path of a chapter's file, relative to the library"), []cli.Flag{
		&cli.StringFlag{Name: "chapter", Required: true, Usage: e.t("the chapter: a number, a key, a file name or a title (`N`)")},
	}, 0, 0, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			path, err := s.ChapterPath(c.ctx, c.String("chapter"))
			if err != nil {
				return err
			}
			return c.emit(struct {
				Path string `json:"path"`
			}{path}, func(p *printer) { p.raw(path + "\n") })
		})
	})
}

func runChapterList(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		rows, err := s.ChapterList(c.ctx)
		if err != nil {
			return err
		}
		return c.emit(rows, func(p *printer) {
			t := &table{}
			for _, r := range rows {
				t.add(plain(r.Key), p.stateCell(r.State), plain(strconv.Itoa(r.Chars)), plain(r.Title), p.marks(r.Marks()))
			}
			p.table(t, "")
			if len(rows) == 0 {
				p.line("no chapters yet: git novel chapter save 1 --file FILE")
			}
		})
	})
}

func runChapterNew(c *call) error {
	if _, err := schema.ParseChapterKey(c.Args().First()); err != nil {
		return err
	}
	data, err := c.text()
	if err != nil {
		return err
	}
	if data == nil {
		return schema.Errorf(schema.CodeUsage, "a new chapter needs its text").WithHint("add --file FILE, or --file - for standard input")
	}
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ChapterNew(c.ctx, workflow.ChapterNewInput{
			Chapter: c.Args().First(), Title: c.String("title"), Text: data, File: c.String("file"), After: c.String("after"),
		})
		return c.saved(r, err)
	})
}

func runChapterSave(c *call) error {
	data, err := c.text()
	if err != nil {
		return err
	}
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ChapterSave(c.ctx, workflow.SaveInput{
			Chapter: c.Args().First(), Title: c.String("title"), Text: data, File: c.String("file"), After: c.String("after"), Typo: c.Bool("typo"),
		})
		return c.saved(r, err)
	})
}

// text reads --file; nil when it was not given.
func (c *call) text() ([]byte, error) {
	name := c.String("file")
	if name == "" {
		return nil, nil
	}
	return c.read(name)
}

func runChapterRename(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ChapterRename(c.ctx, c.Args().First(), c.String("title"))
		return c.saved(r, err)
	})
}

// saved prints what became of a chapter's text.
func (c *call) saved(r *workflow.SaveResult, err error) error {
	if err != nil {
		return err
	}
	return c.emit(r, func(p *printer) {
		switch {
		case !r.Changed:
			p.line("%s %s: nothing to do, the text is already saved (%s)", r.Book, r.Key, r.State)
		case r.From != r.State:
			p.line("%s %s: %s → %s", r.Book, r.Key, r.From, r.State)
			p.line("  %s, %d characters, text %s, commit %s", r.Path, r.Text.Chars, r.Text.Blob.Short(), short(r.Commit))
		default:
			p.line("%s %s: saved, stays %s", r.Book, r.Key, r.State)
			p.line("  %s, %d characters, text %s, commit %s", r.Path, r.Text.Chars, r.Text.Blob.Short(), short(r.Commit))
		}
		for _, n := range r.Notes {
			p.line("  note: %s", n)
		}
		p.next(r.Next)
	})
}

func runChapterShow(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ChapterShow(c.ctx, c.Args().First(), c.String("rev"))
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) {
			p.raw(r.Text)
			if !strings.HasSuffix(r.Text, "\n") {
				p.raw("\n")
			}
		})
	})
}

func runChapterDiscard(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ChapterDiscard(c.ctx, c.Args().First())
		return c.trashed(r, err)
	})
}

func runChapterRetract(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ChapterRetract(c.ctx, c.Args().First(), c.String("reason"))
		return c.trashed(r, err)
	})
}

func (c *call) trashed(r *workflow.TrashResult, err error) error {
	if err != nil {
		return err
	}
	return c.emit(r, func(p *printer) {
		p.line("%s %s: moved to the branch %s", r.Book, r.Key, r.Branch)
		for _, f := range r.Paths {
			p.raw("  " + f + "\n")
		}
		p.line("nothing is lost: git show %s", r.Branch)
		p.next(r.Next)
	})
}

// shownActions is how many next commands people are shown; the first are the likeliest.
const shownActions = 3

// next prints what may be done now, with the command for it.
func (p *printer) next(actions []state.Action) {
	for i, a := range actions {
		if i == shownActions {
			_, _ = fmt.Fprintf(p, "  %s\n", p.paint(dim, p.env.t("… %d more (--json lists them)", len(actions)-i)))
			break
		}
		lead := p.env.t("next:")
		if i > 0 {
			lead = p.env.t("or:")
		}
		fmt.Fprintf(p, "  %s %s  %s\n", lead, p.paint(bold, a.Command), p.paint(dim, p.env.lang.Text(a.Why)))
	}
}

// stateCell shows a state in its colour.
func (p *printer) stateCell(st *schema.State) cell {
	if st == nil {
		return p.painted(dim, "–")
	}
	style := map[schema.State]string{schema.StateDrafted: yellow, schema.StateReviewed: blue, schema.StateCommitted: green}[*st]
	return p.painted(style, p.env.lang.State(*st))
}

// marks shows what is special about a chapter: stale, blocked, owed, adopted, edited …
func (p *printer) marks(marks []schema.Text) cell {
	var words []string
	for _, m := range marks {
		words = append(words, p.env.lang.Text(m))
	}
	return p.painted(red, strings.Join(words, p.env.t(", ")))
}

// short cuts an object id for people.
func short(id string) string {
	if len(id) > 10 {
		return id[:10]
	}
	return id
}

func runChapterResolve(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ChapterResolve(c.ctx, c.Args().First(), c.String("take"))
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) {
			p.line("%s %s: the text is %s", r.Book, r.Key, r.Path)
			for _, f := range r.Kept {
				p.line("  the text of %s stands in the draft mirror", f)
			}
			p.next(r.Next)
		})
	})
}
