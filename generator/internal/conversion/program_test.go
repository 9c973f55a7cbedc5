package conversion_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/conversion"
)

// TestMain runs a converter in place of the tests if an argument names one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "convert" {
		converter(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// converter answers reviews. The step of v1 joins first and last to name, and that of v2 splits it.
// A behaviour makes it fail.
func converter(behaviour string) {
	if behaviour == "leaves" {
		fmt.Fprintln(os.Stderr, "no time")
		return
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var review struct {
			Request struct {
				UID     string           `json:"uid"`
				Desired string           `json:"desiredAPIVersion"`
				Objects []map[string]any `json:"objects"`
			} `json:"request"`
		}
		if err := json.Unmarshal(line, &review); err != nil {
			panic(err)
		}
		object := review.Request.Objects[0]
		if spec, ok := object["spec"].(map[string]any); ok && object["apiVersion"] != review.Request.Desired {
			stepped(spec)
		}
		object["apiVersion"] = review.Request.Desired
		uid, objects, status := review.Request.UID, []any{object}, "Success"
		switch behaviour {
		case "silent":
			time.Sleep(time.Minute)
		case "ends":
			fmt.Fprintln(os.Stderr, "out of \x1b[31mluck")
			return
		case "endless":
			for {
				fmt.Print(strings.Repeat("x", 1<<16))
			}
		case "no-json":
			fmt.Println("{")
			continue
		case "other-uid":
			uid = "7"
		case "none":
			objects = nil
		case "two":
			objects = append(objects, object)
		case "number":
			objects = []any{1}
		case "other-version":
			object["apiVersion"] = "team.example.com/v3"
		case "other-kind":
			object["kind"] = "Other"
		case "other-name":
			object["metadata"].(map[string]any)["name"] = "else"
		case "more-labels":
			object["metadata"].(map[string]any)["labels"] = map[string]any{"a": "b"}
		case "loses":
			delete(object["spec"].(map[string]any), "size")
			delete(object["spec"].(map[string]any), "count")
		case "refuses":
			status, objects = "Failure", nil
		}
		answer, err := json.Marshal(map[string]any{"kind": "ConversionReview", "response": map[string]any{
			"uid": uid, "convertedObjects": objects, "result": map[string]any{"status": status, "message": "the \x1b[31mstep\nsays no"}}})
		if err != nil {
			panic(err)
		}
		fmt.Println(string(answer))
	}
}

func stepped(spec map[string]any) {
	if size, has := spec["size"]; has {
		spec["count"] = size
		delete(spec, "size")
	} else if count, has := spec["count"]; has {
		spec["size"] = count
		delete(spec, "count")
	}
	if name, has := spec["name"].(string); has {
		delete(spec, "name")
		spec["first"], spec["last"], _ = strings.Cut(name, " ")
	} else if first, has := spec["first"].(string); has {
		spec["name"] = first + " " + spec["last"].(string)
		delete(spec, "first")
		delete(spec, "last")
	}
}

// teamPlans has a kind with a rename, beside which a hand-written step joins two names.
const teamPlans = `{"format":1,"group":"team.example.com","kinds":[{"kind":"Member","plural":"members","hub":"v2storage","spec":0,"status":1,"versions":[
{"name":"v1","spec":2,"status":1,"outline":{"steps":[[{"far":"size","near":"count"},{"far":"first","down":[{"name":"first"}]},{"far":"last","down":[{"name":"last"}]},{"near":"name","up":[{"name":"name"}]}]]}},
{"name":"v2","spec":0,"status":1,"plan":{}}
]}],"objects":[
{"members":[{"name":"count","type":"i"},{"name":"name","type":"s"},{"name":"free","type":"j"}]},
{"members":[]},
{"members":[{"name":"size","type":"i"},{"name":"first","type":"s"},{"name":"last","type":"s"},{"name":"free","type":"j"}]}
]}`

const member = `# The captain.
apiVersion: team.example.com/v1 # of the team
kind: Member
metadata: {name: ann}
spec:
  # How many.
  size: 3 # at least
  first: Ann # the first name
  # Of the family.
  last: Lee
  free: {x: 1} # stays
`

const memberLater = `# The captain.
apiVersion: team.example.com/v2 # of the team
kind: Member
metadata: {name: ann}
spec:
  # How many.
  count: 3 # at least
  name: Ann Lee # the first name
  free: {x: 1} # stays
`

// convertedBy converts a text by this test's program, with a behaviour.
func convertedBy(ctx context.Context, t *testing.T, behaviour string, file conversion.File, o conversion.Options) *conversion.Result {
	t.Helper()
	plans := new(conversion.Plans)
	if err := plans.Add([]byte(teamPlans)); err != nil {
		t.Fatal(err)
	}
	limit := time.Minute
	if behaviour == "silent" {
		limit = 500 * time.Millisecond
	}
	o.Programs = conversion.NewPrograms(ctx, func(group string) []string {
		if group != "team.example.com" {
			t.Errorf("asked for a program of %s", group)
		}
		if behaviour == "" {
			return nil
		}
		return []string{os.Args[0], "convert", behaviour}
	}, limit)
	defer o.Programs.Close()
	return plans.Convert(t.Context(), file, o)
}

// TestProgram converts a kind with hand-written steps in both directions. Comments stay with the
// properties that an outline follows.
func TestProgram(t *testing.T) {
	const back = "  first: Ann # the first name\n  free: {x: 1} # stays\n  last: Lee\n"
	i, end := strings.Index(member, "  first"), strings.Index(member, "stays\n")+len("stays\n")
	for _, test := range []struct{ to, text, want string }{
		{"v2", member, memberLater}, {"v1", memberLater, member[:i] + back + member[end:]}, {"v1", member, member},
	} {
		for _, keep := range []bool{false, true} {
			r := convertedBy(t.Context(), t, "fine", conversion.File{Name: "m.yaml", Text: strings.Repeat(test.text+"---\n", 3)}, conversion.Options{To: test.to, Keep: keep})
			if want := strings.Repeat(test.want+"---\n", 3); r.After != want || len(r.Messages) > 0 {
				t.Errorf("to %s, %t:\n%s\nwant\n%s\n%v", test.to, keep, r.After, want, r.Messages)
			}
		}
	}
}

// TestProgramsAreChecked refuses wrong answers of programs, and changes nothing.
func TestProgramsAreChecked(t *testing.T) {
	for behaviour, want := range map[string]string{
		"":              "hand-written steps take part in the conversion of Member from v1 to v2, which the plans do not contain",
		"silent":        "it has not answered within 500ms",
		"ends":          "it has ended without an answer: it reports: out of [31mluck",
		"endless":       "its answer is longer than 16777216 bytes",
		"no-json":       "unexpected end of JSON input",
		"other-uid":     "it answers another review",
		"none":          "its answer has 0 objects, and not 1",
		"two":           "its answer has 2 objects, and not 1",
		"number":        "its answer is wrong: it is not an object",
		"other-version": `its answer is wrong: apiVersion is not "team.example.com/v2"`,
		"other-kind":    `its answer is wrong: kind is not "Member"`,
		"other-name":    "its answer is wrong: metadata differs",
		"more-labels":   "its answer is wrong: metadata differs",
		"loses":         "v2 cannot express spec.size",
		"refuses":       "the [31mstep says no",
	} {
		t.Run("program "+behaviour, func(t *testing.T) {
			begin := time.Now()
			r := convertedBy(t.Context(), t, behaviour, conversion.File{Name: "m.yaml", Text: member + "---\n" + member}, conversion.Options{To: "v2"})
			if r.After != r.Text || len(r.Messages) != 2 || !strings.Contains(r.Messages[0].Error(), want) {
				t.Errorf("%v\nwant %s\n%s", r.Messages, want, r.After)
			}
			if took := time.Since(begin); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// TestProgramThatReadsNothing has a program that ends before it reads an object, which is larger
// than what a pipe holds. The message says so, and not that a pipe is broken.
func TestProgramThatReadsNothing(t *testing.T) {
	text := strings.Replace(member, "free: {x: 1}", "free: {x: "+strings.Repeat("x", 1<<20)+"}", 1)
	r := convertedBy(t.Context(), t, "leaves", conversion.File{Name: "m.yaml", Text: text}, conversion.Options{To: "v2"})
	if want := "it has ended without an answer: it reports: no time"; r.After != text || len(r.Messages) != 1 || !strings.Contains(r.Messages[0].Error(), want) {
		t.Errorf("%v, want %s", r.Messages, want)
	}
}

// TestProgramsKeepNothing refuses a program that loses values although they are to be kept.
func TestProgramsKeepNothing(t *testing.T) {
	r := convertedBy(t.Context(), t, "loses", conversion.File{Name: "m.yaml", Text: member}, conversion.Options{To: "v2", Keep: true})
	if r.After != r.Text || len(r.Messages) != 1 || !strings.Contains(r.Messages[0].Error(), "loses spec.size: the value does not come back") {
		t.Errorf("%v\n%s", r.Messages, r.After)
	}
}

// TestProgramsEnd ends a program that is silent when a conversion is cancelled.
func TestProgramsEnd(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	programs := conversion.NewPrograms(ctx, func(string) []string { return []string{os.Args[0], "convert", "silent"} }, time.Hour)
	defer programs.Close()
	plans := new(conversion.Plans)
	if err := plans.Add([]byte(teamPlans)); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	r := plans.Convert(ctx, conversion.File{Name: "m.yaml", Text: member}, conversion.Options{To: "v2", Programs: programs})
	if took := time.Since(begin); !r.Failed() || took > 30*time.Second {
		t.Errorf("it ended after %s: %v", took, r.Messages)
	}
}

// TestProgramsAndPatches refuses patches of kinds with hand-written steps.
func TestProgramsAndPatches(t *testing.T) {
	for name, file := range map[string]conversion.File{
		"a file":      {Text: member, IsPatch: true},
		"operations":  {Text: "- {op: replace, path: /spec/size, value: 1}\n", Targets: []conversion.Target{{Group: "team.example.com", Version: "v1", Kind: "Member"}}, IsPatch: true},
		"inline":      {Text: "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- patch: |-\n    apiVersion: team.example.com/v1\n    kind: Member\n    metadata: {name: a}\n"},
		"a directive": {Text: strings.Replace(member, "  size: 3", "  $patch: replace\n  size: 3", 1)},
	} {
		file.Name = "m.yaml"
		r := convertedBy(t.Context(), t, "fine", file, conversion.Options{To: "v2"})
		if r.After != r.Text || len(r.Messages) != 1 || !strings.Contains(r.Messages[0].Error(), "need the whole object, which a patch is not") {
			t.Errorf("%s: %v\n%s", name, r.Messages, r.After)
		}
	}
}

// TestPatched lists the files that a kustomization names as patches.
func TestPatched(t *testing.T) {
	all := conversion.Patched(conversion.File{Name: "kustomization.yaml", Text: "patches:\n- path: ./a.yaml\n- {path: b.yaml, target: {group: g, version: v, kind: K}}\n- patch: x\npatchesStrategicMerge: [c.yaml]\npatchesJson6902:\n- {path: b.yaml, target: {kind: L}}\nresources: [d.yaml]\n"})
	if got, want := fmt.Sprint(all), "map[a.yaml:[] b.yaml:[{g v K} {  L}] c.yaml:[]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
