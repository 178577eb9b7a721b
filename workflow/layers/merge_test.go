package layers

import (
	"reflect"
	"strings"
	"testing"

	"git-novel/schema"

	"pgregory.net/rapid"
)

func master() map[string]any {
	return map[string]any{
		"route":              map[string]any{"primary_genre": "悬疑"},
		"master_constraints": map[string]any{"core_tone": "冷", "pacing_strategy": "慢"},
		"anti_patterns":      []any{"不写梦", "不写巧合"},
	}
}

func policy() schema.OverridePolicy {
	return schema.OverridePolicy{
		Locked: []string{"route.primary_genre", "master_constraints.core_tone"}, AppendOnly: []string{"anti_patterns", "base_context"},
		OverrideAllowed: []string{"master_constraints.pacing_strategy"},
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	volume := Layer{File: "volume-01.json", AntiPatterns: []string{"不写巧合", "不写雷"}, Overrides: schema.ContractOverrides{
		Locked:          map[string]any{"route.primary_genre": "悬疑"},
		AppendOnly:      map[string]any{"base_context": []any{"旧城"}},
		OverrideAllowed: map[string]any{"master_constraints.pacing_strategy": "快"},
	}}
	review := Layer{File: "review.json", Overrides: schema.ContractOverrides{AppendOnly: map[string]any{"base_context": []any{"旧城", "渡口"}}}}
	got, faults := Merge(master(), policy(), volume, review)
	want := map[string]any{
		"route":              map[string]any{"primary_genre": "悬疑"},
		"master_constraints": map[string]any{"core_tone": "冷", "pacing_strategy": "快"},
		"anti_patterns":      []any{"不写梦", "不写巧合", "不写雷"},
		"base_context":       []any{"旧城", "渡口"},
	}
	if len(faults) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%v", faults, got)
	}
}

func TestMergeFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		o    schema.ContractOverrides
		want string
	}{
		{"locked value", schema.ContractOverrides{Locked: map[string]any{"master_constraints.core_tone": "暖"}}, "says something else"},
		{"not locked", schema.ContractOverrides{Locked: map[string]any{"anti_patterns": []any{}}}, "is not locked"},
		{"override of locked", schema.ContractOverrides{OverrideAllowed: map[string]any{"master_constraints.core_tone": "暖"}}, "is locked"},
		{"override around locked", schema.ContractOverrides{OverrideAllowed: map[string]any{"master_constraints": map[string]any{}}}, "is locked"},
		{"not open", schema.ContractOverrides{OverrideAllowed: map[string]any{"anti_patterns": []any{}}}, "does not open"},
		{"append to locked", schema.ContractOverrides{AppendOnly: map[string]any{"route.primary_genre": []any{"x"}}}, "is locked"},
		{"append to open", schema.ContractOverrides{AppendOnly: map[string]any{"master_constraints.pacing_strategy": []any{"x"}}}, "is not append-only"},
		{"append no list", schema.ContractOverrides{AppendOnly: map[string]any{"anti_patterns": "x"}}, "must be a list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, faults := Merge(master(), policy(), Layer{File: "volume-01.json", Overrides: c.o})
			if len(faults) != 1 || !strings.Contains(faults[0].Msg.String(), c.want) || faults[0].File != "volume-01.json" {
				t.Errorf("faults %v, want one that says %q", faults, c.want)
			}
			if !reflect.DeepEqual(got, master()) {
				t.Errorf("a refused override was done: %v", got)
			}
		})
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	next := master()
	next["master_constraints"] = map[string]any{"core_tone": "暖", "pacing_strategy": "快"}
	next["anti_patterns"] = []any{"不写梦", "新的"}
	faults := Changes("master.json", master(), next, policy())
	if len(faults) != 2 || faults[0].Field != "master_constraints.core_tone" || faults[1].Field != "anti_patterns" {
		t.Errorf("%v", faults)
	}
	if faults := Changes("master.json", master(), master(), policy()); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
	open := master()
	open["override_policy"] = map[string]any{"locked": []any{}}
	was := master()
	was["override_policy"] = map[string]any{"locked": []any{"route.primary_genre"}}
	if faults := Changes("master.json", was, open, policy()); len(faults) != 1 || faults[0].Field != "override_policy.locked" {
		t.Errorf("a lock that is taken away goes unseen: %v", faults)
	}
}

// Whatever the layers ask for, locked values stay and append-only lists keep what they had, in order.
func TestMergeKeeps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom([]string{"route.primary_genre", "master_constraints.core_tone", "master_constraints", "anti_patterns", "master_constraints.pacing_strategy", "route", "x.y"})
		value := rapid.SampledFrom([]any{"x", []any{"x", "不写梦"}, map[string]any{"a": "b"}, nil})
		given := rapid.MapOfN(path, value, 0, 3)
		layer := rapid.Custom(func(t *rapid.T) Layer {
			return Layer{Overrides: schema.ContractOverrides{Locked: given.Draw(t, "locked"), AppendOnly: given.Draw(t, "append"), OverrideAllowed: given.Draw(t, "open")}}
		})
		before := master()
		got, _ := Merge(before, policy(), rapid.SliceOfN(layer, 0, 3).Draw(t, "layers")...)
		if !reflect.DeepEqual(before, master()) {
			t.Fatal("the master document was written to")
		}
		for _, locked := range policy().Locked {
			if v, _ := find(got, locked); v != must(find(before, locked)) {
				t.Fatalf("%s is %v", locked, v)
			}
		}
		list, _ := got["anti_patterns"].([]any)
		if len(list) < 2 || list[0] != "不写梦" || list[1] != "不写巧合" {
			t.Fatalf("%v", got["anti_patterns"])
		}
	})
}

func must(v any, _ bool) any { return v }
