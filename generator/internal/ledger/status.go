package ledger

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// statusPath is the first segment of the paths of a status.
const statusPath = "status"

// keeping is a type in the status that is replaced by the ledger's.
type keeping struct {
	fresh *model.Type
	known model.Type
}

// observe compares the statuses. Statuses of native resources are compared as specs are, and
// separately from these, since a CRD declares both. A fresh status whose ledger version mirrored
// the spec must have all properties of that spec, with the same types, because objects are stored
// with them.
func (c *comparison) observe() {
	if c.fresh.Status == nil {
		return
	}
	known := c.known.Status
	if c.resource.IsNative() && known != nil {
		c.compare(known, c.fresh.Status, statusPath, c.fresh.Pos)
		return
	}
	if known == nil {
		known = model.Mirror(c.known, c.fresh.Status.(*model.Ref).Def.Name)
	}
	c.copyOf = model.UnshareStatus(c.fresh)
	c.status = true
	c.compare(known, c.fresh.Status, statusPath, c.fresh.Pos)
}

// member compares the types of one member. In a status, the ledger's type is used without a
// finding: the difference is the same in every run, and users cannot remove it.
func (c *comparison) member(known model.Type, fresh *model.Type, path string, pos model.Pos) {
	if !c.status {
		c.compare(known, *fresh, path, pos)
		return
	}
	first, twice := c.members[fresh]
	if !twice {
		c.members[fresh] = known
	}
	switch is := sameKind(known, *fresh); {
	case twice && (!sameKind(first, known) || !is && !alike(first, known)):
		c.contradict(pos, path+" is of a type that stands for two of the ledger's, which differ", "exclude the schema, or use --lenient to keep what the ledger has")
	case is:
		c.compare(known, *fresh, path, pos)
	case !twice:
		c.kept = append(c.kept, keeping{fresh, known})
	}
}

// sameKind reports whether two types have the same lists and maps, and are both objects or of one
// kind of scalar.
func sameKind(a, b model.Type) bool {
	wrapA, innerA := chain.Unwrap(a)
	wrapB, innerB := chain.Unwrap(b)
	return wrapA == wrapB && model.ScalarText(innerA) == model.ScalarText(innerB)
}

// mirrors reports whether the ledger's spec has the path of its status. Then the status may have
// the path because it once mirrored the spec.
func (c *comparison) mirrors(path string) bool {
	t := c.known.Spec
	for _, name := range strings.Split(strings.ReplaceAll(path, "[]", ""), ".")[1:] {
		for l, ok := t.(*model.List); ok; l, ok = t.(*model.List) {
			t = l.Elem
		}
		if m, ok := t.(*model.Map); ok && name == "*" {
			t = m.Elem
			continue
		}
		ref, ok := t.(*model.Ref)
		if !ok {
			return false
		}
		o := ref.Def.Object()
		p := o.Property(name)
		switch {
		case p != nil:
			t = p.Type
		case name == "*" && o.Additional != nil:
			t = o.Additional
		default:
			return false
		}
	}
	return true
}
