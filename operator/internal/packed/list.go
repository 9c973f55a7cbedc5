package packed

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// List is a list that a cache fills with its own objects, packed, where the caller passes
// client.UnsafeDisableDeepCopy. A list of names takes no memory for contents then.
type List struct {
	unstructured.UnstructuredList
	// Items are *[Object], or what else the reader has.
	Items []runtime.Object
}

// DeepCopyObject returns a list of its own with the same objects. A cache of several namespaces
// fills such copies.
func (l *List) DeepCopyObject() runtime.Object {
	return &List{UnstructuredList: *l.UnstructuredList.DeepCopy(), Items: slices.Clone(l.Items)}
}

// ListOf returns an empty list of a kind.
func ListOf(kind schema.GroupVersionKind) *List {
	l := &List{}
	l.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	return l
}

// UnmarshalJSON reads a list from an API server.
func (l *List) UnmarshalJSON(text []byte) error {
	if err := l.UnstructuredList.UnmarshalJSON(text); err != nil {
		return err
	}
	l.Items = nil
	for i := range l.UnstructuredList.Items {
		l.Items = append(l.Items, &l.UnstructuredList.Items[i])
	}
	return nil
}
