package reconciler

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// indexer stores the indexes.
type indexer struct {
	fields []string
	err    error
}

func (i *indexer) IndexField(_ context.Context, object client.Object, field string, _ client.IndexerFunc) error {
	i.fields = append(i.fields, object.GetObjectKind().GroupVersionKind().Kind+" "+field)
	return i.err
}

// TestEachKindHasAllIndexes adds the indexes of a kind to a cache, and to one that fails.
func TestEachKindHasAllIndexes(t *testing.T) {
	k := passOf(t, Options{}).kind
	to := &indexer{}
	if err := Index(t.Context(), to, k); err != nil {
		t.Error(err)
	}
	slices.Sort(to.fields)
	var want []string
	for field := range Indexes(k) {
		want = append(want, "Person "+field)
	}
	slices.Sort(want)
	if !slices.Equal(to.fields, want) {
		t.Errorf("there are the indexes %q, want %q", to.fields, want)
	}
	if err := Index(t.Context(), &indexer{err: errors.New("no")}, k); err == nil || !strings.Contains(err.Error(), "index Person: no") {
		t.Errorf("a cache that fails ends with %v", err)
	}
}
