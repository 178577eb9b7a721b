// Package lock holds the advisory locks of a library: the library lock that one Update takes at a time, and one lock per
// book for long work (DESIGN 6, 12).
//
// A lock is a flock on a file below the common git folder, so the system frees it when its holder dies and no stale lock
// can bar an author from the book. The file stays where it is: deleting lock files is how two processes come to hold
// "the" lock at once. Its content says who holds it, for the message of the one that is refused, and decides nothing.
//
// It may import schema and nothing else of ours.
package lock
