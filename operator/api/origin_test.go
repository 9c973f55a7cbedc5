package api_test

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/operator/api/crm/v20110101"
	"github.com/stratakube/strata/operator/api/crm/v20130303"
	"github.com/stratakube/strata/operator/api/crm/v20190909"
	hub "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
)

// written writes a stored person through a version: it is read, edited and stored again.
func written[T conversion.Convertible](t *testing.T, stored *hub.Person, through T, edit func(T)) *hub.Person {
	t.Helper()
	if err := through.ConvertFrom(stored); err != nil {
		t.Fatal(err)
	}
	edit(through)
	var next hub.Person
	if err := through.ConvertTo(&next); err != nil {
		t.Fatal(err)
	}
	return &next
}

// TestNamesThatBecameOthersAreExpressed checks that what a hand-written step has made other
// properties of does not count as something that later versions cannot say: an old client's edit
// leaves the original version where all is said.
func TestNamesThatBecameOthersAreExpressed(t *testing.T) {
	for _, test := range []struct {
		reason string
		begin  conversion.Convertible
	}{
		{"two names", &v20110101.Person{Spec: &v20110101.PersonSpec{Properties: &v20110101.PersonProperties{FirstName: ptr("Ada"), LastName: ptr("King")}}}},
		{"three names and a label", &v20130303.Person{Spec: &v20130303.PersonSpec{Properties: &v20130303.PersonProperties{
			FirstName: ptr("Ada"), MiddleName: ptr("Augusta"), LastName: ptr("King"),
			ResidentialAddress: &v20130303.Address{Label: ptr("12 St James's Square, London")},
		}}}},
	} {
		var stored hub.Person
		if err := test.begin.ConvertTo(&stored); err != nil {
			t.Fatal(err)
		}
		next := written(t, &stored, &v20190909.Person{}, func(p *v20190909.Person) {
			p.Spec.Properties.MailingAddress = &v20190909.Location{City: ptr("London")}
		})
		if got := next.Spec.OriginalVersion; got != "v20190909" {
			t.Errorf("%s: completed in v20190909, it is of %s", test.reason, got)
		}
		next = written(t, next, &v20110101.Person{}, func(p *v20110101.Person) { p.Spec.Properties.LastName = ptr("Lovelace") })
		if p := next.Spec.Properties; *p.FamilyName != "Lovelace" || p.MailingAddress == nil {
			t.Errorf("%s: edited in v20110101, it is %+v", test.reason, p)
		}
		if got := next.Spec.OriginalVersion; got != "v20190909" {
			t.Errorf("%s: edited in v20110101, which cannot say the address, it is of %s", test.reason, got)
		}
	}
}
