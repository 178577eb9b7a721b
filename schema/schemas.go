package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// Names of the JSON Schemas that `git novel schema NAME` prints.
const (
	NameReview         = "review"
	NameReviewInput    = "review-input"
	NameRecheck        = "recheck"
	NameCommit         = "commit"
	NameOutline        = "outline"
	NameState          = "state"
	NameSummaries      = "summaries"
	NameLedger         = "ledger"
	NameTask           = "task"
	NameFulfillment    = "fulfillment"
	NameDisambiguation = "disambiguation"
	NameExtraction     = "extraction"
	NameBatch          = "batch"
	NameVolumes        = "volumes"
	NamePatterns       = "patterns"
	NameMaster         = "master-contract"
	NameVolume         = "volume-contract"
	NameReviewContract = "review-contract"
)

// reviewInputForm is the canonical form of what ParseReviewInput and ParseRecheckInput read; they also take the older
// spellings of reference harness 4.1.
type reviewInputForm struct {
	Schema      string          `json:"schema,omitempty"`
	Book        string          `json:"book,omitempty"`
	Chapter     chapterRef      `json:"chapter,omitzero"`
	Task        string          `json:"task,omitempty"`
	Run         string          `json:"run,omitempty"`
	Producer    string          `json:"producer,omitempty"`
	Text        *textRef        `json:"text,omitempty"`
	Dimensions  inputDimensions `json:"dimensions,omitzero"`
	Issues      []issueForm     `json:"issues"`
	IssuesCount *int            `json:"issues_count,omitempty"`
	Blocking    *int            `json:"blocking_count,omitempty"`
	HasBlocking *bool           `json:"has_blocking,omitempty"`
	Summary     string          `json:"summary,omitempty"`
}

type issueForm struct {
	ID          string   `json:"id,omitempty"`
	Severity    Severity `json:"severity"`
	Category    Category `json:"category"`
	Location    string   `json:"location,omitempty"`
	Description string   `json:"description"`
	Evidence    string   `json:"evidence"`
	FixHint     string   `json:"fix_hint,omitempty"`
	Blocking    *bool    `json:"blocking,omitempty"`
	Fact        *bool    `json:"fact,omitempty"`
}

type textRef struct {
	Path  string `json:"path,omitempty"`
	Blob  OID    `json:"blob"`
	Chars int    `json:"chars,omitempty"`
}

type (
	chapterRef      struct{}
	inputDimensions struct{}
)

type namedSchema struct {
	name, title string
	typ         reflect.Type
}

func namedSchemas() []namedSchema {
	return []namedSchema{
		{NameReview, "review.json of a chapter: the full review that counts", reflect.TypeFor[Review]()},
		{NameReviewInput, "a review or a re-check as a reviewer hands it in", reflect.TypeFor[reviewInputForm]()},
		{NameRecheck, "recheck.json of a chapter: the independent anti-AI re-check", reflect.TypeFor[Recheck]()},
		{NameCommit, "commit.json of a chapter: the accepted chapter commit", reflect.TypeFor[Commit]()},
		{NameOutline, "outline.json of a chapter: the chapter outline and its exposure policy", reflect.TypeFor[Outline]()},
		{NameState, "state.json of a book: how far each chapter of a book has come", reflect.TypeFor[BookState]()},
		{NameSummaries, "summaries file of a book: what each chapter tells", reflect.TypeFor[Summaries]()},
		{NameLedger, "ledger: the counters of a draft mirror", reflect.TypeFor[Ledger]()},
		{NameTask, "a piece of work that git-novel hands out", reflect.TypeFor[Task]()},
		{NameFulfillment, "fulfillment_result: which nodes of the outline the text covers", reflect.TypeFor[Fulfillment]()},
		{NameDisambiguation, "disambiguation_result: names that could not be resolved", reflect.TypeFor[Disambiguation]()},
		{NameExtraction, "extraction_result: what the data agent read out of the text", reflect.TypeFor[Extraction]()},
		{NameBatch, "batch_state.json of a book: the running or last batch", reflect.TypeFor[BatchState]()},
		{NameVolumes, "volumes.json of a book: the chapters that each volume holds", reflect.TypeFor[Volumes]()},
		{NamePatterns, "patterns.json of a book: what was learned of the author's way", reflect.TypeFor[AuthorPatterns]()},
		{NameMaster, "contracts/master.json of a book: what holds for the whole story", reflect.TypeFor[MasterContract]()},
		{NameVolume, "contracts/volume-NN.json of a book: what holds for one volume", reflect.TypeFor[VolumeContract]()},
		{NameReviewContract, "contracts/review.json of a book: what reviews must look at", reflect.TypeFor[ReviewContract]()},
	}
}

// SchemaNames lists the formats that JSONSchema knows, sorted.
func SchemaNames() []string { //nolint:revive // Names alone would say nothing in a package of nouns
	var names []string
	for _, s := range namedSchemas() {
		names = append(names, s.name)
	}
	slices.Sort(names)
	return names
}

// JSONSchema gives the JSON Schema (draft 2020-12) of a format, generated from the Go type that reads and writes it
// (DESIGN 7). Unknown keys are allowed by it, as they are by the records. An unknown name is CodeNotFound.
func JSONSchema(name string) ([]byte, error) {
	for _, s := range namedSchemas() {
		if s.name == name {
			return Marshal(s.reflect())
		}
	}
	return nil, Errorf(CodeNotFound, "there is no schema %q", name).
		WithHint("the schemas are: %s", strings.Join(SchemaNames(), ", "))
}

func (n namedSchema) reflect() *jsonschema.Schema {
	comments, limits := schemaComments(), schemaLimits()
	r := &jsonschema.Reflector{
		Anonymous: true, ExpandedStruct: true, AllowAdditionalProperties: true, Mapper: mapType,
		LookupComment: func(t reflect.Type, field string) string { return comments[t.Name()+"."+field] },
	}
	s := r.ReflectFromType(n.typ)
	s.Title = n.title
	constrain(limits, n.typ.Name(), s)
	for name, def := range s.Definitions {
		constrain(limits, name, def)
	}
	return s
}

// mapType describes the types whose JSON form their Go form does not show.
func mapType(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[OID]():
		return &jsonschema.Schema{Type: "string", Pattern: "^([0-9a-f]{40})?$", Description: "git blob id, 40 hexadecimal digits"}
	case reflect.TypeFor[State]():
		return enum(wordsOf(States()[1:])...)
	case reflect.TypeFor[Severity]():
		return enum(wordsOf(Severities())...)
	case reflect.TypeFor[Category]():
		return enum(wordsOf(Categories())...)
	case reflect.TypeFor[TaskKind]():
		return enum(wordsOf(TaskKinds())...)
	case reflect.TypeFor[BatchStatus]():
		return enum(wordsOf(BatchStatuses())...)
	case reflect.TypeFor[Dimensions]():
		return dimensionsSchema()
	case reflect.TypeFor[inputDimensions]():
		return &jsonschema.Schema{
			Description: "conclusion of each dimension, or the list of the dimensions covered; without it the five are covered",
			OneOf: []*jsonschema.Schema{
				dimensionsSchema(),
				{Type: "array", Items: enum(wordsOf(Categories())...), MinItems: new(uint64(1)), UniqueItems: true},
			},
		}
	case reflect.TypeFor[chapterRef]():
		return &jsonschema.Schema{
			Description: "number, id or key of the chapter",
			OneOf:       []*jsonschema.Schema{{Type: "integer", Minimum: "0"}, filledString()},
		}
	case reflect.TypeFor[Node]():
		return nodeSchema()
	case reflect.TypeFor[EntityDelta]():
		return entityDeltaSchema()
	}
	return nil
}

func enum(words ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

func filledString() *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Pattern: `\S`} }

func dimensionsSchema() *jsonschema.Schema {
	props := jsonschema.NewProperties()
	for _, c := range Categories() {
		props.Set(string(c), &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			{Const: "pass"},
			{Type: "integer", Minimum: "0"},
		}})
	}
	return &jsonschema.Schema{
		Type: "object", Properties: props, AdditionalProperties: jsonschema.FalseSchema, MinProperties: new(uint64(1)),
		Description: `conclusion of each dimension: "pass", or the number of its issues`,
	}
}

func nodeSchema() *jsonschema.Schema {
	props := jsonschema.NewProperties()
	props.Set("type", enum(NodeTypes()...))
	props.Set("text", filledString())
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		filledString(),
		{Type: "object", Properties: props, Required: []string{"text"}},
	}}
}

func entityDeltaSchema() *jsonschema.Schema {
	props := jsonschema.NewProperties()
	for _, k := range entityDeltaKeys() {
		props.Set(k, &jsonschema.Schema{Type: "string"})
	}
	for _, k := range []string{"from_entity", "to_entity", "relationship_type", "description"} {
		props.Set(k, &jsonschema.Schema{Type: "string"})
	}
	return &jsonschema.Schema{
		Type: "object", Properties: props, Description: "a new or changed entity, or a relation between two",
		AnyOf: []*jsonschema.Schema{{Required: []string{"entity_id"}}, {Required: []string{"from_entity", "to_entity"}}},
	}
}

// constrain adds the limits that the Go types do not show; the parsers enforce them.
func constrain(limits map[string]schemaLimit, typ string, s *jsonschema.Schema) {
	if s.Properties == nil {
		return
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		c, ok := limits[typ+"."+p.Key]
		if !ok {
			continue
		}
		switch {
		case c.constant != "":
			p.Value.Type, p.Value.Const = "string", c.constant
		case c.enum != nil:
			p.Value.Enum = nil
			for _, w := range c.enum {
				p.Value.Enum = append(p.Value.Enum, w)
			}
		case c.filled:
			p.Value.Pattern = `\S`
		default:
			p.Value.Minimum = json.Number(fmt.Sprint(c.least))
		}
	}
}
