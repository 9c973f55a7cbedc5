package api_test

import (
	"encoding/json"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/operator/api/crm/v20110101"
	"github.com/stratakube/strata/operator/api/crm/v20150505"
	hub "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
	"github.com/stratakube/strata/runtime"
)

func ptr[T any](v T) *T { return &v }

// A person that is written as 2011-01-01 is stored as the hub. A property bag stores the values
// that the hub has no property for.
func Example() {
	person := &v20110101.Person{
		ObjectMeta: metav1.ObjectMeta{Name: "ada"},
		Spec:       &v20110101.PersonSpec{Properties: &v20110101.PersonProperties{FirstName: ptr("Ada"), LastName: ptr("Lovelace")}},
	}
	var stored hub.Person
	if err := person.ConvertTo(&stored); err != nil {
		panic(err)
	}
	text, err := json.Marshal(stored.Spec)
	fmt.Println(string(text), err)
	// Output:
	// {"properties":{"familyName":"Lovelace","knownAs":"Ada","legalName":"Ada Lovelace","$propertyBag":{"firstName":"Ada","lastName":"Lovelace"}},"originalVersion":"v20110101"} <nil>
}

// TestVersionedSpec returns the spec of a stored person in the version that the user wrote.
func TestVersionedSpec(t *testing.T) {
	scheme := k8sruntime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	written := &v20150505.Person{Spec: &v20150505.PersonSpec{Properties: &v20150505.PersonProperties{SortKey: ptr("k"), KnownAs: ptr("")}}}
	var stored hub.Person
	if err := written.ConvertTo(&stored); err != nil {
		t.Fatal(err)
	}
	if got := stored.OriginalGVK().String(); got != "crm.example.com/v20150505, Kind=Person" {
		t.Errorf("original version is %s", got)
	}
	spec, err := runtime.GetVersionedSpec(&stored, scheme)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := spec.(*v20150505.PersonSpec)
	if !ok {
		t.Fatalf("the spec is a %T", spec)
	}
	if p := got.Properties; *p.SortKey != "k" || p.KnownAs == nil || *p.KnownAs != "" || p.FamilyName != nil {
		t.Errorf("the spec came back as %+v", p)
	}
	status, err := runtime.NewEmptyVersionedStatus(&stored, scheme)
	if _, ok := status.(*v20150505.PersonStatus); err != nil || !ok {
		t.Errorf("a new status is a %T, %v", status, err)
	}
}

// TestRoots checks that generated roots implement the interfaces of controller-runtime and the
// reconciler.
func TestRoots(t *testing.T) {
	var _ conversion.Convertible = &v20110101.Person{}
	var _ conversion.Hub = &hub.Person{}
	var _ runtime.MetaObject = &hub.Person{}
	var _ runtime.External = &v20110101.Person{}
	p := &v20110101.Person{}
	if p.ExternalType() != "Microsoft.Crm/persons" || p.ExternalVersion() != "2011-01-01" {
		t.Errorf("outside it is %s in %s", p.ExternalType(), p.ExternalVersion())
	}
	if p.GetSpec() != nil || p.GetStatus() != nil {
		t.Error("an absent spec or status is not nil")
	}
	if err := p.ConvertTo(&hub.Party{}); err == nil {
		t.Error("a foreign hub is taken")
	}
}
