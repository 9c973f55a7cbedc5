package reconciler

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/provider"
)

// tried is what applying a digest did not end: the paths that differed when it was applied again,
// or in the answer to that. An observation that finds no difference makes it empty.
type tried struct {
	digest string
	paths  []string
}

// add adds paths of a digest. Those of another digest are forgotten.
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

// has reports whether all paths of a digest were tried.
func (t *tried) has(digest string, paths []string) bool {
	return t.digest == digest && !slices.ContainsFunc(paths, func(path string) bool { return !slices.Contains(t.paths, path) })
}

// tries remembers what differs now, as applying it begins or has just ended.
func (p *pass) tries() {
	p.memo().tried.add(p.digest, p.seen.GetDrift())
}

// driftKey names what differs in the external API; empty where nothing does, or before an
// observation.
func (p *pass) driftKey() string {
	if !p.seen.GetCompared() || len(p.seen.GetDrift()) == 0 {
		return ""
	}
	return strings.Join(slices.Sorted(slices.Values(p.seen.GetDrift())), ", ")
}

func (p *pass) driftMessage() string {
	return provider.Bounded("these differ in the external API: "+p.driftKey(), p.values()...)
}

// isLeftAlone reports whether what differs in the external API is not applied again: it has
// differed again at once after it was. A process that has just started knows this from the
// condition.
func (p *pass) isLeftAlone() bool {
	if p.driftKey() == "" || p.digest != p.marks.Applied {
		return false
	}
	if p.memo().tried.has(p.digest, p.seen.GetDrift()) {
		return true
	}
	known := find(conditionsOf(p.object), Drifted)
	return known != nil && known.Reason == NotAccepted && known.ObservedGeneration == p.generation && known.Message == p.driftMessage()
}

// mustApply reports whether something has changed on either side that a call must bring about.
func (p *pass) mustApply() bool {
	if p.digest != p.marks.Applied {
		return !p.isCommitted()
	}
	return p.driftKey() != "" && !p.isLeftAlone() || p.isStuck()
}

// isStuck reports whether the external API has reported for a resync that the last change has
// failed.
func (p *pass) isStuck() bool {
	since := p.memo().failed
	return p.hasFailed() && !since.IsZero() && p.Now().Sub(since) >= p.Resync
}

// unsure remembers a change whose effect is unknown, if the next observation can show it: something
// differs as long as the change was not made. For a create, the claim stores that.
func (p *pass) unsure() {
	if p.driftKey() != "" {
		p.memo().unsure = p.digest
	}
}

// isCommitted reports whether a change was made although its answer was lost: what differed does so
// no more.
func (p *pass) isCommitted() bool {
	return p.isAsWanted() && p.memo().unsure == p.digest
}
