package reconciler

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/runtime"
)

// pass is one pass over one object: what is known of it so far.
type pass struct {
	*Reconciler
	key        client.ObjectKey
	log        logr.Logger
	object     *unstructured.Unstructured // the hub as it was read, or last written
	generation int64                      // of what is reconciled
	marks      annotation.State

	// Of convert: the API version in which the external API is called, the names of its members
	// there, the body, and what cannot be sent.
	api    schema.GroupVersionKind
	names  provider.Names
	places provider.SecretPaths
	public provider.Public
	texts  [][]byte                // of secrets that stand in the body
	wanted runtime.ConvertibleSpec // the spec in that version
	body   []byte
	limits []metav1.Condition

	// Of locate.
	place  annotation.Address
	owner  *metav1.OwnerReference
	owners []*latest.Owner

	// Of equip, and of identify.
	secret     string            // the Secret with the credentials; empty for those of the provider
	aim        annotation.Target // which resource the object is about now, whatever the claim is to
	isLast     bool              // the namespace is being deleted, and takes no more events
	left       string            // why the resource of a deleted object is left alone; empty where it is deleted
	provider   *provider.Provider
	secrets    provider.Outputs // what is put into Secrets, and into ConfigMaps
	configMaps provider.Outputs
	unreadable []string // why outputs are refused
	subject    *latest.Subject
	digest     string

	// Of look, resume and apply.
	seen  *v1.Observation // nil before an observation
	isNew bool            // the claim was written in this pass, and no call was made before
	done  []happening
	// contested is why the resource is another object's, unless an observation proves that this one
	// has made it; nil for none.
	contested error
	// isCorrection reports whether what is applied was applied before, and differs in the external
	// API.
	isCorrection bool
	given        []*v1.Secret // of share
	there        [][]byte     // of share: outputs that Secrets have
	// madeBy is the create that certainly made the resource; nil while none is known.
	madeBy *annotation.SentCreate
	// before are the marks as they were before this pass wrote the claim, and at first those that
	// it began with.
	before annotation.State
	// looks is how many claims of other objects were looked at; versions are those of the Secrets
	// with their credentials.
	looks    int
	versions map[client.ObjectKey]string
	// leftOut reports whether the pass had no look left for some of them.
	leftOut bool
	// isUnsure says that a write of marks failed, and may have been stored all the same.
	isUnsure bool
}

// happening is a change that an event reports.
type happening struct {
	reason, message string
	isWarning       bool
}

func (r *Reconciler) newPass(key client.ObjectKey, object *unstructured.Unstructured, to logr.Logger) *pass {
	marks := r.marks(key, object)
	return &pass{
		Reconciler: r, key: key, log: to, object: object, generation: object.GetGeneration(), marks: marks, before: marks,
	}
}

// marks are what is remembered of an object: by itself, or, if a client has replaced it and with it
// all annotations, by this process.
func (r *Reconciler) marks(key client.ObjectKey, object metav1.Object) annotation.State {
	memo := r.memory.of(key, object.GetUID())
	if _, has := object.GetAnnotations()[annotation.Claim]; has || !memo.marks.Owned {
		memo.marks = annotation.Read(object)
	}
	return memo.marks
}

// memo is what this process remembers of the object.
func (p *pass) memo() *memo { return p.memory.of(p.key, p.object.GetUID()) }

// read reads an object, nil for one that is gone: from the cache, but from the API server where the
// cache is older than what was written here, or where a create was begun whose outcome is unknown.
func (r *Reconciler) read(ctx context.Context, key client.ObjectKey) (*unstructured.Unstructured, error) {
	object := r.blank(r.kind.Hub)
	err := r.Client.Get(ctx, key, object)
	if err == nil {
		if m := annotation.Read(object); r.memory.isLate(key, object) || m.Owned && m.ID == "" {
			object = r.blank(r.kind.Hub)
			err = r.Live.Get(ctx, key, object)
		}
	}
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", r.kind.Hub.Kind, err)
	}
	return object, nil
}

// blank is an empty object of a version.
func (r *Reconciler) blank(gvk schema.GroupVersionKind) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	return object
}

func isKept(object metav1.Object) bool {
	for _, f := range object.GetFinalizers() {
		if f == annotation.Finalizer {
			return true
		}
	}
	return false
}

// text reads a string of an object; empty where there is none.
func text(object *unstructured.Unstructured, path ...string) string {
	value, _, _ := unstructured.NestedString(object.Object, path...)
	return value
}

// reference is how Secrets and ConfigMaps refer to the object.
func (p *pass) reference() metav1.OwnerReference {
	api := p.kind.API()
	return metav1.OwnerReference{APIVersion: api.GroupVersion().String(), Kind: api.Kind, Name: p.key.Name, UID: p.object.GetUID()}
}

// values are all that must not stand in a message.
func (p *pass) values() (values [][]byte) {
	values = append(values, p.texts...)
	for _, s := range p.subject.GetResource().GetSecrets() {
		values = append(values, s.GetValue())
	}
	for _, v := range p.subject.GetResource().GetCredentials().GetValues() {
		values = append(values, v)
	}
	for _, s := range p.given {
		values = append(values, s.GetValue())
	}
	return values
}
