package reconciler

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
)

// fieldOwner is the field manager of the operator's writes.
const fieldOwner = client.FieldOwner("strata-operator")

// metadata is a merge patch of metadata. It does not contain annotations of other clients.
type metadata struct {
	UID             types.UID               `json:"uid"`
	ResourceVersion string                  `json:"resourceVersion,omitempty"`
	Annotations     map[string]*string      `json:"annotations,omitempty"`
	Finalizers      *[]string               `json:"finalizers,omitempty"`
	OwnerReferences []metav1.OwnerReference `json:"ownerReferences,omitempty"`
}

// intend writes marks, and the changes of edit, before a call that changes something in the
// external API. It fails if the object has been written since it was read. Otherwise a process
// with an old object could repeat a call.
func (p *pass) intend(ctx context.Context, recorded annotation.State, edit func(*metadata)) error {
	m := metadata{UID: p.object.GetUID(), ResourceVersion: p.object.GetResourceVersion(), Annotations: p.changed(recorded)}
	if edit != nil {
		edit(&m)
	}
	if len(m.Annotations) == 0 && m.Finalizers == nil && m.OwnerReferences == nil {
		p.recorded = recorded
		return nil
	}
	return p.patch(ctx, m, recorded)
}

// remember writes marks after a call of the external API. It ignores later writes of other
// clients, and the end of the operator: the operator may not learn the result of the call again.
func (p *pass) remember(ctx context.Context, recorded annotation.State) error {
	m := metadata{UID: p.object.GetUID(), Annotations: p.changed(recorded)}
	if len(m.Annotations) == 0 {
		p.recorded = recorded
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), insistence)
	defer cancel()
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		err := p.patch(ctx, m, recorded)
		if err == nil || isFinal(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// insistence is how long the operator tries to write the result of a call.
const insistence = 10 * time.Second

// isFinal reports whether a retry is useless.
func isFinal(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsForbidden(err)
}

// changed returns the annotations that differ from marks.
func (p *pass) changed(recorded annotation.State) map[string]*string {
	annotations := recorded.Annotations(p.object.GetUID())
	p.Keys.Sign(recorded, p.object.GetUID(), annotations)
	has := p.object.GetAnnotations()
	for name, value := range annotations {
		if now, is := has[name]; is == (value != nil) && (!is || now == *value) {
			delete(annotations, name)
		}
	}
	return annotations
}

func (p *pass) patch(ctx context.Context, m metadata, recorded annotation.State) error {
	data, err := json.Marshal(map[string]metadata{"metadata": m})
	if err != nil {
		return err
	}
	object := p.blank(p.kind.Hub)
	object.SetNamespace(p.key.Namespace)
	object.SetName(p.key.Name)
	if err := p.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, data), fieldOwner); err != nil {
		p.isUnsure = true
		return err
	}
	p.isUnsure = false
	p.wrote(object)
	p.recorded = recorded
	p.memory.of(p.key, object.GetUID()).recorded = recorded
	return nil
}

// wrote replaces the object of the pass by the answer of the API server to a write.
func (p *pass) wrote(object *unstructured.Unstructured) {
	object.SetManagedFields(nil)
	p.object = object
	p.memory.of(p.key, object.GetUID()).written = object.GetResourceVersion()
}

// keepObject adds the finalizer and the owner reference, so that the object stays until its
// resource is deleted.
func (p *pass) keepObject(m *metadata) {
	if !isKept(p.object) {
		all := append(slices.Clone(p.object.GetFinalizers()), annotation.Finalizer)
		m.Finalizers = &all
	}
	p.belong(m)
}

// heal updates the version in the reference of the object to its owner: garbage collection cannot
// map a version that is no longer served. Each pass begins with it, whatever its action is.
func (p *pass) heal(ctx context.Context) error {
	if !p.recorded.Owned {
		return nil
	}
	return p.intend(ctx, p.recorded, p.renew)
}

// renew updates the version in the reference to the owner that the spec names, even if the owner
// no longer exists.
func (p *pass) renew(m *metadata) {
	parent := p.Kinds.Of(p.kind.Parent)
	if parent == nil {
		return
	}
	name, _ := ownerOf(p.kind, p.object)
	api := parent.API()
	is := metav1.OwnerReference{APIVersion: api.GroupVersion().String(), Kind: api.Kind, Name: name}
	references := slices.Clone(p.object.GetOwnerReferences())
	for i, r := range references {
		if r.Name == is.Name && r.APIVersion != is.APIVersion && isSameKind(r, is) {
			references[i].APIVersion, m.OwnerReferences = is.APIVersion, references
		}
	}
}

// belong adds a reference to the owner, or updates its version. References to other objects do
// not change.
func (p *pass) belong(m *metadata) {
	if p.owner == nil {
		return
	}
	references := slices.Clone(p.object.GetOwnerReferences())
	at := slices.IndexFunc(references, func(r metav1.OwnerReference) bool { return r.UID == p.owner.UID })
	switch {
	case at < 0:
		references = append(references, *p.owner)
	case references[at].APIVersion != p.owner.APIVersion && isSameKind(references[at], *p.owner):
		references[at].APIVersion = p.owner.APIVersion
	default:
		return
	}
	m.OwnerReferences = references
}

// isSameKind reports whether two references are to objects of the same group and kind.
func isSameKind(a, b metav1.OwnerReference) bool {
	first, err := schema.ParseGroupVersion(a.APIVersion)
	second, other := schema.ParseGroupVersion(b.APIVersion)
	return err == nil && other == nil && first.Group == second.Group && a.Kind == b.Kind
}

// letGo removes the finalizer, so that the object is removed when it is deleted.
func (p *pass) letGo(m *metadata) {
	if !isKept(p.object) {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(p.object.GetFinalizers()), func(f string) bool { return f == annotation.Finalizer })
	m.Finalizers = &rest
}
