package cli

import (
	"strconv"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newDraftGroup(e *Env) *cli.Command {
	return e.group("draft", e.t("draft mirrors: the append-only segments of a chapter"),
		e.command("commit", "", e.t("append one segment to a chapter's mirror"), []cli.Flag{
			&cli.StringFlag{Name: "chapter", Usage: e.t("the chapter (`N`); without it the mirror 未命名章")},
			&cli.StringFlag{Name: "text", Usage: e.t("the segment's `TEXT`")},
			&cli.StringFlag{Name: "file", Usage: e.t("`FILE` with the segment, - for standard input")},
		}, 0, 0, runDraftCommit),
		e.command("show", "N", e.t("show a mirror's segments"), nil, 1, 1, runDraftShow),
		e.command("list", "", e.t("list the mirrors of the book"), nil, 0, 0, runDraftList),
	)
}

func runDraftCommit(c *call) error {
	segment := c.String("text")
	switch {
	case c.IsSet("text") && c.IsSet("file"):
		return schema.Errorf(schema.CodeUsage, "give --text or --file, not both")
	case c.IsSet("file"):
		data, err := c.read(c.String("file"))
		if err != nil {
			return err
		}
		segment = string(data)
	}
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.DraftCommit(c.ctx, workflow.DraftInput{Chapter: c.String("chapter"), Text: segment})
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) { p.raw(r.Render() + "\n") })
	})
}

func runDraftShow(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		d, err := s.DraftShow(c.ctx, c.Args().First())
		if err != nil {
			return err
		}
		return c.emit(d, func(p *printer) {
			for _, seg := range d.Segments {
				p.raw(p.paint(dim, p.env.t("segment %d", seg.Index)) + "\n" + seg.Text + "\n\n")
			}
			p.line("%d segments, %d characters, %d waiting to be asked about, asked %d times", len(d.Segments), d.TotalChars,
				d.PendingChars, d.Prompts)
		})
	})
}

func runDraftList(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		rows, err := s.DraftList(c.ctx)
		if err != nil {
			return err
		}
		return c.emit(rows, func(p *printer) {
			t := &table{}
			for _, r := range rows {
				t.add(plain(r.Key), plain(p.env.t("%d segments", r.Segments)), plain(strconv.FormatInt(r.Bytes, 10)+" B"), plain(r.File))
			}
			p.table(t, "")
			if len(rows) == 0 {
				p.line("no drafts yet: git novel draft commit --chapter N --text TEXT")
			}
		})
	})
}
