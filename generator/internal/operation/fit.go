package operation

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

// Fault is why an operation does not fit two types.
type Fault struct{ Text, Hint string }

// Fits returns nil if a property of one type can become one of another by the operation.
func (o Operation) Fits(earlier, later model.Type) *Fault {
	switch o.Kind {
	case Plural:
		return o.becomesList(earlier, later)
	case Singular:
		return o.becomesList(later, earlier)
	case WrappedIn:
		return o.becomesMember(earlier, later)
	case UnwrappedFrom:
		return o.becomesMember(later, earlier)
	case Split:
		return o.becomesParts(earlier, later)
	case Join:
		return o.becomesParts(later, earlier)
	case KeyedBy:
		return o.becomesMap(earlier, later)
	case ListedBy:
		return o.becomesMap(later, earlier)
	case Factor:
		return o.scales(earlier, later)
	case MovedTo:
		return o.same(earlier, later, "the property that it becomes")
	default:
		return o.renames(earlier, later)
	}
}

// Suggested returns the operation that two types suggest: a value becomes a list or a member of an
// object, or the other way round. It returns false if none fits, or several members do.
func Suggested(earlier, later model.Type) (Operation, bool) {
	candidates := append(membersOf(later, WrappedIn), membersOf(earlier, UnwrappedFrom)...)
	var out []Operation
	for _, o := range append([]Operation{{Kind: Plural}, {Kind: Singular}}, candidates...) {
		if o.Fits(earlier, later) == nil {
			out = append(out, o)
		}
	}
	if len(out) != 1 {
		return Operation{}, false
	}
	return out[0], true
}

// membersOf returns an operation for each member of an object.
func membersOf(t model.Type, kind Kind) (out []Operation) {
	def := objectOf(t)
	if def == nil {
		return nil
	}
	for _, p := range def.Object().Properties {
		out = append(out, Operation{Kind: kind, Text: p.Name})
	}
	return out
}

func (o Operation) becomesList(one, many model.Type) *Fault {
	list, ok := many.(*model.List)
	if !ok {
		return o.fault("needs a list on the other side, which is %s", describe(many))
	}
	return o.same(one, list.Elem, "the elements of the list")
}

func (o Operation) becomesMember(value, object model.Type) *Fault {
	def := objectOf(object)
	if def == nil {
		return o.fault("needs an object on the other side, which is %s", describe(object))
	}
	member := def.Object().Property(o.Text)
	if member == nil {
		return o.fault("names %q, which %s lacks", o.Text, def.Name).meant(o.Text, names(def.Object()))
	}
	return o.same(value, member.Type, "the member "+o.Text)
}

func (o Operation) becomesParts(whole, parts model.Type) *Fault {
	if model.ScalarText(whole) != model.String.String() {
		return o.fault("needs a string, and not %s", describe(whole))
	}
	list, ok := parts.(*model.List)
	if !ok || model.ScalarText(list.Elem) != model.String.String() {
		return o.fault("needs a list of strings, and not %s", describe(parts))
	}
	return nil
}

// becomesMap reports why a list of objects cannot be a map of objects without the member that
// becomes the key.
func (o Operation) becomesMap(list, entries model.Type) *Fault {
	elements := elementsOf(list)
	if elements == nil {
		return o.fault("needs a list of objects, and not %s", describe(list))
	}
	key := elements.Object().Property(o.Text)
	switch {
	case key == nil:
		return o.fault("names %q, which %s lacks", o.Text, elements.Name).meant(o.Text, names(elements.Object()))
	case model.ScalarText(key.Type) != model.String.String():
		return o.fault("names %q, which is %s and no string", o.Text, describe(key.Type))
	}
	values := valuesOf(entries)
	if values == nil {
		return o.fault("needs a map of objects on the other side, which is %s", describe(entries))
	}
	if values.Object().Property(o.Text) != nil {
		return o.fault("names %q, which %s has too: the key of the map takes its place", o.Text, values.Name)
	}
	if !sameMembers(elements.Object(), values.Object(), o.Text, map[[2]*model.Def]bool{}) {
		f := o.fault("needs the same members on both sides, %s aside: those of %s and %s differ", o.Text, elements.Name, values.Name)
		f.Hint = handWritten
		return f
	}
	return nil
}

// Keys returns the members that can be the keys of the objects in a list; none for another type.
func Keys(t model.Type) (out []string) {
	elements := elementsOf(t)
	if elements == nil {
		return nil
	}
	for _, p := range elements.Object().Properties {
		if model.ScalarText(p.Type) == model.String.String() {
			out = append(out, p.Name)
		}
	}
	return out
}

// elementsOf returns the type of the objects in a list; nil if it is no list of objects.
func elementsOf(t model.Type) *model.Def {
	if list, ok := t.(*model.List); ok {
		return objectOf(list.Elem)
	}
	return nil
}

// valuesOf returns the type of the objects in a map; nil if it is no map of objects.
func valuesOf(t model.Type) *model.Def {
	if m, ok := t.(*model.Map); ok {
		return objectOf(m.Elem)
	}
	return nil
}

// objectOf returns the definition of an object type; nil for other types.
func objectOf(t model.Type) *model.Def {
	if ref, ok := t.(*model.Ref); ok && ref.Def.Map == nil && ref.Def.Object() != nil {
		return ref.Def
	}
	return nil
}

func names(o *model.Object) (out []string) {
	for _, p := range o.Properties {
		out = append(out, p.Name)
	}
	return out
}

func (o Operation) scales(earlier, later model.Type) *Fault {
	a, b := model.ScalarText(earlier), model.ScalarText(later)
	if a != b || a != model.Int.String() && a != model.Number.String() {
		return o.fault("needs integers or numbers on both sides, and not %s and %s", describe(earlier), describe(later))
	}
	return nil
}

func (o Operation) renames(earlier, later model.Type) *Fault {
	a, from := leaf(earlier)
	b, to := leaf(later)
	if a != b || model.ScalarText(from) != model.String.String() || model.ScalarText(to) != model.String.String() {
		return o.fault("needs strings on both sides, in the same lists and maps, and not %s and %s", describe(earlier), describe(later))
	}
	return o.unknown(from, to)
}

// unknown returns a fault for a value of a pair that an enum does not list; nil for none.
func (o Operation) unknown(from, to model.Type) *Fault {
	for i, name := range o.Pairs {
		of, side := from, "the earlier version"
		if i%2 == 1 {
			of, side = to, "the next version"
		}
		e, ok := of.(*model.Enum)
		if !ok || e.Open {
			continue
		}
		var names []string
		for _, text := range e.Values {
			if value, err := strconv.Unquote(text); err == nil {
				names = append(names, value)
			}
		}
		if !slices.Contains(names, name) {
			return o.fault("names %q, which the enum of %s lacks", name, side).meant(name, names)
		}
	}
	return nil
}

// meant adds the name that a wrong one resembles as a hint.
func (f *Fault) meant(name string, known []string) *Fault {
	if near := diag.Nearest(name, known); near != "" {
		f.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return f
}

func leaf(t model.Type) (wraps string, inner model.Type) {
	switch t := t.(type) {
	case *model.List:
		wraps, inner = leaf(t.Elem)
		return "l" + wraps, inner
	case *model.Map:
		wraps, inner = leaf(t.Elem)
		return "m" + wraps, inner
	}
	return "", t
}

func (o Operation) same(value, other model.Type, what string) *Fault {
	if isSame(value, other, map[[2]*model.Def]bool{}) {
		return nil
	}
	f := o.fault("needs one type on both sides: %s, and for %s %s", describe(value), what, describe(other))
	f.Hint = handWritten
	return f
}

const handWritten = "a hand-written step can convert between other types: `conversion: custom`"

// isSame reports whether two types have the same JSON, whatever their objects are called.
func isSame(a, b model.Type, assumed map[[2]*model.Def]bool) bool {
	wrapsA, innerA := leaf(a)
	wrapsB, innerB := leaf(b)
	if wrapsA != wrapsB {
		return false
	}
	refA, isRefA := innerA.(*model.Ref)
	refB, isRefB := innerB.(*model.Ref)
	if !isRefA || !isRefB {
		return isRefA == isRefB && model.ScalarText(innerA) == model.ScalarText(innerB)
	}
	pair := [2]*model.Def{refA.Def, refB.Def}
	if assumed[pair] {
		return true
	}
	assumed[pair] = true
	x, y := refA.Def.Object(), refB.Def.Object()
	return x != nil && y != nil && (refA.Def.Map == nil) == (refB.Def.Map == nil) && sameMembers(x, y, "", assumed)
}

// sameMembers reports whether two objects have the same members, except one that only the first
// has; except is empty for none.
func sameMembers(x, y *model.Object, except string, assumed map[[2]*model.Def]bool) bool {
	n := len(x.Properties)
	if except != "" {
		n--
	}
	if n != len(y.Properties) || (x.Additional == nil) != (y.Additional == nil) {
		return false
	}
	find := y.Lookup()
	for _, p := range x.Properties {
		if p.Name == except && except != "" {
			continue
		}
		q := find(p.Name)
		if q == nil || !isSame(p.Type, q.Type, assumed) {
			return false
		}
	}
	return x.Additional == nil || isSame(x.Additional, y.Additional, assumed)
}

func describe(t model.Type) string {
	wraps, inner := leaf(t)
	text := model.ScalarText(inner)
	if ref, ok := inner.(*model.Ref); ok {
		text = "the object " + ref.Def.Name
	}
	for i := len(wraps) - 1; i >= 0; i-- {
		text = map[byte]string{'l': "a list of ", 'm': "a map of "}[wraps[i]] + text
	}
	return text
}

func (o Operation) fault(format string, args ...any) *Fault {
	return &Fault{Text: "`" + o.String() + "` " + fmt.Sprintf(format, args...)}
}
