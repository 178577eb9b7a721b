package cli

import (
	"fmt"
	"strings"

	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newSearchCommand(e *Env) *cli.Command {
	return e.command("search", "WORDS …", e.t("find words in chapters, summaries and records"), []cli.Flag{
		&cli.IntFlag{Name: "limit", Value: workflow.DefaultHits, Usage: e.t("list at most `N`")},
		&cli.StringSliceFlag{Name: "in", Usage: e.t("only in `KIND` chapters, summaries or records")},
	}, 1, -1, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			r, err := s.Search(c.ctx, workflow.SearchInput{
				Words: strings.Join(c.Args().Slice(), " "), Limit: c.Int("limit"), Kinds: c.StringSlice("in"),
			})
			if err != nil {
				return err
			}
			return c.emit(r, func(p *printer) {
				for _, h := range r.Hits {
					fmt.Fprintf(p, "%s:%d: %s\n", p.paint(yellow, h.Path), h.Line, p.marked(h.Excerpt, r.Words))
				}
				switch {
				case len(r.Hits) == 0:
					p.line("nothing found in what is saved")
				case r.More:
					p.line("… and more: --limit shows them")
				}
			})
		})
	})
}

// marked paints the words that were looked for.
func (p *printer) marked(text string, words []string) string {
	if !p.env.colour() {
		return text
	}
	folded := strings.ToLower(text)
	if len(folded) != len(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		n := 0
		for _, w := range words {
			if w != "" && strings.HasPrefix(folded[i:], w) {
				n = max(n, len(w))
			}
		}
		if n == 0 {
			n = 1
			b.WriteByte(text[i])
		} else {
			b.WriteString(p.paint(red, text[i:i+n]))
		}
		i += n
	}
	return b.String()
}
