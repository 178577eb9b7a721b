package schema

// Binding ties a record to the exact text it speaks of (DESIGN 5): where it lay, its git blob id, and its length.
type Binding struct {
	Path  string `json:"path"`
	Blob  OID    `json:"blob"`
	Chars int    `json:"chars"` // UTF-16 units of the whole text
}

// Schema names of the tracked records.
const (
	SchemaReview  = "novel-review/v1"
	SchemaRecheck = "novel-recheck/v1"
	SchemaCommit  = "novel-commit/v1"
	SchemaOutline = "novel-outline/v1"
)

// BookState is books/<book>/state.json (DESIGN 7). Keys are chapter ids: "0003", or the key of an unnumbered chapter.
type BookState struct {
	Book     string           `json:"book"`
	Progress Progress         `json:"progress"`
	Order    map[string]Place `json:"order,omitempty"`
}

// Progress is how far the book and each of its chapters has come.
type Progress struct {
	CurrentChapter int              `json:"current_chapter"` // the highest committed number, 0 when none
	ChapterStatus  map[string]State `json:"chapter_status"`
}

// Place puts an unnumbered chapter after another one; After is a chapter id, "0000" for the front of the book.
type Place struct {
	After string `json:"after"`
}

// Severity of a review issue.
type Severity string

// The severities, worst first.
const (
	SeverityCritical Severity = "critical"
	SeverityHigh     Severity = "high"
	SeverityMedium   Severity = "medium"
	SeverityLow      Severity = "low"
)

// Severities lists the allowed values, worst first.
func Severities() []Severity {
	return []Severity{SeverityCritical, SeverityHigh, SeverityMedium, SeverityLow}
}

// Category of a review issue, and name of a review dimension.
type Category string

// The categories. The first five are the dimensions of a full review unless the library asks for more.
const (
	CategorySetting    Category = "setting"
	CategoryTimeline   Category = "timeline"
	CategoryContinuity Category = "continuity"
	CategoryCharacter  Category = "character"
	CategoryLogic      Category = "logic"
	CategoryAIFlavor   Category = "ai_flavor"
	CategoryPacing     Category = "pacing"
	CategoryOther      Category = "other"
)

// Categories lists the allowed values.
func Categories() []Category {
	return []Category{
		CategorySetting, CategoryTimeline, CategoryContinuity, CategoryCharacter, CategoryLogic, CategoryAIFlavor,
		CategoryPacing, CategoryOther,
	}
}

// FullDimensions are the five dimensions that every full review covers; a library may only ask for more.
func FullDimensions() []Category {
	return []Category{CategorySetting, CategoryTimeline, CategoryContinuity, CategoryCharacter, CategoryLogic}
}

// Issue is one problem that a review found.
type Issue struct {
	ID          string    `json:"id"`
	Severity    Severity  `json:"severity"`
	Category    Category  `json:"category"`
	Location    string    `json:"location"`
	Description string    `json:"description"`
	Evidence    string    `json:"evidence"`
	FixHint     string    `json:"fix_hint"`
	Blocking    bool      `json:"blocking"`
	Fact        *bool     `json:"fact,omitempty"` // logic and character only: the issue states a fact; absent counts as true
	Override    *Override `json:"override,omitempty"`
}

// Override is a person's decision to go on in spite of a blocking issue. The issue stays.
type Override struct {
	Reason string `json:"reason"`
	By     string `json:"by"`
}

// Blocks reports whether the issue blocks now: blocking or critical, and not overridden.
func (i Issue) Blocks() bool {
	return (i.Blocking || i.Severity == SeverityCritical) && i.Override == nil
}

// Overridable reports whether a person may override the issue at all (DESIGN 5, Override).
func (i Issue) Overridable() bool {
	switch i.Category {
	case CategorySetting, CategoryTimeline, CategoryContinuity:
		return false
	case CategoryLogic, CategoryCharacter:
		return i.Fact != nil && !*i.Fact
	case CategoryAIFlavor, CategoryPacing, CategoryOther:
		return true
	}
	return false
}

// Dimensions maps a dimension to its conclusion: "pass", or the number of its issues.
type Dimensions map[Category]Conclusion

// Conclusion is "pass" (zero) or a number of issues.
type Conclusion int

// How a record was bound to its text.
const (
	BindingTask     = "task"      // the reviewer was handed the blob by a task and returned it
	BindingAtRecord = "at-record" // a person said that the reviewer read what lay on disk
)

// How deep a review goes.
const (
	DepthAgent      = "agent"
	DepthMechanical = "mechanical"
	DepthPerson     = "person"
)

// Review is chapters/<id>/review.json: the full review that counts.
type Review struct {
	Schema      string     `json:"schema"`
	Book        string     `json:"book"`
	Chapter     string     `json:"chapter"`
	Round       int        `json:"round"`
	Run         string     `json:"run"`
	Producer    string     `json:"producer"`
	Depth       string     `json:"depth"`
	Binding     string     `json:"binding"`
	Text        Binding    `json:"text"`
	Dimensions  Dimensions `json:"dimensions"`
	Issues      []Issue    `json:"issues"`
	IssuesCount int        `json:"issues_count"`
	Blocking    int        `json:"blocking_count"` // open blocking issues: overridden ones do not count
	HasBlocking bool       `json:"has_blocking"`
	Summary     string     `json:"summary"`
	Dispute     string     `json:"dispute,omitempty"` // what a person held against the review before this one
}

// Covers reports whether the review has a conclusion for each of dims.
func (r *Review) Covers(dims ...Category) bool {
	for _, d := range dims {
		if _, ok := r.Dimensions[d]; !ok {
			return false
		}
	}
	return true
}

// OpenBlocking counts the issues that block now.
func (r *Review) OpenBlocking() int { return openBlocking(r.Issues) }

func openBlocking(issues []Issue) int {
	n := 0
	for _, i := range issues {
		if i.Blocks() {
			n++
		}
	}
	return n
}

// Recheck is chapters/<id>/recheck.json: the independent anti-AI re-check. It covers ai_flavor only and answers a task.
type Recheck struct {
	Schema      string     `json:"schema"`
	Book        string     `json:"book"`
	Chapter     string     `json:"chapter"`
	Task        string     `json:"task"`
	Run         string     `json:"run"`
	Producer    string     `json:"producer"`
	Depth       string     `json:"depth"`
	Text        Binding    `json:"text"`
	Dimensions  Dimensions `json:"dimensions"`
	Issues      []Issue    `json:"issues"`
	IssuesCount int        `json:"issues_count"`
	Blocking    int        `json:"blocking_count"`
	HasBlocking bool       `json:"has_blocking"`
	Summary     string     `json:"summary"`
}

// OpenBlocking counts the issues that block now.
func (r *Recheck) OpenBlocking() int { return openBlocking(r.Issues) }

// Origins of a chapter commit.
const (
	OriginWritten = ""
	OriginAdopted = "adopted"
)

// Commit is chapters/<id>/commit.json: the accepted chapter commit.
type Commit struct {
	Schema         string          `json:"schema"`
	Book           string          `json:"book"`
	Chapter        string          `json:"chapter"`
	Revision       int             `json:"revision"`
	Status         string          `json:"status"` // always "accepted": a rejected commit is never stored
	Origin         string          `json:"origin,omitempty"`
	Reason         string          `json:"reason,omitempty"` // of a retcon or a typo revision
	Carried        bool            `json:"carried,omitempty"`
	Text           Binding         `json:"text"`
	Base           *Binding        `json:"base,omitempty"` // the last reviewed or adopted text, which typo edits are counted against
	Review         *ReviewDigest   `json:"review,omitempty"`
	ReviewResult   *Review         `json:"review_result,omitempty"`
	Fulfillment    *Fulfillment    `json:"fulfillment_result,omitempty"`
	Disambiguation *Disambiguation `json:"disambiguation_result,omitempty"`
	Extraction     *Extraction     `json:"extraction_result,omitempty"`
}

// Adopted reports a chapter that entered as it was, without review evidence.
func (c *Commit) Adopted() bool { return c.Origin == OriginAdopted }

// ReviewDigest is what the commit says of its review: enough to see overrides and waivers at a glance.
type ReviewDigest struct {
	Round     int              `json:"round"`
	Blocking  int              `json:"blocking_count"`
	Overrides []OverrideDigest `json:"overrides"`
	Waived    []Waiver         `json:"waived"`
	Recheck   string           `json:"recheck,omitempty"` // run id of the re-check that completed the evidence
}

// OverrideDigest names an overridden issue.
type OverrideDigest struct {
	Issue  string `json:"issue"`
	Reason string `json:"reason"`
	By     string `json:"by"`
}

// Waiver is an outline node that a person let go, with the reason.
type Waiver struct {
	Node   string `json:"node"`
	Reason string `json:"reason"`
}

// Fulfillment says which nodes of the outline the text covers. A node is a string, or an object with a "type"
// (CBN, CPN, CEN, must_cover) and a "text".
type Fulfillment struct {
	Planned []Node `json:"planned_nodes"`
	Covered []Node `json:"covered_nodes"`
	Missed  []Node `json:"missed_nodes"`
	Extra   []Node `json:"extra_nodes"`
}

// Node kinds.
const (
	NodeCBN       = "CBN"
	NodeCPN       = "CPN"
	NodeCEN       = "CEN"
	NodeMustCover = "must_cover"
)

// Node is one outline node in an artifact. Type is empty when the artifact gave a bare string.
type Node struct {
	Type string
	Text string
}

// Disambiguation lists the names that the data agent could not resolve.
type Disambiguation struct {
	Pending []any `json:"pending"`
}

// Extraction is what the data agent read out of the text.
type Extraction struct {
	Events      []Event          `json:"accepted_events"`
	States      []StateDelta     `json:"state_deltas"`
	Entities    []EntityDelta    `json:"entity_deltas"`
	Appeared    []map[string]any `json:"entities_appeared,omitempty"`
	Scenes      []map[string]any `json:"scenes,omitempty"`
	ChapterMeta map[string]any   `json:"chapter_meta,omitempty"`
	Strand      string           `json:"dominant_strand,omitempty"`
	SummaryText string           `json:"summary_text"`
}

// Event is one accepted event, in its canonical form (reference harness 4.4).
type Event struct {
	ID      string         `json:"event_id"`
	Chapter int            `json:"chapter"`
	Type    string         `json:"event_type"`
	Subject string         `json:"subject"`
	Payload map[string]any `json:"payload"`
}

// StateDelta is one change of a field of an entity.
type StateDelta struct {
	Entity string `json:"entity_id"`
	Field  string `json:"field"`
	Old    any    `json:"old,omitempty"`
	New    any    `json:"new"`
}

// EntityDelta is a new or changed entity, or a relation between two; keys beyond these are kept in Rest.
type EntityDelta struct {
	Entity string         `json:"entity_id,omitempty"`
	Action string         `json:"action,omitempty"`
	Type   string         `json:"entity_type,omitempty"`
	Tier   string         `json:"tier,omitempty"`
	Name   string         `json:"canonical_name,omitempty"`
	Rest   map[string]any `json:"-"`
}

// Outline is chapters/<id>/outline.json. The content layer and the consumption layer never mix.
type Outline struct {
	Schema   string         `json:"schema"`
	Chapter  string         `json:"chapter"`
	Title    string         `json:"title"`
	Content  OutlineContent `json:"content"`
	Exposure ExposurePolicy `json:"writer_exposure_policy"`
	Note     string         `json:"note,omitempty"`
}

// OutlineContent is direction and borders of the chapter, not what happens in it word by word.
type OutlineContent struct {
	Goal         string   `json:"chapter_goal"`
	MustPayoff   []string `json:"must_payoff"`
	Forbidden    []string `json:"forbidden_turns"`
	Role         string   `json:"narrative_role_in_arc"`
	Strand       string   `json:"strand_profile"`
	TimePressure string   `json:"time_pressure_source"`
	CBN          string   `json:"cbn"`
	CPNs         []string `json:"cpns"`
	CEN          string   `json:"cen"`
	MustCover    []string `json:"must_cover_nodes"`
	KeyEntities  []string `json:"key_entities"`

	// What volume outlines say besides (reference harness 1.5); each may be missing.
	Obstacles    []string `json:"obstacles,omitempty"`
	Cost         string   `json:"cost,omitempty"`
	TimeAnchor   string   `json:"time_anchor,omitempty"`
	Span         string   `json:"chapter_span,omitempty"`
	Countdown    string   `json:"countdown,omitempty"`
	OpenQuestion string   `json:"chapter_end_open_question,omitempty"`
	HookType     string   `json:"hook_type,omitempty"`
	HookStrength string   `json:"hook_strength,omitempty"`
	Thread       string   `json:"strand,omitempty"` // the strand that this chapter advances most
	Antagonist   string   `json:"antagonist_tier,omitempty"`
	Highlight    string   `json:"highlight,omitempty"` // 爽点
	TimeGap      string   `json:"time_gap,omitempty"`  // to the chapter before
	PointOfView  string   `json:"point_of_view,omitempty"`
	Change       string   `json:"change,omitempty"` // what is different afterwards
	Hook         string   `json:"hook,omitempty"`
}

// ExposurePolicy says which content fields the writer may see word for word and which only transformed.
type ExposurePolicy struct {
	Verbatim  []string          `json:"verbatim_fields"`
	Transform map[string]string `json:"transform_fields"`
}

// Summaries is summaries/<book>.json (seed novel_summary).
type Summaries struct {
	Book    string         `json:"book"`
	Entries []SummaryEntry `json:"summaries"`
}

// SummaryEntry is the summary of one chapter.
type SummaryEntry struct {
	Chapter     string    `json:"chapter"`
	Summary     string    `json:"summary"`
	KeyEvents   *[]string `json:"keyEvents,omitempty"`
	KeySettings *[]string `json:"keySettings,omitempty"`
	UpdatedAt   string    `json:"updatedAt,omitempty"` // ISO 8601 UTC with 3 digits of milliseconds
}

// Ledger is drafts/<book>/<key>__state.json (seed novel_draft).
type Ledger struct {
	Segments     int      `json:"segments"`
	PendingChars int      `json:"pendingChars"` // UTF-16 units
	TotalChars   int      `json:"totalChars"`   // UTF-16 units
	Prompts      int      `json:"prompts"`
	Pending      []string `json:"pending"`
	UpdatedAt    string   `json:"updatedAt"`
}
