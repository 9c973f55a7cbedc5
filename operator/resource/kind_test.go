package resource_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/operator/resource"
)

func read(t *testing.T) *resource.Set {
	t.Helper()
	scheme := k8sruntime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	set, err := resource.Read(scheme)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestKindsOfWorkedExample(t *testing.T) {
	const group = "crm.example.com"
	note := read(t).Of(schema.GroupKind{Group: group, Kind: "PersonsNote"})
	want := &resource.Kind{
		Hub:  schema.GroupVersionKind{Group: group, Version: "v20170707storage", Kind: "PersonsNote"},
		Type: "Microsoft.Crm/persons/notes",
		Versions: map[string]string{
			"v20130303": "2013-03-03", "v20140404preview": "2014-04-04-preview", "v20140404": "2014-04-04",
			"v20150505": "2015-05-05", "v20160606": "2016-06-06", "v20170707": "2017-07-07",
		},
		Owner:  "owner",
		Parent: schema.GroupKind{Group: group, Kind: "Person"},
	}
	if diff := cmp.Diff(want, note); diff != "" {
		t.Errorf("the kind (-want +got):\n%s", diff)
	}
	person := read(t).Of(note.Parent)
	if !person.Parent.Empty() || len(person.Children) != 1 || person.Children[0] != note.Hub.GroupKind() {
		t.Errorf("Person has the parent %s and the children %v", person.Parent, person.Children)
	}
	if person.API().Version != "v20190909" {
		t.Errorf("references name %s", person.API())
	}
}

func TestSelect(t *testing.T) {
	for _, test := range []struct {
		reason    string
		selectors []string
		want      string
		fails     string
	}{
		{"without a selector it is all", nil, "Party Person PersonsNote", ""},
		{"a group is all of its kinds", []string{"crm.example.com"}, "Party Person PersonsNote", ""},
		{"a kind is itself, once", []string{"crm.example.com/Person", "crm.example.com/Person"}, "Person", ""},
		{"each selector that names nothing is told", []string{"crm.example.com/Person", "x", "y/Z"}, "Person", `no kind is "x"`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			chosen, err := read(t).Select(test.selectors...)
			var names []string
			for _, k := range chosen {
				names = append(names, k.Hub.Kind)
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("it selects %q, want %q", got, test.want)
			}
			if (err != nil) != (test.fails != "") || err != nil && !strings.Contains(err.Error(), test.fails) {
				t.Errorf("the error is %v, want %q", err, test.fails)
			}
		})
	}
}
