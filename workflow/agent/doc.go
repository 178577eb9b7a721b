// Package agent holds the built-in agents, the outside programs that do the same work, and the shape that every agent has
// (DESIGN 11).
//
// It owns: the Runner interface, the registry of builtin:context, builtin:writer, builtin:reviewer, builtin:polish and
// builtin:data, the Command that runs a program, run ids, the data agent and the writer. The reviewer itself is
// workflow/review, the task book workflow/brief. Built-in agents use no model, give the same answer for the same input, and
// read nothing but what they are handed. A Command starts what it is told to, without a shell; whether it may is the
// workflow's to say (user's config, trust). What comes back from a Runner is data: the caller parses and validates it with
// the schema before anything is recorded. It may import the schema and the pure packages of workflow.
//
// Decisions that bind it:
//
//   - A run id is derived from the task and the producer, not drawn at random: two runs of one book give equal trees, and
//     the polish run and the re-check run of one text still differ, because their tasks do.
//   - builtin:data says only what it can show. It closes a promise when the outline says that it is due, the text has it,
//     and the memory knows exactly one open promise like it; it never invents an event or a change of state.
//   - Only names of two letters and more count as appearing. A name that two known entities share, when the chapter does not
//     name exactly one of them in full, is pending.
//   - --segments keeps the order in which the numbers are given, so that a corrected segment can take the place of the one it
//     corrects: 1-2,7,4-6.
package agent
