package convert_test

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/convert"
)

// planFile has a kind with a rename, a property that only the hub has, a property that moves, a
// list that converts, an enum with other values, and a version with a hand-written step. The hub is
// v2.
const planFile = `{"format":1,"group":"g.example.com","kinds":[{"kind":"Job","plural":"jobs","hub":"v2storage","spec":0,"status":1,"versions":[
{"name":"v0","spec":2,"status":3},
{"name":"v1","spec":2,"status":3,"plan":{"status":2,"stored":[{"step":1,"object":4}],"steps":[
[{"far":"size","near":"count"},{"far":"old"},{"near":"fresh"},{"far":"mode","near":"mode","values":["Fast","Quick"]},{"far":"parts","near":"parts","step":1},{"far":"paused"},{"near":"control","up":[{"name":"control"}]}],
[{"far":"a","near":"b"}],[]],
"changes":[{"moves":true,"id":"Job.control.paused","far":{"path":["paused"],"key":"paused"},"near":{"path":["control","paused"],"objects":[],"key":"control","within":["paused"]},"to":{"kind":"unchanged"},"from":{"kind":"unchanged"}}]}},
{"name":"v2","spec":0,"status":1,"plan":{}},
{"name":"v3","spec":6,"status":3,"plan":{"status":1,"steps":[[{"far":"size","near":"count"},{"near":"mode"},{"near":"fresh"}],[]]}}
]}],"objects":[
{"members":[{"name":"count","type":"i"},{"name":"fresh","type":"s"},{"name":"mode","type":"s"},{"name":"parts","type":"l5"},{"name":"control","type":"7"},{"name":"free","type":"j"},{"name":"originalVersion","type":"@label"}]},
{"members":[]},
{"members":[{"name":"size","type":"i"},{"name":"old","type":"s"},{"name":"mode","type":"s"},{"name":"parts","type":"l4"},{"name":"paused","type":"b"},{"name":"free","type":"j"},{"name":"originalVersion","type":"@label"}]},
{"members":[]},
{"members":[{"name":"a","type":"s"}]},
{"members":[{"name":"b","type":"s"}]},
{"members":[{"name":"size","type":"i"},{"name":"parts","type":"l5"},{"name":"control","type":"7"},{"name":"free","type":"j"},{"name":"originalVersion","type":"@label"}]},
{"members":[{"name":"paused","type":"b"}]}
]}`

func read(t *testing.T, text string) *convert.PlanSet {
	t.Helper()
	set, err := convert.ReadPlans([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestPlanSet converts an object by plans that are data alone.
func TestPlanSet(t *testing.T) {
	set := read(t, planFile)
	if kinds := set.Kinds(); set.Group() != "g.example.com" || len(kinds) != 1 || len(kinds[0].Versions) != 4 || kinds[0].Versions[0].HasPlan || !kinds[0].Versions[1].HasPlan {
		t.Errorf("group %s, kinds %v", set.Group(), set.Kinds())
	}
	for _, test := range []struct{ from, to string }{{"v0", "v1"}, {"v1", "v0"}, {"v1", "v1"}, {"v1", "v9"}} {
		if set.Converter("Job", test.from, test.to) != nil {
			t.Errorf("there is a converter from %s to %s", test.from, test.to)
		}
	}
	const object = `{"apiVersion":"g.example.com/v1","kind":"Job","metadata":{"name":"j"},"spec":{"size":3,"old":"x","mode":"Fast","parts":[{"a":"p"},{}],"free":{"n":null}}}`
	out, why := set.Converter("Job", "v1", "v2").Append(t.Context(), nil, []byte(object))
	if why != convert.Converted || !strings.HasPrefix(string(out), `{"apiVersion":"g.example.com/v2","kind":"Job","metadata":{"name":"j"},"spec":{"count":3,"mode":"Quick","parts":[{"b":"p"},{}],"free":{"n":null}},"status":{"propertyBag":`) {
		t.Fatalf("%s\n%s", why, out)
	}
	back, why := set.Converter("Job", "v2", "v1").Append(t.Context(), nil, out)
	if want := `{"apiVersion":"g.example.com/v1","kind":"Job","metadata":{"name":"j"},"spec":{"size":3,"mode":"Fast","parts":[{"a":"p"},{}],"free":{"n":null},"old":"x"}}`; why != convert.Converted || string(back) != want {
		t.Errorf("%s\n%s\nwant\n%s", why, back, want)
	}
}

// TestTrace follows paths from one version to another.
func TestTrace(t *testing.T) {
	set := read(t, planFile)
	for _, test := range []struct {
		from, to, path string
		outcome        convert.Outcome
		want           string
		free           bool
	}{
		{"v1", "v2", "metadata.labels.a", convert.Copied, "metadata.labels.a", true},
		{"v1", "v2", "spec", convert.Copied, "spec", false},
		{"v1", "v2", "spec.size", convert.Copied, "spec.count", false},
		{"v1", "v2", "spec.old", convert.Hid, "", false},
		{"v1", "v2", "spec.mode", convert.Changed, "spec.mode", false},
		{"v1", "v2", "spec.parts.1.a", convert.Copied, "spec.parts.1.b", false},
		{"v1", "v2", "spec.parts.1.b", convert.Unknown, "", false},
		{"v1", "v2", "spec.size.x", convert.Unknown, "", false},
		{"v1", "v2", "spec.nothing", convert.Unknown, "", false},
		{"v1", "v2", "spec.originalVersion", convert.Unknown, "", false},
		{"v1", "v2", "spec.free.a.b", convert.Copied, "spec.free.a.b", true},
		{"v1", "v2", "spec.paused", convert.Copied, "spec.control.paused", false},
		{"v2", "v1", "spec.control.paused", convert.Copied, "spec.paused", false},
		{"v2", "v1", "spec.fresh", convert.Hid, "", false},
		{"v1", "v3", "spec.size", convert.Copied, "spec.size", false},
		{"v1", "v3", "spec.mode", convert.Hid, "", false},
		{"v3", "v1", "spec.parts.0.b", convert.Copied, "spec.parts.0.a", false},
		{"v1", "v2", "status.propertyBag", convert.Changed, "status.propertyBag", false},
	} {
		got := set.Converter("Job", test.from, test.to).Trace(strings.Split(test.path, "."))
		if got.Outcome != test.outcome || strings.Join(got.Path, ".") != test.want || got.Free != test.free {
			t.Errorf("from %s to %s, %s: %+v", test.from, test.to, test.path, got)
		}
	}
}

// TestWrongPlanFiles wants an error for each file that is not one of plans.
func TestWrongPlanFiles(t *testing.T) {
	for _, test := range []struct{ reason, old, replaced, want string }{
		{"no JSON", planFile, "{", "not JSON"},
		{"another file", planFile, `{"kind":"List"}`, "lacks a format"},
		{"a later format", `"format":1`, `"format":2`, "use a later program"},
		{"a wrong type", `"kinds":[`, `"kinds":{},"x":[`, "no plans"},
		{"an object that is absent", `"spec":2,"status":3,"plan"`, `"spec":20,"status":3,"plan"`, "lacks"},
		{"a negative index", `"spec":2,"status":3,"plan"`, `"spec":-1,"status":3,"plan"`, "lacks"},
		{"a type that is absent", `"type":"l5"`, `"type":"l50"`, `no type "l50"`},
		{"a name twice", `{"name":"fresh","type":"s"}`, `{"name":"count","type":"s"}`, "same name"},
		{"a member without a name", `{"name":"fresh","type":"s"}`, `{"name":"","type":"s"}`, "no name"},
		{"a step that is absent", `"near":"parts","step":1`, `"near":"parts","step":7`, "no step 7"},
		{"an operation that is absent", `"to":{"kind":"unchanged"}`, `"to":{"kind":"guess"}`, `no operation "guess"`},
		{"a division by zero", `"to":{"kind":"unchanged"}`, `"to":{"kind":"scale","by":1}`, `no operation "scale"`},
		{"a stored object that is absent", `"step":1,"object":4`, `"step":1,"object":40`, "lacks"},
		{"a default that is not JSON", `"name":"count","type":"i"`, `"name":"count","type":"i","default":"{"`, "default"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			_, err := convert.ReadPlans([]byte(strings.Replace(planFile, test.old, test.replaced, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// FuzzReadPlans wants no panic, whatever the file is, and none of the converters that it yields.
func FuzzReadPlans(f *testing.F) {
	f.Add([]byte(planFile), []byte(`{"apiVersion":"g.example.com/v1","kind":"Job","metadata":{},"spec":{"size":3,"parts":[{"a":"p"}],"paused":true}}`), "spec.parts.0.a")
	f.Fuzz(func(t *testing.T, text, object []byte, path string) {
		set, err := convert.ReadPlans(text)
		if err != nil {
			return
		}
		for _, k := range set.Kinds() {
			for _, from := range k.Versions {
				for _, to := range k.Versions {
					if c := set.Converter(k.Kind, from.Name, to.Name); c != nil {
						c.Append(t.Context(), nil, object)
						c.Trace(strings.Split(path, "."))
					}
				}
			}
		}
	})
}
