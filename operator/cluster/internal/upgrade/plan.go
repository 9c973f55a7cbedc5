package upgrade

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/references"
)

// format is the number of the format of a plan.
const format = 2

// Plan is what an upgrade to a package would do in a cluster.
type Plan struct {
	Format int `json:"format"`
	// Digest is the SHA-256 of what the upgrade does and of what was found in the objects. See
	// [Plan.digest].
	Digest string `json:"digest"`
	// Sum is the SHA-256 of the whole plan but Sum.
	Sum string `json:"sum"`
	// Package is the digest of the package's CRDs.
	Package   string              `json:"package"`
	Converter *converter.Versions `json:"converter"`
	Kinds     []Kind              `json:"kinds"`
	// Writes is the number of objects that have to be rewritten in their new hub.
	Writes int `json:"writes"`
	// Seconds is how long these writes take, as far as it is known.
	Seconds float64 `json:"seconds,omitempty"`
	// NotChecked is what the user may not read, or what does not answer.
	NotChecked []references.Unchecked `json:"notChecked"`
}

// Kind is what the upgrade means for a kind.
type Kind struct {
	CRD string `json:"crd"`
	// UID and Generation are those of the installed CRD; empty if it is new.
	UID        string `json:"uid,omitempty"`
	Generation int64  `json:"generation,omitempty"`
	// Spec is the digest of the installed CRD's spec, without the CA bundle of its webhook.
	Spec string `json:"spec,omitempty"`
	New  bool   `json:"new,omitempty"`
	// From is the installed hub, To the hub of the package.
	From           string   `json:"from,omitempty"`
	To             string   `json:"to"`
	Added          []string `json:"added"`
	Gone           []string `json:"gone"`
	Unserved       []string `json:"unserved"`
	StoredVersions []string `json:"storedVersions"`
	Objects        int      `json:"objects"`
	// Originals counts the objects by original version.
	Originals map[string]int `json:"originals"`
	// Largest is the size of the largest object in the new hub, in bytes of JSON.
	Largest int `json:"largest"`
	// Writes is the number of objects that have to be rewritten.
	Writes int `json:"writes"`
	// Rate is the number of writes a second: the maximum of the user, or what was measured if that
	// is less. Measured reports that it was, and Seconds is the time of all writes.
	Rate     float64   `json:"rate,omitempty"`
	Measured bool      `json:"measured,omitempty"`
	Seconds  float64   `json:"seconds,omitempty"`
	Findings []Finding `json:"findings"`
}

// Finding is something that stands in the way of an upgrade. It never has values of objects.
type Finding struct {
	Reason  string `json:"reason"`
	Version string `json:"version,omitempty"`
	// Objects is how many objects have it; zero if it is about the CRD.
	Objects int `json:"objects,omitempty"`
	// Example is one of them, and Path where in it.
	Example string `json:"example,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	// Note reports that it does not stand in the way, but must be known.
	Note bool `json:"note,omitempty"`
}

// The reasons of findings.
const (
	// VersionUnknown: the converter does not convert a version of the CRD.
	VersionUnknown = "VersionUnknown"
	// StoredVersionGone: objects may be stored in a version that the package does not have.
	StoredVersionGone = "StoredVersionGone"
	// VersionGone: users wrote objects in a version that the package does not have or serve.
	VersionGone = "VersionGone"
	// NotConvertible: an object does not convert.
	NotConvertible = "NotConvertible"
	// HubChanged: an object in the new hub does not come back to the installed hub as it was.
	HubChanged = "HubChanged"
	// Lost: a value of an object in the new hub does not come back from a served version.
	Lost = "Lost"
	// VisibleChanged: a served version shows something else than before.
	VisibleChanged = "VisibleChanged"
	// TooLarge: an object is larger than etcd stores by default.
	TooLarge = "TooLarge"
	// Owned: managedFields name a version that the package does not have.
	Owned = "Owned"
	// LastApplied: the annotation of kubectl apply names a version that is gone or not served.
	LastApplied = "LastApplied"
	// Tracked: Argo CD applies objects from manifests in a version that is gone or not served.
	Tracked = "Tracked"
	// Uniform: all versions have one schema, and show the same of each object. A note.
	Uniform = "Uniform"
)

// Incomplete reports whether something could not be checked.
func (p *Plan) Incomplete() bool { return len(p.NotChecked) > 0 }

// Failed reports whether the plan has findings.
func (p *Plan) Failed() bool {
	for _, k := range p.Kinds {
		if slices.ContainsFunc(k.Findings, func(f Finding) bool { return !f.Note }) {
			return true
		}
	}
	return false
}

// seal computes the digest and the sum.
func (p *Plan) seal() (err error) {
	if p.Digest, err = p.digest(); err != nil {
		return err
	}
	p.Sum, err = p.sum()
	return err
}

// digest returns the digest of a plan without what depends on the user's rights, or changes without
// a change of CRDs or objects: who else names versions, what was not checked, and the generations
// of CRDs, which a rotated CA bundle changes, and how fast the cluster is.
func (p *Plan) digest() (string, error) {
	of := *p
	of.Digest, of.Sum, of.NotChecked, of.Seconds = "", "", nil, 0
	of.Kinds = slices.Clone(p.Kinds)
	for i := range of.Kinds {
		k := &of.Kinds[i]
		k.Generation, k.Rate, k.Measured, k.Seconds = 0, 0, false, 0
		k.Findings = slices.DeleteFunc(slices.Clone(k.Findings), func(f Finding) bool { return slices.Contains(references.Reasons, f.Reason) })
	}
	return hash(&of)
}

func (p *Plan) sum() (string, error) {
	of := *p
	of.Sum = ""
	return hash(&of)
}

func hash(p *Plan) (string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("print plan: %w", err)
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
