package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Finding is what merging has to say of one resource version.
type Finding struct {
	Error      bool // a contradiction; else a warning
	Text, Hint string
	Pos        model.Pos
}

// Merge unites freshly refined resources with what the ledger holds. A version
// that the sources no longer declare comes from the ledger; one that is in
// neither takes part only if admit allows it. What the ledger knows of a version
// stands: properties that the source has lost are kept, with a warning, and a
// property of another type is a contradiction.
func (l *Ledger) Merge(fresh []*model.Resource, admit func(resourceType, version string) bool) ([]*model.Resource, []Finding) {
	m := &merger{}
	byType := map[string]*model.Resource{}
	for _, r := range fresh {
		byType[strings.ToLower(r.Type)] = r
	}
	var out []*model.Resource
	for _, e := range l.Entries {
		out = append(out, m.resource(e.Model, byType[strings.ToLower(e.Model.Type)], admit))
	}
	for _, r := range fresh {
		if l.Find(r.Type) == nil {
			if kept := m.resource(&model.Resource{Type: r.Type, Kind: r.Kind, Plural: r.Plural}, r, admit); len(kept.Versions) > 0 {
				out = append(out, kept)
			}
		}
	}
	slices.SortFunc(out, func(a, b *model.Resource) int {
		return strings.Compare(strings.ToLower(a.Type), strings.ToLower(b.Type))
	})
	return out, m.findings
}

type merger struct {
	findings []Finding
}

// resource unites the versions of one resource. Fresh may be nil.
func (m *merger) resource(known, fresh *model.Resource, admit func(string, string) bool) *model.Resource {
	out := &model.Resource{Type: known.Type, Kind: known.Kind, Plural: known.Plural}
	for _, v := range known.Versions {
		if fresh != nil {
			if n := fresh.Version(v.Name); n != nil {
				v = m.version(known, v, n)
			}
		}
		out.Versions = append(out.Versions, v)
	}
	if fresh == nil {
		return out
	}
	for _, v := range fresh.Versions {
		if known.Version(v.Name) == nil && admit(fresh.Type, v.Name) {
			out.Versions = append(out.Versions, v)
		}
	}
	return out
}

// version checks a fresh version against the known one. It returns the fresh
// one, so that docs and new properties arrive, with what it has lost put back.
func (m *merger) version(r *model.Resource, known, fresh *model.Version) *model.Version {
	c := &comparison{merger: m, resource: r, version: fresh, seen: map[[2]*model.Def]bool{}}
	c.compare(known.Spec, fresh.Spec, "")
	if c.lost {
		fresh.Defs = model.Closure(fresh.Spec)
		uniqueNames(fresh.Defs)
	}
	return fresh
}

// uniqueNames renames definitions that were put back under a name that another
// one has.
func uniqueNames(defs []*model.Def) {
	taken := map[string]bool{}
	for _, d := range defs {
		name := d.Name
		for n := 2; taken[d.Name]; n++ {
			d.Name = fmt.Sprintf("%s%d", name, n)
		}
		taken[d.Name] = true
	}
}

type comparison struct {
	*merger
	resource *model.Resource
	version  *model.Version
	seen     map[[2]*model.Def]bool
	lost     bool
}

func (c *comparison) compare(known, fresh model.Type, path string) {
	switch k := known.(type) {
	case *model.List:
		if f, ok := fresh.(*model.List); ok {
			c.compare(k.Elem, f.Elem, path+"[]")
			return
		}
	case *model.Map:
		if f, ok := fresh.(*model.Map); ok {
			c.compare(k.Elem, f.Elem, path+".*")
			return
		}
	case *model.Ref:
		if f, ok := fresh.(*model.Ref); ok {
			c.objects(k.Def, f.Def, path)
			return
		}
	default:
		if scalar(known) == scalar(fresh) {
			return
		}
	}
	c.contradiction(known, fresh, path)
}

func (c *comparison) contradiction(known, fresh model.Type, path string) {
	c.findings = append(c.findings, Finding{
		Error: true,
		Text:  fmt.Sprintf("%s %s: %s is %s, but the ledger has it as %s, and objects may be stored so", c.resource.Type, c.version.Name, strings.TrimPrefix(path, "."), name(fresh), name(known)),
		Hint:  "restore the schema of this version; a new shape needs a new version",
		Pos:   c.version.Pos,
	})
}

// objects compares two definitions, once.
func (c *comparison) objects(known, fresh *model.Def, path string) {
	if pair := [2]*model.Def{known, fresh}; c.seen[pair] {
		return
	} else {
		c.seen[pair] = true
	}
	k, f := known.Object(), fresh.Object()
	for _, p := range k.Properties {
		at := path + "." + p.Name
		if q := f.Property(p.Name); q != nil {
			c.compare(p.Type, q.Type, at)
			continue
		}
		c.lost = true
		c.findings = append(c.findings, Finding{
			Text: fmt.Sprintf("%s %s: %s is gone from the schema; the ledger keeps it", c.resource.Type, c.version.Name, strings.TrimPrefix(at, ".")),
			Hint: "objects that have it can still be read and written",
			Pos:  c.version.Pos,
		})
		back := *p
		back.Required = false
		f.Properties = append(f.Properties, &back)
	}
	if k.Additional != nil {
		if f.Additional == nil {
			c.lost, f.Additional = true, k.Additional
		} else {
			c.compare(k.Additional, f.Additional, path+".*")
		}
	}
}

// scalar names what a scalar is stored as, "" for what is no scalar.
func scalar(t model.Type) string {
	switch t := t.(type) {
	case *model.Scalar:
		return t.Kind.String()
	case *model.Enum:
		return t.Base.String()
	case *model.Any:
		return "free JSON"
	}
	return ""
}

// name says what a type is, for people.
func name(t model.Type) string {
	switch t := t.(type) {
	case *model.List:
		return "a list of " + name(t.Elem)
	case *model.Map:
		return "a map of " + name(t.Elem)
	case *model.Ref:
		return "an object"
	}
	return scalar(t)
}
