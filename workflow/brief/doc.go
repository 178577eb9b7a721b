// Package brief is builtin:context: the task book that the writer of a chapter gets (DESIGN 11, 13).
//
// It owns the five sections and their order (seed batch_writer: 本章硬性约束 → CBN/CPNs/CEN → 本章禁区 → 风格指引 →
// 动态上下文补充参考), what goes into each, the exposure policy, the token estimate and what is left out when the budget is
// short. It reads no file: outline, memory, summaries and settings come in as values. It may import the schema,
// workflow/prose and workflow/memory.
//
// Decisions that bind it:
//
//   - A field that the policy transforms never appears word for word, wherever the words come from: a value of two letters
//     or more is taken out of summaries, settings and the previous ending too, and a warning says so. The policy's own
//     instruction is not printed when it repeats the value (转为隐性节奏提示，不直接告知承).
//   - Role and time pressure are transformed even when the policy is silent; nodes and key entities are shown unless it says
//     otherwise, because a task book without them is none.
//   - The budget binds the whole text, headings included. Items go in by priority, long ones may be cut, the rest is listed as
//     dropped. A budget that the five headings alone exceed is refused: a task book that lacks a section would be taken
//     for a complete one.
package brief
