package cli

import (
	"strconv"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newContractGroup(e *Env) *cli.Command {
	return e.group("contract", e.t("story contracts: what holds for the book, a volume, its reviews"),
		e.command("set", "master|volume|review [N]", e.t("store a contract (JSON)"), []cli.Flag{
			&cli.StringFlag{Name: "file", Required: true, Usage: e.t("`FILE` with the contract, - for standard input")},
			&cli.StringFlag{Name: "reason", Usage: e.t("why what the master locks changes: a `TEXT` (a person, at a terminal)")},
		}, 1, 2, runContractSet),
		e.command("show", "master|volume|review|chapter [N]", e.t("show a contract, or what holds for a chapter together"), nil, 1, 2, runContractShow),
		e.command("check", "", e.t("check that the contracts are sound and fit each other"), nil, 0, 0, runContractCheck),
	)
}

// contractName reads KIND [N].
func (c *call) contractName() (workflow.ContractName, error) {
	kind, err := schema.ParseContractKind(c.Args().First())
	if err != nil {
		return workflow.ContractName{}, err
	}
	name := workflow.ContractName{Kind: kind}
	if (kind == schema.ContractVolume) != (c.NArg() == 2) {
		return name, schema.Errorf(schema.CodeUsage, "a volume's contract needs the number of the volume, the others none").
			WithHint("the contracts are master, volume N and review")
	}
	if kind == schema.ContractVolume {
		n, err := strconv.Atoi(c.Args().Get(1))
		if err != nil || n < 1 || n > schema.MaxNumber {
			return name, schema.Errorf(schema.CodeUsage, "%q is not the number of a volume", c.Args().Get(1))
		}
		name.Volume = n
	}
	return name, nil
}

func runContractSet(c *call) error {
	name, err := c.contractName()
	if err != nil {
		return err
	}
	data, err := c.read(c.String("file"))
	if err != nil {
		return err
	}
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ContractSet(c.ctx, name, workflow.File{Name: c.String("file"), Data: data}, c.String("reason"))
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) {
			if r.Changed {
				p.line("%s: contract %s stored, commit %s", r.Book, r.Contract, short(r.Commit))
			} else {
				p.line("%s: the contract %s says that already", r.Book, r.Contract)
			}
		})
	})
}

func runContractShow(c *call) error {
	show := func(s *workflow.Session) (*workflow.ContractView, error) {
		name, err := c.contractName()
		if err != nil {
			return nil, err
		}
		return s.ContractShow(c.ctx, name)
	}
	if c.Args().First() == "chapter" {
		if c.NArg() != 2 {
			return schema.Errorf(schema.CodeUsage, "which chapter? `git novel contract show chapter N`")
		}
		show = func(s *workflow.Session) (*workflow.ContractView, error) { return s.ContractOf(c.ctx, c.Args().Get(1)) }
	}
	return c.withSession(func(s *workflow.Session) error {
		v, err := show(s)
		if err != nil {
			return err
		}
		if c.env.json {
			return writeJSON(c.env.Stdout, v)
		}
		return writeJSON(c.env.Stdout, v.Content)
	})
}

func runContractCheck(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ContractCheck(c.ctx)
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) {
			if len(r.Contracts) == 0 {
				p.line("%s has no contracts", r.Book)
			}
			for _, name := range r.Contracts {
				p.line("contract %s: sound", name)
			}
			for _, w := range r.Warnings {
				p.raw("  " + p.paint(yellow, p.env.t("warning:")) + " " + p.env.lang.Text(w) + "\n")
			}
		})
	})
}
