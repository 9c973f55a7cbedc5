package versions

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
)

// Object describes one object.
type Object struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Hub       string `json:"hub"`
	Original  string `json:"originalVersion"`
	Known     bool   `json:"known"` // whether the CRD has that version
	Versions  []View `json:"versions"`
}

// View describes an object in a version.
type View struct {
	Version string `json:"version"`
	// Hidden are the values that the version cannot represent. Bytes is the length of the
	// annotation or bag that stores them.
	Hidden []Hidden `json:"hidden"`
	Bytes  int      `json:"bytes"`
	// Error is why the object, or its hidden values, cannot be read in the version; empty if they
	// can.
	Error string `json:"error,omitempty"`
}

// Hidden is a value that a version cannot represent: its path, its key in the bag there, and its
// length. A value of a wrong type has no key.
type Hidden struct {
	Path  string `json:"path"`
	Key   string `json:"key,omitempty"`
	Bytes int    `json:"bytes"`
}

// Failed reports whether anything could not be read.
func (o *Object) Failed() bool {
	for _, v := range o.Versions {
		if v.Error != "" {
			return true
		}
	}
	return false
}

// OfObject reads an object in every served version.
func OfObject(ctx context.Context, c dynamic.Interface, d *crd.CRD, namespace, name string) (*Object, error) {
	through := func(version string) dynamic.ResourceInterface {
		if !d.Namespaced {
			return c.Resource(d.Resource(version))
		}
		return c.Resource(d.Resource(version)).Namespace(namespace)
	}
	there, err := through(d.Hub()).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", d.Kind, name, err)
	}
	o := &Object{Group: d.Group, Kind: d.Kind, Namespace: there.GetNamespace(), Name: name, Hub: d.Hub(), Original: original(there, d)}
	for _, v := range d.Versions {
		o.Known = o.Known || v.Name == o.Original
	}
	for _, version := range d.Readable() {
		visible, err := through(version).Get(ctx, name, metav1.GetOptions{})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			o.Versions = append(o.Versions, View{Version: version, Hidden: []Hidden{}, Error: err.Error()})
			continue
		}
		o.Versions = append(o.Versions, look(version, visible))
	}
	return o, nil
}

// look reads the hidden values of an object.
func look(version string, o *unstructured.Unstructured) View {
	s := View{Version: version, Hidden: []Hidden{}}
	bag, ok, err := unstructured.NestedString(o.Object, convert.BagPath()...)
	if !ok || err != nil {
		bag = o.GetAnnotations()[runtime.BagAnnotation]
	}
	if bag == "" {
		return s
	}
	s.Bytes = len(bag)
	hidden, err := convert.ReadHidden(bag)
	if err != nil {
		s.Error = err.Error()
		return s
	}
	for _, v := range hidden.Values {
		s.Hidden = append(s.Hidden, Hidden{Path: v.Path, Key: v.Key, Bytes: len(v.Value)})
	}
	return s
}
