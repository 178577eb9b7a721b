package cli

import (
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newIndexGroup(e *Env) *cli.Command {
	lastN := &cli.IntFlag{Name: "last-n", Value: workflow.DefaultLastN, Usage: e.t("count over the last `N` chapters")}
	return e.group("index", e.t("what is counted over the records, in the envelope of the older tool"),
		e.command("get-reader-signals", "", e.t("hooks and payoffs of the last chapters"), []cli.Flag{
			&cli.IntFlag{Name: "limit", Value: workflow.DefaultSignals, Usage: e.t("list at most `N`")}, lastN,
		}, 0, 0, func(c *call) error {
			return c.envelope("reader_signals", func(s *workflow.Session) (any, error) {
				return s.ReaderSignals(c.ctx, c.Int("limit"), c.Int("last-n"))
			})
		}),
		e.command("get-recent-review-metrics", "", e.t("metrics of the last reviews"), []cli.Flag{
			&cli.IntFlag{Name: "limit", Value: workflow.DefaultSignals, Usage: e.t("list at most `N`")},
		}, 0, 0, func(c *call) error {
			return c.envelope("recent_review_metrics", func(s *workflow.Session) (any, error) {
				return s.ReviewMetrics(c.ctx, c.Int("limit"))
			})
		}),
		e.command("get-review-trend-stats", "", e.t("how the last reviews went together"), []cli.Flag{lastN}, 0, 0, func(c *call) error {
			return c.envelope("review_trend_stats", func(s *workflow.Session) (any, error) {
				return s.ReviewTrend(c.ctx, c.Int("last-n"))
			})
		}),
		e.command("rebuild", "", e.t("make index.db anew"), nil, 0, 0, func(c *call) error {
			return c.envelope("index_rebuilt", func(s *workflow.Session) (any, error) { return s.IndexRebuild(c.ctx) })
		}),
	)
}
