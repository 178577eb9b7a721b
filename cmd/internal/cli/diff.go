package cli

import (
	"strconv"

	"git-novel/cmd/internal/text"
	"git-novel/repo/diff"
	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newDiffCommand(e *Env) *cli.Command {
	return e.command("diff", "N", e.t("compare a chapter's draft, earlier states or revisions with its text"), []cli.Flag{
		&cli.StringFlag{Name: "from", Usage: e.t("`A`: draft, drafted, reviewed, committed or a git revision (default: draft, else reviewed)")},
		&cli.StringFlag{Name: "to", Usage: e.t("`B`: the same words (default: the text on disk)")},
		&cli.BoolFlag{Name: "side", Usage: e.t("two columns")},
		&cli.BoolFlag{Name: "stat", Usage: e.t("counts only")},
		&cli.BoolFlag{Name: "html", Usage: e.t("a web page")},
	}, 1, 1, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			r, err := s.Diff(c.ctx, workflow.DiffInput{Chapter: c.Args().First(), From: c.String("from"), To: c.String("to")})
			if err != nil {
				return err
			}
			return c.emit(r, func(p *printer) { p.diff(c, r) })
		})
	})
}

func (p *printer) diff(c *call, r *workflow.DiffResult) {
	labels := p.diffLabels()
	o := diff.RenderOptions{Labels: labels, Color: p.env.colour(), Width: p.env.Width, From: p.env.lang.Text(r.From), To: p.env.lang.Text(r.To)}
	switch {
	case c.Bool("html"):
		p.raw(r.Result.HTML(o))
	case c.Bool("stat"):
		p.raw(r.Result.StatText(o))
	case c.Bool("side"):
		p.raw(r.Result.SideBySide(o))
	default:
		p.raw(r.Result.Unified(o))
	}
}

func newLogCommand(e *Env) *cli.Command {
	return e.command("log", "[N]", e.t("the history of the book or of one chapter"), nil, 0, 1, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			rows, err := s.Log(c.ctx, c.Args().First())
			if err != nil {
				return err
			}
			return c.emit(rows, func(p *printer) {
				t := &table{}
				for _, r := range rows {
					t.add(p.painted(yellow, short(r.Commit)), p.painted(dim, r.When.Format("2006-01-02 15:04")), plain(p.move(r.From, r.To)), plain(r.Subject))
				}
				p.table(t, "")
			})
		})
	})
}

// move shows a transition, or nothing when the commit made none.
func (p *printer) move(from, to *schema.State) string {
	if from == nil && to == nil {
		return ""
	}
	word := func(st *schema.State) string {
		if st == nil {
			return p.env.lang.State(schema.StateNone)
		}
		return p.env.lang.State(*st)
	}
	return word(from) + " → " + word(to)
}

func newImportCommand(e *Env) *cli.Command {
	return e.command("import", "PATH", e.t("take in a whole novel: one text file or a folder"), []cli.Flag{
		&cli.BoolFlag{Name: "dry-run", Usage: e.t("show the chapters that were found and write nothing")},
		&cli.BoolFlag{Name: "renumber", Usage: e.t("number the chapters through when each volume starts at 1")},
	}, 1, 1, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			bar := c.bar(e.t("importing"))
			r, err := s.Import(c.ctx, workflow.ImportInput{
				Path: c.file(c.Args().First()), Book: c.String("book"), DryRun: c.Bool("dry-run"), Renumber: c.Bool("renumber"),
				Progress: bar.set,
			})
			bar.finish()
			if err != nil {
				return err
			}
			return c.emit(r, func(p *printer) { p.imported(r) })
		})
	})
}

func (p *printer) imported(r *workflow.ImportResult) {
	p.line("%s: %d chapters, %d characters, read as %s", r.Book, len(r.Chapters), r.Chars, r.Encoding)
	if r.DryRun || len(r.Chapters) <= 12 {
		t := &table{}
		for _, ch := range r.Chapters {
			doubt := cell{}
			if !ch.Doubt.IsZero() {
				doubt = p.painted(yellow, p.env.t("doubtful: %s", ch.Doubt))
			}
			t.add(plain(ch.Key), plain(strconv.Itoa(ch.Chars)), plain(ch.Title), doubt)
		}
		p.table(t, "  ")
	}
	for _, n := range r.Notes {
		p.line("  note: %s", n)
	}
	if r.DryRun {
		p.line("nothing was written (--dry-run)")
		return
	}
	if r.Drafted {
		p.line("entered as drafted, commit %s", short(r.Commit))
	} else {
		p.line("adopted as committed, commit %s", short(r.Commit))
	}
	p.next(r.Next)
}

// diffLabels are the words of a comparison in the language of the run.
func (p *printer) diffLabels() diff.Labels {
	lang := "en"
	if p.env.lang == text.Chinese {
		lang = "zh-CN"
	}
	return diff.English().Map(lang, func(s string) string { return p.env.t(s) })
}
