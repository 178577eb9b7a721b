package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program without the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	log := messages{stderr}
	fs := flag.NewFlagSet("novelbench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.BoolVar(&o.quick, "quick", false, "fewer repetitions: under two minutes")
	fs.BoolVar(&o.json, "json", false, "print one JSON value instead of a table")
	fs.StringVar(&o.rows, "rows", "", "measure only these `ROWS`, e.g. P1,P7 (of "+strings.Join(rowNames(), ", ")+")")
	fs.IntVar(&o.reps, "reps", 0, "repetitions of every row (default: as many as the row needs)")
	fs.StringVar(&o.dir, "dir", "", "work in `DIR` and leave it (default: a temporary folder, removed at the end)")
	fs.StringVar(&o.tool, "git-novel", "", "measure this `PROGRAM` (default: git-novel on PATH, else one that is built)")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case fs.NArg() > 0:
		log.say("unexpected argument %q", fs.Arg(0))
		return 2
	}
	rep, err := measure(ctx, o, log)
	if err == nil {
		err = rep.write(stdout, o.json)
	}
	if err != nil {
		log.say("%v", err)
		return exitOf(ctx, err)
	}
	if len(rep.Failed) > 0 {
		log.say("over the bar: %s", strings.Join(rep.Failed, ", "))
		return 3
	}
	return 0
}
