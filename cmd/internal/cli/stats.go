package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newStatsCommand(e *Env) *cli.Command {
	return e.command("stats", "", e.t("count chapters and characters, or what our output costs an agent"), []cli.Flag{
		&cli.BoolFlag{Name: "tokens", Usage: e.t("estimated tokens of output by chapter and step, and how they go")},
		&cli.IntFlag{Name: "last", Value: 20, Usage: e.t("show the last `N` chapters")},
	}, 0, 0, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			if !c.Bool("tokens") {
				r, err := s.Stats(c.ctx)
				if err != nil {
					return err
				}
				return c.emit(r, func(p *printer) { p.stats(r) })
			}
			r, err := s.TokenStats(c.ctx)
			if err != nil {
				return err
			}
			return c.emit(r, func(p *printer) { p.tokenStats(r, c.Int("last")) })
		})
	})
}

func (p *printer) stats(r *workflow.BookStats) {
	p.line("%s: %d chapters, %d characters, %d on average (%d to %d)", r.Book, r.Chapters, r.Chars, r.Average, r.Shortest, r.Longest)
	t := &table{}
	for _, st := range []schema.State{schema.StateDrafted, schema.StateReviewed, schema.StateCommitted} {
		if n := r.States[st]; n > 0 {
			t.add(plain(string(st)), plain(strconv.Itoa(n)))
		}
	}
	p.table(t, "  ")
	if r.Adopted > 0 {
		p.line("  adopted: %d", r.Adopted)
	}
	if r.Foreign > 0 {
		p.line("  files that were never saved: %d", r.Foreign)
	}
}

// barWidth is how many columns the most expensive chapter takes.
const barWidth = 24

func (p *printer) tokenStats(r *workflow.TokenStats, last int) {
	if len(r.Rows) == 0 {
		p.line("nothing is counted yet: output that does not go to a terminal is")
		return
	}
	rows := r.Rows[max(0, len(r.Rows)-max(last, 1)):]
	most := slices.MaxFunc(rows, func(a, b workflow.TokenRow) int { return a.Tokens - b.Tokens }).Tokens
	t := &table{}
	for _, row := range rows {
		var steps []string
		for _, st := range []string{"0.5", "1", "2", "3", "4", "5", "6", ""} {
			if n := row.Steps[st]; n > 0 {
				name := st
				if st == "" {
					name = "–"
				}
				steps = append(steps, fmt.Sprintf("%s:%d", name, n))
			}
		}
		t.add(plain(row.Key), plain(strconv.Itoa(row.Tokens)), p.painted(blue, strings.Repeat("█", max(1, row.Tokens*barWidth/max(most, 1)))), p.painted(dim, strings.Join(steps, " ")))
	}
	p.table(t, "")
	p.line("on average about %d tokens a chapter, %d in the last ones; %d about no chapter", r.Average, r.Recent, r.Other)
}
