package ownership

import (
	"fmt"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Translation is the ownership of fields in another version.
type Translation struct {
	// Set has the fields of the other version.
	Set *fieldpath.Set
	// Whole are fields of Set whose values convert as a whole: the owner has everything in them.
	Whole *fieldpath.Set
	// Lost are the fields that the other version lacks, in the version that was translated. Objects
	// store their values in property bags.
	Lost *fieldpath.Set
	// Stepped are the fields in objects that hand-written steps convert, in the version that was
	// translated. Only a conversion of the values shows what else they become.
	Stepped *fieldpath.Set
}

// Over returns the set of a translation. In place of each whole field it has the fields that the
// live object has there: a value may be in a property bag, although its version has the field.
func (t *Translation) Over(live *fieldpath.Set) *fieldpath.Set {
	out, absent := t.Set.Copy(), fieldpath.NewSet()
	for path := range t.Whole.All() {
		path = path.Copy()
		below := below(live, path)
		switch {
		case below != nil:
			for p := range below.All() {
				out.Insert(append(slices.Clone(path), p.Copy()...))
			}
		case !live.Has(path):
			absent.Insert(path)
		}
	}
	return out.Difference(absent)
}

// below returns the fields below a path; nil if there are none.
func below(s *fieldpath.Set, path fieldpath.Path) *fieldpath.Set {
	for _, e := range path {
		next, ok := s.Children.Get(e)
		if !ok {
			return nil
		}
		s = next
	}
	return s
}

// Translate returns the fields of version to that the fields of version from become. A version is
// an API version, or the storage version of one. The set must belong to an object of the kind, of
// that version. The time is linear in the length of the set's paths.
func (k *Kind) Translate(set *fieldpath.Set, from, to string) (*Translation, error) {
	a, known := k.indices[from]
	b, also := k.indices[to]
	switch {
	case !known:
		return nil, fmt.Errorf("%s has no version %s", k.Kind, from)
	case !also:
		return nil, fmt.Errorf("%s has no version %s", k.Kind, to)
	}
	t := &translator{kind: k, from: a, to: b, route: k.route(a, b), emptied: fieldpath.NewSet()}
	t.out = &Translation{Set: fieldpath.NewSet(), Whole: fieldpath.NewSet(), Lost: fieldpath.NewSet(), Stepped: fieldpath.NewSet()}
	for path := range set.All() {
		t.path(path.Copy())
	}
	for path := range t.emptied.All() {
		if below(t.out.Set, path) == nil {
			t.out.Set.Insert(path.Copy())
		}
	}
	return t.out, nil
}

type translator struct {
	kind     *Kind
	from, to int
	route    []int
	out      *Translation
	emptied  *fieldpath.Set // objects of the result that have lost fields
}

// hop is a property on the way from an object to a field, in the version that is translated. Out is
// the path of the object in the other version.
type hop struct {
	object   *object
	property int
	out      fieldpath.Path
}

// path translates the path of one field.
func (t *translator) path(path fieldpath.Path) {
	if t.isBareSpec(path) {
		return
	}
	o, out, rest := t.root(path)
	if o == nil {
		t.out.Set.Insert(path)
		return
	}
	t.object(o, out, rest, nil, path)
}

// isBareSpec reports whether a path is that of an empty spec, which a version with its members at
// the root does not have.
func (t *translator) isBareSpec(path fieldpath.Path) bool {
	isSpec := len(path) == 1 && path[0].FieldName != nil && *path[0].FieldName == "spec"
	return isSpec && t.kind.versions[t.to].AtRoot && !t.kind.versions[t.from].AtRoot
}

// root returns the object that a path leads into, its path in the other version, and the rest of
// the path. It returns nil for metadata, and for the spec and the status as such.
func (t *translator) root(path fieldpath.Path) (o *object, out, rest fieldpath.Path) {
	if len(path) == 0 || path[0].FieldName == nil {
		return nil, nil, nil
	}
	spec := fieldpath.Path{}
	if !t.kind.versions[t.to].AtRoot {
		spec = fieldpath.MakePathOrDie("spec")
	}
	switch name := *path[0].FieldName; {
	case name == "status" && len(path) > 1:
		return &t.kind.objects[t.kind.status], path[:1], path[1:]
	case slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, name):
		return nil, nil, nil
	case t.kind.versions[t.from].AtRoot:
		return &t.kind.objects[t.kind.spec], spec, path
	case name == "spec" && len(path) > 1:
		return &t.kind.objects[t.kind.spec], spec, path[1:]
	}
	return nil, nil, nil
}

// object translates the rest of a path, which begins in an object. Out is the path of the object in
// the other version, hops the properties that lead to it, and whole the path to translate.
func (t *translator) object(o *object, out, rest fieldpath.Path, hops []hop, whole fieldpath.Path) {
	if len(rest) == 0 {
		t.out.Set.Insert(out)
		return
	}
	if rest[0].FieldName == nil {
		t.lose(out, whole)
		return
	}
	if slices.ContainsFunc(o.Steps, t.passes) {
		t.out.Stepped.Insert(whole)
	}
	property, source := o.named(*rest[0].FieldName, t.from)
	if source == nil {
		t.further(o, out, rest, hops, whole)
		return
	}
	hops = append(hops, hop{o, property, out})
	target := o.at(property, t.to)
	if target == nil || target.Form != source.Form {
		t.convert(o, out, rest, hops, whole)
		return
	}
	t.levels(source, target, source.Levels, target.Levels, target.path(out), rest[1:], hops, whole)
}

// path returns the path of a property of an object. Further members have no name around them.
func (s *span) path(object fieldpath.Path) fieldpath.Path {
	if s.Name == further {
		return object
	}
	return extend(object, fieldpath.FieldNameElement(s.Name))
}

// further translates a member that no schema names, or one that Strata adds to each version.
func (t *translator) further(o *object, out, rest fieldpath.Path, hops []hop, whole fieldpath.Path) {
	property, source := o.named(further, t.from)
	next := extend(out, rest[0])
	if source == nil {
		if len(hops) > 0 {
			t.lose(out, whole)
			return
		}
		t.out.Set.Insert(append(next, rest[1:]...)) // a member of Strata's own
		return
	}
	if _, named := o.named(*rest[0].FieldName, t.to); named != nil {
		t.whole(next)
		return
	}
	target := o.at(property, t.to)
	if target == nil || target.Form != source.Form {
		t.lose(out, whole)
		return
	}
	t.levels(source, target, source.Levels, target.Levels, target.path(out), rest, nil, whole)
}

// levels translates the rest of a path, which begins in the lists and maps of a property.
func (t *translator) levels(source, target *span, from, to string, out, rest fieldpath.Path, hops []hop, whole fieldpath.Path) {
	for i := range from {
		switch {
		case i >= len(to):
			t.out.Set.Insert(out)
			return
		case isAtomic(to[i]):
			t.out.Set.Insert(out)
			return
		case isAtomic(from[i]):
			t.whole(out)
			return
		case from[i] == 'o', to[i] == 'o' && from[i] == 'm' && source.Object != nil: // or a map, whose members the object names
			t.object(&t.kind.objects[*source.Object], out, rest, hops, whole)
			return
		case len(rest) == 0:
			t.out.Set.Insert(out)
			return
		}
		e, ok := t.element(source, target, from[i], to[i], rest[0])
		if !ok {
			t.whole(out)
			return
		}
		out, rest, hops = extend(out, e), rest[1:], nil
	}
	t.out.Set.Insert(append(out, rest...)) // a scalar, or free JSON
}

// element translates the path element of a list or map. It reports false if the other version
// identifies elements by something else.
func (t *translator) element(source, target *span, from, to byte, e fieldpath.PathElement) (fieldpath.PathElement, bool) {
	if from != to {
		return e, false
	}
	if from != 'k' {
		return e, true
	}
	if e.Key == nil || source.Object == nil {
		return e, false
	}
	o := &t.kind.objects[*source.Object]
	var fields value.FieldList
	for _, f := range *e.Key {
		property, was := o.named(f.Name, t.from)
		if was == nil {
			return e, false
		}
		is := o.at(property, t.to)
		if is == nil || is.Form != was.Form || !slices.Contains(target.Keys, is.Name) {
			return e, false
		}
		fields = append(fields, value.Field{Name: is.Name, Value: f.Value})
	}
	if len(fields) != len(target.Keys) {
		return e, false
	}
	fields.Sort()
	return fieldpath.PathElement{Key: &fields}, true
}

func isAtomic(level byte) bool { return level == 'l' || level == 'a' || level == 'x' }

// convert translates a property whose value is not copied, by the conversions of the last hop's
// object and of those around it.
func (t *translator) convert(o *object, out, rest fieldpath.Path, hops []hop, whole fieldpath.Path) {
	trail := t.trail(o, rest, hops)
	for start := len(hops) - 1; start >= max(0, len(hops)-t.kind.longest); start-- {
		for end := len(hops); end <= min(len(trail), start+t.kind.longest); end++ {
			if path := t.follow(hops[start], trail[start:end]); path != nil {
				t.whole(path)
				return
			}
		}
	}
	if t.isFurther(o, *rest[0].FieldName) {
		t.whole(extend(out, rest[0]))
		return
	}
	t.lose(out, whole)
}

// isFurther reports whether the other version shows a member of that name, although no property of
// it has the name: it is a map there, or open.
func (t *translator) isFurther(o *object, name string) bool {
	_, open := o.named(further, t.to)
	_, taken := o.named(name, t.to)
	return open != nil && taken == nil
}

// trail returns the properties of the hops, and those that follow within objects.
func (t *translator) trail(o *object, rest fieldpath.Path, hops []hop) []int {
	var out []int
	for _, h := range hops {
		out = append(out, h.property)
	}
	_, s := o.named(*rest[0].FieldName, t.from)
	for _, e := range rest[1:max(1, min(len(rest), t.kind.longest))] {
		if s.Levels != "o" || e.FieldName == nil {
			break
		}
		var property int
		o = &t.kind.objects[*s.Object]
		if property, s = o.named(*e.FieldName, t.from); s == nil {
			break
		}
		out = append(out, property)
	}
	return out
}

// follow returns the path in the other version of a property that converts on the route. The
// property is given by the indices of properties on the path to it, from the object of the hop. It
// returns nil if no conversion applies, or if the other version lacks the property.
func (t *translator) follow(from hop, at []int) fieldpath.Path {
	converted := false
	for i, v := range t.route[1:] {
		if next := from.object.converted(t.route[i], v, at); next != nil {
			at, converted = next, true
		}
	}
	if !converted {
		return nil
	}
	path, o := from.out, from.object
	for i, property := range at {
		s := o.at(property, t.to)
		if s == nil || i < len(at)-1 && s.Levels != "o" {
			return nil
		}
		path = extend(path, fieldpath.FieldNameElement(s.Name))
		if i < len(at)-1 {
			o = &t.kind.objects[*s.Object]
		}
	}
	return path
}

// converted returns what a property becomes between two neighbours; nil if nothing converts it.
func (o *object) converted(from, to int, at []int) []int {
	for _, c := range o.Conversions {
		switch {
		case c.pair == pair{from, to} && slices.Equal(c.Of, at):
			return c.To
		case c.pair == pair{to, from} && slices.Equal(c.To, at):
			return c.Of
		}
	}
	return nil
}

// whole adds a path whose value converts as a whole.
func (t *translator) whole(path fieldpath.Path) {
	t.out.Set.Insert(path)
	t.out.Whole.Insert(path)
}

// lose records a field that the other version lacks. Out is the path of the object that had it.
func (t *translator) lose(out, path fieldpath.Path) {
	t.out.Lost.Insert(path)
	t.emptied.Insert(out)
}

// passes reports whether the route contains a step. One between a version and itself is between its
// API type and its storage type.
func (t *translator) passes(s pair) bool {
	if s.Far == s.Near {
		return s.Far == t.from || s.Far == t.to
	}
	for i, v := range t.route[1:] {
		if u := t.route[i]; s == (pair{u, v}) || s == (pair{v, u}) {
			return true
		}
	}
	return false
}

// extend returns a path with one more element, which shares no memory with it.
func extend(path fieldpath.Path, e fieldpath.PathElement) fieldpath.Path {
	return append(path[:len(path):len(path)], e)
}
