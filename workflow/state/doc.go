// Package state owns the rules of DESIGN 5: what may happen to a chapter next, and what must be there before it does.
//
// It is pure. It reads no file, starts no program and knows no clock; it imports schema and nothing else of ours. A caller
// gathers facts (Book, Chapter), asks, and gets an answer that names every reason at once (Decision). The same facts and
// the same predicates serve four callers, so that they cannot disagree: the commands, the board of `status`, the git
// hooks, and verify.
//
// Files by noun: rules.go what a library may tune, evidence.go what a record proves, chapter.go the facts, decision.go the
// form of an answer, event.go with start.go, review.go, override.go, commit.go, retcon.go and leave.go one answer for each
// pair of situation and event, next.go the legal next commands. The checker (check*.go, tree.go, fold.go) judges a git
// commit by the same predicates, from trees only.
//
// Decisions that someone will question:
//
//   - The rules work on digests (ReviewEvidence and its kin), not on records. A board over 9,999 chapters holds facts that
//     were cached; the prose of 9,999 reviews would not fit the memory bar of DESIGN 15.
//   - Going back is never inferred. A squash of "retract the last chapter, write it anew" looks exactly like a state that
//     moved back, so the checker refuses it; rejected alternative: believe the commit message.
//   - A recheck that blocks the current text blocks, whatever the review says. The way out is a full review that covers
//     ai_flavor, which takes the place of both (SupersedesRecheck).
//   - Whether a re-check was independent, and whether a task was really handed out, cannot be seen in a tree. Those gates
//     stand in the event (RecheckEvent); the checker proves what trees prove.
package state
