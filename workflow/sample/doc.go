// Package sample is the book that `git novel demo` and the tests work on: 《雨夜灯》, three chapters written for this
// project, with outlines, settings, a first version of chapter 2 that the built-in reviewer refuses, and chapter 3 as the draft segments it
// grew from.
//
// It owns the embedded files below book/ and nothing else: no rule, no file on disk. It may import the standard library
// only. The text is covered by the licence of the project.
package sample
