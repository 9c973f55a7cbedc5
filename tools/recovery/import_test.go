package recovery_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/rig"
)

// imports writes resources of the outside API, which somebody else has made there, as objects, and applies them. The operator
// takes them over, and changes nothing.
func (s *site) imports(t *testing.T, plugins string) {
	ids := map[string]string{
		rig.Parent + "/providers/Microsoft.Crm/persons/Foreign_1":         `{"location":"north","tags":{"by":"hand"},"properties":{"legalName":"Mary Jackson","familyName":"Jackson"}}`,
		rig.Parent + "/providers/Microsoft.Crm/persons/Foreign_1/notes/a": `{"properties":{"text":"calls on Mondays"}}`,
	}
	for _, id := range []string{"/Foreign_1", "/Foreign_1/notes/a"} {
		id = rig.Parent + "/providers/Microsoft.Crm/persons" + id
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.Outside.URL+id+"?api-version=2016-06-06", strings.NewReader(withAddress(ids[id])))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %s", id, response.Status)
		}
	}
	file := filepath.Join(t.TempDir(), "imported.yaml")
	cmd := exec.CommandContext(t.Context(), filepath.Join(plugins, "strata-arm"), "import", "--manifest="+filepath.Join(api, "manifest.json"), "--namespace=default", "--recursive",
		"--output="+file, "--config", "cloud=custom", "--config", "endpoint="+s.Outside.URL, "--config", "credentials=none", rig.Parent+"/providers/Microsoft.Crm/persons/Foreign_1")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	before := len(s.Outside.Calls())
	applied, said, err := s.Kubectl().Run(t.Context(), "", "apply", "-f", file, "-o", "name")
	if err != nil {
		t.Fatal(err, said)
	}
	names := strings.Fields(applied)
	if len(names) != len(ids) {
		t.Fatalf("imported are %v, want %d", names, len(ids))
	}
	for _, name := range names {
		kind, name, _ := strings.Cut(name, "/")
		k := s.kind(t, map[string]string{"person.crm.example.com": "Person", "personsnote.crm.example.com": "PersonsNote"}[kind])
		object := s.awaitReady(t, k, name)
		if id := object.GetAnnotations()["strata.dev/id"]; ids[id] == "" {
			t.Errorf("%s is %q outside", name, id)
		}
	}
	for _, call := range s.Outside.Calls()[before:] {
		if call.Method != http.MethodGet && strings.Contains(call.Path, "Foreign_1") {
			t.Errorf("what was taken over was changed: %v", fmt.Sprintf("%s %s %s", call.Method, call.Path, call.Body))
		}
	}
}

// withAddress gives a person the address that their version demands.
func withAddress(body string) string {
	return strings.Replace(body, `"familyName"`, `"mailingAddress":{"city":"Hampton"},"familyName"`, 1)
}
