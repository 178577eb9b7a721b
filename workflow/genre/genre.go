package genre

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"git-novel/schema"
)

//go:embed strands.toml
var builtinText string

//nolint:gochecknoglobals // computed once, never written
var builtin = sync.OnceValue(func() []schema.StrandProfile {
	g, err := schema.ParseGenre("strands.toml", []byte(builtinText))
	if err != nil {
		panic(err) // the embedded file is part of the program; a test parses it
	}
	return g.Strands
})

// Set is what a library knows of genres.
type Set struct {
	profiles []schema.StrandProfile // by name; a library's own win over the built-in ones
	genres   []*schema.Genre
}

// New joins the built-in profiles and those of the library's genre files.
func New(genres ...*schema.Genre) *Set {
	s := &Set{profiles: slices.Clone(builtin()), genres: genres}
	for _, g := range genres {
		for _, p := range g.Strands {
			if i := s.find(p.Name); i >= 0 {
				s.profiles[i] = p
			} else {
				s.profiles = append(s.profiles, p)
			}
		}
	}
	slices.SortFunc(s.profiles, func(a, b schema.StrandProfile) int { return strings.Compare(a.Name, b.Name) })
	return s
}

func (s *Set) find(name string) int {
	name = strings.ToLower(strings.TrimSpace(name))
	return slices.IndexFunc(s.profiles, func(p schema.StrandProfile) bool { return strings.ToLower(p.Name) == name })
}

// Profile finds a strand profile by name, whatever its case.
func (s *Set) Profile(name string) (schema.StrandProfile, bool) {
	if i := s.find(name); i >= 0 {
		return s.profiles[i], true
	}
	return schema.StrandProfile{}, false
}

// Names lists the profiles.
func (s *Set) Names() []string {
	var out []string
	for _, p := range s.profiles {
		out = append(out, p.Name)
	}
	return out
}

// Genre finds what a genre's file says; nil when the library has none of that name.
func (s *Set) Genre(name string) *schema.Genre {
	for _, g := range s.genres {
		if strings.EqualFold(g.Name, strings.TrimSpace(name)) {
			return g
		}
	}
	return nil
}

// Excerpt is what the context says of a genre, "" when there is nothing.
func (s *Set) Excerpt(name string) string {
	if g := s.Genre(name); g != nil {
		return strings.TrimSpace(g.Excerpt)
	}
	return ""
}

// ProfileOf finds the profile that counts for an outline: its own, else the library's, else the genre's.
func (s *Set) ProfileOf(outline, library, genre string) (schema.StrandProfile, bool) {
	for _, name := range []string{outline, library} {
		if strings.TrimSpace(name) != "" {
			return s.Profile(name)
		}
	}
	if g := s.Genre(genre); g != nil && g.Strand != "" {
		return s.Profile(g.Strand)
	}
	return schema.StrandProfile{}, false
}
