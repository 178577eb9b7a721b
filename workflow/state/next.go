package state

import (
	"slices"

	"git-novel/schema"
)

// Action is a legal next command, and why one would give it.
type Action struct {
	Kind    Kind              `json:"kind"`
	Chapter schema.ChapterKey `json:"chapter"` // key; "" when the command is not about a chapter that has a name yet
	Command string            `json:"command"`
	Why     schema.Text       `json:"why"`
	Owed    bool              `json:"owed"` // the chapter waits for it; false for what is merely possible
}

// Next lists the legal next commands for a chapter, the most likely first. It is never empty. What waits for an earlier
// chapter is answered with that chapter's commands.
func Next(b *Book, c *Chapter) []Action {
	n := nexter{book: b, chapter: c}
	switch {
	case c.Duplicate:
		n.owed(KindResolve, "chapter resolve "+c.arg()+" --take A|B", schema.Textf("two files claim to be chapter %s", string(c.Key)))
	case c.Damaged:
		n.owed(KindRecover, "recover "+c.arg(), schema.Textf("a record of chapter %s cannot be read", string(c.Key)))
	case c.Missing:
		n.missing()
	case c.State == schema.StateNone:
		n.none()
	case c.State == schema.StateCommitted:
		n.committed()
	default:
		n.onItsWay()
	}
	return n.out
}

// NextForBook lists what the book waits for, debts first, and the next chapter when it may start. It is never empty.
func NextForBook(b *Book) []Action {
	var out []Action
	debts := b.Debts()
	for _, c := range debts {
		out = append(out, owed(b, c)...)
	}
	for _, c := range b.Chapters {
		if !c.Debt() {
			out = append(out, owed(b, c)...)
		}
	}
	out = slices.CompactFunc(out, func(x, y Action) bool { return x.Command == y.Command })
	if start, ok := startNext(b); ok {
		out = append(out, start)
	}
	if len(out) == 0 {
		return unnumbered(b)
	}
	return out
}

// unnumbered is the way on when no number is left.
func unnumbered(b *Book) []Action {
	n := nexter{book: b, chapter: &Chapter{}}
	n.may(KindStart, "chapter new KEY --title T --file F", schema.Textf("no number is free, but an unnumbered chapter may be added"))
	return n.out
}

func owed(b *Book, c *Chapter) []Action {
	if atRest(c) {
		return nil
	}
	return slices.DeleteFunc(Next(b, c), func(a Action) bool { return !a.Owed })
}

// atRest reports the usual case cheaply: a committed chapter that nobody touched.
func atRest(c *Chapter) bool {
	return (c.State == schema.StateCommitted || c.State == schema.StateNone) &&
		!c.Duplicate && !c.Damaged && !c.Missing && !c.Edited() && !c.Unsaved
}

// startNext gives the command for the chapter after the highest one, when it may start.
func startNext(b *Book) (Action, bool) {
	c, ok := nextChapter(b)
	if !ok || len(identity(c)) > 0 || len(placeOf(b, c)) > 0 {
		return Action{}, false
	}
	n := nexter{book: b, chapter: c}
	n.start()
	return n.out[0], true
}

// nextChapter is the one after the highest, perhaps a foreign file already; false when the numbers are used up.
func nextChapter(b *Book) (*Chapter, bool) {
	next := 1
	if highest, ok := b.Highest(); ok {
		next = highest + 1
	}
	return b.chapter(schema.NumberKey(next)), next <= MaxChapterNumber
}

type nexter struct {
	book    *Book
	chapter *Chapter
	out     []Action
}

func (n *nexter) put(kind Kind, command string, why schema.Text, owed bool) {
	command = "git novel " + command + n.book.flag()
	n.out = append(n.out, Action{Kind: kind, Chapter: n.chapter.Key, Command: command, Why: why, Owed: owed})
}

// flag is what a command needs at its end to be about this book.
func (b *Book) flag() string {
	if !b.NeedsFlag {
		return ""
	}
	return " --book " + ShellWord(string(b.Name))
}

// Arg is a chapter as an argument of a command that a message names, with --book behind it when the library has several.
func (b *Book) Arg(key schema.ChapterKey) string { return (&Chapter{Key: key}).arg() + b.flag() }

func (n *nexter) owed(kind Kind, command string, why schema.Text) { n.put(kind, command, why, true) }

func (n *nexter) may(kind Kind, command string, why schema.Text) { n.put(kind, command, why, false) }

func (n *nexter) start() {
	arg := n.chapter.arg()
	if n.chapter.Foreign() {
		n.may(KindSave, "chapter save "+arg, schema.Textf("the file is there and has not entered the book yet"))
		return
	}
	n.may(KindStart, "chapter new "+arg+" --title T --file F", schema.Textf("this chapter may start"))
}

// none answers for a chapter that has not entered: it may start, or something else comes first.
func (n *nexter) none() {
	if len(placeOf(n.book, n.chapter)) == 0 {
		n.start()
		return
	}
	for _, low := range slices.Backward(n.book.numbered) {
		if low.State != schema.StateCommitted {
			n.out = append(n.out, Next(n.book, low)...)
			return
		}
	}
	if start, ok := startNext(n.book); ok {
		n.out = append(n.out, start)
		return
	}
	if c, ok := nextChapter(n.book); ok && len(identity(c)) > 0 {
		n.out = append(n.out, Next(n.book, c)...)
		return
	}
	n.out = append(n.out, unnumbered(n.book)...)
}

func (n *nexter) missing() {
	c := n.chapter
	n.owed(KindRecover, "recover "+c.arg(), schema.Textf("the file of chapter %s is gone", string(c.Key)))
	n.leave()
}

// leave adds the way out, when it is open.
func (n *nexter) leave() {
	c := n.chapter
	if n.book.may(c, DiscardEvent{}) {
		n.may(KindDiscard, "chapter discard "+c.arg(), schema.Textf("moves the chapter to a trash branch"))
	}
	if n.book.may(c, RetractEvent{Reason: "R"}) {
		n.may(KindRetract, "chapter retract "+c.arg()+" --reason R", schema.Textf("moves the chapter to a trash branch"))
	}
}

// may asks an event that has a yes to give without looking at Next, so that Next may use it.
func (b *Book) may(c *Chapter, e Event) bool {
	switch e := e.(type) {
	case DiscardEvent:
		return c.Open() && !c.Duplicate && !c.Damaged
	case RetractEvent:
		highest, _ := b.Highest()
		num, ok := c.Number()
		return c.State == schema.StateCommitted && !c.Duplicate && !c.Damaged && (!ok || num == highest) && e.Reason != ""
	}
	return false
}

func (n *nexter) committed() {
	c := n.chapter
	if c.Edited() {
		edited := schema.Textf("the text of chapter %s was changed by hand after it was committed", string(c.Key))
		if len(typoLimit(c.Typo)) == 0 {
			n.owed(KindTypo, "chapter save "+c.arg()+" --typo", edited)
		}
		n.owed(KindRetcon, "retcon "+c.arg()+" --reason R", edited)
		n.leave()
		return
	}
	if c.Unsaved {
		n.owed(KindSave, "chapter save "+c.arg(), schema.Textf("the file on disk has another name than in git, or is back to the committed text"))
	}
	if c.Adopted() && !c.Commit.Extracted {
		n.may(KindEnrich, "chapter-commit --chapter "+c.arg()+" --enrich",
			schema.Textf("an adopted chapter has no extraction yet; this adds it to the memory"))
	}
	if start, ok := startNext(n.book); ok {
		n.out = append(n.out, start)
	}
	n.may(KindRetcon, "retcon "+c.arg()+" --reason R", schema.Textf("after the file was edited; a committed chapter changes only this way"))
	n.leave()
}

// onItsWay answers for a drafted or reviewed chapter, from what its evidence lacks.
func (n *nexter) onItsWay() {
	c := n.chapter
	if c.Unsaved {
		n.owed(KindSave, "chapter save "+c.arg(), schema.Textf("the text on disk is not saved in git yet"))
	}
	gaps := c.Gaps(n.book.Rules)
	switch {
	case len(gaps) == 0 && c.State == schema.StateDrafted:
		n.owed(KindSetStatus, "state set-chapter-status --chapter "+c.arg()+" --status "+string(schema.StateReviewed),
			schema.Textf("the evidence for reviewed is complete"))
	case len(gaps) == 0:
		n.writeBack()
	default:
		n.blocking(gaps)
		n.evidence(gaps)
	}
	n.leave()
}

func (n *nexter) writeBack() {
	c := n.chapter
	if num, ok := c.Number(); ok {
		if low, found := n.book.Lower(num); found && low.State != schema.StateCommitted {
			n.out = append(n.out, Next(n.book, low)...)
			return
		}
	}
	n.owed(KindCommit, "chapter-commit --chapter "+c.arg(), schema.Textf("the chapter is reviewed and its write-back is owed"))
}

// blocking names the ways past open issues.
func (n *nexter) blocking(gaps []schema.Fault) {
	c := n.chapter
	if !hasRule(gaps, "review-blocking", "recheck-blocking") {
		return
	}
	var open []OpenIssue
	if c.Review != nil {
		open = append(open, c.Review.Open...)
	}
	if c.Recheck != nil && c.Recheck.Text == c.Text {
		open = append(open, c.Recheck.Open...)
	}
	why := schema.Textf("issues block: fix the text, save it, then a full review runs again")
	if !c.Unsaved {
		n.owed(KindSave, "chapter save "+c.arg(), why)
	}
	disputable := false
	for _, i := range open {
		if i.Overridable {
			n.may(KindOverride, "review override "+c.arg()+" --issue "+ShellWord(i.ID)+" --reason R",
				schema.Textf("a person may override issue %s", i.ID))
			continue
		}
		disputable = true
	}
	if disputable { // one review answers them all
		n.may(KindReview, "review task "+c.arg()+" --dispute TEXT", schema.Textf("a false alarm is answered by another full review"))
	}
}

// evidence names the review or re-check that is missing.
func (n *nexter) evidence(gaps []schema.Fault) {
	c := n.chapter
	full := hasRule(gaps, "review-missing", "review-not-full", "review-blocking", "recheck-blocking", "review-mechanical",
		"polish-too-large", "polish-unknown") ||
		hasRule(gaps, "evidence-stale") && !n.book.Rules.WithinPolish(c.Polish, c.Review.Chars)
	if !full {
		why := schema.Textf("the text needs an independent re-check of ai_flavor")
		n.owed(KindRecheck, "review task "+c.arg()+" --kind recheck", why)
		n.owed(KindRecheck, "review recheck --chapter "+c.arg()+" --results F --task ID", why)
		return
	}
	why := schema.Textf("the text needs a full review")
	n.owed(KindReview, "review task "+c.arg(), why)
	n.owed(KindReview, "review record --chapter "+c.arg()+" --results F", why)
	n.may(KindReview, "review pass "+c.arg()+" --note T", schema.Textf("a person's own full review, at a terminal"))
}

func hasRule(list []schema.Fault, rules ...string) bool {
	return slices.ContainsFunc(list, func(f schema.Fault) bool { return slices.Contains(rules, f.Rule) })
}
