package older

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// Kinds of requirements.
const (
	Required = "required"
	Enum     = "enum"
	Limit    = "limit"
	Rule     = "rule"
)

// Finding is a requirement of a version that objects of an older version can violate.
type Finding struct {
	Group   string `json:"group"` // the folder of the group
	Kind    string `json:"kind"`
	Version string `json:"version"` // has the requirement
	Older   string `json:"older"`   // the nearest older version whose objects can violate it
	Path    string `json:"path"`
	What    string `json:"what"` // Required, Enum, Limit or Rule
	// Text is the requirement, such as "at most 3 characters".
	Text string `json:"text"`
	// Mend describes how to make older objects valid.
	Mend string `json:"mend"`
	// Line is a line of strata.yaml that declares how values convert, and Below the path below which
	// it belongs. They are empty if no line mends the requirement.
	Line  string `json:"line,omitzero"`
	Below string `json:"below,omitzero"`

	Pos model.Pos `json:"-"`
}

// Subject identifies the finding for a policy. Its resource is the group's folder and the kind.
func (f *Finding) Subject() finding.Subject {
	rule := finding.Named("older-objects").ID
	return finding.Subject{
		Rule: rule, Resource: f.Group + "/" + f.Kind, Path: f.Path,
		Fingerprint: finding.Fingerprint(rule, f.Group, f.Kind, f.Version, f.Older, f.Path, f.What, f.Text),
	}
}

// Options of a search.
type Options struct {
	// About reports which resource types matter.
	About func(resourceType string) bool
	// Made reports whether functions convert or fill a property of a type as of a version. Find
	// ignores such properties, because the functions' author must return valid values.
	Made func(resourceType, version, typ, property string) bool
}

// Find returns the requirements in the order of kinds, versions and paths. The first version that
// has a requirement has the finding. Statuses that mirror a spec require nothing. The result is
// incomplete once the context has ended.
func Find(ctx context.Context, c *chain.Chain, o Options) []*Finding {
	var out []*Finding
	for _, g := range c.Groups {
		for _, r := range g.Resources {
			if ctx.Err() != nil || !o.About(r.Model.Type) {
				continue
			}
			s := &search{Options: o, resource: r, paths: r.Paths(), has: map[[4]string]bool{}, last: map[*chain.Lineage][2]*chain.Version{}}
			for _, v := range r.Versions {
				s.version(v)
			}
			out = append(out, s.found...)
		}
	}
	return out
}

type search struct {
	Options
	resource *chain.Resource
	paths    map[*chain.Place]string
	found    []*Finding
	has      map[[4]string]bool // version, path, kind and text of what was found

	// last are the newest two versions of the main line that have a property, of those that were
	// searched. The newest is first.
	last map[*chain.Lineage][2]*chain.Version
}

func (s *search) version(v *chain.Version) {
	var places []*chain.Place
	for _, p := range s.resource.Places() {
		if p.Defs[v.Index] != nil && (!p.Observed || s.resource.Model.RequiresInStatus()) {
			places = append(places, p)
		}
	}
	slices.SortStableFunc(places, func(a, b *chain.Place) int { return cmp.Compare(s.paths[a], s.paths[b]) })
	for _, p := range places {
		before := s.before(v, p.Defs)
		s.object(p, v, before)
		for _, l := range p.Lineages {
			if q := l.Live[v.Index]; q != nil && q.Name != chain.AdditionalName {
				s.property(l, v, before)
				if !v.Leaf {
					s.last[l] = [2]*chain.Version{v, s.last[l][0]}
				}
			}
		}
	}
}

// mostPreviews is how many previews a version is compared with. It bounds the work: an API could
// have nothing but previews.
const mostPreviews = 16

// before returns the nearest older versions that have a definition: the one of the main line, and
// the previews after it, of which only the last [mostPreviews] count.
func (s *search) before(v *chain.Version, defs []*model.Def) (out []*chain.Version) {
	for _, w := range slices.Backward(s.resource.Versions[:v.Index]) {
		if defs[w.Index] == nil {
			continue
		}
		if !w.Leaf {
			return append(out, w)
		}
		if len(out) < mostPreviews {
			out = append(out, w)
		}
	}
	return out
}

// object finds the rules of an object that is valid without them in an older version.
func (s *search) object(p *chain.Place, v *chain.Version, before []*chain.Version) {
	for _, w := range before {
		for _, x := range factsBeyond(p.Defs[w.Index].Object().Facts, p.Defs[v.Index].Object().Facts) {
			s.add(spot{path: s.paths[p], at: v, older: w, pos: v.Model.Pos}, x)
		}
	}
}

// property finds what a property requires in a version.
func (s *search) property(l *chain.Lineage, v *chain.Version, before []*chain.Version) {
	q := l.Live[v.Index]
	f := spot{path: strings.TrimPrefix(s.paths[l.Place]+"."+q.Name, "."), at: v, pos: q.Pos}
	if s.Made(s.resource.Model.Type, v.Model.Name, l.Place.Defs[v.Index].Name, q.Name) {
		return
	}
	hasValue := false
	for _, w := range before {
		f.older = w
		p := l.Live[w.Index]
		switch {
		case len(l.Changes(w.Index, v.Index)) > 0 || p != nil && l.Place.Mode(w.Index, p) == chain.Custom:
			hasValue = true // what metadata declares is its own to keep valid
			continue
		case q.Required && model.FactsOf(q.Type).Get("default") == "" && (p == nil || !p.Required || !l.Transfers(w.Index, v.Index)):
			s.add(f, s.required(l, w, v))
		}
		if p != nil && l.Transfers(w.Index, v.Index) {
			hasValue = true
			s.compare(f, l, p)
		}
	}
	if hasValue || len(before) == 0 {
		return
	}
	// The value may come from before a gap.
	for _, w := range s.last[l] {
		if w != nil && w.Index < before[len(before)-1].Index {
			if f.older = w; l.Transfers(w.Index, v.Index) {
				s.compare(f, l, l.Live[w.Index])
			}
			return
		}
	}
}

func (s *search) compare(f spot, l *chain.Lineage, was *model.Property) {
	for _, x := range compareTypes(was.Type, l.Live[f.at.Index].Type) {
		switch {
		case l.Place.Observed:
			x.mend, x.line = "let the controller that writes the status write what "+f.at.Model.Name+" allows", ""
		case x.line == "" && x.what != Rule:
			x.line = "conversion: custom"
		}
		if !isNext(s.resource, f.older, f.at) {
			x.line = "" // metadata is about the step to the next version
		}
		if x.line != "" {
			x.line = plaintext.YAML(was.Name) + ": {" + x.line + "}"
			x.below = below(s.resource, l.Place, f.older)
		}
		s.add(f, x)
	}
}

// below returns the path in strata.yaml of metadata about an object in a version.
func below(r *chain.Resource, p *chain.Place, v *chain.Version) string {
	return diag.Key(diag.Key(diag.Key("resources", r.Group.Folder), v.Model.Name), p.Defs[v.Index].Name)
}

// isNext reports whether a version is the next one of the main line after another.
func isNext(r *chain.Resource, v, next *chain.Version) bool {
	return !next.Leaf && !slices.ContainsFunc(r.Versions[v.Index+1:next.Index], func(w *chain.Version) bool { return !w.Leaf })
}

// spot is where a requirement is found.
type spot struct {
	path      string
	at, older *chain.Version
	pos       model.Pos
}

// add adds a finding, once for a version with several older ones.
func (s *search) add(f spot, x violation) {
	key := [4]string{f.at.Model.Name, f.path, x.what, x.text}
	if s.has[key] {
		return
	}
	s.has[key] = true
	s.found = append(s.found, &Finding{
		Group: s.resource.Group.Folder, Kind: s.resource.Model.Kind, Version: f.at.Model.Name, Older: f.older.Model.Name,
		Path: f.path, What: x.what, Text: x.text, Mend: cmp.Or(x.mend, mends[x.what]), Line: x.line, Below: x.below, Pos: f.pos,
	})
}

var mends = map[string]string{
	Enum:  "declare what the values are called",
	Limit: "widen the limit, or complete the conversion by hand",
	Rule:  "test in the rule what older objects have, or complete the conversion by hand",
}

// required returns the requirement of a property that older objects can lack, with its remedy.
func (s *search) required(l *chain.Lineage, w, v *chain.Version) violation {
	out := violation{what: Required, text: "is required"}
	was := l.Live[w.Index]
	switch {
	case l.Place.Observed:
		out.mend = "let the controller that writes the status set it"
	case was != nil && l.Transfers(w.Index, v.Index):
		out.mend = "give it a default in " + v.Model.Name + ", or do not require it"
	case was != nil:
		out.mend = "declare how its type changed, or complete the conversion by hand"
		if isNext(s.resource, w, v) {
			change := "conversion: custom"
			if o, ok := operation.Suggested(was.Type, l.Live[v.Index].Type); ok {
				change = o.String()
			}
			out.line, out.below = plaintext.YAML(was.Name)+": {"+change+"}", below(s.resource, l.Place, w)
		}
	default:
		out.mend = "give it a default in " + v.Model.Name + ", or declare its former name with renamedTo"
	}
	return out
}
