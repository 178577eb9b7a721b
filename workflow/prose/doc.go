// Package prose reads the text of a chapter the way the built-in agents need it: paragraphs with the number a reader
// would give them (第N段), sentences, the count of Han characters, and a careful answer to "does the text say this outline node?".
//
// It owns no rule of DESIGN 5 and knows no file, no record and no state: text in, places out. It may import the schema and
// the standard library only; workflow/review, workflow/brief and workflow/agent import it.
//
// Decisions that bind it:
//
//   - A paragraph is one line that is not blank. Chinese web prose sets one paragraph a line, with or without a blank line
//     between, and verse sets one verse a line; joining lines up to a blank one would glue a whole unspaced chapter into one
//     paragraph, and no place in it could be named.
//   - The heading line of a chapter is not counted: 第1段 is the first paragraph that the reader reads.
//   - A node written with bars (主体 | 动作 | 对象) is found when every term stands near the others; a term may list words
//     that mean the same with a slash (发现/看见). A node in free prose is found word for word, or when at least half
//     of its content bigrams stand in one window. The share is deliberately low for free prose and the bar form exists
//     because no mechanical reader can do better honestly.
package prose
