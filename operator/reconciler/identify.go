package reconciler

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/provider"
)

// identify determines the resource of the object before any call that may change it. If the claim
// is to another resource, or was made with credentials of another scope, the object is stalled.
// Otherwise the operator would lose track of the claimed resource, and could change one of
// another client.
func (p *pass) identify(ctx context.Context) error {
	if err := p.target(ctx, ""); err != nil {
		return err
	}
	if !p.recorded.Owned {
		return nil
	}
	if t := p.recorded.Target.ID; t != "" && p.recorded.ID != "" && annotation.Key(p.recorded.ID) != annotation.Key(t) {
		return &halt{reason: PlaceChanged, state: stalled, message: provider.Bounded(fmt.Sprintf(
			"the annotation %s is %s, and the claim is to %s: put the annotation back", annotation.ID, p.recorded.ID, t))}
	}
	if was, is := p.claimed(); was != "" && p.aim.ID != "" && is != p.aim.Key {
		return &halt{reason: PlaceChanged, state: stalled, message: provider.Bounded(fmt.Sprintf(
			"the claim is to %s, and the spec, the credentials or the configuration of the provider now mean %s: restore the earlier values, or delete this object and create it again",
			was, p.aim.ID))}
	}
	if err := p.checkScope("annotate the object with " + annotation.Adopt + "=" + annotation.WithCredentials); err != nil && !annotation.MayChangeCredentials(p.object) {
		return err
	}
	p.inherit()
	p.subject.Resource.Id = p.recorded.ID
	return nil
}

// inherit copies to the target the names of the claim's scope that the present credentials do not
// have. It does nothing if the user accepts other credentials.
func (p *pass) inherit() {
	if !annotation.MayChangeCredentials(p.object) {
		p.aim = p.aim.Inherits(p.recorded.Target)
	}
}

// seek is identify for a policy that changes nothing.
func (p *pass) seek(ctx context.Context) error {
	if err := p.target(ctx, ""); err != nil {
		return err
	}
	if p.aim.ID == "" || annotation.Key(p.recorded.ID) == annotation.Key(p.aim.ID) { // otherwise the spec means another resource now
		p.subject.Resource.Id = p.recorded.ID
	}
	return nil
}

// identifyToDelete is identify for the claimed resource, whatever the spec and the configuration
// mean now.
func (p *pass) identifyToDelete(ctx context.Context) error {
	was, _ := p.claimed()
	if err := p.target(ctx, was); err != nil {
		return err
	}
	p.subject.Resource.Id = was
	p.inherit()
	return p.checkScope("annotate the object with " + annotation.ReconcilePolicy + "=" + string(annotation.Detach) + " to leave the resource alone")
}

// claimed returns the identifier in the claim, and its index key. Both are empty if the claim has
// none.
func (p *pass) claimed() (id, key string) {
	if p.recorded.Target.ID != "" {
		return p.recorded.Target.ID, p.recorded.Target.Key
	}
	return p.recorded.ID, annotation.Key(p.recorded.ID)
}

// target asks the provider to identify the resource: by an identifier, or by the address if id is
// empty. If the provider cannot identify resources, the address replaces the identifier.
func (p *pass) target(ctx context.Context, id string) error {
	subject := p.subject
	if subject.GetResource().GetId() != id {
		subject = proto.CloneOf(subject)
		subject.Resource.Id = id
	}
	identity, err := p.provider.Identify(ctx, subject)
	if err != nil {
		return p.failed(err)
	}
	p.aim = annotation.Target{ID: identity.GetId(), Key: identity.GetKey(), Scope: identity.GetScope(), Credentials: p.secret}
	switch {
	case p.aim.ID == "":
		p.aim.Key = addressKey(p.kind, p.externalAddress)
	case p.aim.Key == "":
		p.aim.Key = annotation.Key(p.aim.ID)
	}
	if p.RequireCredentials && p.secret == "" && p.key.Namespace != "" && !identity.GetAnonymous() {
		return p.required(ctx)
	}
	return nil
}

// required halts until a Secret with credentials exists. While the namespace is being deleted, it
// does not wait for one, and leaves the resource.
func (p *pass) required(ctx context.Context) error {
	if p.object.GetDeletionTimestamp() != nil {
		ends, err := p.namespaceEnds(ctx)
		if err != nil {
			return err
		}
		if ends {
			p.leave(provider.DefaultCredentials)
			return nil
		}
	}
	return waitFor(provider.ReasonSecretMissing, fmt.Sprintf(
		"there is no Secret %s with credentials in the namespace, and this operator uses none of its own: create the Secret, or name another one with the annotation %s",
		provider.DefaultCredentials, annotation.Credentials))
}

// leave records that the resource remains in the external API, because the namespace is being
// deleted and the Secret with the credentials no longer exists.
func (p *pass) leave(secret string) {
	id, _ := p.claimed()
	p.left = fmt.Sprintf("%s is left in the external API: the namespace is being deleted, and Secret %s with the credentials is gone", id, secret)
	p.isLast = true
}

// checkScope halts if the credentials belong to another scope than those of the claim.
func (p *pass) checkScope(otherwise string) error {
	var changed []string
	for _, name := range p.recorded.Target.Contradicts(p.aim) {
		changed = append(changed, fmt.Sprintf("%s was %s and is %s", name, p.recorded.Target.Scope[name], p.aim.Scope[name]))
	}
	if len(changed) == 0 {
		return nil
	}
	return &halt{reason: CredentialsChanged, state: stalled, message: provider.Bounded(fmt.Sprintf(
		"the resource was claimed with credentials of another scope: %s; put the credentials back, or %s", strings.Join(changed, ", "), otherwise))}
}

// longestMark is the maximum length of a mark in bytes. The value of an ARM tag can have that
// length.
const longestMark = 256

// markOf returns the mark that providers write to a resource. It has the UID, which no object of
// another cluster has, and the namespace and the name for users.
func markOf(object metav1.Object) string {
	text := string(object.GetUID()) + " " + object.GetNamespace() + "/" + object.GetName()
	return text[:min(len(text), longestMark)]
}

// marker returns the UID in a mark.
func marker(text string) string {
	uid, _, _ := strings.Cut(text, " ")
	return uid
}

// isMarked reports whether the resource has the mark of this object, which proves that it belongs
// to the object.
func (p *pass) isMarked() bool { return marker(p.seen.GetMark()) == string(p.object.GetUID()) }

// isReleased reports whether the user has allowed the adoption of the resource by naming the UID
// in its mark.
func (p *pass) isReleased() bool {
	uid := marker(p.seen.GetMark())
	return uid != "" && p.object.GetAnnotations()[annotation.Adopt] == uid
}

// isOthers reports whether the resource has the mark of another object, maybe of another cluster.
// The user can still allow its adoption by naming the UID in that mark.
func (p *pass) isOthers() bool {
	uid := marker(p.seen.GetMark())
	return uid != "" && !p.isMarked() && !p.isReleased()
}
