// Package evidence writes what a cluster proves about the versions in which it stores objects.
// strata generate reads such files before it prunes versions. Package cli calls it.
package evidence

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/versions"
)

// The fixed values of each file. The generator reads no other format.
const (
	kind   = "StorageEvidence"
	format = 1
)

// Evidence is what a cluster proves about its kinds.
type Evidence struct {
	Kind   string `json:"kind"`
	Format int    `json:"format"`
	// Digest is the SHA-256 of the other members, as JSON with sorted names and without spaces.
	Digest string `json:"digest"`
	// Cluster is the UID of the namespace kube-system.
	Cluster string      `json:"cluster"`
	Upgrade string      `json:"upgrade"`
	Package string      `json:"package"`
	Goal    record.Goal `json:"goal"`
	Time    metav1.Time `json:"time"`
	Kinds   []Kind      `json:"kinds"`
}

// Kind is what is proved about a kind.
type Kind struct {
	CRD        string `json:"crd"`
	UID        string `json:"uid"`
	Generation int64  `json:"generation"`
	// Served are the versions that clients can use, and Unserved the others of the CRD.
	Served         []string `json:"served"`
	Unserved       []string `json:"unserved"`
	StoredVersions []string `json:"storedVersions"`
	Objects        int      `json:"objects"`
	// Originals counts the objects by the version in which users wrote them.
	Originals map[string]int   `json:"originals"`
	Evidence  *record.Evidence `json:"evidence"`
}

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// Of reads what a cluster proves about the kinds of an upgrade that has reached its goal.
func Of(ctx context.Context, client dynamic.Interface, u *record.Upgrade) (*Evidence, error) {
	system, err := client.Resource(namespaces).Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("identify the cluster: %w", err)
	}
	p := &Evidence{
		Kind: kind, Format: format, Cluster: string(system.GetUID()), Upgrade: u.Name, Package: u.Spec.Package, Goal: u.Spec.Goal, Time: metav1.Now(), Kinds: []Kind{},
	}
	for i := range u.Spec.Kinds {
		name := u.Spec.Kinds[i].CRD
		d, err := crd.Get(ctx, client, name)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		of := Kind{
			CRD: name, UID: d.UID, Generation: d.Generation, Served: []string{}, Unserved: []string{}, StoredVersions: d.Stored,
			Originals: map[string]int{}, Evidence: u.Status.Of(name).Evidence,
		}
		for _, v := range d.Versions {
			into := map[bool]*[]string{true: &of.Served, false: &of.Unserved}[v.Served]
			*into = append(*into, v.Name)
		}
		if of.Evidence == nil {
			return nil, fmt.Errorf("%s has no evidence of its storage version: run strata cluster upgrade verify with --save-evidence", name)
		}
		if err := of.count(ctx, client, d); err != nil {
			return nil, err
		}
		p.Kinds = append(p.Kinds, of)
	}
	return p, p.seal()
}

// count counts the objects by original version.
func (k *Kind) count(ctx context.Context, client dynamic.Interface, d *crd.CRD) error {
	if !d.Strata {
		return nil
	}
	all, err := versions.OfKind(ctx, client, d, "")
	if err != nil {
		return err
	}
	k.Objects = all.Objects
	for _, v := range all.Versions {
		if v.Originals > 0 {
			k.Originals[v.Name] = v.Originals
		}
	}
	for v, n := range all.Unknown {
		k.Originals[v] = n
	}
	return nil
}

// seal computes the digest.
func (p *Evidence) seal() error {
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("print evidence: %w", err)
	}
	members := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&members); err != nil {
		return fmt.Errorf("print evidence: %w", err)
	}
	delete(members, "digest")
	if text, err = json.Marshal(members); err != nil {
		return fmt.Errorf("print evidence: %w", err)
	}
	sum := sha256.Sum256(text)
	p.Digest = "sha256:" + hex.EncodeToString(sum[:])
	return nil
}

// Save writes evidence to a file.
func (p *Evidence) Save(file string) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("save evidence: %w", err)
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("save evidence: %w", err)
	}
	return nil
}
