package diff

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/limit"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// objects are two corresponding definitions, and where they are.
type objects struct {
	old, new *model.Def
	place    *chain.Place // nil if only names determine which properties are the same
	path     string
	isRoot   bool // the spec or the status
}

// comparison walks the objects of two versions side by side, nearest to the root first, and each
// pair once.
type comparison struct {
	match   matcher
	inPlace bool
	seen    map[[2]*model.Def]bool
	queue   []objects
	changes []Change
}

func compare(match matcher, inPlace bool, roots []objects) []Change {
	c := &comparison{match: match, inPlace: inPlace, seen: map[[2]*model.Def]bool{}, changes: []Change{}}
	for _, root := range roots {
		root.isRoot = true
		c.visit(root)
	}
	for len(c.queue) > 0 {
		o := c.queue[0]
		c.queue = c.queue[1:]
		c.whole(o)
		for _, p := range c.match.moves(o) {
			c.moved(o, p)
		}
		for _, p := range c.match.pairs(o) {
			c.pair(o, p)
		}
	}
	return c.changes
}

func (c *comparison) visit(o objects) {
	at := [2]*model.Def{o.old, o.new}
	if !c.seen[at] {
		c.seen[at] = true
		c.queue = append(c.queue, o)
	}
}

// pair compares two properties that count as one. Either may be nil.
func (c *comparison) pair(o objects, p pair) {
	switch {
	case p.old == nil:
		c.added(o, p.new)
		return
	case p.new == nil:
		kind := Removed
		if isOpenMember(p.old) {
			kind = Closed
		}
		c.add(o.old, p.old, Change{Kind: kind, Severity: finding.Clients, Path: join(o.path, p.old.Name), Old: TypeText(p.old.Type)})
		return
	}
	path := join(o.path, p.new.Name)
	if p.old.Name != p.new.Name {
		c.add(o.new, p.new, Change{Kind: Renamed, Severity: finding.Clients, Path: path, Old: p.old.Name, New: p.new.Name})
	}
	if len(p.declared) > 0 {
		c.add(o.new, p.new, Change{
			Kind: Changed, Severity: finding.Clients, Path: path, Old: TypeText(p.old.Type), New: TypeText(p.new.Type), Declared: declaredText(p.declared),
		})
	}
	c.both(o.new, p, path)
}

// moved compares a property before and after a declared move.
func (c *comparison) moved(o objects, p movedPair) {
	path := join(o.path, p.to)
	c.add(p.of, p.new, Change{Kind: Moved, Severity: finding.Clients, Path: path, Old: join(o.path, p.from), Declared: declaredText(p.declared)})
	c.both(p.of, p.pair, path)
}

// both compares what both versions have of a property. The later one is at a path, in an object.
func (c *comparison) both(of *model.Def, p pair, path string) {
	c.statements(of, p, path)
	for _, change := range c.types(p.old.Type, p.new.Type, p.declared) {
		if change.Path = path; (p.old.Secret || p.new.Secret) && (change.Kind == ValuesAdded || change.Kind == ValuesRemoved) {
			change.Old, change.New = "", ""
		}
		c.add(of, p.new, change)
	}
	c.descend(p, path)
}

func (c *comparison) add(d *model.Def, p *model.Property, change Change) {
	change.Type, change.Pos = d.Name, p.Pos
	c.changes = append(c.changes, change)
}

func (c *comparison) added(o objects, p *model.Property) {
	kind := Added
	switch {
	case isOpenMember(p):
		kind = Opened
	case p.Required:
		kind = AddedRequired
	}
	c.add(o.new, p, Change{Kind: kind, Severity: kind.Rule().Severity, Path: join(o.path, p.Name), New: TypeText(p.Type)})
}

// descend queues the objects that a property contains in both versions.
func (c *comparison) descend(p pair, path string) {
	wrapOld, a := chain.Unwrap(p.old.Type)
	wrapNew, b := chain.Unwrap(p.new.Type)
	old, isOld := a.(*model.Ref)
	later, isNew := b.(*model.Ref)
	if isOld && isNew && wrapOld == wrapNew {
		if p.new.Name == chain.AdditionalName {
			wrapNew = wrapNew[1:] // the path already has it
		}
		c.visit(objects{old: old.Def, new: later.Def, place: p.place, path: path + steps(wrapNew)})
	}
}

// types compares two types, without the objects in them. What is declared is no difference.
func (c *comparison) types(old, later model.Type, declared []operation.Operation) []Change {
	wrapOld, a := chain.Unwrap(old)
	wrapNew, b := chain.Unwrap(later)
	a, b = asEnum(a), asEnum(b)
	before, wasEnum := a.(*model.Enum)
	after, isEnum := b.(*model.Enum)
	if wasEnum && len(declared) > 0 {
		before = renamed(before, declared)
	}
	isDeclared := slices.ContainsFunc(declared, func(o operation.Operation) bool { return o.Kind != operation.Values && o.Kind != operation.MovedTo })
	retyped := func(severity finding.Severity) []Change {
		return []Change{{Kind: Retyped, Severity: severity, Old: TypeText(old), New: TypeText(later)}}
	}
	switch {
	case isDeclared:
		return nil
	case (wrapOld != wrapNew || model.ScalarText(a) != model.ScalarText(b)) && c.inPlace:
		return retyped(finding.StoredData)
	case wrapOld != wrapNew || model.ScalarText(a) != model.ScalarText(b):
		return retyped(finding.Clients)
	case wasEnum && isEnum && before.Open == after.Open && slices.Equal(before.Values, after.Values):
		return nil
	case wasEnum && isEnum && before.Open == after.Open:
		return values(before.Values, after.Values)
	case isEnum && !after.Open:
		return retyped(finding.Clients)
	case isEnum:
		return retyped(finding.None)
	case wasEnum:
		return retyped(finding.None)
	}
	return nil
}

// values compares the values of two enums.
func values(old, later []string) []Change {
	var out []Change
	if gone := limit.Beyond(later, old); len(gone) > 0 {
		out = append(out, Change{Kind: ValuesRemoved, Severity: finding.Clients, Old: strings.Join(gone, ", ")})
	}
	if more := limit.Beyond(old, later); len(more) > 0 {
		out = append(out, Change{Kind: ValuesAdded, New: strings.Join(more, ", ")})
	}
	return out
}
