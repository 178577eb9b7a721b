// Package contract owns the pack of `memory-contract load-context` (DESIGN 13): its sections and their order, what goes in
// first, that it always fits its budget, and what it says of what was left out. What the pieces are is its caller's
// business; story contracts, which are only one of the sections, meet in package layers.
//
// It is pure: pieces come in, a pack goes out. It may import schema and workflow/brief.
package contract
