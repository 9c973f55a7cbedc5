package reconciler_test

import (
	"testing"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/api/crm/v20110101"
	"github.com/stratakube/strata/operator/api/crm/v20190909"
	hubs "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
	"github.com/stratakube/strata/operator/fakeprovider"
)

// TestStatusNamesResource checks that every version shows the identifier of the external
// API, whichever version the API answered in.
func TestStatusNamesResource(t *testing.T) {
	w := newWorld(t)
	w.cloud.Put(ada, fakeprovider.Resource{
		Type: "Microsoft.Crm/persons", Version: "2018-08-08",
		Body: []byte(`{"id":"/providers/Microsoft.Crm/persons/ada","name":"ada","type":"Microsoft.Crm/persons","location":"westeurope"}`),
	})
	made(w, annotation.ReconcilePolicy, "observe")
	var hub hubs.Person
	if err := k8sruntime.DefaultUnstructuredConverter.FromUnstructured(w.get("Person", "ada").Object, &hub); err != nil {
		t.Fatal(err)
	}
	var first v20110101.Person
	var last v20190909.Person
	for _, version := range []conversion.Convertible{&first, &last} {
		if err := version.ConvertFrom(&hub); err != nil {
			t.Fatal(err)
		}
	}
	for version, got := range map[string][3]*string{
		"v20110101": {first.Status.Id, first.Status.Name, first.Status.Type},
		"v20190909": {last.Status.Id, last.Status.Name, last.Status.Type},
	} {
		for i, want := range []string{"/providers/Microsoft.Crm/persons/ada", "ada", "Microsoft.Crm/persons"} {
			if got[i] == nil || *got[i] != want {
				t.Errorf("%s shows %v, want %s", version, got[i], want)
			}
		}
	}
}
