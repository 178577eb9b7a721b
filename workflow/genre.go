package workflow

import (
	"strings"

	"git-novel/schema"
	"git-novel/workflow/genre"
)

// genres reads the library's genre files, as they lie on disk. One that is damaged is named and left out: it only helps.
func (s *Session) genres() *genre.Set {
	paths, err := s.lib.ListFiles(schema.GenresDir)
	if err != nil {
		s.notice(schema.Textf("%s cannot be read", schema.GenresDir))
		return genre.New()
	}
	var list []*schema.Genre
	for _, p := range paths {
		if !strings.HasSuffix(p, ".toml") {
			continue
		}
		data, err := s.lib.ReadFile(p)
		if err == nil {
			var g *schema.Genre
			if g, err = schema.ParseGenre(p, data); err == nil {
				list = append(list, g)
			}
		}
		if err != nil {
			s.notice(schema.Textf("%s cannot be read and is left out: %s", p, firstFault(err)))
		}
	}
	return genre.New(list...)
}

// firstFault is what is wrong in one line: the first fault with its place, else the error itself.
func firstFault(err error) string { return faultsOf(err)[0].String() }

// strandHint is what the profile that counts for a chapter tells the writer.
func (w *work) strandHint(o *schema.Outline, set *genre.Set) string {
	own := ""
	if o != nil {
		own = o.Content.Strand
	}
	p, _ := set.ProfileOf(own, w.cfg.Strand, w.cfg.Genre)
	return p.Hint
}
