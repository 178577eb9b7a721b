package memory

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"git-novel/schema"
)

// values reads the loosely typed objects of events and deltas. The first key that has something wins, because the formats
// have several names for one thing (reference harness 4.4, 4.5).
type values map[string]any

func (v values) str(keys ...string) string {
	for _, k := range keys {
		switch x := v[k].(type) {
		case string:
			if s := strings.TrimSpace(x); s != "" {
				return s
			}
		case float64, json.Number, int, int64, bool:
			return fmt.Sprint(x)
		}
	}
	return ""
}

func (v values) any(keys ...string) any {
	for _, k := range keys {
		if x, ok := v[k]; ok && x != nil {
			return x
		}
	}
	return nil
}

func (v values) strs(keys ...string) []string {
	for _, k := range keys {
		switch x := v[k].(type) {
		case []string:
			return x
		case []any:
			var out []string
			for _, e := range x {
				if s, ok := e.(string); ok && strings.TrimSpace(s) != "" {
					out = append(out, strings.TrimSpace(s))
				}
			}
			return out
		case string:
			if x != "" {
				return strings.FieldsFunc(x, func(r rune) bool { return strings.ContainsRune("、，,；;|", r) })
			}
		}
	}
	return nil
}

func (v values) object(key string) map[string]any {
	o, _ := v[key].(map[string]any)
	return o
}

func (v values) truth(keys ...string) bool {
	for _, k := range keys {
		if b, ok := v[k].(bool); ok && b {
			return true
		}
	}
	return false
}

func number(x any) (float64, bool) {
	switch n := x.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(n), 64)
		return f, err == nil
	}
	return 0, false
}

// Urgency reads an urgency: a number as it is, high 100, medium 60, low 20 whatever the case, a numeric string its number,
// and 0 for everything else. Nothing is clamped (reference harness 4.10).
func Urgency(x any) float64 {
	if s, ok := x.(string); ok {
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "high":
			return 100
		case "medium":
			return 60
		case "low":
			return 20
		}
	}
	if _, ok := x.(bool); ok {
		return 0
	}
	n, ok := number(x)
	if !ok || n != n { // NaN would break the sort
		return 0
	}
	return n
}

var deadWords = schema.Pattern(`死|亡|去世|逝世|牺牲|殒|遇害|毙命|dead|deceased|killed`)

var notDead = schema.Pattern(`[未没濒假垂诈不]死|生死不明|死里逃生|死而复生|undead`)

// deathFields are the attributes that may say that somebody is dead.
var deathFields = schema.Pattern(`^(?:.*\.)?(?:status|state|alive|life|life_state|状态|生死|存活|性命)$`)

// death says whether a change of an attribute makes its entity dead (true), alive (false), or says nothing of it.
func death(field string, v any) (dead, says bool) {
	field = strings.ToLower(field)
	if !deathFields().MatchString(field) {
		return false, false
	}
	if b, ok := v.(bool); ok {
		if strings.HasSuffix(field, "alive") || strings.HasSuffix(field, "存活") {
			return !b, true
		}
		return false, false
	}
	s, ok := v.(string)
	if !ok {
		return false, false
	}
	s = strings.ToLower(s)
	return deadWords().MatchString(s) && !notDead().MatchString(s), true
}
