package conversion_test

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// poisons are changes of stored objects in etcd, without the API server and its validation.
var poisons = []struct {
	name string
	do   func(object map[string]any)
}{
	{"spec-is-text", func(o map[string]any) { o["spec"] = "nonsense" }},
	{"spec-is-null", func(o map[string]any) { o["spec"] = nil }},
	{"no-spec", func(o map[string]any) { delete(o, "spec") }},
	{"properties-is-a-list", func(o map[string]any) { o["spec"].(map[string]any)["properties"] = []any{1, "two", nil} }},
	{"every-property-is-wrong", func(o map[string]any) { distort(o["spec"].(map[string]any)["properties"].(map[string]any)) }},
	{"the-bag-is-a-number", func(o map[string]any) { o["spec"].(map[string]any)["$propertyBag"] = 7 }},
	{"a-bag-within-is-damaged", func(o map[string]any) {
		o["spec"].(map[string]any)["properties"].(map[string]any)["$propertyBag"] = map[string]any{
			"firstName": []any{}, "share@v20990101!raw": "x", "$shown@v20140404.PersonProperties": 5, "": nil,
		}
	}},
	{"status-is-a-number", func(o map[string]any) { o["status"] = 7 }},
	{"conditions-are-wrong", func(o map[string]any) { o["status"].(map[string]any)["conditions"] = "none" }},
	{"original-version-is-a-list", func(o map[string]any) { o["spec"].(map[string]any)["originalVersion"] = []any{} }},
	{"members-that-nobody-knows", func(o map[string]any) {
		o["spec"].(map[string]any)["unknown"], o["unknown"] = map[string]any{"a": 1}, true
	}},
}

// distort gives every value another type.
func distort(object map[string]any) {
	for name, value := range object {
		switch value.(type) {
		case string:
			object[name] = map[string]any{"was": value}
		default:
			object[name] = "was something else"
		}
	}
}

// TestPoison stores objects that no client could have written. In every version they and the others
// of their kind can be listed, read and deleted.
func TestPoison(t *testing.T) {
	tier.Long(t, "converts poisoned objects of all kinds")
	eachKind(t, func(t *testing.T, p view) {
		p.create(p.kind.latest(), "sound")
		for _, poison := range poisons {
			p.create(p.kind.latest(), poison.name)
			p.poison(poison.name, poison.do)
		}
		for _, version := range p.kind.Served() {
			list, err := p.Through(version).List(t.Context(), metav1.ListOptions{})
			if err != nil || len(list.Items) != len(poisons)+1 {
				t.Fatalf("%s lists %d objects: %v", version, len(list.Items), err)
			}
			for _, poison := range poisons {
				p.Get(version, poison.name)
			}
		}
		p.checkLabels()
		for i, poison := range poisons {
			version := p.kind.Versions[i%len(p.kind.Versions)]
			if err := p.Through(version).Delete(t.Context(), poison.name, metav1.DeleteOptions{}); err != nil {
				t.Errorf("delete %s through %s: %v", poison.name, version, err)
			}
		}
		p.Get(p.kind.Versions[0], "sound")
	})
}

// poison stores an altered object, and waits until every version shows it.
func (p view) poison(name string, do func(map[string]any)) {
	p.t.Helper()
	var object map[string]any
	if err := json.Unmarshal(p.stored(name), &object); err != nil {
		p.t.Fatal(err)
	}
	do(object)
	object["metadata"].(map[string]any)["labels"] = map[string]any{"poisoned": "yes"}
	value, err := json.Marshal(object)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := open(p.t).Store(p.t.Context(), p.key(name), value); err != nil {
		p.t.Fatal(err)
	}
	for _, version := range p.kind.Served() {
		shared.Eventually(p.t, crds.Patience, name+" in "+version, func() error {
			list, err := p.Through(version).List(p.t.Context(), metav1.ListOptions{
				LabelSelector: "poisoned=yes", FieldSelector: "metadata.name=" + name, ResourceVersion: "0",
			})
			if err == nil && len(list.Items) != 1 {
				err = fmt.Errorf("%d objects", len(list.Items))
			}
			return err
		})
	}
}

// checkLabels puts a label on poisoned objects through every version. A version may find them
// invalid, since they are, but nothing else may go wrong.
func (p view) checkLabels() {
	p.t.Helper()
	for _, poison := range poisons {
		for _, version := range p.kind.Versions {
			object := p.Get(version, poison.name)
			object.SetLabels(map[string]string{"through": version})
			if _, err := p.Through(version).Update(p.t.Context(), object, metav1.UpdateOptions{}); err != nil && !refused(err) {
				p.t.Errorf("label %s through %s: %v", poison.name, version, err)
			}
		}
	}
}
