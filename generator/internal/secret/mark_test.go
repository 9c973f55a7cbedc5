package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/secret"
)

const things = `
resource A/things
  kind Thing things
  version 2013-03-03
    spec &ThingSpec
    def ThingSpec object
      .key string
      ."x.y" string
      .a &Other
      .list list list &Nested
      .map map &Nested
      .many list string
      .count int
    def Other object
      .key! string
      .b &Deep
    def Deep object
      .key any
      .note string
    def Nested object
      .key string
      .again &Nested
`

func parse(t testing.TB, text string) *model.Resource {
	t.Helper()
	all, err := model.Parse("model", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// TestRelease checks that properties whose values may come from ConfigMaps become optional, in
// specs only, and that no secret is marked.
func TestRelease(t *testing.T) {
	const schema = `
resource A/things
  kind Thing things
  version 2013-03-03
    spec &ThingSpec
    status &ThingStatus
    def ThingSpec object
      .id! string
      .count! int
      .mode! enum open string("a")
      .many! list string
      .a! &Other
    def Other object
      .id! string
      .other! string
    def ThingStatus object
      .id string
`
	rules := func(names ...string) (all []config.PropertyRule) {
		for _, name := range names {
			all = append(all, config.PropertyRule{Name: name, ConfigMap: true})
		}
		return all
	}
	r := parse(t, schema)
	marked := secret.NewRules(append(rules("id", "count", "mode", "many", "a"), config.PropertyRule{Name: "other", Secret: true}))
	marked.Mark(r)
	v := r.Versions[0]
	for path, want := range map[string]bool{"ThingSpec.id": false, "ThingSpec.count": false, "ThingSpec.mode": false, "ThingSpec.many": true, "ThingSpec.a": true, "Other.id": false, "Other.other": false} {
		def, name, _ := strings.Cut(path, ".")
		if got := v.Def(def).Object().Property(name).Required; got != want {
			t.Errorf("%s is required: %t, want %t", path, got, want)
		}
	}
	if got := strings.Join(v.SecretPaths(), " "); got != "a.other" {
		t.Errorf("the secrets are %s", got)
	}
	if use := marked.Use(0); use.Marked != 2 || use.Unfit != 0 {
		t.Errorf("the first rule has matched %+v", use)
	}
	if use := marked.Use(3); use.Marked != 0 || use.Unfit != 1 {
		t.Errorf("a list can come from a ConfigMap: %+v", use)
	}
}

// TestMark marks properties by patterns, and lists the secrets.
func TestMark(t *testing.T) {
	tests := []struct {
		reason string
		rules  []config.PropertyRule
		want   string
	}{
		{"a path", []config.PropertyRule{{Property: "a.key", Secret: true}}, "a.key"},
		{"whatever its letters", []config.PropertyRule{{Property: "A.Key", Secret: true}}, "a.key"},
		{"in lists, with their brackets or without", []config.PropertyRule{{Property: "list[][].key", Secret: true}}, "list[][].key map.*.key"},
		{"in maps", []config.PropertyRule{{Property: "map.*.key", Secret: true}}, "list[][].key map.*.key"},
		{"a star for one name", []config.PropertyRule{{Property: "*.key", Secret: true}}, "a.key list[][].key map.*.key"},
		{"two for any number", []config.PropertyRule{{Property: "a.**.key", Secret: true}}, "a.b.key a.key"},
		{"a name at any place", []config.PropertyRule{{Name: "k?y", Secret: true}}, "a.b.key a.key key list[][].key map.*.key"},
		{"a name with a dot", []config.PropertyRule{{Property: `["x.y"]`, Secret: true}}, `["x.y"]`},
		{"a list of strings", []config.PropertyRule{{Name: "many", Secret: true}}, "many"},
		{"no number", []config.PropertyRule{{Name: "count", Secret: true}}, ""},
		{"the first rule that matches decides", []config.PropertyRule{{Property: "a.b.key"}, {Name: "key", Secret: true}}, "a.key key list[][].key map.*.key"},
		{"of one resource", []config.PropertyRule{{Resource: "a/T*", Name: "note", Secret: true}, {Resource: "B/**", Name: "key", Secret: true}}, "a.b.note"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			r := parse(t, things)
			secret.NewRules(tt.rules).Mark(r)
			if diff := cmp.Diff(tt.want, strings.Join(r.Versions[0].SecretPaths(), " ")); diff != "" {
				t.Errorf("secrets (-want +got):\n%s", diff)
			}
			if p := r.Versions[0].Def("Other").Object().Property("key"); p.Secret && p.Required {
				t.Error("a secret is required")
			}
		})
	}
}

// TestMarkEnums marks enums that are texts in another version, and notes other types.
func TestMarkEnums(t *testing.T) {
	const versions = `
resource A/things
  kind Thing things
  version 2013-03-03
    spec &ThingSpec
    def ThingSpec object
      .key string
      .mode enum string("a")
      .a &Other
    def Other object
      .key enum string("a")
      .code int
  version 2014-04-04
    spec &ThingSpec
    def ThingSpec object
      .key! enum open string("a", "b")
      .mode enum string("a")
      .a &Other
    def Other object
      .key list string
      .code string
`
	tests := []struct {
		reason string
		rule   config.PropertyRule
		want   [2]string
		use    secret.Use
	}{
		{"an enum after a text", config.PropertyRule{Property: "key", Secret: true}, [2]string{"key", "key"}, secret.Use{Resources: 1, Marked: 2}},
		{"an enum before a list of texts, at any place", config.PropertyRule{Name: "k*y", Secret: true}, [2]string{"a.key key", "a.key key"}, secret.Use{Resources: 1, Marked: 4}},
		{"an enum in all versions", config.PropertyRule{Property: "mode", Secret: true}, [2]string{}, secret.Use{Resources: 1, Unfit: 2}},
		{"an enum of another type", config.PropertyRule{Property: "{key,mode}", Secret: true}, [2]string{"key", "key"}, secret.Use{Resources: 1, Marked: 2, Unfit: 2}},
		{"an integer before a text", config.PropertyRule{Name: "code", Secret: true}, [2]string{"", "a.code"}, secret.Use{Resources: 1, Marked: 1, Unfit: 1, Mixed: []string{"2013-03-03"}}},
		{"no secret", config.PropertyRule{Property: "key"}, [2]string{}, secret.Use{Resources: 1, Marked: 1, Unfit: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			r, rules := parse(t, versions), secret.NewRules([]config.PropertyRule{tt.rule})
			rules.Mark(r)
			var got [2]string
			for i, v := range r.Versions {
				got[i] = strings.Join(v.SecretPaths(), " ")
			}
			if got != tt.want {
				t.Errorf("secrets are %q, want %q", got, tt.want)
			}
			if diff := cmp.Diff(tt.use, rules.Use(0)); diff != "" {
				t.Errorf("matches (-want +got):\n%s", diff)
			}
			if r.Versions[1].Def("ThingSpec").Object().Property("key").Required == strings.Contains(" "+got[1]+" ", " key ") {
				t.Error("a secret is required, or what is no secret is not")
			}
		})
	}
}

// TestMarkIsLinear checks that marking types that all refer to each other is fast, and that the
// list of their paths is bounded.
func TestMarkIsLinear(t *testing.T) {
	var text strings.Builder
	text.WriteString("resource A/things\n  kind Thing things\n  version 2013-03-03\n    spec &D0\n")
	for i := range 40 {
		fmt.Fprintf(&text, "    def D%d object\n      .key string\n", i)
		for j := range 40 {
			fmt.Fprintf(&text, "      .to%d &D%d\n", j, j)
		}
	}
	r := parse(t, text.String())
	rules := secret.NewRules([]config.PropertyRule{{Property: "**.to1.**.to2.**.key", Secret: true}})
	rules.Mark(r)
	if use := rules.Use(0); use.Marked == 0 || use.Marked > 40*8 {
		t.Errorf("%d properties were matched, want each at most once for each state", use.Marked)
	}
	if n := len(r.Versions[0].SecretPaths()); n == 0 || n > 2040 {
		t.Errorf("%d paths are listed", n)
	}
}
