package schema

// State is how far a chapter has come (DESIGN 5). The zero value means that it has no state yet.
type State string

// The states, in their order. A chapter only ever moves to a later one.
const (
	StateNone      State = ""
	StateDrafted   State = "chapter_drafted"
	StateReviewed  State = "chapter_reviewed"
	StateCommitted State = "chapter_committed"
)

// States lists the states from first to last.
func States() []State { return []State{StateNone, StateDrafted, StateReviewed, StateCommitted} }

// Rank orders states: none 0, drafted 1, reviewed 2, committed 3; an unknown word is -1.
func (s State) Rank() int {
	switch s {
	case StateNone:
		return 0
	case StateDrafted:
		return 1
	case StateReviewed:
		return 2
	case StateCommitted:
		return 3
	}
	return -1
}

// Trailer is the word for the state in a commit trailer: "none" for the zero value.
func (s State) Trailer() string {
	if s == StateNone {
		return "none"
	}
	return string(s)
}

// ParseState reads one of the three stored words.
func ParseState(s string) (State, error) {
	st := State(s)
	if s == "" || st.Rank() < 0 {
		return StateNone, Errorf(CodeInvalid, "%q is not a chapter state", s).
			WithHint("use chapter_drafted, chapter_reviewed or chapter_committed")
	}
	return st, nil
}
