// Package memory is what the book knows: the accepted chapter commits folded in order (DESIGN 13).
//
// It owns the meaning of events and deltas: entities with their names, attributes over time and deaths, world rules,
// open loops that close, promises that are paid, the timeline that only moves forward, relations. It reads no file and
// decides no transition; a caller hands in commit records, in any order, each with its place. It may import the schema
// and workflow/prose, nothing else of ours.
//
// Decisions that bind it:
//
//   - A fold keeps the history of every element, and a View is only a place to look from. "What was true at chapter N" costs
//     a filter and no second fold. A record put at the end extends the fold; one put in the middle (a retcon, a backfill)
//     marks it for folding again, once, at the next question.
//   - Closing goes by id, then by content, then by subject when just one open element has that subject. A closing that
//     finds nothing, or more than one, changes nothing and becomes a warning: the existing tool never closed a loop and
//     turned a paid promise into a new one, because it guessed.
//   - Urgency sorts: high 100, medium 60, low 20, a number as it is, anything else 0 (reference harness 4.10).
//   - Confidence: 1 for facts of a reviewed commit, 0.8 for an adopted chapter, 0.5 for facts carried over a retcon, and
//     what the payload itself says when that is lower.
package memory
