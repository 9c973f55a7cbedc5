package fieldowner_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratakube/strata/operator/cluster/internal/fieldowner"
)

func entry(manager string, operation metav1.ManagedFieldsOperationType, fields string) metav1.ManagedFieldsEntry {
	e := metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{}}
	e.FieldsV1.SetRawBytes([]byte(fields))
	return e
}

// TestRestore has an object after the first of two writes: fields a and b were changed, and their
// owners recorded. It checks who owns them after the second one.
func TestRestore(t *testing.T) {
	const apply, update = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	changed := fieldpath.NewSet(fieldpath.MakePathOrDie("a"), fieldpath.MakePathOrDie("b"))
	before := []metav1.ManagedFieldsEntry{
		entry("flux", apply, `{"f:a":{},"f:c":{}}`), entry("only", update, `{"f:a":{},"f:b":{}}`), entry("other", update, `{"f:c":{}}`),
	}
	record, err := fieldowner.Record(before, changed)
	if err != nil {
		t.Fatal(err)
	}
	const recorded = `"f:metadata":{"f:annotations":{"f:cluster.strata.dev/field-owners":{}}}`
	rest := []metav1.ManagedFieldsEntry{entry("flux", apply, `{"f:c":{}}`), entry("other", update, `{"f:c":{}}`)}
	for _, test := range []struct {
		reason string
		now    []metav1.ManagedFieldsEntry
		note   string
		want   []string
	}{
		{"after the first write", append(rest, entry(fieldowner.Healer, update, `{"f:a":{},"f:b":{},`+recorded+`}`)), record,
			[]string{`flux Apply {"f:a":{},"f:c":{}}`, `only Update {"f:a":{},"f:b":{}}`, `other Update {"f:c":{}}`}},
		{"a client has changed b since", append(rest, entry("client", update, `{"f:b":{}}`), entry(fieldowner.Migrator, update, `{"f:a":{},`+recorded+`}`)), record,
			[]string{`client Update {"f:b":{}}`, `flux Apply {"f:a":{},"f:c":{}}`, `only Update {"f:a":{}}`, `other Update {"f:c":{}}`}},
		{"a copy of the object, whose author owns the annotation", []metav1.ManagedFieldsEntry{entry("author", update, `{"f:a":{},"f:b":{},`+recorded+`}`)}, record,
			[]string{`author Update {"f:a":{},"f:b":{},` + recorded + `}`}},
		{"an annotation that is not valid", append(rest, entry(fieldowner.Healer, update, `{"f:a":{}}`)), "[7]",
			[]string{`flux Apply {"f:c":{}}`, `other Update {"f:c":{}}`}},
	} {
		m := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ManagedFields: test.now, Annotations: map[string]string{fieldowner.Annotation: test.note}}}
		entries, has, err := fieldowner.Restore(m)
		if err != nil || !has {
			t.Errorf("%s: %t, %v", test.reason, has, err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, fmt.Sprint(e.Manager, " ", e.Operation, " ", e.FieldsV1.GetRawString()))
		}
		slices.Sort(got)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
	bare := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ManagedFields: before}}
	if entries, has, err := fieldowner.Restore(bare); has || err != nil || !fieldowner.Same(before, entries) {
		t.Errorf("an object without the annotation: %t, %v", has, err)
	}
}
