// Package genre owns what the genres of a library say: strand profiles and excerpts, those that are built in and those of
// .novel-writer/genres/*.toml. It reads no file itself and decides nothing; the caller hands it the files.
//
// It may import schema only.
package genre
