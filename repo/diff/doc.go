// Package diff compares two versions of a chapter the way an author reads them (DESIGN 12): paragraphs are aligned first,
// then the sentences inside paired paragraphs, and only inside paired sentences are characters (grapheme clusters)
// compared. Paragraphs and runs of sentences that only changed place are found, and every edit is classed.
//
// It owns: the splitting of prose into paragraphs, sentences and graphemes; the alignment; the classes of edits; the
// renderings of one result (inline, side by side, statistics, JSON, HTML); the count of edited characters that the rules
// of DESIGN 5 use (EditedChars, ProseEdits); the text conversion for plain `git diff` (Sentences).
//
// It must not: read or write files, know about git, chapters or states, or hold words for a person: those come in Labels.
// It imports nothing of this program.
//
// # How a text is seen
//
// A text is gap, body, gap, body, …, gap. A body is a line without the blanks around it; it is a paragraph, which is what
// a line of a novel is. A gap is everything between two bodies: trailing blanks, line ends, empty lines, indentation, and
// in front of the first the byte order mark. Differences between gaps are layout and are reported as such, so a file that
// only went from CRLF to LF has no edits in its prose. Nothing is normalised away: the edits and the layout changes of a
// Result together turn a into b byte for byte, and back. Bytes that are not UTF-8 are single characters.
//
// # Decisions
//
// The comparison of characters is our own Myers rather than sergi/go-diff: its semantic clean-up works with Latin word
// boundaries and does nothing for Han text, its line mode was wrong before 1.4.0 (sergi/go-diff#140), and it cannot be
// bounded by work done, only by the clock, which would make a result depend on the machine. It serves the tests as an
// oracle instead.
//
// Clean-up joins edits that are divided by a trivially short common run, because 「慢慢[-地-]{+的+}走[-了-]{+着+}」 is read
// worse than one edit; but what it marks in addition stays within a few per cent of the minimum over the whole text, so a
// text with many scattered edits does not drown in marks.
//
// Every step is bounded by the size of its input: similar paragraphs are found over an inverted index of character pairs
// that skips pairs occurring everywhere, the chain of pairs is a heaviest increasing subsequence, and the character
// comparison gives up (and shows a replacement) after a fixed amount of work.
package diff
