package reconciler

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/plugin/member"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/resource"
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
)

// hub decodes the object without its status, which is not needed to convert the spec.
func (p *pass) hub() (runtime.MetaObject, error) {
	made, err := p.Scheme.New(p.kind.Hub)
	if err != nil {
		return nil, err
	}
	hub, ok := made.(runtime.MetaObject)
	if !ok {
		return nil, fmt.Errorf("%T has no convertible spec", made)
	}
	content := make(map[string]any, 4)
	for _, name := range []string{"apiVersion", "kind", "metadata", "spec"} {
		if value, has := p.object.Object[name]; has {
			content[name] = value
		}
	}
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(content); err != nil {
		return nil, err
	}
	return hub, convert.Decode(data.Bytes(), hub)
}

// convert determines the version that the user wrote, and makes the body in it. If a hand-written
// step cannot convert the spec, convert halts. Otherwise the external API would receive other
// values than the user wrote.
func (p *pass) convert(context.Context) error {
	hub, err := p.hub()
	if err != nil {
		return &halt{reason: "ConversionFailed", message: err.Error(), state: stalled}
	}
	p.version(hub)
	spec, err := runtime.GetVersionedSpec(hub, p.Scheme)
	if err != nil {
		return &halt{reason: "ConversionFailed", message: err.Error(), state: stalled}
	}
	if api, err := p.Scheme.New(p.api); err == nil {
		p.names, p.secretPaths, p.public = provider.NamesOf(api), provider.SecretPathsOf(api), provider.PublicOf(api)
	}
	p.wanted = spec
	if p.body, err = provider.Body(spec, p.names); err != nil {
		return &halt{reason: "ConversionFailed", message: err.Error(), state: stalled}
	}
	p.declares(hub)
	return nil
}

// version determines the API version for calls, and the conditions about it.
func (p *pass) version(hub runtime.MetaObject) {
	wrote := p.kind.API()
	if original, ok := hub.(runtime.Original); ok {
		wrote = *original.OriginalGVK()
	}
	p.api = runtime.EffectiveVersion(wrote, p.Scheme)
	if p.api.Version != wrote.Version {
		p.limits = append(p.limits, metav1.Condition{
			Type: OriginalVersionKept, Status: metav1.ConditionFalse, Reason: NotKept,
			Message: provider.Bounded(fmt.Sprintf("version %s, in which the resource was written, is not kept; %s stands for it", wrote.Version, p.api.Version)),
		})
	}
	if limited, ok := hub.(runtime.Limited); ok {
		if lacks := specPaths(limited.Unexpressed()); len(lacks) > 0 {
			p.limits = append(p.limits, metav1.Condition{
				Type: FullySent, Status: metav1.ConditionFalse, Reason: NotExpressible,
				Message: provider.Bounded(fmt.Sprintf("version %s cannot express, and the external API is not sent: %s", p.api.Version, strings.Join(lacks, ", "))),
			})
		}
	}
}

// locate determines the address of the resource in the external API. It halts until the parent
// exists. It also halts if the address of an owned resource changes, since the operator would
// lose track of the resource.
func (p *pass) locate(ctx context.Context) error {
	p.externalAddress.Name = p.key.Name
	if p.kind.Owner != "" {
		p.externalAddress.Name = cmp.Or(text(p.object, "spec", member.AzureName), p.key.Name)
	}
	name, id := ownerOf(p.kind, p.object)
	switch {
	case id != "":
		p.externalAddress.Parent = id
	case name != "":
		if err := p.locateOwner(ctx, name); err != nil {
			return err
		}
	case strings.Count(p.kind.Type, "/") > 1:
		return &halt{reason: "OwnerMissing", message: "spec.owner is missing, and " + p.kind.Type + " is part of another resource", state: stalled}
	}
	if was := p.recorded.Address; p.recorded.Owned && was != (annotation.Address{}) && was != p.externalAddress {
		return &halt{
			reason: PlaceChanged, state: stalled,
			message: fmt.Sprintf("the resource is %s, and spec.azureName or spec.owner would make it another one: restore the earlier values, or delete this object and create it again", spell(was)),
		}
	}
	return nil
}

// checkParent halts if the resource is new, and the object of its parent is being deleted. It
// does not wait for objects of other namespaces, which could hold it up for ever.
func (p *pass) checkParent(ctx context.Context) error {
	_, id := ownerOf(p.kind, p.object)
	if id == "" || p.recorded.Owned {
		return nil
	}
	for _, k := range p.Kinds.All() {
		list, err := p.indexed(ctx, k, ByIdentity, annotation.Key(id))
		if err != nil {
			return err
		}
		for owner := range list {
			if owner.GetNamespace() != p.key.Namespace || owner.GetDeletionTimestamp() == nil {
				continue
			}
			if isApart, err := p.isApart(ctx, p.aim, k, owner); err != nil {
				return err
			} else if !isApart {
				return &halt{reason: "OwnerNotReady", message: p.called(owner) + " is being deleted", state: waiting, after: yielding}
			}
		}
	}
	return nil
}

// ownerOf returns the owner in the spec of an object: the name of an object, or an identifier.
// Both are empty if the member belongs to the vendor.
func ownerOf(k *resource.Kind, object *unstructured.Unstructured) (name, id string) {
	if k.Owner == "" {
		return "", ""
	}
	return text(object, "spec", k.Owner, member.OwnerName), text(object, "spec", k.Owner, member.OwnerID)
}

func spell(w annotation.Address) string {
	if w.Parent == "" {
		return w.Name
	}
	return w.Name + " of " + w.Parent
}

// locateOwner finds the owner that the object names, and the owners of that one. It ends because
// the type of each owner is shorter.
func (p *pass) locateOwner(ctx context.Context, name string) error {
	if p.kind.Parent.Empty() {
		return &halt{reason: "OwnerUnknown", message: "no kind of this operator owns " + p.kind.Type + ": set spec.owner.armId", state: stalled}
	}
	for k, at := p.Kinds.Of(p.kind.Parent), name; k != nil && at != ""; k = p.Kinds.Of(k.Parent) {
		owner := p.blank(k.Hub)
		err := p.Client.Get(ctx, client.ObjectKey{Namespace: p.key.Namespace, Name: at}, owner)
		if apierrors.IsNotFound(err) {
			if len(p.owners) > 0 {
				return nil
			}
			return waitFor("OwnerNotFound", fmt.Sprintf("%s %s is not there", k.Hub.Kind, at))
		}
		if err != nil {
			return fmt.Errorf("read %s %s: %w", k.Hub.Kind, at, err)
		}
		if err := p.own(k, owner); err != nil {
			return err
		}
		next, id := ownerOf(k, owner)
		if id != "" {
			return nil
		}
		at = next
	}
	return nil
}

// own appends an object to the owners. If it is the first one, own sets the parent, and halts if
// that is not ready.
func (p *pass) own(k *resource.Kind, owner *unstructured.Unstructured) error {
	id := annotation.Read(owner).ID
	if len(p.owners) == 0 {
		switch {
		case owner.GetDeletionTimestamp() != nil && !p.recorded.Owned:
			return waitFor("OwnerNotReady", fmt.Sprintf("%s %s is being deleted", k.Hub.Kind, owner.GetName()))
		case id == "":
			return waitFor("OwnerNotReady", fmt.Sprintf("%s %s has no resource yet", k.Hub.Kind, owner.GetName()))
		}
		api, blocks := k.API(), true
		p.externalAddress.Parent = id
		p.owner = &metav1.OwnerReference{
			APIVersion: api.GroupVersion().String(), Kind: api.Kind, Name: owner.GetName(), UID: owner.GetUID(), BlockOwnerDeletion: &blocks,
		}
	}
	version := text(owner, "spec", member.OriginalVersion)
	if version == "" {
		version = k.API().Version
	}
	p.owners = append(p.owners, &latest.Owner{
		Object: &v1.Object{
			Group: k.Hub.Group, Version: version, Kind: k.Hub.Kind,
			Namespace: owner.GetNamespace(), Name: owner.GetName(), Uid: string(owner.GetUID()),
		},
		Type: k.Type, Id: id,
	})
	return nil
}

// equip determines the provider and the credentials, reads values from Secrets and ConfigMaps,
// and makes the subject of calls.
func (p *pass) equip(ctx context.Context) error {
	n, unreadable, err := namedBy(p.object, provider.AddedMembers(p.wanted), p.public)
	if err != nil {
		return &halt{reason: ReasonOutputsUnreadable, message: provider.Bounded(err.Error()), state: stalled}
	}
	p.secrets, p.configMaps, p.unreadable = n.secrets, n.configMaps, unreadable
	if err := p.give(ctx, n.configMapRefs); err != nil {
		return err
	}
	for i := range n.secretRefs {
		n.secretRefs[i].Path = p.names.Path(n.secretRefs[i].Path)
	}
	values, versions, err := p.stores.secrets.Inputs(ctx, p.key.Namespace, n.secretRefs)
	if err != nil {
		return p.unequipped(err)
	}
	p.digest = provider.Digest(p.kind.Versions[p.api.Version], p.body, versions)
	var secrets []*v1.Secret
	for _, value := range values {
		secrets = append(secrets, &v1.Secret{Path: value.Path, Value: value.Value})
	}
	return p.address(ctx, secrets)
}

// give writes the values of ConfigMaps into the body. The first object that names a ConfigMap
// starts the watch of ConfigMaps.
func (p *pass) give(ctx context.Context, refs []provider.Ref) error {
	if len(refs) > 0 || len(p.configMaps) > 0 {
		p.watchConfigMaps()
	}
	values, _, err := p.stores.configMaps.Inputs(ctx, p.key.Namespace, refs)
	if err != nil {
		return p.unequipped(err)
	}
	body, err := provider.SetValues(p.body, p.wanted, p.names, p.secretPaths, values)
	if err != nil {
		return &halt{reason: ReasonInputsInvalid, message: provider.Bounded(err.Error()), state: stalled}
	}
	p.body = body
	return nil
}

// address makes the subject of calls, with the credentials of the object.
func (p *pass) address(ctx context.Context, secrets []*v1.Secret) (err error) {
	if p.provider, err = p.Providers.For(p.kind.Type); err != nil {
		return p.failed(err)
	}
	credentials, err := p.credentials(ctx)
	if err != nil {
		return p.unequipped(err)
	}
	if p.secret != "" {
		p.provider = p.provider.With(secretOf(p.key.Namespace, p.secret))
	}
	body, secrets := p.concealed(secrets)
	p.subject = &latest.Subject{
		Resource: &v1.Resource{
			Object: &v1.Object{
				Group: p.api.Group, Version: p.api.Version, Kind: p.api.Kind,
				Namespace: p.key.Namespace, Name: p.key.Name, Uid: string(p.object.GetUID()),
			},
			Type: p.kind.Type, ApiVersion: p.kind.Versions[p.api.Version],
			Place:   &v1.Place{Name: p.externalAddress.Name, Parent: p.externalAddress.Parent},
			Spec:    body,
			Secrets: secrets, Credentials: credentials,
			Id: p.recorded.ID, Uid: p.knownUID(),
		},
		Owners: p.owners,
		Mark:   markOf(p.object),
	}
	return nil
}

// concealed moves the secrets in the body to those of references, which take precedence.
// Providers do not log these secrets, and do not compare them with answers. Secrets that cannot
// be moved remain in the body, and are removed from messages.
func (p *pass) concealed(secrets []*v1.Secret) ([]byte, []*v1.Secret) {
	concealed, err := p.secretPaths.External(p.names).Conceal(p.body)
	if err != nil { // the body was made here
		return p.body, secrets
	}
	p.texts = concealed.Texts
	for _, found := range concealed.Secrets {
		if !slices.ContainsFunc(secrets, func(s *v1.Secret) bool { return s.GetPath() == found.GetPath() }) {
			secrets = append(secrets, found)
		}
	}
	return concealed.Body, secrets
}

// credentials returns the credentials of the object; nil for the provider's own. The provider's
// own never replace the Secret with which the resource was claimed.
func (p *pass) credentials(ctx context.Context) (*v1.Credentials, error) {
	named := p.object.GetAnnotations()[annotation.Credentials]
	found, err := p.Credentials.For(ctx, p.key, named)
	if found != nil {
		p.secret = cmp.Or(named, provider.DefaultCredentials)
	}
	was := p.recorded.Target.Credentials
	if err == nil && found == nil && p.recorded.Owned && was != "" && !annotation.MayChangeCredentials(p.object) {
		err = &provider.RefError{Reason: provider.ReasonSecretMissing, Message: fmt.Sprintf(
			"the resource was claimed with the credentials of Secret %s, which is not there, or not named any more: bring it back, or annotate the object with %s=%s to go on with the operator's own",
			was, annotation.Adopt, annotation.WithCredentials)}
	}
	var missing *provider.RefError
	if !errors.As(err, &missing) || p.object.GetDeletionTimestamp() == nil {
		return found, err
	}
	return p.lastCredentials(ctx, cmp.Or(named, was), err)
}

// lastCredentials returns those of a Secret that was deleted with its namespace. They were used
// to make the resource that is to be deleted.
func (p *pass) lastCredentials(ctx context.Context, name string, missing error) (*v1.Credentials, error) {
	namespace, err := p.endingNamespace(ctx)
	if err != nil || namespace == nil {
		return nil, errors.Join(missing, err)
	}
	if found, err := p.Credentials.Last(ctx, p.key, name, namespace.CreationTimestamp.Time); found != nil || err != nil {
		p.secret = name
		return found, err
	}
	p.leave(name)
	return nil, nil
}

// namespaceEnds reports whether the namespace of the object is being deleted.
func (p *pass) namespaceEnds(ctx context.Context) (bool, error) {
	namespace, err := p.endingNamespace(ctx)
	return namespace != nil, err
}

// endingNamespace returns the namespace of the object if it is being deleted, or else nil.
func (p *pass) endingNamespace(ctx context.Context) (*corev1.Namespace, error) {
	namespace := &corev1.Namespace{}
	if err := p.Live.Get(ctx, client.ObjectKey{Name: p.key.Namespace}, namespace); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if namespace.DeletionTimestamp == nil {
		return nil, nil
	}
	return namespace, nil
}

// unequipped returns the halt for a Secret or a ConfigMap that cannot be used. A change of it
// starts the next pass.
func (p *pass) unequipped(err error) error {
	var ref *provider.RefError
	if errors.As(err, &ref) {
		return waitFor(ref.Reason, provider.Bounded(ref.Message))
	}
	var missing *provider.UnavailableError
	if errors.As(err, &missing) {
		return p.failed(err)
	}
	return err
}
