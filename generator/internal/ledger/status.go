package ledger

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// statusPath is where paths of a status begin.
const statusPath = "status"

// keeping is a type of the status that stays what the ledger has.
type keeping struct {
	fresh *model.Type
	known model.Type
}

// observe compares the statuses. Those of resources that speak Kubernetes are compared as specs
// are, and stay apart from these, since CRDs state what each of them must be. One that
// mirrored the spec is stored as that: a status of its own has all that the mirror had, in the
// types that it had there.
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

// member compares the types of one member. In a status that of the ledger stands,
// and nothing is said: it is the same in every run, and not for users to mend.
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

// sameKind reports whether two types are in the same lists and maps, and objects both
// or of one kind of scalar.
func sameKind(a, b model.Type) bool {
	wrapA, innerA := chain.Unwrap(a)
	wrapB, innerB := chain.Unwrap(b)
	return wrapA == wrapB && model.ScalarText(innerA) == model.ScalarText(innerB)
}

// mirrors reports whether the ledger's spec has what its status has at a path: then
// it may be there because the status mirrored the spec once.
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
