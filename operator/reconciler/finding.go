package reconciler

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/provider"
)

// question is what is asked about another object.
type question struct {
	uid types.UID
	as  string
}

// The questions: whether the object has a claim to this one's resource, whether it holds up a
// deletion, and whether it is of the same tenant.
const (
	asRival  = "rival"
	asChild  = "child"
	asTenant = "tenant"
)

// finding is what was found of the claim of another object.
type finding struct {
	verdict verdict
	// of is the digest of what it was found of: the versions of that object and of the Secrets with
	// the credentials, and the target of this object.
	of    [sha256.Size]byte
	until time.Time
}

// maxFindings is how many findings are stored for an object. Clients of other namespaces can make
// any number of claims, and make them anew again and again.
const maxFindings = maxRivals

// remember stores a finding. It removes those that are no longer valid, and if there are too many,
// the one that will be the first not to be.
func (m *memo) remember(asked question, found finding, now time.Time) {
	maps.DeleteFunc(m.findings, func(_ question, old finding) bool { return !now.Before(old.until) })
	if _, has := m.findings[asked]; !has && len(m.findings) >= maxFindings {
		var first question
		for q, old := range m.findings {
			if known, is := m.findings[first]; !is || old.until.Before(known.until) {
				first = q
			}
		}
		delete(m.findings, first)
	}
	if m.findings == nil {
		m.findings = map[question]finding{}
	}
	m.findings[asked] = found
}

// examined returns what is known of the claim of another object, or examines it. A finding is valid
// until either object changes its target, or a Secret with the credentials changes: for a resync at
// most, and where nothing was clear until objects look again.
func (p *pass) examined(ctx context.Context, as string, object *unstructured.Unstructured, examine func() (verdict, error)) (verdict, error) {
	memo, now := p.memo(), p.Now()
	of, err := p.basis(ctx, object)
	if err != nil {
		return unclear, err
	}
	asked := question{object.GetUID(), as}
	known, has := memo.findings[asked]
	if has && known.of == of && now.Before(known.until) {
		return known.verdict, nil
	}
	if p.looks >= maxLooks {
		p.leftOut = true
		return unclear, nil
	}
	p.looks++
	found, err := examine()
	if err != nil {
		return unclear, err
	}
	until := now.Add(p.Resync)
	if found == unclear {
		until = now.Add(yielding)
	}
	memo.remember(asked, finding{found, of, until}, now)
	return found, nil
}

// basis is the digest of all that a finding depends on and that this process can see without a
// call.
func (p *pass) basis(ctx context.Context, object *unstructured.Unstructured) (digest [sha256.Size]byte, err error) {
	mine, err := p.secretVersion(ctx, credentialsOf(p.object))
	if err != nil {
		return digest, err
	}
	theirs, err := p.secretVersion(ctx, credentialsOf(object))
	if err != nil {
		return digest, err
	}
	text := fmt.Appendf(nil, "%q %q %q %q %q", object.GetResourceVersion(), theirs, mine, fmt.Sprint(p.aim), fmt.Sprint(p.marks.Target))
	return sha256.Sum256(text), nil
}

// credentialsOf is the Secret that the credentials of an object are in, if it is there.
func credentialsOf(object *unstructured.Unstructured) client.ObjectKey {
	named := object.GetAnnotations()[annotation.Credentials]
	return client.ObjectKey{Namespace: object.GetNamespace(), Name: cmp.Or(named, provider.DefaultCredentials)}
}

// secretVersion returns what distinguishes a Secret from its earlier versions; empty where there is
// none. A pass looks once. Without a cache of metadata it reads Secrets themselves, and as many as
// it makes looks at most: others count as not changed.
func (p *pass) secretVersion(ctx context.Context, key client.ObjectKey) (version string, err error) {
	if key.Namespace == "" {
		return "", nil
	}
	if known, has := p.versions[key]; has {
		return known, nil
	}
	switch {
	case p.Secrets != nil:
		is := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}}
		if err = p.Secrets.Get(ctx, key, is); err == nil {
			version = fmt.Sprint(is.UID, is.ResourceVersion)
		}
	case len(p.versions) <= maxLooks:
		is := &corev1.Secret{}
		if err = p.Live.Get(ctx, key, is); err == nil {
			data, _ := json.Marshal(is.Data) // of texts
			version = fmt.Sprint(is.UID, is.ResourceVersion, provider.Digest("", data, nil))
		}
	}
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("look for Secret %s with the credentials: %w", key.Name, err)
	}
	if p.versions == nil {
		p.versions = map[client.ObjectKey]string{}
	}
	p.versions[key] = version
	return version, nil
}
