package provider_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/api/crm/v20190909"
	v20190909storage "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
	"github.com/stratakube/strata/operator/plugin/member"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/runtime"
)

// addedTo returns the names in JSON of the members of a generated struct that Strata has added:
// those whose types are of package runtime or of conditions, and those of some Go names.
func addedTo(root any, names ...string) (added []string) {
	t := reflect.TypeOf(root)
	for i := range t.NumField() {
		field := t.Field(i)
		of := field.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		isAdded := of.PkgPath() == reflect.TypeFor[runtime.Owner]().PkgPath() && of != reflect.TypeFor[runtime.JSON]() ||
			of == reflect.TypeFor[metav1.Condition]() || slices.Contains(names, field.Name)
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); isAdded && name != "" {
			added = append(added, name)
		}
	}
	slices.Sort(added)
	return added
}

// TestMembersOfGeneratedTypes compares the names of members with those of generated types. A member
// that the generator adds, or calls otherwise, fails it.
func TestMembersOfGeneratedTypes(t *testing.T) {
	for _, test := range []struct {
		reason    string
		got, want []string
	}{
		{"of specs", addedTo(v20190909.PartySpec{}, "AzureName"), []string{member.AzureName, member.ConfigMapRefs, member.Outputs, member.Owner}},
		{"of stored specs", addedTo(v20190909storage.PartySpec{}, "AzureName", "OriginalVersion"), []string{"$propertyBag", member.AzureName, member.ConfigMapRefs, member.OriginalVersion, member.Outputs, member.Owner}},
		{"of statuses", addedTo(v20190909.PartyStatus{}, "PropertyBag"), []string{member.Conditions, member.PropertyBag}},
		{"of owners", membersOf(runtime.Owner{}), []string{member.OwnerID, member.OwnerName}},
		{"that are not sent", slices.Sorted(slices.Values(provider.AddedMembers(&v20190909.PartySpec{}))), []string{member.AzureName, member.ConfigMapRefs, member.Outputs, member.Owner, member.SecretRefs}},
	} {
		if slices.Sort(test.want); !slices.Equal(test.got, test.want) {
			t.Errorf("members %s: generated types have %q, the operator %q", test.reason, test.got, test.want)
		}
	}
}

func membersOf(root any) (names []string) {
	t := reflect.TypeOf(root)
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
