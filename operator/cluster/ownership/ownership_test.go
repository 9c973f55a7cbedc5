package ownership_test

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratakube/strata/operator/cluster/ownership"
)

// widgets are the histories of a kind in four versions, whose hub is the third. From v1 to v2, the
// title becomes heading, rows get another key, and the text becomes a list. The timeout moves. The
// note skips v2. The size is another value in v3. A hand-written step converts the owner object
// between v2 and v3. The members of v4 are at the root. The tags are a map in v1 and an object in
// the others. Each group has rows.
const widgets = `{"format":1,"group":"example.com","kind":"Widget","plural":"widgets","spec":0,"status":4,"versions":[
{"name":"v1","storage":"v1storage","next":1},
{"name":"v2","storage":"v2storage","next":2},
{"name":"v3","storage":"v3storage","next":2},
{"name":"v4","storage":"v4storage","next":2,"atRoot":true}],"objects":[
{"properties":[
 [{"from":0,"to":0,"name":"title","form":0},{"from":1,"to":3,"name":"heading","form":0}],
 [{"from":0,"to":0,"name":"rows","form":0,"levels":"ko","object":1,"keys":["name"]},{"from":1,"to":3,"name":"rows","form":0,"levels":"ko","object":1,"keys":["label"]}],
 [{"from":0,"to":0,"name":"text","form":0},{"from":1,"to":3,"name":"texts","form":1,"levels":"l"}],
 [{"from":0,"to":0,"name":"note","form":0},{"from":2,"to":3,"name":"note","form":0}],
 [{"from":0,"to":1,"name":"size","form":0},{"from":2,"to":3,"name":"size","form":1}],
 [{"from":0,"to":3,"name":"limits","form":0,"levels":"o","object":2}],
 [{"from":0,"to":3,"name":"owner","form":0,"levels":"o","object":3}],
 [{"from":0,"to":3,"name":"labels","form":0,"levels":"m"}],
 [{"from":0,"to":3,"name":"free","form":0}],
 [{"from":0,"to":0,"name":"zones","form":0,"levels":"s"},{"from":1,"to":1,"name":"zones","form":0,"levels":"l"},{"from":2,"to":3,"name":"zones","form":0,"levels":"s"}],
 [{"from":0,"to":0,"name":"retry","form":0,"levels":"o","object":5},{"from":1,"to":3,"name":"retry","form":0,"levels":"x","object":5}],
 [{"from":0,"to":0,"name":"tags","form":0,"levels":"m","object":6},{"from":1,"to":3,"name":"tags","form":0,"levels":"o","object":6}],
 [{"from":0,"to":0,"name":"groups","form":0,"levels":"mko","object":1,"keys":["name"]},{"from":1,"to":3,"name":"groups","form":0,"levels":"mko","object":1,"keys":["label"]}]],
 "conversions":[{"far":0,"near":1,"of":[2],"to":[2]},{"far":0,"near":1,"of":[5,0],"to":[10,0]}]},
{"properties":[[{"from":0,"to":0,"name":"name","form":0},{"from":1,"to":3,"name":"label","form":0}],[{"from":0,"to":3,"name":"height","form":0}]]},
{"properties":[[{"from":0,"to":0,"name":"timeout","form":0}],[{"from":0,"to":3,"name":"count","form":0}]]},
{"properties":[[{"from":0,"to":3,"name":"name","form":0}],[{"from":2,"to":3,"name":"alias","form":0}]],"steps":[{"far":1,"near":2}]},
{"properties":[[{"from":0,"to":3,"name":"ready","form":0}],[{"from":0,"to":3,"name":"*","form":0,"levels":"m"}]]},
{"properties":[[{"from":1,"to":3,"name":"timeout","form":0}]]},
{"properties":[[{"from":0,"to":0,"name":"*","form":0,"levels":"m"}],[{"from":1,"to":3,"name":"app","form":0}]]}
]}
`

func kind(t *testing.T) *ownership.Kind {
	t.Helper()
	k, err := ownership.Read([]byte(widgets))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// set reads a set of fields as metadata.managedFields has it.
func set(t *testing.T, fields string) *fieldpath.Set {
	t.Helper()
	out := fieldpath.NewSet()
	if err := out.FromJSON(strings.NewReader(fields)); err != nil {
		t.Fatalf("%s: %v", fields, err)
	}
	return out
}

// TestTranslate translates sets of fields, and checks what becomes of each.
func TestTranslate(t *testing.T) {
	for _, tc := range []struct{ name, from, to, fields, want, whole, lost, stepped string }{
		{name: "a name changes", from: "v1", to: "v3", fields: `{"f:spec":{"f:title":{}}}`, want: `{"f:spec":{"f:heading":{}}}`},
		{name: "and changes back", from: "v3", to: "v1", fields: `{"f:spec":{"f:heading":{}}}`, want: `{"f:spec":{"f:title":{}}}`},
		{name: "storage versions", from: "v1storage", to: "v3storage", fields: `{"f:spec":{"f:title":{}}}`, want: `{"f:spec":{"f:heading":{}}}`},
		{
			name: "a key of a list changes", from: "v1", to: "v2",
			fields: `{"f:spec":{"f:rows":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:height":{}}}}}`,
			want:   `{"f:spec":{"f:rows":{"k:{\"label\":\"a\"}":{".":{},"f:label":{},"f:height":{}}}}}`,
		},
		{name: "a property that skips a version", from: "v1", to: "v3", fields: `{"f:spec":{"f:note":{}}}`, want: `{"f:spec":{"f:note":{}}}`},
		{name: "a property that the version lacks", from: "v1", to: "v2", fields: `{"f:spec":{"f:note":{}}}`, want: `{"f:spec":{}}`, lost: `{"f:spec":{"f:note":{}}}`},
		{name: "another property of the same name", from: "v1", to: "v3", fields: `{"f:spec":{"f:size":{}}}`, want: `{"f:spec":{}}`, lost: `{"f:spec":{"f:size":{}}}`},
		{name: "a declared change", from: "v1", to: "v3", fields: `{"f:spec":{"f:text":{}}}`, want: `{"f:spec":{"f:texts":{}}}`, whole: `{"f:spec":{"f:texts":{}}}`},
		{name: "and back", from: "v3", to: "v1", fields: `{"f:spec":{"f:texts":{}}}`, want: `{"f:spec":{"f:text":{}}}`, whole: `{"f:spec":{"f:text":{}}}`},
		{
			name: "a property that moves", from: "v1", to: "v2", fields: `{"f:spec":{"f:limits":{"f:timeout":{},"f:count":{}}}}`,
			want: `{"f:spec":{"f:limits":{"f:count":{}}}}`, lost: `{"f:spec":{"f:limits":{"f:timeout":{}}}}`,
		},
		{name: "free JSON and maps", from: "v1", to: "v3", fields: `{"f:spec":{"f:free":{"f:a":{"f:b":{}}},"f:labels":{"f:x":{}}}}`, want: `{"f:spec":{"f:free":{"f:a":{"f:b":{}}},"f:labels":{"f:x":{}}}}`},
		{name: "a set becomes atomic", from: "v1", to: "v2", fields: `{"f:spec":{"f:zones":{"v:\"a\"":{},"v:\"b\"":{}}}}`, want: `{"f:spec":{"f:zones":{}}}`},
		{name: "an atomic list becomes a set", from: "v2", to: "v3", fields: `{"f:spec":{"f:zones":{}}}`, want: `{"f:spec":{"f:zones":{}}}`, whole: `{"f:spec":{"f:zones":{}}}`},
		{name: "a set stays one", from: "v1", to: "v3", fields: `{"f:spec":{"f:zones":{"v:\"a\"":{}}}}`, want: `{"f:spec":{"f:zones":{"v:\"a\"":{}}}}`},
		{
			name: "a step by hand", from: "v1", to: "v3", fields: `{"f:spec":{"f:owner":{"f:name":{}}}}`,
			want: `{"f:spec":{"f:owner":{"f:name":{}}}}`, stepped: `{"f:spec":{"f:owner":{"f:name":{}}}}`,
		},
		{name: "members at the root", from: "v1", to: "v4", fields: `{"f:spec":{"f:title":{}},"f:status":{"f:ready":{}}}`, want: `{"f:heading":{},"f:status":{"f:ready":{}}}`},
		{name: "and back in the spec", from: "v4", to: "v1", fields: `{"f:heading":{},"f:metadata":{"f:labels":{"f:x":{}}}}`, want: `{"f:spec":{"f:title":{}},"f:metadata":{"f:labels":{"f:x":{}}}}`},
		{name: "an empty spec", from: "v1", to: "v4", fields: `{"f:spec":{}}`, want: `{}`},
		{name: "an empty spec that stays", from: "v1", to: "v2", fields: `{"f:spec":{}}`, want: `{"f:spec":{}}`},
		{
			name: "a map that becomes an object", from: "v1", to: "v2", fields: `{"f:spec":{"f:tags":{"f:app":{},"f:b":{}}}}`,
			want: `{"f:spec":{"f:tags":{"f:app":{}}}}`, whole: `{"f:spec":{"f:tags":{"f:app":{}}}}`, lost: `{"f:spec":{"f:tags":{"f:b":{}}}}`,
		},
		{
			name: "an object that becomes a map", from: "v3", to: "v1", fields: `{"f:spec":{"f:tags":{"f:app":{}}}}`,
			want: `{"f:spec":{"f:tags":{"f:app":{}}}}`, whole: `{"f:spec":{"f:tags":{"f:app":{}}}}`,
		},
		{
			name: "a key of lists in a map changes", from: "v1", to: "v2",
			fields: `{"f:spec":{"f:groups":{"f:g":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:height":{}}}}}}`,
			want:   `{"f:spec":{"f:groups":{"f:g":{"k:{\"label\":\"a\"}":{".":{},"f:label":{},"f:height":{}}}}}}`,
		},
		{name: "members that no schema names", from: "v1", to: "v2", fields: `{"f:status":{"f:any":{"f:thing":{}}}}`, want: `{"f:status":{"f:any":{"f:thing":{}}}}`},
		{name: "members of Strata's own", from: "v1", to: "v2", fields: `{"f:spec":{"f:azureName":{}}}`, want: `{"f:spec":{"f:azureName":{}}}`},
		{name: "metadata", from: "v1", to: "v2", fields: `{"f:metadata":{"f:annotations":{"f:a":{}}}}`, want: `{"f:metadata":{"f:annotations":{"f:a":{}}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := kind(t).Translate(set(t, tc.fields), tc.from, tc.to)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []struct {
				name string
				got  *fieldpath.Set
				want string
			}{{"set", got.Set, tc.want}, {"whole", got.Whole, tc.whole}, {"lost", got.Lost, tc.lost}, {"stepped", got.Stepped, tc.stepped}} {
				if part.want == "" {
					part.want = "{}"
				}
				if want := set(t, part.want); !part.got.Equals(want) {
					t.Errorf("%s:\n%v\nwant\n%v", part.name, part.got, want)
				}
			}
		})
	}
}

// TestTranslateThroughObjects checks that a conversion to a property of another object is followed
// only where the path to that leads through objects: v2 has the object as an atomic one.
func TestTranslateThroughObjects(t *testing.T) {
	k, err := ownership.Read([]byte(strings.ReplaceAll(widgets, `"name":"retry","form":0,"levels":"x"`, `"name":"retry","form":0,"levels":"o"`)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := k.Translate(set(t, `{"f:spec":{"f:limits":{"f:timeout":{}}}}`), "v1", "v2")
	if err != nil {
		t.Fatal(err)
	}
	if want := set(t, `{"f:spec":{"f:retry":{"f:timeout":{}}}}`); !got.Set.Equals(want) || !got.Whole.Equals(want) {
		t.Errorf("got %v, of which %v converts as a whole", got.Set, got.Whole)
	}
}

// TestOver checks that whole fields are replaced by what the live object has in them.
func TestOver(t *testing.T) {
	got, err := kind(t).Translate(set(t, `{"f:spec":{"f:zones":{},"f:labels":{"f:x":{}}}}`), "v2", "v3")
	if err != nil {
		t.Fatal(err)
	}
	live := set(t, `{"f:spec":{"f:zones":{"v:\"a\"":{},"v:\"b\"":{}},"f:labels":{"f:x":{},"f:y":{}}}}`)
	if got, want := got.Over(live).Leaves(), set(t, `{"f:spec":{"f:zones":{"v:\"a\"":{},"v:\"b\"":{}},"f:labels":{"f:x":{}}}}`); !got.Equals(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := got.Over(fieldpath.NewSet()); !got.Equals(set(t, `{"f:spec":{"f:labels":{"f:x":{}}}}`)) {
		t.Errorf("the object has no zones, but the owner has %v", got)
	}
}

// TestUnknownVersions checks that versions of other releases are errors.
func TestUnknownVersions(t *testing.T) {
	for _, pair := range [][2]string{{"v0", "v1"}, {"v1", "v9"}} {
		if _, err := kind(t).Translate(fieldpath.NewSet(), pair[0], pair[1]); err == nil || !strings.Contains(err.Error(), "Widget has no version v") {
			t.Errorf("%v: %v", pair, err)
		}
	}
}

// TestDamage checks that what strata does not write is refused.
func TestDamage(t *testing.T) {
	for name, change := range map[string][2]string{
		"another format":            {`"format":1`, `"format":2`},
		"an unknown member":         {`"plural"`, `"plurals"`},
		"text after it":             {"]}\n", "]} {}"},
		"no hub":                    {`"storage":"v3storage","next":2`, `"storage":"v3storage","next":0`},
		"a version out of range":    {`"next":1`, `"next":9`},
		"a spec out of range":       {`"spec":0`, `"spec":9`},
		"an object out of range":    {`"object":5`, `"object":77`},
		"spans that overlap":        {`{"from":1,"to":3,"name":"heading"`, `{"from":0,"to":3,"name":"heading"`},
		"unknown levels":            {`"levels":"l"`, `"levels":"q"`},
		"an object without its own": {`"levels":"o","object":2`, `"levels":"o"`},
		"levels after an object":    {`"levels":"o","object":2`, `"levels":"om","object":2`},
		"further members, no map":   {`"name":"*","form":0,"levels":"m"`, `"name":"*","form":0`},
		"an empty conversion":       {`"of":[2]`, `"of":[]`},
		"a step out of range":       {`"steps":[{"far":1`, `"steps":[{"far":-1`},
		"two hubs":                  {`"storage":"v4storage","next":2`, `"storage":"v4storage","next":3`},
		"a version twice":           {`"name":"v2","storage"`, `"name":"v1","storage"`},
		"a storage version twice":   {`"storage":"v2storage"`, `"storage":"v1"`},
	} {
		text := strings.Replace(widgets, change[0], change[1], 1)
		if text == widgets {
			t.Fatalf("%s: nothing changed", name)
		}
		if _, err := ownership.Read([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestTranslateFurtherMembersWithName checks that members without a name in one version are those
// of a property in another.
func TestTranslateFurtherMembersWithName(t *testing.T) {
	k, err := ownership.Read([]byte(strings.ReplaceAll(widgets, `[{"from":0,"to":3,"name":"*","form":0,"levels":"m"}]`,
		`[{"from":0,"to":0,"name":"*","form":0,"levels":"m"},{"from":1,"to":2,"name":"any","form":0,"levels":"m"},{"from":3,"to":3,"name":"any","form":0}]`)))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ from, to, fields, want string }{
		{"v1", "v2", `{"f:status":{"f:x":{}}}`, `{"f:status":{"f:any":{"f:x":{}}}}`},
		{"v2", "v1", `{"f:status":{"f:any":{"f:x":{}}}}`, `{"f:status":{"f:x":{}}}`},
		{"v1", "v4", `{"f:status":{"f:x":{}}}`, `{"f:status":{"f:any":{}}}`},
	} {
		got, err := k.Translate(set(t, tc.fields), tc.from, tc.to)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Set.Equals(set(t, tc.want)) {
			t.Errorf("%s: %v in %s, want %s", tc.fields, got.Set, tc.to, tc.want)
		}
	}
}

// TestManyVersions reads a long chain of versions. A walk to the hub from each would take minutes.
func TestManyVersions(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"format":1,"group":"g","kind":"K","plural":"ks","spec":0,"status":0,"objects":[{}],"versions":[`)
	const n = 200_000
	for i := range n {
		fmt.Fprintf(&b, `{"name":"v%d","storage":"","next":%d},`, i, min(i+1, n-1))
	}
	text := strings.TrimSuffix(b.String(), ",") + "]}"
	k, err := ownership.Read([]byte(text))
	if err != nil || len(k.Versions()) != n {
		t.Fatal(err)
	}
}

// FuzzTranslate checks that no histories and no set make Translate panic.
func FuzzTranslate(f *testing.F) {
	f.Add(widgets, `{"f:spec":{"f:rows":{"k:{\"name\":\"a\"}":{"f:name":{}}},"f:limits":{"f:timeout":{}}}}`)
	f.Add(widgets, `{"f:spec":{"f:rows":{"i:1":{}},"v:1":{},"f:limits":{"v:2":{}}},"v:3":{}}`)
	f.Fuzz(func(t *testing.T, histories, fields string) {
		k, err := ownership.Read([]byte(histories))
		if err != nil {
			return
		}
		s := fieldpath.NewSet()
		if s.FromJSON(strings.NewReader(fields)) != nil {
			return
		}
		for _, from := range k.Versions() {
			for _, to := range k.Versions() {
				translated, err := k.Translate(s, from, to)
				if err != nil {
					t.Fatal(err)
				}
				translated.Over(s)
			}
		}
	})
}
