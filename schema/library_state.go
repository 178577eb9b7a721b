package schema

// DefaultChatThreshold is how many characters (UTF-16 units) may pend before the author is asked (seed novel_draft).
const DefaultChatThreshold = 400

// LibraryState is .novel-writer/state.json: the switches that the panel and novel_sentence_config set.
type LibraryState struct {
	ChatThreshold int             `json:"chatThreshold,omitempty"` // 0: never set
	ChatWriting   *bool           `json:"chatWriting,omitempty"`
	Tools         map[string]bool `json:"tools,omitempty"`
	Features      map[string]bool `json:"features,omitempty"`
}

// Threshold is the gate that counts.
func (s *LibraryState) Threshold() int {
	if s.ChatThreshold == 0 {
		return DefaultChatThreshold
	}
	return s.ChatThreshold
}

// ChatWritingOn says whether the chat-writing mode is on; it is off until someone switches it on. The older tool kept the
// switch among the features.
func (s *LibraryState) ChatWritingOn() bool {
	if s.ChatWriting != nil {
		return *s.ChatWriting
	}
	return s.Features["chatWriting"]
}

// ToolOn says whether a tool may run: only an explicit false switches it off.
func (s *LibraryState) ToolOn(name string) bool {
	on, set := s.Tools[name]
	return on || !set
}

// ParseLibraryState reads the switches. It always gives a state that can be used, with defaults where the file is damaged;
// the faults say where, and a caller that would write the file must then stop (DESIGN 3). Write it back with MarshalKeep.
func ParseLibraryState(file string, data []byte) (*LibraryState, []Fault) {
	s := &LibraryState{}
	var raw map[string]any
	if err := Unmarshal(file, data, &raw); err != nil {
		return s, faultsOf(file, err)
	}
	c := checker{file: file, rule: "library-state"}
	n, change := ParseChatThreshold(raw["chatThreshold"])
	if change == ThresholdIgnore {
		c.add("chatThreshold", "must be a number from %d to %d", MinChatThreshold, MaxChatThreshold)
	}
	s.ChatThreshold = n
	if v, there := raw["chatWriting"]; there && v != nil {
		on, ok := v.(bool)
		if ok {
			s.ChatWriting = &on
		} else {
			c.add("chatWriting", "must be true or false")
		}
	}
	s.Tools = c.switches("tools", raw["tools"])
	s.Features = c.switches("features", raw["features"])
	return s, c.faults
}

func (c *checker) switches(key string, v any) map[string]bool {
	m, ok := v.(map[string]any)
	if !ok {
		if v != nil {
			c.add(key, "must be an object of switches")
		}
		return nil
	}
	out := make(map[string]bool, len(m))
	for _, k := range sortedKeys(m) {
		if on, ok := m[k].(bool); ok {
			out[k] = on
		} else {
			c.add(key+"."+k, "must be true or false")
		}
	}
	return out
}

// faultsOf gives the faults of an error of this package, at least one.
func faultsOf(file string, err error) []Fault {
	if e, ok := err.(*Error); ok { //nolint:errorlint // this package's functions return it unwrapped
		if len(e.Details) > 0 {
			return e.Details
		}
		return []Fault{{File: file, Msg: e.Msg}}
	}
	return []Fault{{File: file, Msg: Textf("%s", err.Error())}}
}

// NormalizeChatThreshold reads a threshold by the rules of ParseChatThreshold; false when the value sets none.
func NormalizeChatThreshold(v any) (int, bool) {
	n, change := ParseChatThreshold(v)
	return n, change == ThresholdSet
}
