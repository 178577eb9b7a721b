package state

import "git-novel/schema"

// With gives the book as it would be if c were one of its chapters instead of the one of the same key: what a command
// asks about a text that it has in hand and that does not lie on disk yet.
func (b *Book) With(c *Chapter) *Book {
	chapters := make([]*Chapter, 0, len(b.Chapters)+1)
	found := false
	for _, old := range b.Chapters {
		if old.Key == c.Key {
			old, found = c, true
		}
		chapters = append(chapters, old)
	}
	if !found {
		chapters = append(chapters, c)
	}
	with := NewBook(b.Name, b.Rules, chapters)
	with.HasDraft, with.NeedsFlag = b.HasDraft, b.NeedsFlag
	return with
}

// ArtifactFaults judges the artifacts that come with a retcon as those of a first chapter commit.
func ArtifactFaults(outline *schema.Outline, f *schema.Fulfillment, d *schema.Disambiguation, summary string) []schema.Fault {
	return CommitEvent{Outline: outline, Fulfillment: f, Disambiguation: d, SummaryText: summary}.artifacts(&Chapter{})
}
