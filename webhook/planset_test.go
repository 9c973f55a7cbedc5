package webhook_test

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/conformance/hostile"
	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/webhook/internal/example"
)

// TestPlansAsData converts hostile objects by generated plans, and by the plan file of the same
// kinds. Both must refuse the same objects for the same reasons, and convert the others to the same
// bytes.
func TestPlansAsData(t *testing.T) {
	scheme := schemeOf(t, example.AddToScheme)
	text, err := os.ReadFile("internal/example/conversions/crm.json")
	if err != nil {
		t.Fatal(err)
	}
	set, err := convert.ReadPlans(text)
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range enginesOf(t, scheme).plans.Kinds() {
		t.Run(kind.Kind, func(t *testing.T) {
			api := map[string]reflect.Type{}
			of := hostile.Kind{Group: kind.Group, Name: kind.Kind, Hub: kind.Hub}
			for _, label := range kind.Versions {
				object := scheme.AllKnownTypes()[kind.WithVersion(label)]
				if label == kind.Hub {
					of.Stored = object
				} else if !strings.HasSuffix(label, "storage") {
					api[label], of.Versions = object, append(of.Versions, label)
				}
			}
			drawer := hostile.New(uint64(i), of)
			converted, refused := 0, 0
			for round := range 3000 {
				from, to := of.Versions[round%len(of.Versions)], of.Versions[(round/len(of.Versions))%len(of.Versions)]
				typed, data := convert.NewConverter(kind.GroupKind, from, to), set.Converter(kind.Kind, from, to)
				if (typed == nil) != (data == nil) {
					t.Fatalf("from %s to %s: by types %v, by data %v", from, to, typed, data)
				}
				if typed == nil {
					continue
				}
				object := drawer.Written(from, api[from])
				want, why := typed.Append(t.Context(), nil, object)
				got, because := data.Append(t.Context(), nil, object)
				if why != because || !bytes.Equal(got, want) {
					t.Fatalf("from %s to %s: %s\nis %s\n%s\nwant %s\n%s", from, to, object, because, got, why, want)
				}
				if why == convert.Converted {
					converted++
				} else {
					refused++
				}
			}
			if converted < 100 || refused < 10 {
				t.Errorf("converted %d objects, refused %d", converted, refused)
			}
		})
	}
}
