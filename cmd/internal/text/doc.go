// Package text is the catalogue of everything that git-novel says to a person, in English and Chinese. English sentences
// stand in the code where they are said; this package maps each English format to its Chinese one, the way gettext does,
// so that one place holds every translation and a test can prove that none is missing.
//
// It imports schema (for schema.Text) and nobody else. It does no I/O. Texts that a seed document fixes are Chinese in the
// code itself and are never translated.
package text
