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

// pass has the state of one pass over one object.
type pass struct {
	*Reconciler
	key        client.ObjectKey
	log        logr.Logger
	object     *unstructured.Unstructured // the hub as it was read, or last written
	generation int64                      // of the spec that is reconciled
	recorded   annotation.State

	// Set by convert. The API version is that of calls of the external API, and names are those
	// of its members there. The limits describe the values that cannot be sent.
	api         schema.GroupVersionKind
	names       provider.Names
	secretPaths provider.SecretPaths
	public      provider.Public
	texts       [][]byte                // secrets that remain in the body
	wanted      runtime.ConvertibleSpec // the spec in that version
	body        []byte
	limits      []metav1.Condition

	// Set by locate.
	externalAddress annotation.Address
	owner           *metav1.OwnerReference
	owners          []*latest.Owner

	// Set by equip and identify.
	secret     string            // the Secret with the credentials; empty for those of the provider
	aim        annotation.Target // the resource that the object means now, whatever the claim is to
	isLast     bool              // the namespace is being deleted, and accepts no more events
	left       string            // why the resource of a deleted object remains; empty if it is deleted
	provider   *provider.Provider
	secrets    provider.Outputs // outputs in Secrets, and in ConfigMaps
	configMaps provider.Outputs
	unreadable []string // why outputs are refused
	subject    *latest.Subject
	digest     string

	// Set by look, resume and apply.
	seen  *v1.Observation // nil before an observation
	isNew bool            // the claim is written in this pass, without an earlier call
	done  []happening
	// contested is the halt for another object that owns the resource; nil if there is none. An
	// observation can still prove that this object has made the resource.
	contested error
	// isCorrection reports whether the digest to apply was applied before, so that the call
	// corrects a difference in the external API.
	isCorrection bool
	given        []*v1.Secret // of share
	there        [][]byte     // of share: outputs that Secrets have already
	// madeBy is the create that certainly made the resource; nil if none is known.
	madeBy *annotation.SentCreate
	// mayHaveMade reports whether the resource equals the request of a create that was sent so long
	// ago that it proves nothing, or whether the body of a create is not known.
	mayHaveMade bool
	// before has the marks from before this pass wrote the claim. At first it has the marks with
	// which the pass began.
	before annotation.State
	// looks counts the examined claims of other objects. versions has the versions of the Secrets
	// with their credentials.
	looks    int
	versions map[client.ObjectKey]string
	// leftOut reports whether the pass skipped some of them after maxLooks.
	leftOut bool
	// isUndecided reports whether the object goes on although the claim of another one may count.
	isUndecided bool
	// isUnsure reports whether a write of marks failed, but may have been stored.
	isUnsure bool
}

// happening is a change that an event reports.
type happening struct {
	reason, message string
	isWarning       bool
}

func (r *Reconciler) newPass(key client.ObjectKey, object *unstructured.Unstructured, to logr.Logger) *pass {
	recorded := r.recorded(key, object).Undated(r.Now().Add(believed))
	return &pass{
		Reconciler: r, key: key, log: to, object: object, generation: object.GetGeneration(), recorded: recorded, before: recorded,
	}
}

// recorded returns the state of an object from its annotations. If a client has replaced the object
// without them, or with a claim that was not written to the object, it returns the state that this
// process has in memory. A claim without a valid signature counts as one that is there, since a
// process with other keys may have written it.
func (r *Reconciler) recorded(key client.ObjectKey, object metav1.Object) annotation.State {
	memo := r.memory.of(key, object.GetUID())
	if annotation.HasClaim(object) || !memo.recorded.Owned {
		memo.recorded = r.Keys.Read(object)
	}
	return memo.recorded
}

// memo returns the memory of the object.
func (p *pass) memo() *memo { return p.memory.of(p.key, p.object.GetUID()) }

// read reads an object; nil if it no longer exists. It reads the cache, or the API server if the
// cache is older than the last write of this process. It also reads the API server if the claim
// has a create of unknown outcome.
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

// blank returns an empty object of a version.
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

// text returns a string of an object; empty if there is none.
func text(object *unstructured.Unstructured, path ...string) string {
	value, _, _ := unstructured.NestedString(object.Object, path...)
	return value
}

// reference returns the owner reference for the Secrets and ConfigMaps of the object.
func (p *pass) reference() metav1.OwnerReference {
	api := p.kind.API()
	return metav1.OwnerReference{APIVersion: api.GroupVersion().String(), Kind: api.Kind, Name: p.key.Name, UID: p.object.GetUID()}
}

// values returns all secrets that a message must not contain.
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
