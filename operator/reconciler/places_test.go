package reconciler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlacesAreThoseOfUsers(t *testing.T) {
	for _, test := range []struct {
		reason       string
		stored, want []string
	}{
		{"what the stored version has", []string{"location", "properties.phones[2].prefix"}, []string{"location", "properties.phones[2].prefix"}},
		{"what it has not", []string{"$propertyBag.sku", "properties.$propertyBag.firstName"}, []string{"sku", "properties.firstName"}},
		{"a later property of that name", []string{"properties.$propertyBag.name@v20140404preview.2"}, []string{"properties.name of v20140404preview"}},
		{"a value of the wrong type", []string{"properties.$propertyBag.age@v20180808!raw", "$propertyBag.tags@v20180808!elements!raw"}, []string{"properties.age of v20180808", "tags of v20180808"}},
		{"something in a bag in a bag", []string{"$propertyBag.a@v20140404.b[1].$propertyBag.c"}, []string{"a.b[1].c of v20140404"}},
		{"additional members", []string{"$propertyBag.$additionalProperties.mine"}, []string{"mine"}},
		{"all additional members", []string{"tags.$propertyBag.$additionalProperties", "$propertyBag.$additionalProperties"}, []string{"tags", "spec"}},
		{"a property twice", []string{"$propertyBag.a@v20140404", "$propertyBag.a@v20140404.2"}, []string{"a of v20140404"}},
		{"a sign that is part of a name", []string{"tags.me@home", "tags.$price"}, []string{"tags.me@home", "tags.$price"}},
	} {
		if diff := cmp.Diff(test.want, places(test.stored)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
