package crd

import (
	"slices"
	"strconv"
)

// Names of versions that CRDs cannot have, and of those beyond the limit.
const (
	NoVersion     = "(no version)"
	OtherVersions = "(others)"
	MaxVersions   = 100
)

const (
	maxLabel = 63
	maxName  = 100
)

// Names are the names of versions that objects of a kind, or others, name. Users write these names,
// and each object can have others: so there is a bounded number of them.
type Names struct {
	known []*CRD
	seen  map[string]bool
}

// NewNames returns names that begin with the versions of CRDs.
func NewNames(of ...*CRD) *Names { return &Names{of, map[string]bool{}} }

// Of returns a version as a report names it.
func (n *Names) Of(version string) string {
	switch {
	case n.seen[version], slices.ContainsFunc(n.known, func(d *CRD) bool { return d != nil && d.Has(version) }):
		return version
	case len(version) > maxLabel, Plain(version) != version, version == "":
		return NoVersion
	case len(n.seen) == MaxVersions:
		return OtherVersions
	}
	n.seen[version] = true
	return version
}

// Plain quotes a version that an object names, unless it is one that CRDs can have.
func Plain(version string) string {
	for _, r := range version {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return strconv.QuoteToASCII(version[:min(len(version), maxName)])
		}
	}
	return version[:min(len(version), maxName)]
}

// Has reports whether the CRD has a version.
func (d *CRD) Has(version string) bool {
	return slices.ContainsFunc(d.Versions, func(v Version) bool { return v.Name == version })
}

// Serves reports whether the CRD serves a version.
func (d *CRD) Serves(version string) bool {
	return slices.ContainsFunc(d.Versions, func(v Version) bool { return v.Name == version && v.Served })
}
