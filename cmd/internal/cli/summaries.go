package cli

import (
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newSummaryGroup(e *Env) *cli.Command {
	sub := func(action, usage string, write, needsChapter bool) *cli.Command {
		flags := []cli.Flag{}
		if needsChapter {
			flags = append(flags, &cli.StringFlag{Name: "chapter", Usage: e.t("the chapter (`N`)")})
		}
		if write {
			flags = append(
				flags,
				&cli.StringFlag{Name: "summary", Usage: e.t("the summary's `TEXT`")},
				&cli.StringFlag{Name: "file", Usage: e.t("`FILE` with the summary, - for standard input")},
				&cli.StringSliceFlag{Name: "key-event", Usage: e.t("a key `EVENT`, may be repeated")},
				&cli.StringSliceFlag{Name: "key-setting", Usage: e.t("a key `SETTING`, may be repeated")},
			)
		}
		return e.command(action, "", usage, flags, 0, 0, func(c *call) error { return runSummary(c, action) })
	}
	return e.group("summary", e.t("summaries of chapters"),
		sub("list", e.t("list all summaries"), false, false),
		sub("get", e.t("show one chapter's summary"), false, true),
		sub("add", e.t("store a chapter's summary (replaces an older one)"), true, true),
		sub("update", e.t("the same as add"), true, true),
		sub("delete", e.t("remove a chapter's summary"), false, true),
		e.command("log", "[N]", e.t("the versions of a chapter's summary, newest first"), []cli.Flag{
			&cli.StringFlag{Name: "chapter", Usage: e.t("the chapter (`N`)")},
		}, 0, 1, runSummaryLog),
		e.command("restore", "[N]", e.t("bring back a chapter's summary as it was"), []cli.Flag{
			&cli.StringFlag{Name: "chapter", Usage: e.t("the chapter (`N`)")},
			&cli.StringFlag{Name: "rev", Required: true, Usage: e.t("as it was at the git revision `REV`")},
		}, 0, 1, runSummaryRestore),
	)
}

func runSummary(c *call, action string) error {
	in := workflow.SummaryInput{Action: action, Chapter: c.String("chapter"), Summary: c.String("summary")}
	if c.IsSet("file") {
		data, err := c.read(c.String("file"))
		if err != nil {
			return err
		}
		in.Summary = string(data)
	}
	if c.IsSet("key-event") {
		v := c.StringSlice("key-event")
		in.KeyEvents = &v
	}
	if c.IsSet("key-setting") {
		v := c.StringSlice("key-setting")
		in.KeySettings = &v
	}
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.Summary(c.ctx, in)
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) { p.raw(r.Render() + "\n") })
	})
}

// chapterOf is the chapter as an argument or as the flag of the other summary commands.
func (c *call) chapterOf() string {
	if c.NArg() > 0 {
		return c.Args().First()
	}
	return c.String("chapter")
}

func runSummaryLog(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		rows, err := s.SummaryLog(c.ctx, c.chapterOf())
		if err != nil {
			return err
		}
		return c.emit(rows, func(p *printer) {
			for _, r := range rows {
				word := map[string]string{
					workflow.SummaryAdded: p.env.t("added"), workflow.SummaryChanged: p.env.t("changed"), workflow.SummaryDeleted: p.env.t("deleted"),
				}[r.Change]
				p.raw(p.paint(yellow, short(r.Commit)) + "  " + r.When.Format("2006-01-02 15:04") + "  " + word + "  " + p.paint(dim, r.Subject) + "\n")
				if r.Entry != nil {
					p.raw("    " + r.Entry.Summary + "\n")
				}
			}
			if len(rows) == 0 {
				p.line("no summary of this chapter was ever stored")
			}
		})
	})
}

func runSummaryRestore(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.SummaryRestore(c.ctx, c.chapterOf(), c.String("rev"))
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) { p.raw(r.Render() + "\n") })
	})
}
