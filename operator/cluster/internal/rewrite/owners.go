package rewrite

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratakube/strata/operator/cluster/internal/fieldowner"
	"github.com/stratakube/strata/operator/cluster/ownership"
)

// Owners translates the entries of metadata.managedFields that name versions which go.
type Owners struct {
	Group string
	// Target returns the version that the entries of a version get; it is the same version if the
	// entries stay.
	Target func(version string) string
	// Translate returns the fields that a set of one version becomes in another.
	Translate func(set *fieldpath.Set, from, to string) (*ownership.Translation, error)
	// Live returns an object in a version. It is called only for sets that name fields whose values
	// convert as a whole, and for objects that kubectl has applied in a version that goes.
	Live func(ctx context.Context, m *metav1.PartialObjectMetadata, version string) (map[string]any, error)
	// Serves reports whether the API server still serves a version; nil if it serves none that
	// goes.
	Serves func(version string) bool
}

// changes sums up what a translation changed in an object.
type changes struct {
	entries int
	lost    string // a field that the other version lacks
	inexact string // a field whose value converts by a hand-written step
}

// translate returns the entries of an object, with those translated that name versions which go.
func (o Owners) translate(ctx context.Context, m *metav1.PartialObjectMetadata) ([]metav1.ManagedFieldsEntry, changes, error) {
	var out []metav1.ManagedFieldsEntry
	var c changes
	indices := map[fieldowner.Identity]int{}
	for _, e := range m.ManagedFields {
		group, version, ok := strings.Cut(e.APIVersion, "/")
		if ok && group == o.Group && o.Target(version) != version && e.FieldsV1 != nil {
			if err := o.entry(ctx, m, &e, version, &c); err != nil {
				return nil, c, fmt.Errorf("translate the fields of %q: %w", e.Manager, err)
			}
		}
		id := fieldowner.IdentityOf(&e)
		at, known := indices[id]
		if !known {
			indices[id] = len(out)
			out = append(out, e)
			continue
		}
		if err := unite(&out[at], &e); err != nil {
			return nil, c, err
		}
	}
	if c.entries == 0 {
		return m.ManagedFields, c, nil
	}
	return out, c, nil
}

// entry translates one entry.
func (o Owners) entry(ctx context.Context, m *metav1.PartialObjectMetadata, e *metav1.ManagedFieldsEntry, version string, c *changes) error {
	set, err := fieldowner.Read(e)
	if err != nil {
		return err
	}
	to := o.Target(version)
	t, err := o.Translate(set, version, to)
	if err != nil {
		return err
	}
	result := t.Set
	if !t.Whole.Empty() {
		live, err := o.Live(ctx, m, to)
		if err != nil {
			return err
		}
		fields, err := fieldsOf(live)
		if err != nil {
			return err
		}
		result = t.Over(fields)
	}
	if err := fieldowner.Write(e, result); err != nil {
		return err
	}
	e.APIVersion = o.Group + "/" + to
	c.entries++
	who := strconv.Quote(e.Manager)
	c.lost, c.inexact = first(c.lost, who, t.Lost), first(c.inexact, who, t.Stepped)
	return nil
}

// first returns what was found before, or a field of a set and its owner.
func first(found, owner string, set *fieldpath.Set) string {
	if found != "" || set.Empty() {
		return found
	}
	for path := range set.All() { // which panics if the loop ends early
		if found == "" {
			found = fmt.Sprintf("%s of %s, and %d more", path.String(), owner, set.Size()-1)
		}
	}
	return found
}

// unite adds the fields of one entry to another. The entry has the later time.
func unite(into, e *metav1.ManagedFieldsEntry) error {
	a, err := fieldowner.Read(into)
	if err != nil {
		return err
	}
	b, err := fieldowner.Read(e)
	if err != nil {
		return err
	}
	if e.Time != nil && (into.Time == nil || into.Time.Before(e.Time)) {
		into.Time = e.Time
	}
	return fieldowner.Write(into, a.Union(b))
}

// Relabel translates sets by schemas alone, where no histories are known. A field that the other
// version has under the same path stays owned. The others are lost, and reported.
// It is safe for concurrent use.
func Relabel(schemas map[string]json.RawMessage) func(set *fieldpath.Set, from, to string) (*ownership.Translation, error) {
	read := map[string]*node{}
	var lock sync.Mutex
	schema := func(version string) (*node, error) {
		lock.Lock()
		defer lock.Unlock()
		if read[version] == nil {
			n := &node{}
			if err := json.Unmarshal(schemas[version], n); err != nil {
				return nil, fmt.Errorf("read the schema of %s: %w", version, err)
			}
			read[version] = n
		}
		return read[version], nil
	}
	return func(set *fieldpath.Set, _, to string) (*ownership.Translation, error) {
		target, err := schema(to)
		if err != nil {
			return nil, err
		}
		out := &ownership.Translation{Set: fieldpath.NewSet(), Whole: fieldpath.NewSet(), Lost: fieldpath.NewSet(), Stepped: fieldpath.NewSet()}
		for path := range set.All() {
			path = path.Copy()
			kept, ok := target.fit(path)
			switch {
			case !ok:
				out.Lost.Insert(path)
			case len(kept) > 0:
				out.Set.Insert(kept)
			}
		}
		return out, nil
	}
}
