package memory

// Meta goes with every element: the record it comes from, the chapters it spans, and how sure the record is (0..1).
type Meta struct {
	Source     string  `json:"source"` // id of the chapter whose commit says it, e.g. "0003"
	Range      Range   `json:"chapter_range"`
	Confidence float64 `json:"confidence"`
}

// Range is a span of chapter numbers, both ends in. To is the chapter of the view while the element still holds.
type Range struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// EntitySnapshot is a person, place or thing as it stood at the chapter of the view.
type EntitySnapshot struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Type        string         `json:"type"`
	Tier        string         `json:"tier"`
	Protagonist bool           `json:"is_protagonist,omitempty"`
	Aliases     []string       `json:"aliases"`
	Attributes  map[string]any `json:"attributes"`
	First       int            `json:"first_appearance"`
	Last        int            `json:"last_appearance"`
	Recent      []StateChange  `json:"recent_state_changes"` // the last five, oldest first
	Dead        bool           `json:"dead,omitempty"`
	Meta
}

// StateChange is one change of one attribute.
type StateChange struct {
	Field   string `json:"field"`
	Old     any    `json:"old,omitempty"`
	New     any    `json:"new"`
	Chapter int    `json:"chapter"`
	Source  string `json:"source"`
}

// Rule is a rule of the world. Status is active, broken or superseded.
type Rule struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Field   string `json:"field"`
	Value   string `json:"value"`
	Domain  string `json:"domain"`
	Scope   string `json:"scope,omitempty"`
	Status  string `json:"status"`
	Chapter int    `json:"source_chapter"`
	Meta
}

// OpenLoop is an open question of the story or a promise to the reader. Status is active or closed.
type OpenLoop struct {
	ID      string  `json:"id"`
	Kind    string  `json:"kind"` // loop or promise
	Subject string  `json:"subject"`
	Content string  `json:"content"`
	Status  string  `json:"status"`
	Planted int     `json:"planted_chapter"`
	Closed  int     `json:"closed_chapter,omitempty"`
	Payoff  string  `json:"expected_payoff"`
	Urgency float64 `json:"urgency"`
	Meta
}

// TimelineEvent is one event on the axis that all memory hangs on.
type TimelineEvent struct {
	ID       string `json:"id"`
	Event    string `json:"event"`
	Type     string `json:"event_type"`
	Subject  string `json:"subject"`
	Chapter  int    `json:"chapter"`
	TimeHint string `json:"time_hint"`
	// Backwards marks an event whose stated time lies before one already told, and that is not declared a flashback.
	Backwards bool `json:"backwards,omitempty"`
	Meta
}

// Relation is how one entity stands to another.
type Relation struct {
	From        string `json:"from_entity"`
	To          string `json:"to_entity"`
	Type        string `json:"relationship_type"`
	Description string `json:"description,omitempty"`
	Chapter     int    `json:"chapter"`
	Meta
}

// Death is an entity that the record says is dead.
type Death struct {
	ID      string
	Names   []string // canonical name first, then aliases
	Chapter int
}

// Statuses of rules and loops.
const (
	StatusActive     = "active"
	StatusBroken     = "broken"
	StatusSuperseded = "superseded"
	StatusClosed     = "closed"

	KindLoop    = "loop"
	KindPromise = "promise"
)
