package conformance

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestLawfulKind(t *testing.T) { Prove(t, miniKind()) }

// TestPlantedFaultsAreFound plants one fault at a time. The laws must find each within the cases
// that a generated test has by default.
func TestPlantedFaultsAreFound(t *testing.T) {
	t.Cleanup(func() { fault = "" })
	for _, test := range []struct{ fault, want string }{
		{"empty list is absent", "at Spec.Tags: got absent, want []"},
		{"lost note", "is not"},
		{"lost weight", "up(down(h)) is not h at "},
		{"lost maker", "up(down(h)) is not h at "},
		{"nothing is hidden", "up(down(h)) is not h at "},
		{"by index", "what users do not see has changed at Spec."},
		{"wholesale", "what users see is not what was written at Spec"},
		{"the writer is the original", "up(down(h)) is not h at Spec.OriginalVersion"},
		{"the original stays", "Spec.OriginalVersion"},
		{"longer lists lose their last", "Spec.Parts[2]"},
		{"what is hidden wanders", "Spec.Parts[0]"},
		{"an edit elsewhere forgets", "Spec.Parts[0]"},
		{"fused up", "PropertyBag"},
		{"fused down", "Spec.Note"},
		{"the spec alone", "v1: ConvertSpecFrom is not what ConvertFrom does at Note"},
		{"the source's bag is used", "is not"},
		{"damage panics", "panic: no color: "},
		{"damage is an error", "no color: "},
		{"damage is dropped", "with damaged property bags: v1: up(down(h)) is not h at "},
		{"junk fails", "panic: no bag: "},
	} {
		t.Run(test.fault, func(t *testing.T) {
			fault = test.fault
			err := miniKind().proveLaws()
			if err == nil {
				t.Fatal("the fault was not found")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("the laws say\n%v\nwant %q", err, test.want)
			}
		})
	}
}

// TestAugmentedPaths has a hand-written step that derives one property from another. An edit may
// change the derived value, and no other.
func TestAugmentedPaths(t *testing.T) {
	augmented = true
	t.Cleanup(func() { augmented = false })
	for _, test := range []struct {
		reason string
		kind   Versions
		want   string // empty if the laws hold
	}{
		{"nobody said that spec.note derives", miniKind(), "Spec.Note: what users do not see has changed at Spec.PropertyBag"},
		{"spec derives", miniKind().Augmented("v1", "spec"), ""},
		{"a place that is not there under that name is looked for around it", miniKind().Augmented("v1", "spec.remark"), ""},
		{"a step that is further on the way derives", miniKind().Augmented("v2", "spec"), ""},
		{"another place derives", miniKind().Augmented("v1", "spec.title", "status"), "what users do not see"},
		{"no version", miniKind().Augmented("v4", "spec"), "augmented version v4 is none of Example.Crm/minis"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			err := test.kind.proveLaws()
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("the laws say %v, want %q", err, test.want)
			}
		})
	}
}

// TestOriginalVersion plants a fault in the original version of objects with hidden values, in
// kinds with and without a hand-written step. An edit sets a version that lacks values which the
// former one can represent.
func TestOriginalVersion(t *testing.T) {
	t.Cleanup(func() { augmented, fault = false, "" })
	for _, augmented = range []bool{false, true} {
		kind := miniKind()
		if augmented {
			kind = kind.Augmented("v1", "spec")
		}
		fault = "an edit sends less"
		if err := kind.proveLaws(); err == nil || !strings.Contains(err.Error(), `the original version was "v`) {
			t.Errorf("with a step %t: the laws say %v", augmented, err)
		}
	}
}

// TestStepsLeaveNothing plants a step that leaves something of what it derived before if its source
// is absent.
func TestStepsLeaveNothing(t *testing.T) {
	augmented, fault = true, "a removal leaves something"
	t.Cleanup(func() { augmented, fault = false, "" })
	err := miniKind().Augmented("v1", "spec").proveLaws()
	if err == nil || !strings.Contains(err.Error(), "v1: unset Spec.Note: the hub has another value than if the edited object is created, at Spec.Free") ||
		!strings.Contains(err.Error(), "see the steps of v1 at spec\n") {
		t.Errorf("the laws say %v", err)
	}
}

// assigning is a storage type with hand-written steps.
type assigning struct {
	Spec *struct {
		Parts []assigningPart `json:"parts"`
	} `json:"spec"`
}

type assigningPart struct{}

func (*assigningPart) AssignToPart(*struct{}) error   { return nil }
func (*assigningPart) AssignFromPart(*struct{}) error { return nil }

func TestStepsHaveNames(t *testing.T) {
	for path, want := range map[string]string{
		"spec.parts[]": "assigningPart.AssignFromPart and assigningPart.AssignToPart of v1 at spec.parts[]",
		"spec":         "the steps of v1 at spec",
		"spec.other":   "the steps of v1 at spec.other",
	} {
		if got := stepsAt(reflect.TypeFor[assigning](), augmentation{label: "v1"}, path); got != want {
			t.Errorf("the steps are %q, want %q", got, want)
		}
	}
}

// TestRefusalsAreForgiven has a step that refuses some values. Conversions then have no derived
// values, and the laws hold.
func TestRefusalsAreForgiven(t *testing.T) {
	refused := errors.New("refused")
	kind := miniKind()
	to := kind.versions[0].convertTo
	n := 0
	kind.versions[0].convertTo = func(a, h any) error {
		if n++; n%2 == 0 {
			return errors.Join(to(a, h), refused)
		}
		return to(a, h)
	}
	if err := kind.Forgiving(func(err error) bool { return errors.Is(err, refused) }).proveLaws(); err != nil {
		t.Error(err)
	}
	if err := kind.Forgiving(func(error) bool { return false }).proveLaws(); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("the laws say %v", err)
	}
}

// TestDerivedValuesAreExpressed uses a runtime that does not know which values a hand-written step
// derives. The laws must detect that it reports values as missing which the version has.
func TestDerivedValuesAreExpressed(t *testing.T) {
	augmented, fault = true, "derived values count as missing"
	t.Cleanup(func() { augmented, fault = false, "" })
	err := miniKind().Augmented("v1", "spec").proveLaws()
	if err == nil || !strings.Contains(err.Error(), `v1: an object that was created through it is reported to lack .free`) {
		t.Errorf("the laws say %v", err)
	}
}

// TestCertificate checks that all laws are exercised at every property, and that the same cases
// give the same bytes.
func TestCertificate(t *testing.T) {
	var certificates []string
	for range 2 {
		folder := t.TempDir()
		t.Setenv("STRATA_CERTIFICATE", folder)
		t.Setenv("STRATA_CASES", "60")
		if err := miniKind().proveLaws(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(folder, "example.crm.minis.md"))
		if err != nil {
			t.Fatal(err)
		}
		certificates = append(certificates, string(data))
	}
	if certificates[0] != certificates[1] {
		t.Error("the same cases give two certificates")
	}
	for _, want := range []string{
		"180 cases over 3 versions; the hub is v3.", "Of 6 ways from one version to another and back, 6 were taken.",
		"\n## v1\n", "\n| `spec.byKey{}.subs` | ",
	} {
		if !strings.Contains(certificates[0], want) {
			t.Errorf("the certificate does not say %q", want)
		}
	}
	if strings.Contains(certificates[0], " 0 |") {
		t.Errorf("a law was never exercised at a property:\n%s", certificates[0])
	}
}

// TestMissingLaws takes a count away: the test must fail.
func TestMissingLaws(t *testing.T) {
	c, err := miniKind().compile()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.check(1, 300); err != nil {
		t.Fatal(err)
	}
	c.links[0].targets[7].counts[editLaw] = 0
	if err := c.checkCounts(300); err == nil || !strings.Contains(err.Error(), ": edit") {
		t.Errorf("error is %v, want one about the edit law", err)
	}
	if err := c.checkCounts(3); err != nil {
		t.Errorf("too few cases for all places fail: %v", err)
	}
}

// TestKindMisuse has calls that the generator never writes.
func TestKindMisuse(t *testing.T) {
	for _, test := range []struct {
		reason, want string
		kind         Versions
	}{
		{"no hub", "x has 0 hubs", Kind("x", Root[*mini1]("v1", step12, step21))},
		{"two hubs", "x has 2 hubs", Kind("x", Hub[*mini2]("v2"), Hub[*mini3]("v3"))},
		{"no neighbour", "v1: its neighbour ", Kind("x", Root[*mini1]("v1", step12, step21), Hub[*mini3]("v3"))},
	} {
		t.Run(test.reason, func(t *testing.T) { wantError(t, test.kind.proveLaws(), test.want) })
	}
}

// TestStoredVersions tests a chain with a version that users can no longer write.
func TestStoredVersions(t *testing.T) {
	Prove(t, Kind("Example.Crm/minis",
		Root[*mini1]("v1", step12, step21),
		Stored("v2", step23, step32),
		Hub[*mini3]("v3"),
	))
}

func TestGolden(t *testing.T) {
	augmented = true
	t.Cleanup(func() { augmented = false })
	Golden(t, miniKind().Augmented("v1", "spec"))
}

func TestGoldenFilesTellDifferences(t *testing.T) {
	c, err := miniKind().compile()
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.example(c.links[0], c.hub)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "mini1_v1_v3.json"))
	if err != nil {
		t.Fatal(err)
	}
	if difference := firstDifference(got, want); !strings.Contains(difference, "line ") {
		t.Errorf("without the hand-written step the difference is %q", difference)
	}
}
