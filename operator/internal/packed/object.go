package packed

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// A [Packer] keeps so many of the last objects decoded, while their JSON has at most so many bytes
// in all. A cache computes several index keys of an object and compares it with its predecessor,
// one object after the other.
const (
	recent      = 64
	recentBytes = 1 << 20
	fewest      = 4 // how many are kept, whatever their size: two objects of two kinds
)

// Packer packs the objects of a process. The zero value is ready, and safe for concurrent use.
type Packer struct {
	codec codec

	mu      sync.Mutex
	samples map[schema.GroupVersionKind]*samples
	decoded []*content // the last one was decoded last
	bytes   int        // of their JSON
}

// samples are those of a kind.
type samples struct {
	now  sample // of texts that are compressed from now on
	free int    // how many may replace it at once
	used int    // how many texts it was used for
}

// The first objects of a kind may be unlike all others, so that a few samples replace each other at
// once. Later ones replace the present one after it was used often, since each takes memory.
const (
	freeSamples = 8
	often       = 1000
)

// Pack returns an object as a cache stores it. The object belongs to the packer from then on, and
// must not be changed.
func (p *Packer) Pack(u *unstructured.Unstructured) (*Object, error) {
	o, err := p.pack(u)
	if err != nil {
		return nil, fmt.Errorf("pack %s/%s: %w", u.GetNamespace(), u.GetName(), err)
	}
	p.keep(&o.content, u)
	return o, nil
}

func (p *Packer) pack(u *unstructured.Unstructured) (*Object, error) {
	kind := u.GroupVersionKind()
	if kind.Kind == "" {
		return nil, errors.New("it has no kind")
	}
	text, err := json.Marshal(u.Object)
	if err != nil {
		return nil, err
	}
	o := &Object{content{
		packer: p, length: len(text), sample: p.sampleOf(kind, text),
		namespace: unique.Make(u.GetNamespace()).Value(), name: u.GetName(), uid: u.GetUID(), version: u.GetResourceVersion(), generation: u.GetGeneration(),
	}}
	if o.data, err = p.codec.compress(text, o.sample); err != nil {
		return nil, err
	}
	if len(o.data) > len(text)/4 {
		p.replace(kind, o.sample, text)
	}
	return o, nil
}

// sampleOf returns the sample for a text of a kind.
func (p *Packer) sampleOf(kind schema.GroupVersionKind, text []byte) sample {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.samples[kind]
	if of == nil {
		if p.samples == nil {
			p.samples = map[schema.GroupVersionKind]*samples{}
		}
		of = &samples{now: sampleOf(text), free: freeSamples}
		p.samples[kind] = of
	}
	of.used++
	return of.now
}

// replace makes a text the sample of those that follow, because it has little in common with the
// present one.
func (p *Packer) replace(kind schema.GroupVersionKind, was sample, text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.samples[kind]
	if &of.now[0] != &was[0] || of.free == 0 && of.used < often {
		return
	}
	of.now, of.free, of.used = sampleOf(text), max(0, of.free-1), 0
}

// keep keeps an object decoded until others take its place. It returns what is kept, which is
// another decoding if two callers were at it.
func (p *Packer) keep(o *content, u *unstructured.Unstructured) *unstructured.Unstructured {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.decoded != nil {
		return o.decoded
	}
	o.decoded = u
	p.decoded, p.bytes = append(p.decoded, o), p.bytes+o.length
	for len(p.decoded) > recent || p.bytes > recentBytes && len(p.decoded) > fewest {
		oldest := p.decoded[0]
		oldest.decoded = nil
		p.decoded, p.bytes = slices.Delete(p.decoded, 0, 1), p.bytes-oldest.length
	}
	return u
}

// Object is an object of a cache. Its methods that change objects do nothing.
type Object struct{ content }

// content has the methods of metav1.Object.
type content struct {
	unchangeable

	packer *Packer
	data   string // compressed JSON
	length int    // of the JSON
	sample sample
	// decoded is the object while its packer keeps it, and else nil. The packer's lock guards it.
	decoded *unstructured.Unstructured

	// What caches and predicates read of every object.
	namespace, name, version string
	uid                      types.UID
	generation               int64
}

// Decoded returns the object. Others use it, too, so that nobody may change it.
func (o *content) Decoded() *unstructured.Unstructured {
	o.packer.mu.Lock()
	u := o.decoded
	o.packer.mu.Unlock()
	if u != nil {
		return u
	}
	return o.packer.keep(o, o.unpack())
}

// DeepCopyObject returns a decoded copy, an *[unstructured.Unstructured]. Readers of a cache call
// it for each object.
func (o *content) DeepCopyObject() runtime.Object { return o.unpack() }

func (o *content) unpack() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	text, err := o.packer.codec.expand(o.data, o.length, o.sample)
	if err == nil {
		err = u.UnmarshalJSON(text)
	}
	if err != nil {
		panic(fmt.Sprintf("unpack %s/%s: %v", o.namespace, o.name, err)) // nobody but Pack has written it
	}
	return u
}

// Of returns an object of a cache, decoded; nil if it is neither packed nor unstructured. Nobody
// may change it.
func Of(object runtime.Object) *unstructured.Unstructured {
	switch o := object.(type) {
	case *unstructured.Unstructured:
		return o
	case *Object:
		return o.Decoded()
	}
	return nil
}

// The methods of metav1.Object that read.

func (o *content) GetNamespace() string               { return o.namespace }
func (o *content) GetName() string                    { return o.name }
func (o *content) GetUID() types.UID                  { return o.uid }
func (o *content) GetResourceVersion() string         { return o.version }
func (o *content) GetGeneration() int64               { return o.generation }
func (o *content) GetGenerateName() string            { return o.Decoded().GetGenerateName() }
func (o *content) GetSelfLink() string                { return o.Decoded().GetSelfLink() }
func (o *content) GetCreationTimestamp() metav1.Time  { return o.Decoded().GetCreationTimestamp() }
func (o *content) GetDeletionTimestamp() *metav1.Time { return o.Decoded().GetDeletionTimestamp() }
func (o *content) GetDeletionGracePeriodSeconds() *int64 {
	return o.Decoded().GetDeletionGracePeriodSeconds()
}
func (o *content) GetLabels() map[string]string      { return o.Decoded().GetLabels() }
func (o *content) GetAnnotations() map[string]string { return o.Decoded().GetAnnotations() }
func (o *content) GetFinalizers() []string           { return o.Decoded().GetFinalizers() }
func (o *content) GetOwnerReferences() []metav1.OwnerReference {
	return o.Decoded().GetOwnerReferences()
}
func (o *content) GetManagedFields() []metav1.ManagedFieldsEntry {
	return o.Decoded().GetManagedFields()
}

// GetObjectKind returns the kind of the object, which the caller may change.
func (o *content) GetObjectKind() schema.ObjectKind {
	u := o.Decoded()
	return &metav1.TypeMeta{APIVersion: u.GetAPIVersion(), Kind: u.GetKind()}
}

// unchangeable has the methods of metav1.Object that change an object. They do nothing: many
// readers share an object of a cache.
type unchangeable struct{}

func (unchangeable) SetNamespace(string)                          {}
func (unchangeable) SetName(string)                               {}
func (unchangeable) SetGenerateName(string)                       {}
func (unchangeable) SetUID(types.UID)                             {}
func (unchangeable) SetResourceVersion(string)                    {}
func (unchangeable) SetGeneration(int64)                          {}
func (unchangeable) SetSelfLink(string)                           {}
func (unchangeable) SetCreationTimestamp(metav1.Time)             {}
func (unchangeable) SetDeletionTimestamp(*metav1.Time)            {}
func (unchangeable) SetDeletionGracePeriodSeconds(*int64)         {}
func (unchangeable) SetLabels(map[string]string)                  {}
func (unchangeable) SetAnnotations(map[string]string)             {}
func (unchangeable) SetFinalizers([]string)                       {}
func (unchangeable) SetOwnerReferences([]metav1.OwnerReference)   {}
func (unchangeable) SetManagedFields([]metav1.ManagedFieldsEntry) {}
