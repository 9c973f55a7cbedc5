package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/limit"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// The keywords of schemas that have a rule of their own.
const (
	nullable    = "nullable"
	listType    = "x-kubernetes-list-type"
	listKeys    = "x-kubernetes-list-map-keys"
	mapType     = "x-kubernetes-map-type"
	keepUnknown = "x-kubernetes-preserve-unknown-fields"
)

// statements compares what both versions state of a property, but for its type.
func (c *comparison) statements(of *model.Def, p pair, path string) {
	old, later := p.old, p.new
	add := func(k Kind, was, is string) {
		if old.Secret || later.Secret {
			was, is = "", ""
		}
		c.add(of, later, Change{Kind: k, Severity: k.Rule().Severity, Path: path, Old: was, New: is})
	}
	switch {
	case later.Required && !old.Required:
		add(Required, "", "")
	case old.Required && !later.Required:
		add(Optional, "", "")
	}
	onOff := func(was, is bool, on, off Kind) {
		if is && !was {
			add(on, "", "")
		} else if was && !is {
			add(off, "", "")
		}
	}
	onOff(old.Secret, later.Secret, Secret, NotSecret)
	onOff(old.ReadOnly, later.ReadOnly, ReadOnly, Writable)
	presets(old.Default, later.Default, add)
	switch {
	case later.Deprecated == old.Deprecated:
	case later.Deprecated == "":
		add(Supported, "", "")
	default:
		add(Deprecated, "", later.Deprecated)
	}
	if later.Doc != old.Doc {
		add(Described, "", "")
	}
	if len(p.declared) == 0 {
		c.constraints(old.Type, later.Type, path, func(k Kind, at, was, is string) {
			path = at
			add(k, was, is)
		})
	}
}

// presets compares two defaults.
func presets(was, is string, found func(k Kind, was, is string)) {
	switch {
	case was == is:
	case was == "":
		found(DefaultAdded, "", is)
	case is == "":
		found(DefaultRemoved, was, "")
	default:
		found(DefaultChanged, was, is)
	}
}

// constraints compares what two types allow, also within lists and maps. It leaves types of
// different forms to the rule for types, and objects to their own comparison.
func (c *comparison) constraints(old, later model.Type, path string, add func(k Kind, path, was, is string)) {
	found := func(k Kind, was, is string) { add(k, path, was, is) }
	switch is := later.(type) {
	case *model.List:
		was, ok := old.(*model.List)
		if !ok {
			return
		}
		facts(was.Facts, is.Facts, found)
		limits(limit.Compare(was.Limits, is.Limits), found)
		c.constraints(was.Elem, is.Elem, path+"[]", add)
	case *model.Map:
		was, ok := old.(*model.Map)
		if !ok {
			return
		}
		facts(was.Facts, is.Facts, found)
		c.constraints(was.Elem, is.Elem, path+".*", add)
	case *model.Scalar:
		was, ok := old.(*model.Scalar)
		if !ok || was.Kind != is.Kind {
			return
		}
		facts(was.Facts, is.Facts, found)
		integers(old, later, found)
		limits(limit.Compare(was.Limits, is.Limits), found)
	case *model.Enum:
		if was, ok := old.(*model.Enum); ok && was.Base == is.Base {
			facts(was.Facts, is.Facts, found)
			integers(old, later, found)
		}
	case *model.Any:
		if was, ok := old.(*model.Any); ok {
			facts(was.Facts, is.Facts, found)
		}
	}
}

// limits reports limits and rules that differ. A change that does both is narrower.
func limits(all []limit.Change, found func(k Kind, was, is string)) {
	for _, l := range all {
		switch {
		case l.Keyword == limit.RuleKeyword && l.Narrower:
			found(RuleAdded, "", l.New)
		case l.Keyword == limit.RuleKeyword:
			found(RuleRemoved, l.Old, "")
		case l.Narrower:
			found(Narrowed, valued(l.Keyword, l.Old), valued(l.Keyword, l.New))
		default:
			found(Widened, valued(l.Keyword, l.Old), valued(l.Keyword, l.New))
		}
	}
}

// valued describes a keyword with a value; empty without one.
func valued(keyword, value string) string {
	if value == "" {
		return ""
	}
	return keyword + " " + value
}

// facts compares the keywords of two schemas.
func facts(was, is model.Facts, found func(k Kind, was, is string)) {
	if len(was) == 0 && len(is) == 0 {
		return
	}
	// An API server treats a list or a map without the keyword as one of the type implied.
	differs := func(name, implied string, k Kind) {
		if a, b := cmp.Or(unquoted(was.Get(name)), implied), cmp.Or(unquoted(is.Get(name)), implied); a != b {
			found(k, a, b)
		}
	}
	onOff := func(name string, on, off Kind) {
		switch a, b := was.Get(name) == "true", is.Get(name) == "true"; {
		case b && !a:
			found(on, "", "")
		case a && !b:
			found(off, "", "")
		}
	}
	presets(was.Get("default"), is.Get("default"), found)
	onOff(nullable, Nullable, NotNullable)
	differs(listType, "atomic", ListType)
	differs(mapType, "granular", ListType)
	differs(listKeys, "", ListKeys)
	onOff(keepUnknown, Opened, Closed)
	limits(limit.CompareFacts(was, is), found)
}

func unquoted(text string) string { return strings.Trim(text, `"`) }

// bits are the sizes of integer types.
var bits = map[string]int{"int": 64, "int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint": 64, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}

// integers compares the widths of two integers.
func integers(old, later model.Type, found func(k Kind, was, is string)) {
	was, is := cmp.Or(width(old), "int64"), cmp.Or(width(later), "int64")
	if was == is {
		return
	}
	a, b := bits[was], bits[is]
	isUnsigned := func(name string) bool { return strings.HasPrefix(name, "u") }
	switch {
	case b < a, isUnsigned(is) && !isUnsigned(was), isUnsigned(was) && !isUnsigned(is) && b <= a:
		found(IntegerNarrow, was, is)
	case b > a:
		found(IntegerWide, was, is)
	}
}

// width returns the name of an integer type; empty for an int64 and for what is no integer.
func width(t model.Type) string {
	if name := model.IntegerTypeOf(t); name != "" {
		return name
	}
	if s, ok := t.(*model.Scalar); ok && s.Kind == model.Int && s.Limits != nil && s.Limits.Format == "int32" {
		return "int32"
	}
	return ""
}

// whole compares two objects, but for their members. At the root there is no path.
func (c *comparison) whole(o objects) {
	was, is := o.old.Object(), o.new.Object()
	if was == nil || is == nil || was == is {
		return
	}
	add := func(k Kind, old, later string) {
		c.changes = append(c.changes, Change{Kind: k, Severity: k.Rule().Severity, Path: o.path, Old: old, New: later, Type: o.new.Name, Pos: o.new.Pos})
	}
	facts(was.Facts, is.Facts, add)
	if text := narrowerCases(was, is); text != "" {
		add(UnionChanged, "", text)
	}
}

// narrowerCases describes the branches of a union that refuse what they did not refuse before. A
// branch that is new allows more.
func narrowerCases(was, is *model.Object) string {
	if is.Union == nil || was.Union == nil || is.Union.Discriminator == "" || was.Union.Discriminator != is.Union.Discriminator {
		return ""
	}
	byValue := func(u *model.Union) map[string]model.Case {
		out := map[string]model.Case{}
		for _, one := range u.Cases {
			for _, v := range one.Values {
				out[v] = one
			}
		}
		return out
	}
	before, after := byValue(was.Union), byValue(is.Union)
	known := is.Lookup()
	var out []string
	for _, one := range was.Union.Cases {
		for _, v := range one.Values {
			now, has := after[v]
			if !has {
				continue // the enum of the discriminator has lost the value
			}
			lost := slices.DeleteFunc(limit.Beyond(now.Allows, before[v].Allows), func(name string) bool { return known(name) == nil })
			more := limit.Beyond(before[v].Requires, now.Requires)
			if len(lost) > 0 {
				out = append(out, unquoted(v)+" no longer allows "+strings.Join(lost, ", "))
			}
			if len(more) > 0 {
				out = append(out, unquoted(v)+" also requires "+strings.Join(more, ", "))
			}
		}
	}
	return strings.Join(out, "; ")
}

// isOpenMember reports whether a property stands for the additional members of an object.
func isOpenMember(p *model.Property) bool { return p.Name == chain.AdditionalName }
