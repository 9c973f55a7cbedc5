package diff

import (
	"cmp"
	"encoding/json"
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
	enum        = "enum"
	intOrString = "x-kubernetes-int-or-string"
	embedded    = "x-kubernetes-embedded-resource"
	extensible  = "x-extensible-enum"
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
	if isAny(old.Type) == isAny(later.Type) { // a value without a type may be null, too
		onOff(hasNull(old), hasNull(later), Nullable, NotNullable)
	}
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

func isAny(t model.Type) bool {
	_, ok := t.(*model.Any)
	return ok
}

// hasNull reports whether the property of an external API may be null.
func hasNull(p *model.Property) bool {
	return p.Nullable || isNullable(p.Type)
}

// isNullable reports whether the schema of an external API states that null is a value.
func isNullable(t model.Type) bool {
	text := model.FactsOf(t).Get(model.Unrepresented)
	return text != "" && keywordsOf(text).Get(nullable) == "true"
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
	old, later = asEnum(old), asEnum(later)
	switch is := later.(type) {
	case *model.List:
		was, ok := old.(*model.List)
		if !ok {
			return
		}
		facts(was.Facts, is.Facts, found)
		limits(limit.Compare(was.Limits, is.Limits), found)
		c.elements(was.Elem, is.Elem, path+"[]", add)
	case *model.Map:
		was, ok := old.(*model.Map)
		if !ok {
			return
		}
		facts(was.Facts, is.Facts, found)
		c.elements(was.Elem, is.Elem, path+".*", add)
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
			if a, b := alternatives(was), alternatives(is); len(a) > 0 && len(b) > 0 {
				if fewer, more := limit.Beyond(b, a), limit.Beyond(a, b); len(fewer) > 0 {
					found(Narrowed, strings.Join(a, " or "), strings.Join(b, " or "))
				} else if len(more) > 0 {
					found(Widened, strings.Join(a, " or "), strings.Join(b, " or "))
				}
				return
			}
			if a, b := formOf(was), formOf(is); a != b {
				found(Retyped, a, b)
				return
			}
			facts(was.Facts, is.Facts, found)
		}
	}
}

// elements compares what the elements of two lists or maps may be.
func (c *comparison) elements(was, is model.Type, path string, add func(k Kind, path, was, is string)) {
	switch before, after := isNullable(was), isNullable(is); {
	case after && !before:
		add(Nullable, path, "", "")
	case before && !after:
		add(NotNullable, path, "", "")
	}
	c.constraints(was, is, path, add)
}

// asEnum returns a scalar with an enum of other values, too, such as null, as an enum. Other types
// it returns as they are.
func asEnum(t model.Type) model.Type {
	s, ok := t.(*model.Scalar)
	if !ok || len(s.Facts) == 0 {
		return t
	}
	values := texts(s.Facts.Get(enum))
	if len(values) == 0 {
		return t
	}
	values = slices.DeleteFunc(values, func(v string) bool { return v == "null" })
	return &model.Enum{Base: s.Kind, Values: values, Facts: s.Facts.Without(enum)}
}

// texts returns the elements of a list in JSON.
func texts(list string) (out []string) {
	var all []json.RawMessage
	if list == "" || json.Unmarshal([]byte(list), &all) != nil {
		return nil
	}
	for _, one := range all {
		out = append(out, string(one))
	}
	return out
}

// alternatives returns the names of the types that clash where a value may have one of several.
func alternatives(t *model.Any) []string {
	all := keywordsOf(t.Facts.Get(model.Unrepresented)).Texts(model.Alternatives)
	if len(all) == 0 && strings.Contains(t.Reason, against) {
		all = strings.Split(t.Reason, against)
	}
	all = slices.DeleteFunc(all, func(name string) bool { return name == freeJSON })
	slices.Sort(all)
	return all
}

// The words in the reason for free JSON, and the name of free JSON among alternatives.
const (
	against  = " against "
	freeJSON = "any"
)

// formOf describes what a value may be whose type the model does not know.
func formOf(t *model.Any) string {
	switch f := t.Facts; {
	case t.Reason != "":
		return t.Reason
	case f.Get(intOrString) == "true":
		return "integer or string"
	case f.Get(embedded) == "true":
		return "embedded object"
	case f.Text("type") != "":
		return f.Text("type")
	}
	return "any"
}

// limits reports limits and rules that differ. A change that does both is narrower.
func limits(all []limit.Change, found func(k Kind, was, is string)) {
	for _, l := range all {
		switch {
		case l.Keyword == model.RuleKeyword && l.Narrower:
			found(RuleAdded, "", l.New)
		case l.Keyword == model.RuleKeyword:
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
	if was.Equal(is) {
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
	if a, b := was.Get(model.Unrepresented), is.Get(model.Unrepresented); a != b {
		facts(keywordsOf(a).Without(nullable), keywordsOf(b).Without(nullable), found)
	}
	for _, change := range values(texts(was.Get(extensible)), texts(is.Get(extensible))) {
		found(change.Kind, change.Old, change.New)
	}
	if a, b := texts(was.Get(enum)), texts(is.Get(enum)); len(a) > 0 && len(b) > 0 {
		for _, change := range values(a, b) {
			found(change.Kind, change.Old, change.New)
		}
	} else if len(b) > 0 {
		found(Narrowed, "", valued(enum, is.Get(enum)))
	} else if len(a) > 0 {
		found(Widened, valued(enum, was.Get(enum)), "")
	}
	if readsOtherwise(was, is) {
		found(Described, "", "")
	}
}

// readsOtherwise reports whether people read something else of a schema: its title, its examples,
// or the messages of its rules. A description is a fact where a schema has no name.
func readsOtherwise(was, is model.Facts) bool {
	for _, name := range model.ForPeople {
		if was.Get(name) != is.Get(name) {
			return true
		}
	}
	before := messages(was)
	for rule, text := range messages(is) {
		if old, known := before[rule]; known && old != text {
			return true
		}
	}
	return false
}

// messages returns what an API server answers where a rule is violated, by rule.
func messages(f model.Facts) map[string]string {
	var rules []struct{ Rule, Message, MessageExpression, Reason, FieldPath string }
	if text := f.Get(model.RuleKeyword); text == "" || json.Unmarshal([]byte(text), &rules) != nil {
		return nil
	}
	out := map[string]string{}
	for _, r := range rules {
		out[r.Rule] += strings.Join([]string{r.Message, r.MessageExpression, r.Reason, r.FieldPath}, "\n")
	}
	return out
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
	if o.isRoot && o.old.Doc != o.new.Doc { // that of others is the description of a property
		add(Described, "", "")
	}
	narrower, wider := cases(was, is)
	if narrower != "" {
		add(UnionChanged, "", narrower)
	}
	if wider != "" {
		add(UnionWider, "", wider)
	}
}

// cases compares the branches of two unions. It describes those that refuse what they did not
// refuse before, and those that allow more. A branch that is new allows more.
func cases(was, is *model.Object) (narrower, wider string) {
	if is.Union == nil || was.Union == nil || was.Union.Discriminator != is.Union.Discriminator {
		return "", ""
	}
	before, after := casesOf(was.Union), casesOf(is.Union)
	known, knew := is.Lookup(), was.Lookup()
	var less, more []string
	for _, one := range before {
		at := slices.IndexFunc(after, func(c namedCase) bool { return c.name == one.name })
		if at < 0 {
			continue // the enum of the discriminator has lost the value
		}
		now := after[at]
		list := func(into *[]string, what string, names []string) {
			if len(names) > 0 {
				*into = append(*into, one.name+what+strings.Join(names, ", "))
			}
		}
		has := func(find func(string) *model.Property, names []string) []string {
			return slices.DeleteFunc(names, func(name string) bool { return find(name) == nil })
		}
		list(&less, " no longer allows ", has(known, limit.Beyond(now.Allows, one.Allows)))
		list(&less, " also requires ", limit.Beyond(one.Requires, now.Requires))
		list(&more, " also allows ", has(knew, limit.Beyond(one.Allows, now.Allows)))
		list(&more, " no longer requires ", has(known, limit.Beyond(now.Requires, one.Requires)))
	}
	return strings.Join(less, "; "), strings.Join(more, "; ")
}

type namedCase struct {
	model.Case
	name string
}

// casesOf returns the branches of a union by the values of its discriminator. Without one, they
// have the names of their members.
func casesOf(u *model.Union) (out []namedCase) {
	for _, one := range u.Cases {
		if u.Discriminator == "" {
			out = append(out, namedCase{one, "the branch of " + strings.Join(slices.Sorted(slices.Values(one.Allows)), ", ")})
		}
		for _, v := range one.Values {
			out = append(out, namedCase{one, unquoted(v)})
		}
	}
	return out
}

// isOpenMember reports whether a property stands for the additional members of an object.
func isOpenMember(p *model.Property) bool { return p.Name == chain.AdditionalName }
