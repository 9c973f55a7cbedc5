package golang

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/model"
)

// shaper makes the model of one version of a package.
type shaper struct {
	*reader
	unit    *unit
	version int
	of      *resource             // that it is for
	kind    string                // of the resource
	life    *history              // of the resource
	defs    map[string]*model.Def // by the spelling of their types
	byName  map[string]*model.Def // those of the version; nil until they are asked for
	renames []rename
	changed []changed
	derived []derived
	// undefined are the required fields that the version adds without a default.
	undefined []undefined
	// movers are the fields that move in some version and are in this one, with their objects.
	movers []mover
	// elsewhere are those that the version has at an earlier path.
	elsewhere []*history
	objects   map[*model.Def]*types.TypeName // the declared structs of definitions
	sites     map[*model.Def][]site          // where the objects of the version are
}

// rename is a property of a definition that has another name in the next version.
type rename struct {
	def      *model.Def
	property string
	to       string
	leaf     string // the preview that has the name; empty for the next version of the main line
	pos      token.Pos
}

func (r *reader) shaper(u *unit, version int, of *resource) *shaper {
	return &shaper{reader: r, unit: u, version: version, of: of, kind: u.head(of).Type, life: of.life, defs: map[string]*model.Def{}, objects: map[*model.Def]*types.TypeName{}}
}

// takesPart reports whether a version has the resource and takes part in the run.
func (s *shaper) takesPart(version int) bool {
	return s.life.present(version) && (s.opts.TakesPart == nil || s.opts.TakesPart(s.kind, s.unit.versions[version].name))
}

// typ returns the type of values at a position, with the markers there. Markers on a struct make a
// separate type, since the struct itself has other uses too. name is the name of that type, and of
// a struct that is declared in place.
func (s *shaper) typ(t types.Type, given markerUses, name string, at token.Pos) model.Type {
	t = deref(types.Unalias(t))
	n, named := t.(*types.Named)
	if named {
		if k, ok := wellKnown[fullName(n)]; ok {
			return s.apply(k(), given)
		}
		if isStruct(n) && !s.encodesItself(n) && stated(given) == nil {
			return &model.Ref{Def: s.def(n, given, name)}
		}
		given = append(slices.Clip(s.remark(n.Origin().Obj()).markerUses), given...)
	}
	given = s.keyed(t, s.current(t, given))
	base := stated(given)
	if base == nil {
		base = s.base(t, given, name, at)
	}
	if base == nil {
		s.errorf(at, "numbers, strings, booleans, structs, and lists and maps of these, are known in JSON",
			"values of the type %s are not known in JSON", s.name(s.unit, t))
		return &model.Any{}
	}
	return s.apply(base, given)
}

// base returns the type of values without markers; nil if JSON has no form of it.
func (s *shaper) base(t types.Type, given markerUses, name string, at token.Pos) model.Type {
	if n, ok := t.(*types.Named); ok {
		if s.encodesItself(n) {
			s.errorf(at, "set its type with `// +kubebuilder:validation:Type=string`", "%s has its own JSON form, which is unknown", s.name(s.unit, t))
			return &model.Any{}
		}
		if e := s.enum(n, given); e != nil {
			return e
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return scalar(u)
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
			return &model.Scalar{Kind: model.String, Limits: &model.Limits{Format: "byte"}}
		}
		return &model.List{Elem: s.typ(u.Elem(), ofItems(given), name, at)}
	case *types.Map:
		if k, ok := u.Key().Underlying().(*types.Basic); ok && k.Info()&types.IsString != 0 {
			return &model.Map{Elem: s.typ(u.Elem(), nil, name, at)}
		}
	case *types.Struct:
		return &model.Ref{Def: s.fill(&model.Def{Name: name, Pos: s.pos(at)}, u, nil)}
	case *types.Interface:
		if u.Empty() {
			return &model.Any{}
		}
	}
	return nil
}

// def returns the definition of a struct. It is made once, since types are recursive. With markers
// at a position, it is made for that position alone.
func (s *shaper) def(n *types.Named, given markerUses, name string) *model.Def {
	key := types.TypeString(n, nil)
	given = s.current(n, given)
	if s.schema(&model.Object{}, given) != nil {
		key += " " + name
	} else {
		name, given = s.defName(n), nil
	}
	if d := s.defs[key]; d != nil {
		return d
	}
	above := s.remark(n.Origin().Obj())
	s.defs[key] = &model.Def{Name: name, Doc: above.doc, Pos: s.pos(n.Origin().Obj().Pos())}
	s.objects[s.defs[key]] = n.Origin().Obj()
	return s.fill(s.defs[key], n.Underlying().(*types.Struct), append(slices.Clip(s.current(n, above.markerUses)), given...))
}

// fill gives a definition the members of a struct, and applies markers.
func (s *shaper) fill(d *model.Def, t *types.Struct, given markerUses) *model.Def {
	o := &model.Object{}
	d.Type = o
	s.members(d, o, t)
	s.apply(o, given)
	return d
}

// defName names a definition after its Go type and the type arguments. It adds the package if this
// package has a type of the same name, and the kind if the name is one of the resource's own.
func (s *shaper) defName(n *types.Named) string {
	object := n.Obj()
	name := object.Name()
	if p := object.Pkg(); p != nil && p != s.unit.pkg.Types && s.unit.pkg.Types.Scope().Lookup(name) != nil {
		name = upper(p.Name()) + name
	}
	for i := range n.TypeArgs().Len() {
		name += upper(argumentName(n.TypeArgs().At(i)))
	}
	if s.isSection(n) {
		return name
	}
	kind := s.of.kind
	if !slices.Contains([]string{kind, kind + "List", kind + "Spec", kind + "Status"}, name) {
		return name
	}
	for name = kind + name; s.unit.pkg.Types.Scope().Lookup(name) != nil; {
		name = kind + name
	}
	return name
}

// isSection reports whether a type is the spec or the status of the resource.
func (s *shaper) isSection(t types.Type) bool {
	return types.Identical(t, s.of.spec) || s.of.status != nil && types.Identical(t, s.of.status)
}

func argumentName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		name := t.Obj().Name()
		for i := range t.TypeArgs().Len() {
			name += upper(argumentName(t.TypeArgs().At(i)))
		}
		return name
	case *types.Pointer:
		return argumentName(t.Elem())
	case *types.Slice:
		return argumentName(t.Elem()) + "List"
	case *types.Map:
		return argumentName(t.Elem()) + "Map"
	}
	return t.String()
}

func upper(name string) string {
	return strings.ToUpper(name[:min(1, len(name))]) + name[min(1, len(name)):]
}

// members adds the fields of a struct, and those of embedded structs in their place.
func (s *shaper) members(d *model.Def, o *model.Object, t *types.Struct) {
	for i := range t.NumFields() {
		f, tag := t.Field(i), reflect.StructTag(t.Tag(i)).Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case name == "-" && options == "":
		case f.Embedded() && name == "" && augmentation.IsVersionedStatus(deref(f.Type()), s.opts.Runtime):
		case f.Embedded() && name == "":
			if inner, ok := deref(f.Type()).Underlying().(*types.Struct); ok {
				s.members(d, o, inner)
			}
		case !f.Exported():
		case name == "":
			s.errorf(f.Pos(), "such as `json:\""+lower(f.Name())+"\"`", "the field %s has no name in a json tag", f.Name())
		case slices.Contains(strings.Split(options, ","), "string") && isQuoted(f.Type()):
			s.errorf(f.Pos(), "make it a string, and name the earlier type with `fromType`; or leave the option out",
				"the option string writes the field %s as a string, but its type is %s", f.Name(), s.name(s.unit, f.Type()))
		default:
			s.member(d, o, field{f, name, options, d.Name})
		}
	}
}

// isQuoted reports whether the option string changes how encoding/json writes a type.
func isQuoted(t types.Type) bool {
	b, ok := deref(t).Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsNumeric|types.IsBoolean|types.IsString) != 0
}

func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// field is a field of a struct, with its json tag, and the name of the definition that has it where
// the source does.
type field struct {
	of            *types.Var
	name, options string
	home          string
}

// member adds a field as it is in the version, if the version has it there.
func (s *shaper) member(d *model.Def, o *model.Object, f field) {
	switch h := s.history(f.of.Origin().Pos()); {
	case h == nil || h.isHere(s.version):
		s.property(d, o, f)
	case h.present(s.version):
		s.elsewhere = append(s.elsewhere, h)
	}
}

// property adds a field as it is in the version.
func (s *shaper) property(d *model.Def, o *model.Object, f field) {
	given := s.commentsAt(f.of.Origin().Pos(), f.of.Pkg())
	h, name := s.history(f.of.Origin().Pos()), f.name
	typ, limits := f.of.Type(), given.markerUses
	if h != nil {
		name = h.wireAt(s.version)
		if earlier := h.typeAt(s.version); earlier != nil {
			typ, limits = earlier, nil // markers apply to the present type only
		}
		s.renamed(d, h)
	}
	p := &model.Property{
		Name: name, Doc: given.doc, Deprecated: s.deprecation(h), Type: s.typ(typ, limits, f.home+upper(f.of.Name()), f.of.Pos()),
		Required: s.requires(given.markerUses, f.options), Pos: s.pos(f.of.Pos()),
	}
	o.Properties = append(o.Properties, p)
	s.functions(d, p, f.name, h, typ)
	s.change(d, h, name)
	if h != nil && h.moves() {
		s.track(mover{h, d, p, f})
	}
}

// renamed records the names of a field in the next version of the main line and in the previews
// before that, where they are others.
func (s *shaper) renamed(d *model.Def, h *history) {
	name, next := h.wireAt(s.version), s.next()
	add := func(version int, leaf string) {
		isSameObject := h.moveAfter(s.version) == h.moveAfter(version)
		if to := h.wireAt(version); h.present(version) && isSameObject && !strings.EqualFold(name, to) {
			s.renames = append(s.renames, rename{def: d, property: name, to: to, leaf: leaf, pos: h.first().pos})
		}
	}
	if next >= 0 {
		add(next, "")
	}
	if !s.unit.versions[s.version].isStable() {
		return // a leaf, or followed by the next version
	}
	if next < 0 {
		next = len(s.unit.versions)
	}
	for i := s.version + 1; i < next; i++ {
		if s.takesPart(i) {
			add(i, s.unit.versions[i].name)
		}
	}
}

// requires reports whether a field is required.
func (s *shaper) requires(given markerUses, options string) bool {
	switch {
	case given.has("optional", "kubebuilder:validation:Optional", "k8s:optional"):
		return false
	case given.has("required", "kubebuilder:validation:Required", "k8s:required"):
		return true
	case s.unit.markerUses.has("kubebuilder:validation:Optional"):
		return false
	}
	has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
	return !has("omitempty") && !has("omitzero")
}

// deprecation returns the advice for a field that is deprecated in the version; empty for others.
func (s *shaper) deprecation(h *history) string {
	if h == nil {
		return ""
	}
	note, deprecated := h.deprecatedAt(s.version)
	if !deprecated {
		return ""
	}
	return orElse(note, leaves)
}

// leaves is the note of what is deprecated without one.
const leaves = "it will be removed"

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// next returns the next version of the resource's main line: the next one that is stable, or before
// all stable ones; -1 if there is none.
func (s *shaper) next() int {
	stable := false
	for i, v := range s.unit.versions {
		switch {
		case !s.takesPart(i):
		case i > s.version && (v.isStable() || !stable):
			return i
		case i <= s.version:
			stable = stable || v.isStable()
		}
	}
	return -1
}

// begins reports whether the version is the resource's first.
func (s *shaper) begins() bool {
	return !slices.ContainsFunc(s.life.added, func(a *addition) bool { return a.since.index < s.version }) && (len(s.life.added) > 0 || s.version == 0)
}

// history returns the history of a field or constant by its position; nil for none.
func (s *shaper) history(pos token.Pos) *history { return s.unit.byPosition[pos] }

// remark returns the comments of a declared type.
func (s *shaper) remark(object *types.TypeName) declComments {
	return s.commentsAt(object.Pos(), object.Pkg())
}

func (s *shaper) commentsAt(pos token.Pos, in *types.Package) declComments {
	if in == nil || s.byTypes[in] == nil {
		return declComments{}
	}
	return s.packageComments(s.byTypes[in]).byIdent[pos]
}

// pos returns a position for models.
func (s *shaper) pos(pos token.Pos) model.Pos {
	p := s.at(pos)
	return model.Pos{File: p.File, Offset: p.Offset}
}
