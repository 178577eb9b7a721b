package schema

import (
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Strands are the threads that a chapter's weight is spread over: the main line, the relations, the world.
func Strands() []string { return []string{"quest", "fire", "constellation"} }

// StrandProfile says how the weight of a chapter is spread over the strands: what a genre asks for instead of fixed
// ratios (seed harness_v6 4.6).
type StrandProfile struct {
	Name    string
	Title   string         // as a reader of lists sees it
	Hint    string         // what the writer is told
	Weights map[string]int // percent for each strand, together 100
}

// Genre is a file of genres/*.toml: the excerpt that goes into the context, and strand profiles.
type Genre struct {
	Name    string // of the file, without .toml
	Strand  string // profile of outlines that name none; "" says nothing
	Excerpt string
	Strands []StrandProfile // by name
}

// GenrePath is the file of a genre.
func GenrePath(name string) string { return GenresDir + "/" + name + ".toml" }

// ParseGenre reads a genre file. The error is CodeInvalid with every fault; the line is that of the table or key.
func ParseGenre(file string, data []byte) (*Genre, error) {
	if len(data) > maxConfig {
		return nil, Errorf(CodeInvalid, "%s is larger than %d bytes", file, maxConfig)
	}
	var tree map[string]any
	if _, err := toml.Decode(string(data), &tree); err != nil {
		return nil, tomlError(file, err)
	}
	r := &configReader{file: file, entries: scanTOML(data)}
	g := &Genre{Name: strings.TrimSuffix(path.Base(file), ".toml")}
	root := configTable{r: r, m: tree}
	root.misspelled("strand", "excerpt", "strands")
	root.str("strand", &g.Strand)
	root.str("excerpt", &g.Excerpt)
	all := root.table("strands")
	for _, name := range sortedKeys(all.m) {
		if _, is := all.m[name].(map[string]any); !is {
			all.r.add(all.at(name), "must be a table, not %s", tomlText(all.m[name]))
			continue
		}
		g.Strands = append(g.Strands, all.profile(name))
	}
	if len(r.faults) > 0 {
		return nil, Errorf(CodeInvalid, "%s is not a valid genre", file).WithDetails(r.faults...).
			WithHint("a strand profile is [strands.NAME] with title, hint and weights = { quest = 60, fire = 20, constellation = 20 }")
	}
	return g, nil
}

func (t configTable) profile(name string) StrandProfile {
	p := StrandProfile{Name: name, Weights: map[string]int{}}
	own := configTable{r: t.r, m: t.m[name].(map[string]any), path: t.at(name)}
	own.misspelled("title", "hint", "weights")
	own.str("title", &p.Title)
	own.str("hint", &p.Hint)
	w := own.table("weights")
	sum := 0
	for _, k := range sortedKeys(w.m) {
		if !slices.Contains(Strands(), k) {
			w.r.add(w.at(k), "%q is no strand; the strands are: %s", k, strings.Join(Strands(), ", "))
			continue
		}
		n := 0
		w.integer(k, 0, 100, &n)
		p.Weights[k] = n
		sum += n
	}
	if sum != 100 {
		own.r.add(own.at("weights"), "the weights come to %d percent, not 100", sum)
	}
	return p
}
