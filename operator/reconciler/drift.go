package reconciler

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/provider"
)

// tried stores the paths that still differed when a digest was applied again, or in the answer to
// that. An observation without a difference makes it empty.
type tried struct {
	digest string
	paths  []string
}

// add adds paths that differ for a digest. It removes those of other digests.
func (t *tried) add(digest string, paths []string) {
	if t.digest != digest {
		*t = tried{digest: digest}
	}
	for _, path := range paths {
		if !slices.Contains(t.paths, path) {
			t.paths = append(t.paths, path)
		}
	}
}

// has reports whether all paths were added for a digest.
func (t *tried) has(digest string, paths []string) bool {
	return t.digest == digest && !slices.ContainsFunc(paths, func(path string) bool { return !slices.Contains(t.paths, path) })
}

// tries stores which paths differ, before or after the operator applies the digest again.
func (p *pass) tries() {
	p.memo().tried.add(p.digest, p.seen.GetDrift())
}

// driftKey returns the paths that differ in the external API, as one text. It is empty if none
// differs, or before an observation.
func (p *pass) driftKey() string {
	if !p.seen.GetCompared() || len(p.seen.GetDrift()) == 0 {
		return ""
	}
	return strings.Join(slices.Sorted(slices.Values(p.seen.GetDrift())), ", ")
}

func (p *pass) driftMessage() string {
	return provider.Bounded("these differ in the external API: "+p.driftKey(), p.values()...)
}

// isLeftAlone reports whether the operator does not correct a difference, because it came back at
// once after a correction. A process that has just started reads this from the condition.
func (p *pass) isLeftAlone() bool {
	if p.driftKey() == "" || p.digest != p.recorded.Applied {
		return false
	}
	if p.memo().tried.has(p.digest, p.seen.GetDrift()) {
		return true
	}
	known := find(conditionsOf(p.object), Drifted)
	return known != nil && known.Reason == NotAccepted && known.ObservedGeneration == p.generation && known.Message == p.driftMessage()
}

// mustApply reports whether the object or the resource has changed so that a call is necessary.
func (p *pass) mustApply() bool {
	if p.digest != p.recorded.Applied {
		return !p.isCommitted()
	}
	return p.driftKey() != "" && !p.isLeftAlone() || p.isStuck()
}

// isStuck reports whether the external API has reported for the time of a resync that the last
// change has failed.
func (p *pass) isStuck() bool {
	since := p.memo().failed
	return p.hasFailed() && !since.IsZero() && p.Now().Sub(since) >= p.Resync
}

// unsure stores a change whose effect is unknown, if the next observation can show the effect: the
// difference, or the failure of the last change, disappears if the change took place. For a create,
// the claim stores that. What the resource shows after a create proves nothing about an earlier
// change.
func (p *pass) unsure(create bool) {
	memo := p.memo()
	switch {
	case create:
		memo.unsure = ""
	case p.driftKey() != "" || p.hasFailed():
		memo.isAnother = p.outstanding() != nil
		memo.unsure = p.digest
	}
}

// isCommitted reports whether a change took effect although its answer was lost: the resource no
// longer differs, and its last change has not failed.
func (p *pass) isCommitted() bool {
	return p.isAsWanted() && p.memo().unsure == p.digest
}
