package api_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/operator/api/crm/v20110101"
	"github.com/stratakube/strata/operator/api/crm/v20130303"
	"github.com/stratakube/strata/operator/api/crm/v20140404"
	"github.com/stratakube/strata/operator/api/crm/v20190909"
	hub "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
)

// written reads a stored person through a version, edits it, and stores it again.
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

// TestNamesThatBecameOthersAreExpressed checks a property that a hand-written step converts to
// other properties. It does not count as one that later versions cannot express. So an old
// client's edit sets the original version if that expresses all values.
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

// TestDerivedNamesAreExpressed checks that a version lacks no property that a hand-written step
// derives from its own properties.
func TestDerivedNamesAreExpressed(t *testing.T) {
	person := &v20110101.Person{Spec: &v20110101.PersonSpec{Properties: &v20110101.PersonProperties{FirstName: ptr("Ada"), LastName: ptr("King")}}}
	var stored hub.Person
	if err := person.ConvertTo(&stored); err != nil {
		t.Fatal(err)
	}
	if lacks := stored.Unexpressed(); len(lacks) > 0 {
		t.Errorf("a person of v20110101 is not fully sent: %q", lacks)
	}
	next := written(t, &stored, &v20130303.Person{}, func(p *v20130303.Person) { p.Spec.Properties.MiddleName = ptr("Augusta") })
	if got, lacks := next.Spec.OriginalVersion, next.Unexpressed(); got != "v20130303" || len(lacks) > 0 {
		t.Errorf("a middle name given by v20130303: it is of %q, without %q", got, lacks)
	}
	next = written(t, next, &v20110101.Person{}, func(p *v20110101.Person) { p.Spec.Properties.LastName = ptr("Lovelace") })
	if got, lacks := next.Spec.OriginalVersion, next.Unexpressed(); got != "v20130303" || len(lacks) > 0 {
		t.Errorf("a last name edited by v20110101, which lacks the middle name: it is of %q, without %q", got, lacks)
	}
	next = written(t, next, &v20190909.Person{}, func(p *v20190909.Person) { p.Spec.Properties.KnownAs = ptr("Countess") })
	next.Spec.OriginalVersion = "v20130303"
	if diff := cmp.Diff([]string{"properties.knownAs"}, next.Unexpressed()); diff != "" {
		t.Errorf("what v20190909 has edited is no longer derived from the names of v20130303: %s", diff)
	}
}

// TestEditSendsNoLess checks that the external API receives what the user wrote, even if
// neither version can express the whole spec.
func TestEditSendsNoLess(t *testing.T) {
	person := &v20130303.Person{Spec: &v20130303.PersonSpec{Properties: &v20130303.PersonProperties{
		FirstName: ptr("Ada"), LastName: ptr("King"), ResidentialAddress: &v20130303.Address{Label: ptr("12 St James's Square, London")},
	}}}
	var stored hub.Person
	if err := person.ConvertTo(&stored); err != nil {
		t.Fatal(err)
	}
	if lacks := stored.Unexpressed(); len(lacks) > 0 {
		t.Errorf("a person of v20130303 is not fully sent: %q", lacks)
	}
	next := written(t, &stored, &v20140404.Person{}, func(p *v20140404.Person) { p.Spec.Properties.AlphaKey = ptr("KING") })
	if got := next.Spec.OriginalVersion; got != "v20130303" {
		t.Errorf("it is of %q, which does not send the address", got)
	}
	if diff := cmp.Diff([]string{"properties.sortKey"}, next.Unexpressed()); diff != "" {
		t.Errorf("what is not sent: %s", diff)
	}
	var sent v20130303.PersonSpec
	if err := sent.ConvertSpecFrom(next.Spec); err != nil {
		t.Fatal(err)
	}
	if a := sent.Properties.ResidentialAddress; a == nil || *a.Label != "12 St James's Square, London" {
		t.Errorf("the external API is sent the address %+v", a)
	}
	next = written(t, next, &v20190909.Person{}, func(p *v20190909.Person) { p.Spec.Properties.SortKey = ptr("ADA") })
	if got, lacks := next.Spec.OriginalVersion, next.Unexpressed(); got != "v20190909" || len(lacks) > 0 {
		t.Errorf("edited by v20190909, which expresses all, it is of %q, without %q", got, lacks)
	}
}
