package chaos_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/fixtures"
)

// imports are persons and notes of theirs that another client has made. In each round, `strata arm
// import` writes those of the round as objects, which the storm creates. In the next round the
// storm deletes those of every other round. Their resources are deleted then, and never else; the
// others are neither changed nor made again.
type imports struct {
	*strangers
	runs   chan error // the results of imports
	begun  int
	failed int          // runs of the command that failed
	ended  map[int]bool // rounds whose objects are deleted
}

const (
	importing = "imported" // a namespace
	brought   = "brought-" // names of resources begin so
	manifest  = "../../../operator/api/manifest.json"
)

// comeImports creates the resources.
func (t *strangers) comeImports() {
	t.Helper()
	t.imports = &imports{strangers: t, runs: make(chan error, rounds()), ended: map[int]bool{}}
	t.namespace(importing)
	for n := range rounds() {
		t.puts(idOf(n), body)
		t.puts(idOf(n)+"/notes/n", noteBody)
	}
}

func idOf(round int) string { return env.Parent + persons + fmt.Sprint(brought, round) }

// round begins the import of a round, and deletes objects of an earlier one.
func (t *imports) round(n int) {
	t.Helper()
	t.begun++
	file := filepath.Join(t.TempDir(), "imported.yaml")
	go func() { t.runs <- t.brings(n, file) }()
	for before := range n {
		if t.isToEnd(before) && !t.ended[before] && t.areReady(before) {
			t.ends(before)
		}
	}
}

// isToEnd reports whether the objects of a round are deleted.
func (t *imports) isToEnd(round int) bool { return round%2 == 0 }

// brings runs the command until it has succeeded, and creates the objects that it has written.
func (t *imports) brings(n int, file string) error {
	if err := t.writes(n, file); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for one := range strings.SplitSeq(string(text), "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(one), &object.Object); err != nil {
			return fmt.Errorf("%w: %s", err, one)
		}
		if len(object.Object) == 0 {
			continue
		}
		of := people
		if names[object.GetKind()] = true; object.GetKind() == "PersonsNote" {
			of = notes
		}
		err := fixtures.Insist(t.Context(), func() error {
			_, err := t.client.Resource(of).Namespace(importing).Create(t.Context(), object, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if !names["Person"] || !names["PersonsNote"] {
		return fmt.Errorf("of round %d only %v was imported:\n%s", n, names, text)
	}
	return nil
}

// writes runs the command until it has succeeded: the external API misbehaves for it, too.
func (t *imports) writes(n int, file string) error {
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		command := exec.CommandContext(ctx, filepath.Join(t.plugins, "strata-arm"), "import", "--manifest="+manifest, "--namespace="+importing, "--recursive",
			"--api-version="+external, "--output="+file, "--config", "cloud=custom", "--config", "endpoint="+t.Simulator.URL, "--config", "credentials=none", idOf(n))
		command.Env = append(command.Environ(), t.Group.Env...)
		printed, err := command.CombinedOutput()
		cancel()
		if err == nil {
			return nil
		}
		t.mu.Lock()
		t.failed++
		t.mu.Unlock()
		if t.Context().Err() != nil || time.Since(began) > *patience {
			return fmt.Errorf("import round %d: %w\n%s", n, err, printed)
		}
	}
}

// objects returns the person and the note of a round. The command names the person like its
// resource, and the note as it chooses.
func (t *imports) objects(n int) (found [2]unstructured.Unstructured, err error) {
	for i, of := range []schema.GroupVersionResource{people, notes} {
		list, err := t.client.Resource(of).Namespace(importing).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return found, err
		}
		at := slices.IndexFunc(list.Items, func(u unstructured.Unstructured) bool {
			owner, _, _ := unstructured.NestedString(u.Object, "spec", "owner", "name")
			return fmt.Sprint(brought, n) == []string{u.GetName(), owner}[i]
		})
		if at < 0 {
			return found, fmt.Errorf("%s of round %d is not there", of.Resource, n)
		}
		found[i] = list.Items[at]
	}
	return found, nil
}

// areReady reports whether both objects of a round are Ready.
func (t *imports) areReady(n int) bool {
	found, err := t.objects(n)
	if err != nil {
		return false
	}
	for i, of := range []schema.GroupVersionResource{people, notes} {
		if reason, _, err := t.reason(of, importing, found[i].GetName()); err != nil || reason != "True" {
			return false
		}
	}
	return true
}

// ends deletes the objects of a round, owners first.
func (t *imports) ends(n int) {
	t.Helper()
	found, err := t.objects(n)
	if err != nil {
		t.Fatal(err)
	}
	t.ended[n] = true
	t.happened["imported objects that were deleted"] += len(found)
	for i, of := range []schema.GroupVersionResource{people, notes} {
		err := fixtures.Insist(t.Context(), func() error {
			return t.client.Resource(of).Namespace(importing).Delete(t.Context(), found[i].GetName(), metav1.DeleteOptions{})
		})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
	}
}

// calm waits until all imports have ended, and all objects are Ready. Then it deletes those that
// the storm has left, of the rounds whose objects are deleted.
func (t *imports) calm() {
	t.Helper()
	for range t.begun {
		if err := <-t.runs; err != nil {
			t.Fatal(err)
		}
	}
	t.happened["resources that were imported by strata arm import"] = 2 * t.begun
	for n := range rounds() {
		if t.ended[n] {
			continue
		}
		found, err := t.objects(n)
		if err != nil {
			t.Fatal(err)
		}
		for i, of := range []schema.GroupVersionResource{people, notes} {
			t.comesTo(of, importing, found[i].GetName(), "True")
		}
		if t.isToEnd(n) {
			t.ends(n)
		}
	}
	for n := range rounds() {
		if t.isToEnd(n) {
			t.comesTo(people, importing, fmt.Sprint(brought, n), "")
		}
	}
}

// areDone fails the test unless the resources of the objects that the storm has deleted are gone,
// and the others are as they were imported. It returns the resources that are none of these.
func (t *imports) areDone(resources []armsim.Resource) (rest []armsim.Resource) {
	t.Helper()
	found := map[string]armsim.Resource{}
	for _, r := range resources {
		if strings.HasPrefix(r.ID, env.Parent+persons+brought) {
			found[r.ID] = r
		} else {
			rest = append(rest, r)
		}
	}
	for n := range rounds() {
		for _, id := range []string{idOf(n), idOf(n) + "/notes/n"} {
			switch r, is := found[id]; {
			case is == t.isToEnd(n):
				t.orphaned++
				t.Errorf("%s was imported, its object deleted %t, and it is there %t", id, t.isToEnd(n), is)
			case is && (r.Puts != 1 || r.Creates != 1):
				t.changed++
				t.Errorf("%s was imported, put %d times and created %d times", id, r.Puts, r.Creates)
			}
		}
	}
	return rest
}
