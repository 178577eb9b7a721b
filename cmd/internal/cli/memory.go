package cli

import (
	"errors"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newMemoryContractGroup(e *Env) *cli.Command {
	chapter := &cli.StringFlag{Name: "chapter", Required: true, Usage: e.t("the chapter (`N`)")}
	at := &cli.StringFlag{Name: "at-chapter", Usage: e.t("what was true at the end of chapter `N` (default: the last one)")}
	id := &cli.StringFlag{Name: "id", Required: true, Usage: e.t("id, name or alias (`NAME`) of the entity")}
	return e.group("memory-contract", e.t("what the committed chapters say, as JSON"),
		e.command("load-context", "", e.t("what there is to know before a chapter, within a budget"), []cli.Flag{
			chapter,
			&cli.IntFlag{Name: "budget-tokens", Value: workflow.DefaultBudget, Usage: e.t("at most `N` estimated tokens")},
			&cli.StringFlag{Name: "intent", Value: workflow.IntentDraft, Usage: e.t("what it is for: `INTENT` draft, review or repair")},
		}, 0, 0, func(c *call) error {
			return c.contract(func(s *workflow.Session) (any, error) {
				budget := c.Int("budget-tokens")
				if budget < 1 {
					return nil, schema.Errorf(schema.CodeUsage, "--budget-tokens must be at least 1")
				}
				return s.LoadContext(c.ctx, workflow.ContextInput{Chapter: c.String("chapter"), Budget: budget, Intent: c.String("intent")})
			})
		}),
		e.command("query-entity", "", e.t("a person, place or thing as it stood"), []cli.Flag{id, at}, 0, 0, runQueryEntity),
		e.command("query-rules", "", e.t("the rules of the world that hold"), []cli.Flag{
			&cli.StringFlag{Name: "domain", Usage: e.t("only this `DOMAIN` and what lies below it")},
			&cli.StringFlag{Name: "scope", Value: "all", Usage: e.t("only this `SCOPE`")}, at,
		}, 0, 0, func(c *call) error {
			return c.contract(func(s *workflow.Session) (any, error) {
				return s.MemoryRules(c.ctx, c.String("domain"), c.String("scope"), c.String("at-chapter"))
			})
		}),
		e.command("query-relations", "", e.t("how entities stand to each other"), []cli.Flag{
			&cli.StringFlag{Name: "id", Usage: e.t("only those that `NAME` has a part in")}, at,
		}, 0, 0, func(c *call) error {
			return c.contract(func(s *workflow.Session) (any, error) {
				return s.MemoryRelations(c.ctx, c.String("id"), c.String("at-chapter"))
			})
		}),
		e.command("read-summary", "", e.t("the summary of a chapter"), []cli.Flag{chapter}, 0, 0, func(c *call) error {
			return c.contract(func(s *workflow.Session) (any, error) { return s.MemorySummary(c.ctx, c.String("chapter")) })
		}),
		e.command("get-open-loops", "", e.t("open questions and promises, the most urgent first"), []cli.Flag{
			&cli.StringFlag{Name: "status", Value: "active", Usage: e.t("`STATUS` active, closed or all")}, at,
		}, 0, 0, func(c *call) error {
			return c.contract(func(s *workflow.Session) (any, error) {
				return s.MemoryLoops(c.ctx, c.String("status"), c.String("at-chapter"))
			})
		}),
		e.command("get-timeline", "", e.t("the events of a range of chapters"), []cli.Flag{
			&cli.IntFlag{Name: "from", Required: true, Usage: e.t("first chapter")},
			&cli.IntFlag{Name: "to", Required: true, Usage: e.t("last chapter")},
		}, 0, 0, func(c *call) error {
			return c.contract(func(s *workflow.Session) (any, error) {
				return s.MemoryTimeline(c.ctx, c.Int("from"), c.Int("to"))
			})
		}),
		e.command("warnings", "", e.t("what the records say that the memory could not follow"), nil, 0, 0, func(c *call) error {
			return c.contract(func(s *workflow.Session) (any, error) { return s.MemoryWarnings(c.ctx) })
		}),
	)
}

// contract prints the answer as JSON by itself, always (reference harness 2.8).
func (c *call) contract(run func(*workflow.Session) (any, error)) error {
	c.env.json = true
	return c.withSession(func(s *workflow.Session) error {
		v, err := run(s)
		if err != nil {
			return err
		}
		return writeJSON(c.env.Stdout, c.env.lang.Localize(v))
	})
}

// runQueryEntity answers an unknown entity with the seed's body and exit 4.
func runQueryEntity(c *call) error {
	id := strings.TrimSpace(c.String("id"))
	err := c.contract(func(s *workflow.Session) (any, error) { return s.MemoryEntity(c.ctx, id, c.String("at-chapter")) })
	if !errors.Is(err, workflow.ErrNoEntity) {
		return err
	}
	if werr := writeJSON(c.env.Stdout, struct {
		Error  string `json:"error"`
		Entity string `json:"entity_id"`
	}{"not_found", id}); werr != nil {
		return werr
	}
	return printed{schema.CodeNotFound}
}

func newMemoryGroup(e *Env) *cli.Command {
	return e.group("memory", e.t("the memory of a book"),
		e.command("backfill", "RANGE", e.t("let the data agent read adopted chapters (1-200, 7), so that they have a memory"), nil, 1, 1, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				b := c.bar(e.t("chapters read"))
				r, err := s.Backfill(c.ctx, c.Args().First(), b.set)
				b.finish()
				if r == nil {
					return err
				}
				if perr := c.emit(r, func(p *printer) {
					p.line("%d chapters read, %d had their facts already, %d to go", len(r.Done), r.Skipped, r.Left)
					for _, f := range r.Failed {
						p.line("  %s: %s", f.Key, f.Reason)
					}
				}); perr != nil {
					return perr
				}
				return err
			})
		}),
	)
}
