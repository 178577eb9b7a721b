package schema

// MarshalGiven is MarshalKeep for a record that was handed in: the unknown keys are those of the object in given, however
// it was wrapped. When given holds no JSON object, there are none.
func MarshalGiven(v any, given []byte) ([]byte, error) {
	node, _, bad := findObject(trimBOM(given))
	if bad != nil || node.kind != inObject {
		return Marshal(v)
	}
	orig, err := Marshal(node.object())
	if err != nil {
		return nil, err
	}
	return MarshalKeep(v, orig)
}
