package originalversion_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/e2e/fixtures"
	"github.com/stratakube/strata/tools/e2e/generate"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// everyVersion creates a resource of every kind in every served version, and compares its status
// with the calls that the external API received.
func (s *site) everyVersion(t *testing.T, kinds ...*kind) {
	for _, k := range kinds {
		for i, v := range k.served {
			t.Run(fmt.Sprintf("%s/%s", k.name, v.label), func(t *testing.T) {
				t.Parallel()
				r := &resource{T: t, site: s, kind: k, version: v, name: fmt.Sprintf("%s%d", strings.ToLower(k.name), i)}
				r.name = r.name[max(0, len(r.name)-20):]
				r.sees(r.isCreated())
				r.keepsItsVersion()
				r.isCompleteInEveryVersion()
			})
		}
	}
}

// resource is one that was written in a version.
type resource struct {
	*testing.T
	*site
	kind    *kind
	version version
	name    string
}

// isCreated creates an object that the version's schema allows, and returns it as it was written.
func (r *resource) isCreated() map[string]any {
	r.Helper()
	owner := r.hasOwner()
	var refused error
	for seed := range uint64(40) {
		// After each refused body the next one is smaller: CRDs have rules for unions that the
		// schemas lack.
		spec, err := r.schemas.Body(generate.Of{File: r.version.file, Type: r.kind.external, Version: r.version.external, Seed: seed, Richness: 0.8 * float64(40-seed) / 40})
		if err != nil {
			r.Fatal(err)
		}
		maps.Copy(spec, owner)
		spec = normal(r.T, spec).(map[string]any)
		_, err = r.of(r.kind, r.version.label).Create(r.Context(), r.kind.object(r.version.label, r.name, fixtures.Integers(spec).(map[string]any)), metav1.CreateOptions{FieldValidation: "Strict"})
		if err == nil {
			return spec
		}
		if refused = err; !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) {
			r.Fatal(err)
		}
	}
	r.Fatal("nothing that was drawn is valid: ", refused)
	return nil
}

// hasOwner creates the resource that owns this one, where there is one.
func (r *resource) hasOwner() map[string]any {
	r.Helper()
	owner := r.owner(r.kind)
	if owner == nil {
		return nil
	}
	parent := *r
	parent.kind, parent.name = owner, "of"+r.name
	parent.version = owner.served[len(owner.served)-1]
	parent.isCreated()
	return map[string]any{"owner": map[string]any{"name": parent.name}}
}

// sees requires that the external API received the written values once, in the version in which
// they were written.
func (r *resource) sees(written map[string]any) {
	r.Helper()
	r.awaitReady(r.T, r.kind, r.name)
	puts := r.puts(r.kind, r.name)
	if len(puts) != 1 {
		r.Fatalf("%d PUTs, want 1: %v", len(puts), summary(puts))
	}
	if diff := cmp.Diff(normal(r.T, body(written)), normal(r.T, puts[0].Body)); diff != "" {
		r.Errorf("the body is not what was written (-written +sent):\n%s", diff)
	}
	r.speaks(r.calls(r.kind, r.name))
}

// speaks means that calls are in the resource's version.
func (r *resource) speaks(calls []armsim.Call) {
	r.Helper()
	for _, c := range calls {
		if c.APIVersion != r.version.external {
			r.Errorf("%s in version %s, want %s", c.Method, c.APIVersion, r.version.external)
		}
	}
}

// keepsItsVersion edits a label through another version, and has the operator look at the resource
// again.
func (r *resource) keepsItsVersion() {
	r.Helper()
	other := r.kind.other(r.version)
	before := len(r.calls(r.kind, r.name))
	r.merge(r.T, r.kind, other.label, r.name, `{"metadata":{"labels":{"touched":"yes"},"annotations":{"strata.dev/adopt":"true"}}}`)
	if got := r.original(r.T, r.kind, r.name); got != r.version.label {
		r.Errorf("the original version is %q after a label was edited through %s", got, other.label)
	}
	shared.Eventually(r.T, patience, r.name, func() error {
		if len(r.calls(r.kind, r.name)) == before {
			return fmt.Errorf("%s was not looked at again", r.name)
		}
		return nil
	})
	r.awaitReady(r.T, r.kind, r.name)
	r.speaks(r.calls(r.kind, r.name))
	if puts := r.puts(r.kind, r.name); len(puts) != 1 {
		r.Errorf("%d PUTs after a label was edited: %v", len(puts), summary(puts))
	}
}

// isCompleteInEveryVersion compares the status in every version with the external API's answer in
// that version. Values that both have must be equal, and the version that the user wrote must
// have all values.
func (r *resource) isCompleteInEveryVersion() {
	r.Helper()
	for _, v := range r.kind.served {
		object := r.get(r.T, r.kind, v.label, r.name)
		status, _, _ := unstructured.NestedMap(object.Object, "status")
		if ready, _ := condition(object, "Ready"); ready != "True" {
			r.Errorf("in %s it is Ready=%s", v.label, ready)
		}
		external := r.external(v)
		compared := 0
		compare("", normal(r.T, status), external, func(path string, inside, external any) {
			compared++
			if !cmp.Equal(inside, external) {
				r.Errorf("in %s the status has %v at %s, and outside it is %v", v.label, inside, path, external)
			}
		})
		if v.label == r.version.label && compared == 0 && len(external) > 0 {
			r.Errorf("in %s the status has nothing of %v: %v", v.label, slices.Sorted(maps.Keys(external)), status)
		}
	}
}

// external is the resource as the external API has it, in a version.
func (r *resource) external(v version) map[string]any {
	r.Helper()
	response, err := http.Get(r.Simulator.URL + r.puts(r.kind, r.name)[0].Path + "?api-version=" + v.external)
	if err != nil {
		r.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var object map[string]any
	if err := json.NewDecoder(response.Body).Decode(&object); err != nil || response.StatusCode != http.StatusOK {
		r.Fatalf("%s: %v", response.Status, err)
	}
	return object
}

// compare calls tell for each path at which both values have a scalar.
func compare(path string, a, b any, tell func(path string, a, b any)) {
	switch a := a.(type) {
	case map[string]any:
		b, _ := b.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(a)) {
			if other, has := b[name]; has {
				compare(path+"."+name, a[name], other, tell)
			}
		}
	case []any:
		if b, _ := b.([]any); len(a) == len(b) {
			for i := range a {
				compare(fmt.Sprintf("%s[%d]", path, i), a[i], b[i], tell)
			}
		}
	default:
		switch b.(type) {
		case map[string]any, []any:
		default:
			tell(path, a, b)
		}
	}
}

func summary(calls []armsim.Call) []string {
	var lines []string
	for _, c := range calls {
		lines = append(lines, fmt.Sprintf("%s %s?api-version=%s %d %s", c.Method, c.Path, c.APIVersion, c.Status, c.Body))
	}
	return lines
}
