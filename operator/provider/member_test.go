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
	"github.com/stratakube/strata/runtime/convert"
)

// addedTo returns the JSON names of the members of a generated struct that Strata has added.
// Their types are of package runtime or conditions, or they have one of the Go names.
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

// TestMembersOfGeneratedTypes compares the names of members with those of generated types. It
// fails if the generator adds or renames a member.
func TestMembersOfGeneratedTypes(t *testing.T) {
	for _, test := range []struct {
		reason    string
		got, want []string
	}{
		{"of specs", addedTo(v20190909.PartySpec{}, "AzureName"), []string{member.AzureName, member.ConfigMapRefs, member.Outputs, member.Owner}},
		{"of stored specs", addedTo(v20190909storage.PartySpec{}, "AzureName", "OriginalVersion"), []string{"$propertyBag", member.AzureName, member.ConfigMapRefs, member.OriginalVersion, member.Outputs, member.Owner}},
		{"of statuses", addedTo(v20190909.PartyStatus{}, "PropertyBag"), []string{member.Conditions, member.PropertyBag}},
		{"of stored specs, for the runtime", slices.Sorted(slices.Values(convert.OriginalVersionPath())), []string{member.OriginalVersion, "spec"}},
		{"of statuses, for the runtime", slices.Sorted(slices.Values(convert.BagPath())), []string{member.PropertyBag, "status"}},
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

// TestMembersThatVendorsHave covers specs with a vendor's members under the names of Strata's
// members. The body has the vendor's.
func TestMembersThatVendorsHave(t *testing.T) {
	for _, test := range []struct {
		reason string
		spec   runtime.ConvertibleSpec
		want   []string
		body   string
	}{
		{"all are the vendor's", &theirs{AzureName: "a", Owner: "o", SecretRefs: "s"}, nil, `{"azureName":"a","owner":"o","secretRefs":"s"}`},
		{"a text that only looks like ours", &alike{AzureName: new("a"), Owner: "o"}, []string{member.SecretRefs}, `{"azureName":"a","owner":"o"}`},
		{"ours", &oursOf{AzureName: new("a"), Owner: &runtime.Owner{}, SecretRefs: []runtime.SecretRef{{}}, Size: 1}, []string{member.AzureName, member.Owner, member.SecretRefs}, `{"size":1}`},
	} {
		if got := provider.AddedMembers(test.spec); !slices.Equal(got, test.want) {
			t.Errorf("%s: Strata has added %q, want %q", test.reason, got, test.want)
		}
		if body, err := provider.Body(test.spec, nil); err != nil || string(body) != test.body {
			t.Errorf("%s: the body is %s (%v), want %s", test.reason, body, err, test.body)
		}
	}
}

// noSpec has the methods of a spec.
type noSpec struct{}

func (noSpec) ConvertSpecTo(runtime.ConvertibleSpec) error   { return nil }
func (noSpec) ConvertSpecFrom(runtime.ConvertibleSpec) error { return nil }

type theirs struct {
	noSpec
	AzureName  string `json:"azureName"`
	Owner      string `json:"owner"`
	SecretRefs string `json:"secretRefs"`
}

type alike struct {
	noSpec
	AzureName *string `json:"azureName"`
	Owner     string  `json:"owner"`
}

type oursOf struct {
	noSpec
	AzureName  *string             `json:"azureName"`
	Owner      *runtime.Owner      `json:"owner"`
	SecretRefs []runtime.SecretRef `json:"secretRefs"`
	Size       int                 `json:"size"`
}
