package cli

import (
	"fmt"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

// boardTail is how many finished chapters at the end of a book the board lists; all unfinished ones are listed always.
const boardTail = 5

func newStatusCommand(e *Env) *cli.Command {
	return e.command("status", "", e.t("the board: where every chapter stands and what may be done next"), []cli.Flag{
		&cli.BoolFlag{Name: "all", Usage: e.t("list every chapter")},
	}, 0, 0, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			b, err := s.Status(c.ctx)
			if err != nil {
				return err
			}
			return c.emit(b, func(p *printer) { p.board(b, c.Bool("all")) })
		})
	})
}

func (p *printer) board(b *workflow.Board, all bool) {
	p.line("library %s (branch %s)", b.Root, b.Branch)
	for _, n := range b.Notes {
		p.line("  note: %s", n)
	}
	for i := range b.Books {
		p.raw("\n")
		p.bookBoard(&b.Books[i], all)
	}
	if len(b.Books) == 0 {
		p.line("no books yet: git novel book new NAME, or git novel import PATH --book NAME")
	}
	p.raw("\n")
	p.backupFacts(b.Backup)
}

func (p *printer) bookBoard(b *workflow.BookBoard, all bool) {
	fmt.Fprintf(p, "%s  %s\n", p.paint(bold, "《"+b.Book+"》"), p.env.t("%d chapters, %d characters, %d committed, %d reviewed, %d drafted",
		b.Counts.Chapters, b.Counts.Chars, b.Counts.Committed, b.Counts.Reviewed, b.Counts.Drafted))
	p.raw("  " + p.bar(b.Counts) + "\n")
	t := &table{}
	hidden := 0
	for i, c := range b.Chapters {
		if !all && i < len(b.Chapters)-boardTail && c.Quiet() {
			hidden++
			continue
		}
		t.add(plain(c.Key), p.stateCell(c.State), plain(p.env.t("%d chars", c.Chars)), plain(c.Title), p.marks(c.Marks()))
	}
	if hidden > 0 {
		p.line("  … %d finished chapters (--all lists them)", hidden)
	}
	p.table(t, "  ")
	for _, f := range b.Foreign {
		p.line("  foreign: %s (not counted; take it in with git novel chapter save)", f)
	}
	for _, f := range b.Faults {
		fmt.Fprintf(p, "  %s %s\n", p.paint(red, p.env.t("problem:")), p.env.lang.Fault(f))
	}
	p.next(b.Next)
}

// bar draws the book's progress in 30 columns: committed, reviewed, drafted.
func (p *printer) bar(c workflow.Counts) string {
	const width = 30
	total := c.Committed + c.Reviewed + c.Drafted
	if total == 0 {
		return p.paint(dim, strings.Repeat("·", width))
	}
	drafted, reviewed := share(c.Drafted, total, width), share(c.Reviewed, total, width)
	committed := width - drafted - reviewed
	return p.paint(green, strings.Repeat("█", committed)) + p.paint(blue, strings.Repeat("▓", reviewed)) +
		p.paint(yellow, strings.Repeat("░", drafted))
}

// share gives n of total as columns, at least one when n is not zero.
func share(n, total, width int) int {
	if n == 0 {
		return 0
	}
	return max(1, n*width/total)
}

// backupFacts always tells saved, committed and pushed apart (DESIGN 12).
func (p *printer) backupFacts(f workflow.BackupFacts) {
	p.line("saved: %s", yesOr(p, f.Saved, f.Unsaved))
	if f.Committed == "" {
		p.line("committed: nothing yet")
	} else {
		p.line("committed: %s", short(f.Committed))
	}
	switch {
	case f.Remote == "":
		p.line("pushed: no backup configured (git novel backup add NAME URL)")
	case f.Pushed == f.Committed && f.Pushed != "":
		p.line("pushed: %s to %s", short(f.Pushed), f.Remote)
	case f.Diverged:
		p.line("pushed: %s holds %s, which is not in this history", f.Remote, short(f.Pushed))
	case f.Pushed == "":
		p.line("pushed: nothing yet to %s (git novel backup run)", f.Remote)
	default:
		p.line("pushed: %s to %s, %d commits behind (git novel backup run)", short(f.Pushed), f.Remote, f.Behind)
	}
}

func yesOr(p *printer, ok bool, unsaved []string) schema.Text {
	if ok {
		return schema.Textf("everything")
	}
	shown := unsaved
	if len(shown) > 5 {
		shown = shown[:5]
	}
	return schema.Textf("not yet: %s", p.env.t("%d files (%s)", len(unsaved), strings.Join(shown, ", ")))
}
