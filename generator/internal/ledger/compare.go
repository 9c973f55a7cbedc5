package ledger

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// comparison compares a version of the ledger with the fresh version of the sources.
type comparison struct {
	resource     *model.Resource
	known, fresh *model.Version

	seen map[[2]*model.Def]bool
	// continues maps a known definition to the first fresh one at the same path; continued is its
	// inverse.
	continues, continued map[*model.Def]*model.Def

	lost     []loss
	kept     []keeping
	members  map[*model.Type]model.Type // of the fresh status: the ledger's first type
	findings []Finding
	status   bool // the current path is in the status
	// copyOf maps the definitions that the fresh status was given for the comparison to those of
	// the spec.
	copyOf map[*model.Def]*model.Def
}

// loss is a property that an object no longer has. If property has no name, the object no longer
// has further members.
type loss struct {
	known, fresh *model.Object
	property     *model.Property
}

func newComparison(of *model.Resource, known, fresh *model.Version) *comparison {
	return &comparison{
		resource: of, known: known, fresh: fresh, seen: map[[2]*model.Def]bool{},
		continues: map[*model.Def]*model.Def{}, continued: map[*model.Def]*model.Def{}, members: map[*model.Type]model.Type{},
	}
}

// compare compares the types at a path. pos is the position of messages about it.
func (c *comparison) compare(known, fresh model.Type, path string, pos model.Pos) {
	switch k := known.(type) {
	case *model.List:
		if f, ok := fresh.(*model.List); ok {
			c.compare(k.Elem, f.Elem, path+"[]", pos)
			return
		}
	case *model.Map:
		if f, ok := fresh.(*model.Map); ok {
			c.compare(k.Elem, f.Elem, join(path, "*"), pos)
			return
		}
	case *model.Ref:
		if f, ok := fresh.(*model.Ref); ok {
			c.defs(k.Def, f.Def, path, pos)
			return
		}
	default:
		if model.ScalarText(known) == model.ScalarText(fresh) {
			return
		}
	}
	c.contradict(pos, fmt.Sprintf("%s is %s, but the ledger has it as %s, and objects may be stored so", path, name(fresh), name(known)),
		"a new shape needs a new version: mend the schema, or exclude it, or use --lenient to keep what the ledger has")
	last := &c.findings[len(c.findings)-1]
	last.Path, last.Known = path, known
}

// defs compares two definitions; each pair is compared once.
func (c *comparison) defs(known, fresh *model.Def, path string, pos model.Pos) {
	pair := [2]*model.Def{known, fresh}
	if c.seen[pair] {
		return
	}
	c.seen[pair] = true
	if c.continues[known] == nil && c.continued[fresh] == nil {
		c.continues[known], c.continued[fresh] = fresh, known
	}
	c.objects(known.Object(), fresh.Object(), path, or(fresh.Pos, pos))
}

func (c *comparison) objects(known, fresh *model.Object, path string, pos model.Pos) {
	now := make(map[string]*model.Property, len(fresh.Properties))
	for _, q := range fresh.Properties {
		now[q.Name] = q
	}
	for _, p := range known.Properties {
		at := join(path, p.Name)
		if q := now[p.Name]; q != nil {
			q.Secret = q.Secret || p.Secret
			c.member(p.Type, &q.Type, at, or(q.Pos, pos))
		} else {
			c.lose(loss{known, fresh, p}, pos, at)
		}
	}
	fresh.Offer()
	switch {
	case known.Additional == nil:
	case fresh.Additional == nil:
		c.lose(loss{known, fresh, &model.Property{Type: known.Additional}}, pos, join(path, "*"))
	default:
		c.member(known.Additional, &fresh.Additional, join(path, "*"), pos)
	}
}

func or(p, q model.Pos) model.Pos {
	if p == (model.Pos{}) {
		return q
	}
	return p
}

// lose records a property that an object has lost. If two known objects have become one, both
// must have the property with the same type.
func (c *comparison) lose(l loss, pos model.Pos, path string) {
	if q := l.renamed(); q != nil {
		c.contradict(or(q.Pos, pos), fmt.Sprintf("%s is called %s now", path, q.Name), "a name once given stays: give it back under kinds in the configuration")
		return
	}
	for _, before := range c.lost {
		if before.fresh != l.fresh || before.property.Name != l.property.Name {
			continue
		}
		if !alike(before.property.Type, l.property.Type) {
			c.contradict(pos, fmt.Sprintf("%s is gone from a type that stands for two of the ledger's, where it was %s and %s", path, name(before.property.Type), name(l.property.Type)),
				"mend the schema, or exclude it, or use --lenient to keep what the ledger has")
		}
		return
	}
	c.lost = append(c.lost, l)
	if c.status && c.mirrors(path) {
		return
	}
	c.findings = append(c.findings, c.finding(pos, path+" is gone from the schema; the ledger keeps it", "objects that have it can still be read and written"))
}

// renamed returns the fresh property that has the external name of the lost one; nil if there is
// none.
func (l loss) renamed() *model.Property {
	for _, q := range l.fresh.Properties {
		if l.property.Name != "" && externalName(q) == externalName(l.property) {
			return q
		}
	}
	return nil
}

func externalName(p *model.Property) string { return cmp.Or(p.Wire, p.Name) }

// alike reports whether two known types are stored in the same form.
func alike(a, b model.Type) bool {
	for _, pair := range [][2]model.Type{{a, b}, {b, a}} {
		c := newComparison(&model.Resource{}, &model.Version{}, &model.Version{})
		c.compare(pair[0], pair[1], "", model.Pos{})
		if len(c.findings) > 0 {
			return false
		}
	}
	return true
}

func (c *comparison) contradict(pos model.Pos, text, hint string) {
	f := c.finding(pos, text, hint)
	f.Contradicts = true
	c.findings = append(c.findings, f)
}

func (c *comparison) finding(pos model.Pos, text, hint string) Finding {
	return Finding{Type: c.resource.Type, Version: c.fresh.Name, Text: text, Hint: hint, Pos: pos}
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// name describes a type for users.
func name(t model.Type) string {
	switch t := t.(type) {
	case *model.List:
		return "a list of " + name(t.Elem)
	case *model.Map:
		return "a map of " + name(t.Elem)
	case *model.Ref:
		return "an object"
	}
	return model.ScalarText(t)
}
