package originalversion_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// imports writes resources of the external API, which another client has made there, as objects,
// and applies them, as a folder of Kustomize packages. The operator adopts them, and changes
// nothing.
func (s *site) imports(t *testing.T, plugins string) {
	ids := map[string]string{
		env.Parent + "/providers/Microsoft.Crm/persons/foreign-1":         `{"location":"north","tags":{"by":"hand"},"properties":{"legalName":"Mary Jackson","familyName":"Jackson"}}`,
		env.Parent + "/providers/Microsoft.Crm/persons/foreign-1/notes/a": `{"properties":{"text":"calls on Mondays"}}`,
	}
	for _, id := range []string{"/foreign-1", "/foreign-1/notes/a"} {
		id = env.Parent + "/providers/Microsoft.Crm/persons" + id
		if err := s.Simulator.Create(t.Context(), id, "2016-06-06", withAddress(ids[id])); err != nil {
			t.Fatal(err)
		}
	}
	file, folder := filepath.Join(t.TempDir(), "imported.yaml"), filepath.Join(t.TempDir(), "imported")
	for _, output := range []string{"--output=" + file, "--output-dir=" + folder} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(plugins, "strata-arm"), "import", "--manifest="+filepath.Join(api, "manifest.json"), "--namespace=default", "--recursive",
			output, "--config", "cloud=custom", "--config", "endpoint="+s.Simulator.URL, "--config", "credentials=none", env.Parent+"/providers/Microsoft.Crm/persons/foreign-1")
		if printed, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
	}
	before := len(s.Simulator.Calls())
	inFile, printed, err := s.Kubectl().Run(t.Context(), "", "apply", "--dry-run=server", "-f", file, "-o", "name")
	if err != nil {
		t.Fatal(err, printed)
	}
	applied, printed, err := s.Kubectl().Run(t.Context(), "", "apply", "-k", folder, "-o", "name")
	if err != nil {
		t.Fatal(err, printed)
	}
	names := strings.Fields(applied) // owners first
	if len(names) != len(ids) || inFile != applied {
		t.Fatalf("imported are %v, want %d; in one file they are\n%s", names, len(ids), inFile)
	}
	objects := map[string]string{} // by their kinds
	for _, name := range names {
		kind, name, _ := strings.Cut(name, "/")
		k := s.kind(t, map[string]string{"person.crm.example.com": "Person", "personsnote.crm.example.com": "PersonsNote"}[kind])
		object := s.awaitReady(t, k, name)
		if id := object.GetAnnotations()["strata.dev/id"]; ids[id] == "" {
			t.Errorf("%s is %q outside", name, id)
		}
		objects[k.name] = name
	}
	for _, call := range s.Simulator.Calls()[before:] {
		if call.Method != http.MethodGet && strings.Contains(call.Path, "foreign-1") {
			t.Errorf("an adopted resource was changed: %v", fmt.Sprintf("%s %s %s", call.Method, call.Path, call.Body))
		}
	}
	s.parentWaits(t, objects["Person"], objects["PersonsNote"])
}

// parentWaits deletes an imported parent: it waits for its imported child, and nothing is deleted
// outside before that goes.
func (s *site) parentWaits(t *testing.T, person, note string) {
	t.Helper()
	persons, notes := s.kind(t, "Person"), s.kind(t, "PersonsNote")
	before := len(s.Simulator.Calls())
	if err := s.of(persons, persons.hub).Delete(t.Context(), person, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	shared.Eventually(t, patience, "the parent waits", func() error {
		if _, message := condition(s.get(t, persons, persons.hub, person), "Ready"); !strings.HasPrefix(message, "HasChildren: ") || !strings.Contains(message, note) {
			return fmt.Errorf("it says %q", message)
		}
		return nil
	})
	for _, call := range s.Simulator.Calls()[before:] {
		if call.Method == http.MethodDelete && strings.Contains(call.Path, "foreign-1") {
			t.Errorf("%s was deleted before the child's object", call.Path)
		}
	}
	if err := s.of(notes, notes.hub).Delete(t.Context(), note, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	shared.Eventually(t, patience, "the parent goes", func() error {
		if _, err := s.of(persons, persons.hub).Get(t.Context(), person, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("it is there: %v", err)
		}
		return nil
	})
}

// withAddress gives a person the address that their version requires.
func withAddress(body string) string {
	return strings.Replace(body, `"familyName"`, `"mailingAddress":{"city":"Hampton"},"familyName"`, 1)
}
