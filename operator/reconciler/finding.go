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

// question identifies what this object must know about another one.
type question struct {
	uid types.UID
	as  string
}

// The questions. Does the object have a claim to the resource of this one? Does it hold up a
// deletion? Is its tenant the same?
const (
	asRival  = "rival"
	asChild  = "child"
	asTenant = "tenant"
)

// finding is the result of examining the claim of another object.
type finding struct {
	verdict verdict
	// of is the digest of the inputs: the versions of that object and of the Secrets with the
	// credentials, and the target of this object.
	of    [sha256.Size]byte
	until time.Time
}

// maxFindings is the maximum number of findings for an object. Clients of other namespaces can
// write any number of claims, again and again.
const maxFindings = maxRivals

// remember stores a finding. It removes expired findings, and if there are too many, the one that
// expires first.
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

// examined returns the stored finding on the claim of another object, or examines it. A finding
// is valid until either object, or a Secret with the credentials, changes. It expires after a
// resync, and an unclear one after yielding.
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

// basis returns the digest of all inputs of a finding that this process can read without a call
// of the external API.
func (p *pass) basis(ctx context.Context, object *unstructured.Unstructured) (digest [sha256.Size]byte, err error) {
	mine, err := p.secretVersion(ctx, credentialsOf(p.object))
	if err != nil {
		return digest, err
	}
	theirs, err := p.secretVersion(ctx, credentialsOf(object))
	if err != nil {
		return digest, err
	}
	text := fmt.Appendf(nil, "%q %q %q %q %q", object.GetResourceVersion(), theirs, mine, fmt.Sprint(p.aim), fmt.Sprint(p.recorded.Target))
	return sha256.Sum256(text), nil
}

// credentialsOf returns the key of the Secret with the credentials of an object. The Secret may
// not exist.
func credentialsOf(object *unstructured.Unstructured) client.ObjectKey {
	named := object.GetAnnotations()[annotation.Credentials]
	return client.ObjectKey{Namespace: object.GetNamespace(), Name: cmp.Or(named, provider.DefaultCredentials)}
}

// secretVersion returns a text that identifies the version of a Secret; empty if there is none. A
// pass reads each Secret once. Without a cache of metadata it reads the Secrets themselves, at
// most maxLooks + 1 of them: others count as not changed.
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
			data, _ := json.Marshal(is.Data) // bytes always have JSON
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
