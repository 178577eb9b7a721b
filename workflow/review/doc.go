// Package review is the built-in reviewer and what is made of a review: the Markdown report and the metrics row.
//
// Mechanical owns the checks that a program can prove with evidence (DESIGN 11): placeholders and other traces of
// unfinished text, truncation and unbalanced marks, length, repeated paragraphs, forbidden turns, missed nodes, time
// pressure spelled out, the dead acting, a heading with another number, and the phrases of ai-flavor.txt. It reads no file and moves no
// state: text, outline, memory and the prints of earlier chapters come in as values, a schema.ReviewInput goes out,
// and the gates of workflow/state judge it like any other. It may import the schema, workflow/prose, workflow/memory.
//
// Decisions that bind it, because somebody will question them:
//
//   - It gives a conclusion for every category, since it looks at all of them as far as it can; `depth: mechanical` says how
//     far that is, and a library that wants more says `[review] require = agent`.
//   - Blocking is only what makes the text unfit to be a chapter (a placeholder, a cut-off end, a doubled paragraph, another
//     chapter's heading, less than a fifth of the minimum length) or what an accepted commit would refuse anyway (a
//     missed CBN or must-cover node, a forbidden turn), and somebody dead who speaks. Everything else is a hint.
//   - Findings about the text as an object have category `other`, length `pacing`, and the outline's are `logic` with `fact:
//     false`: a program that matches words can be wrong there, so a person may override them (DESIGN 5). The dead who
//     speak are `character` with `fact: true`, because that contradicts a record.
//   - A chapter below the minimum (1,500 Han characters unless configured) is a medium issue: short chapters exist on purpose.
//   - A repeated paragraph that is a quotation for the most part is a hint: letters are read twice, spells said often.
//   - Unbalanced marks inside a chapter are medium: classical editions print them often. An unclosed mark in the last
//     paragraph is part of a truncated end and blocks.
//   - Several hits of one phrase are one issue. AI flavour blocks only when dense: at least 8 hits and more than 6 in a
//     thousand characters.
package review
