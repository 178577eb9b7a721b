package agent

import (
	"bytes"
	"encoding/json"

	"git-novel/schema"
)

// artifactsOf takes the data agent's answer apart. Models wrap JSON in a code fence; that much is forgiven, what stands in
// the artifacts is the parsers' to judge.
func artifactsOf(data []byte) (map[string][]byte, error) {
	var all struct {
		Fulfillment    json.RawMessage `json:"fulfillment_result"`
		Disambiguation json.RawMessage `json:"disambiguation_result"`
		Extraction     json.RawMessage `json:"extraction_result"`
	}
	if err := schema.Unmarshal("result", unfenced(data), &all); err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	var faults []schema.Fault
	for _, a := range []struct {
		name, file string
		data       json.RawMessage
	}{
		{schema.ArtifactFulfillment, FileFulfillment, all.Fulfillment},
		{schema.ArtifactDisambiguation, FileDisambiguation, all.Disambiguation},
		{schema.ArtifactExtraction, FileExtraction, all.Extraction},
	} {
		if len(a.data) == 0 {
			faults = append(faults, schema.Fault{Field: a.name, Msg: schema.Textf("the artifact %s is missing", a.name)})
		}
		out[a.file] = a.data
	}
	if len(faults) > 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "the answer is not the three artifacts").WithDetails(faults...)
	}
	return out, nil
}

// unfenced takes away a Markdown code fence around the whole of an answer.
func unfenced(data []byte) []byte {
	t := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if !bytes.HasPrefix(t, []byte("```")) || !bytes.HasSuffix(t, []byte("```")) {
		return data
	}
	_, body, ok := bytes.Cut(t, []byte("\n"))
	if !ok {
		return data
	}
	return bytes.TrimSuffix(body, []byte("```"))
}
