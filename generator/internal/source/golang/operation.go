package golang

import (
	"fmt"
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// declared returns the operations that a marker declares. A factor that is not one has the fraction
// 0/0.
func (m changedMarker) declared() []operation.Operation {
	by, over, _ := operation.ParseFactor(m.Factor)
	var out []operation.Operation
	for _, x := range []struct {
		is bool
		of operation.Operation
	}{
		{m.Plural, operation.Operation{Kind: operation.Plural}},
		{m.Singular, operation.Operation{Kind: operation.Singular}},
		{m.WrappedIn != "", operation.Operation{Kind: operation.WrappedIn, Text: m.WrappedIn}},
		{m.UnwrappedFrom != "", operation.Operation{Kind: operation.UnwrappedFrom, Text: m.UnwrappedFrom}},
		{m.KeyedBy != "", operation.Operation{Kind: operation.KeyedBy, Text: m.KeyedBy}},
		{m.ListedBy != "", operation.Operation{Kind: operation.ListedBy, Text: m.ListedBy}},
		{m.Split != "", operation.Operation{Kind: operation.Split, Text: m.Split}},
		{m.Join != "", operation.Operation{Kind: operation.Join, Text: m.Join}},
		{m.Factor != "", operation.Operation{Kind: operation.Factor, By: by, Over: over}},
	} {
		if x.is {
			out = append(out, x.of)
		}
	}
	return out
}

// checkDeclaredChange reports a declared change that has functions too, and one that is not
// complete. Whether it fits the types is known once all versions are read.
func (r *reader) checkDeclaredChange(h *history, c *change) {
	o := c.declared[0]
	switch {
	case h.constant:
		r.errorf(c.markerUse.at(string(o.Kind)), "remove it: `fromName=...` renames a value", "a constant has no value that can change as `%s`", o)
	case len(c.declared) > 1:
		r.errorf(c.markerUse.at(string(c.declared[1].Kind)), "functions can do both: `upgradeWith=...` and `downgradeWith=...`", "%s has two changes in one version: `%s` and `%s`", h.name, o, c.declared[1])
	case o.Kind == operation.Factor && o.By == 0:
		r.errorf(c.markerUse.at("factor"), "such as `factor=1000`, or `factor=1/1000` for the other way", "a factor is a positive integer or a fraction of two, and not 1")
	case c.up != nil || c.down != nil || c.narrows:
		r.errorf(c.markerUse.pos, "remove the functions or `"+string(o.Kind)+"`", "%s has functions, and is declared as `%s`", h.name, o)
	case c.fromText == "" && o.Kind != operation.Factor:
		r.errorf(c.markerUse.pos, "set `fromType=...`", "%s is declared as `%s`, without its earlier type", h.name, o)
	}
}

// changed is a property of a definition that undergoes a declared change in the next version.
type changed struct {
	def      *model.Def
	property string
	of       operation.Operation // without a kind if the property only moves
	in       string              // the preview with the later values, if stable versions precede it
	from     *change
	history  *history
	next     int // the version with the later values
}

// isDeclared reports whether Strata makes the change without functions.
func (c *change) isDeclared() bool { return len(c.declared) == 1 || c.movedFrom != "" }

// change records the declared change of a field between the shaper's version and the next one.
func (s *shaper) change(d *model.Def, h *history, name string) {
	if h == nil {
		return
	}
	next := s.next()
	for i := len(s.unit.versions) - 1; next < 0 && i > s.version; i-- {
		if s.takesPart(i) {
			next = i
		}
	}
	if next < 0 || !s.takesPart(s.version) {
		return
	}
	of := slices.DeleteFunc(slices.Clone(h.changes), func(c *change) bool {
		return c.since.index <= s.version || c.since.index > next || !c.isDeclared() && c.up == nil && c.down == nil
	})
	if !slices.ContainsFunc(of, (*change).isDeclared) {
		return // functions alone are called one after the other
	}
	if len(of) > 1 {
		s.changedTwice(h, of)
		return
	}
	if h.present(s.version) && h.present(next) {
		in := ""
		if v := s.unit.versions[of[0].since.index]; s.unit.versions[s.version].isStable() && !v.isStable() {
			in = v.name
		}
		var o operation.Operation
		if len(of[0].declared) > 0 {
			o = of[0].declared[0]
		}
		s.changed = append(s.changed, changed{d, name, o, in, of[0], h, next})
	}
}

// changedTwice reports two changes between versions that convert to each other, if one of them is
// declared. A declared change converts the value of the one version to that of the other.
func (s *shaper) changedTwice(h *history, of []*change) {
	first, second := of[0], of[1]
	stable := slices.ContainsFunc(s.unit.versions[:first.since.index], (*version).isStable)
	for _, v := range s.unit.versions[first.since.index:second.since.index] {
		if v.isStable() || !stable {
			s.errorf(second.markerUse.pos, fmt.Sprintf("include %s: see `only.versions`; or convert by functions: `upgradeWith=...`", v.name),
				"%s changes in %s and in %s, and %s is not in this run", h.name, first.since.name, second.since.name, v.name)
			return
		}
	}
	s.errorf(second.markerUse.pos, "declare one change, or convert both times by functions: `upgradeWith=...`",
		"%s changes in %s and in %s, and no stable version is between them", h.name, first.since.name, second.since.name)
}
