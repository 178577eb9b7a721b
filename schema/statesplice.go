package schema

import "strconv"

// SpliceState gives a book's state.json with the words of a few chapters changed and current_chapter set: what MarshalKeep
// would write, without decoding and encoding the thousands of lines that stay (DESIGN 15). It is false when the file is not
// in the form that MarshalKeep writes; the caller then encodes it whole. No chapter can be taken out this way.
func SpliceState(file []byte, changed map[string]State, current int) ([]byte, bool) {
	p := splicer{data: file}
	if !p.eat("{\n  \"book\": ") || !p.text() || !p.eat(",\n  \"progress\": {\n    \"current_chapter\": ") {
		return nil, false
	}
	number := p.pos
	for p.pos < len(file) && file[p.pos] >= '0' && file[p.pos] <= '9' {
		p.pos++
	}
	numberEnd := p.pos
	if number == numberEnd || !p.eat(",\n    \"chapter_status\": {\n") {
		return nil, false
	}
	out := make([]byte, 0, len(file)+64*(len(changed)+1))
	out = append(out, file[:number]...)
	out = strconv.AppendInt(out, int64(current), 10)
	from := numberEnd // bytes before it are copied or dropped
	ids := sortedKeys(changed)
	line := func(id string) {
		out = append(out, "      "...)
		out = append(out, quoteState(id)...)
		out = append(out, ": "...)
		out = append(out, quoteState(string(changed[id]))...)
	}
	last := ""
	for {
		start := p.pos
		if !p.eat("      ") {
			return nil, false
		}
		key, plain, ok := p.str()
		if !ok || !plain || string(key) <= last || !p.eat(": ") || !p.text() {
			return nil, false
		}
		last = string(key)
		for len(ids) > 0 && ids[0] <= last {
			out = append(out, file[from:start]...)
			line(ids[0])
			from = p.pos
			if ids[0] < last {
				out = append(out, ",\n"...)
				from = start
			}
			ids = ids[1:]
		}
		if !p.eat(",\n") {
			break
		}
	}
	out = append(out, file[from:p.pos]...)
	for _, id := range ids {
		out = append(out, ",\n"...)
		line(id)
	}
	if from = p.pos; !p.eat("\n    }\n  }") && !p.eat("\n    },\n    \"") {
		return nil, false
	}
	return append(out, file[from:]...), true
}

func quoteState(s string) []byte {
	e := jsonEncoder{}
	e.str(s)
	return e.buf
}
