// Package manuscript reads a whole novel as people have it: one text file or a folder, in any of the encodings that
// Chinese texts come in, with headings of many kinds, volumes, a table of contents, catalogue marks and advertising
// lines. It owns the decoding of such bytes (Decode), the search for chapter headings (Split, FromFiles) and the
// numbering and placing of what was found (issue "import", DESIGN 4 "Volumes" and "Order").
//
// It is pure: no file, no clock, no randomness. It may import schema only.
//
// Two promises bind every function here. Nothing is lost: the chapters of a Plan, in order, are the decoded text byte
// for byte, whatever was or was not taken for a heading. Nothing is guessed in silence: bytes that do not decode are an
// error, and a heading that might be none is a chapter with a Doubt, for a person to look at.
//
// Considered and rejected: one regular expression per kind of heading, as most readers do it. A line is weighed with
// its surroundings instead (length, punctuation, blank lines, whether its number continues the others, whether it looks
// like the others), because the same line, 第三回他来了, is a heading in one book and a sentence in the next.
package manuscript
