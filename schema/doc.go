// Package schema owns every noun of a library: the types that are stored or handed in, how they are parsed, validated and
// written, and the error codes. It has no I/O, knows no clock but the times it is given, starts nothing, and imports no
// package of this program; everything else imports it. All of it is pure and safe for concurrent use.
//
// # Words
//
//	library     one git repository with novels/ and .novel-writer/; holds one or more books
//	book        a folder novels/<book>/; exists by its books/<book>/state.json (BookName, BookState)
//	chapter     one text file in a book; identified by its chapter key, and, when numbered, its number (ChapterKey)
//	chapter id  the key's form in records: four digits, or the key of an unnumbered chapter (ChapterKey.ID)
//	mirror      the append-only file of segments written while the author and the AI talk (SegmentBlock, ParseSegments)
//	segment     one block appended to a mirror (Segment)
//	ledger      the counters that belong to a mirror (Ledger)
//	slot        the place of a chapter in the summaries file (SummaryKey)
//	transition  a move of a chapter's state; always exactly one commit (State, Message)
//	evidence    the record that allows a transition, with the text's blob id (Review, Recheck, Commit, Binding)
//	debt        a chapter that is reviewed but whose write-back has not succeeded
//	task, run   a piece of work that is handed out (id, kind, blob, inputs), and one execution of it
//	trash branch a branch trash/<name>-<time> that holds a deleted book or chapter (TrashBranch)
//	agent       an outside program, or one of the built-in ones
//
// # Units
//
// Lengths of text are UTF-16 units and trimming is JavaScript's wherever the seeds count (UTF16Len, TrimJS). Lengths of
// names are UTF-8 bytes (MaxNameBytes). Columns of faults are runes.
//
// # Decisions
//
// JSON has its own codec (json.go) beside encoding/json. The standard decoder takes Book for book, the last of two equal keys,
// and stops at the first wrong type; the files here are edited by people and written by models, and must be refused with
// every fault in its place and written back with the keys that we do not know. A generic tree would do that too, at ten times
// the cost for a state.json of a finished serial.
//
// One parser gives every chapter key, although the two seeds had two: where they disagreed, one of them overwrote a
// chapter's summary or joined an extra to a chapter's mirror. A name that is not certainly a number keeps its text.
package schema
