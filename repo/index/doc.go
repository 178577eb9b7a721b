// Package index is index.db, the derived cache of a library (DESIGN 13): SQLite tables with what was folded out of the
// tracked records, and the bigrams of its texts.
//
// It owns the file, its tables and its transactions, and what happens when the file is damaged, of another version or held by
// another process. It does not know what the rows mean: callers say from which state of the library they were made, and make
// them anew when that is no longer the state. It may import the schema only.
//
// Decisions that bind it:
//
//   - The file can be deleted at any time; then it is made again with the same content. What cannot be read is deleted. When
//     it cannot be had at all (held, read-only), a private temporary one serves the command.
//   - Rollback journal, not WAL: a cache that is written once for each transition and read by short processes gains nothing
//     from a second and third file beside it. A crash leaves the old content.
//   - Only reads and writes inside Read and Write see the tables; both are one transaction.
package index
