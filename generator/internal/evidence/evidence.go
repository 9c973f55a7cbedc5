// Package evidence reads what clusters prove about the versions in which they store objects. strata
// cluster upgrade writes such files. Package engine reads them before it prunes versions.
package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// The fixed values of each file. The program of strata cluster has them, too.
const (
	kind   = "StorageEvidence"
	pruned = "Pruned"
	lists  = 2 // of all objects, in the evidence of a kind
)

// Format is the number of the format that this program reads.
const Format = 1

// maxBytes is the size of the largest file that is read.
const maxBytes = 16 << 20

// Evidence is what a cluster proves about its kinds.
type Evidence struct {
	Kind    string    `json:"kind"`
	Format  int       `json:"format"`
	Digest  string    `json:"digest"`
	Cluster string    `json:"cluster"`
	Upgrade string    `json:"upgrade"`
	Goal    string    `json:"goal"`
	Time    time.Time `json:"time"`
	Kinds   []Kind    `json:"kinds"`
}

// Kind is what is proved about a kind.
type Kind struct {
	CRD            string         `json:"crd"`
	Served         []string       `json:"served"`
	StoredVersions []string       `json:"storedVersions"`
	Originals      map[string]int `json:"originals"`
	Evidence       *struct {
		Version string `json:"version"`
		Marker  string `json:"marker"`
		Lists   []struct {
			Objects   int `json:"objects"`
			Past      int `json:"past"`
			Unchanged int `json:"unchanged"`
		} `json:"lists"`
	} `json:"evidence"`
}

// Read reads a file. It is an error if the file is no evidence, or is not as it was written.
func Read(name string) (*Evidence, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxBytes:
		return nil, fmt.Errorf("it has more than %d bytes", maxBytes)
	}
	members := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&members); err != nil {
		return nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has more than one JSON object")
	}
	switch is, _ := members["kind"].(string); {
	case is == "":
		return nil, errors.New("it is no evidence: it has no kind " + kind)
	case is != kind:
		return nil, fmt.Errorf("it is no evidence: its kind is %q and not %s", is, kind)
	case members["format"] != json.Number(fmt.Sprint(Format)):
		return nil, fmt.Errorf("its format is %v, and this program reads %d", members["format"], Format)
	}
	p := &Evidence{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("it is no evidence: %w", err)
	}
	switch digest, err := digest(members); {
	case err != nil:
		return nil, err
	case digest != p.Digest:
		return nil, fmt.Errorf("it is not as strata cluster has written it: its digest is %q, and its content has %s", p.Digest, digest)
	}
	return p, nil
}

// digest returns the SHA-256 of all members but the digest, as JSON with sorted names and without
// spaces.
func digest(members map[string]any) (string, error) {
	delete(members, "digest")
	text, err := json.Marshal(members)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// The ends of names of storage versions, behind that of their API version.
var storage = []string{"", "storage", "stratastorage"}

// Refusal is why evidence does not show that nothing is left of a version, and what to do.
type Refusal struct{ Text, Hint string }

const again = "run strata cluster upgrade prune --yes --save-evidence FILE there"

// Refuses returns why evidence does not show that nothing is left of a version of a kind, or nil.
// The version is a label, such as v20190101.
func (p *Evidence) Refuses(crd, version string) *Refusal {
	i := slices.IndexFunc(p.Kinds, func(k Kind) bool { return k.CRD == crd })
	if i < 0 {
		return &Refusal{fmt.Sprintf("it proves nothing about %s", crd), "list the evidence of an upgrade that has the kind"}
	}
	k := &p.Kinds[i]
	stored := slices.ContainsFunc(storage, func(end string) bool { return slices.Contains(k.StoredVersions, version+end) })
	originals := k.Originals[version]
	switch {
	case slices.Contains(k.Served, version):
		return &Refusal{fmt.Sprintf("the cluster serves %s of %s", version, crd), "add the version to versions.unserve, upgrade the cluster, and " + again}
	case stored:
		return &Refusal{fmt.Sprintf("objects may be stored in %s: status.storedVersions of %s is %s", version, crd, strings.Join(k.StoredVersions, ", ")), "upgrade the cluster, and " + again}
	case p.Goal != pruned:
		return &Refusal{fmt.Sprintf("the upgrade %s is not pruned: its goal is %q, so that owners of fields may name %s", p.Upgrade, p.Goal, version), again}
	case originals > 0:
		return &Refusal{fmt.Sprintf("users wrote %d objects of %s in %s", originals, crd, version), "change their specs through a later version, and run strata cluster upgrade verify --save-evidence FILE there"}
	case !k.isProved():
		return &Refusal{fmt.Sprintf("it has no evidence of the version in which the objects of %s are stored", crd), again}
	}
	return nil
}

// isProved reports whether two lists have shown all objects in the only stored version.
func (k *Kind) isProved() bool {
	of := k.Evidence
	if of == nil || of.Marker == "" || len(of.Lists) != lists || !slices.Equal(k.StoredVersions, []string{of.Version}) {
		return false
	}
	for _, l := range of.Lists {
		if l.Objects != l.Past+l.Unchanged {
			return false
		}
	}
	return true
}
