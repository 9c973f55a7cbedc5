package goconv

import (
	"go/types"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// find records the structs that a member of a root contains, recursively.
func (w *author) find(m *augmentation.Member, to *plan.Struct) {
	if m != nil {
		w.findObject(m.Type, to)
	}
}

func (w *author) findObject(t types.Type, to *plan.Struct) {
	at := w.pairOf(t, to)
	if _, seen := w.pairs[at]; seen {
		return
	}
	w.pairs[at] = ""
	w.order = append(w.order, at)
	if w.types == nil {
		w.types = map[pair]known{}
	}
	k := known{typ: t}
	k.fields, k.plain = augmentation.Fields(t.Underlying().(*types.Struct), w.Layout.Runtime)
	w.types[at] = k
	if !k.plain {
		return
	}
	for _, f := range to.Fields {
		if g := k.field(f); g != nil {
			w.findWithin(g.Type, f.Type)
		}
	}
}

// field returns the field of a property; nil for none.
func (k known) field(f *plan.Field) *augmentation.Field {
	for i := range k.fields {
		if k.fields[i].Name == f.Property.Name {
			return &k.fields[i]
		}
	}
	return nil
}

func (w *author) findWithin(t types.Type, p plan.Type) {
	t, _ = augmentation.ElementOf(t)
	switch formOf(t, p) {
	case objectForm:
		w.findObject(t, p.Struct)
	case listForm:
		w.findWithin(t.Underlying().(*types.Slice).Elem(), gofile.Within(p))
	case openForm:
		w.findWithin(t.Underlying().(*types.Map).Elem(), gofile.Within(p.Struct.Open().Type))
	case mapForm:
		w.findWithin(t.Underlying().(*types.Map).Elem(), gofile.Within(p))
	}
}

func (w *author) pairOf(t types.Type, to *plan.Struct) pair {
	return pair{types.TypeString(types.Unalias(t), nil), to}
}

// name names the functions of structs that cannot have methods: those of other packages, those
// with type parameters, and those that have several storage types.
func (w *author) name() {
	stored := map[string]int{}
	for _, at := range w.order {
		stored[at.typ]++
	}
	taken := map[string]bool{}
	for _, at := range w.order {
		n, ok := types.Unalias(w.types[at].typ).(*types.Named)
		if ok && n.Obj().Pkg() == w.own.Types && n.TypeArgs().Len() == 0 && n.Obj().Parent() == w.own.Types.Scope() && stored[at.typ] == 1 && !w.clashes(n) {
			continue
		}
		base := "convert" + w.title(w.types[at].typ, at.to)
		name := base
		for i := 2; taken[name] || w.own.Types.Scope().Lookup(name+"ToStorage") != nil; i++ {
			name = base + strconv.Itoa(i)
		}
		taken[name] = true
		w.pairs[at] = name
	}
}

// clashes reports whether the author's type already has one of the generated methods.
func (w *author) clashes(n *types.Named) bool {
	return w.own.Method(n, "ConvertToStorage") != nil || w.own.Method(n, "ConvertFromStorage") != nil
}

// title returns a type in the form of a function's name.
func (w *author) title(t types.Type, to *plan.Struct) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return to.Name
	}
	text := n.Obj().Name()
	for i := range n.TypeArgs().Len() {
		text += " " + w.title(n.TypeArgs().At(i), to)
	}
	if n.Obj().Pkg() != w.own.Types && n.Obj().Pkg() != nil {
		text = n.Obj().Pkg().Name() + " " + text
	}
	return strings.Join(strings.FieldsFunc(strings.Map(wordly, titled(text)), unicode.IsSpace), "")
}

func wordly(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return ' '
}

func titled(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, " ")
}

// converter returns the function that converts a struct to its storage type, or back.
func (w *author) converter(t types.Type, to *plan.Struct, d direction) string {
	if name := w.pairs[w.pairOf(t, to)]; name != "" {
		return name + string(d) + "Storage"
	}
	return "(*" + w.spell(t) + ").Convert" + string(d) + "Storage"
}

// spell returns a type in the form of the file, with imports.
func (w *author) spell(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		return strings.TrimSuffix(w.Use(p.Path(), w.alias(p), ""), ".")
	})
}

// fixedAliases are packages that generated code imports under a fixed name.
var fixedAliases = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1":          "metav1",
	"k8s.io/apimachinery/pkg/runtime":               "k8sruntime",
	"k8s.io/apimachinery/pkg/runtime/schema":        "schema",
	"sigs.k8s.io/controller-runtime/pkg/conversion": "conversion",
}

// alias returns the name under which a package of the author's types is imported.
func (w *author) alias(p *types.Package) string {
	if name := fixedAliases[p.Path()]; name != "" {
		return name
	}
	base := p.Name()
	if parent := path.Base(path.Dir(p.Path())); base == path.Base(p.Path()) && len(base) > 1 && base[0] == 'v' && unicode.IsDigit(rune(base[1])) {
		base = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, parent) + base
	}
	if w.aliases == nil {
		w.aliases = map[string]string{}
		for _, name := range plan.ImportNames {
			w.aliases[name] = "-"
		}
	}
	name := base
	for i := 2; w.aliases[name] != "" && w.aliases[name] != p.Path() || strings.HasSuffix(name, "storage"); i++ {
		name = base + strconv.Itoa(i)
	}
	w.aliases[name] = p.Path()
	return name
}

// object writes both conversions of a struct.
func (w *author) object(at pair) {
	k := w.types[at]
	typ, stored, name := w.spell(k.typ), w.Stored(at.to), w.pairs[at]
	header := func(d direction, params string) string {
		if name != "" {
			return "func " + name + string(d) + "Storage(" + params + ") error {"
		}
		receiver, rest, _ := strings.Cut(params, ", ")
		return "func (" + receiver + ") Convert" + string(d) + "Storage(" + rest + ") error {"
	}
	w.P()
	w.P("// ", comment(name, up), " converts src to dst.")
	w.P(header(up, "src *"+typ+", dst *"+stored))
	w.P("\t*dst = ", stored, "{}")
	if at.to.Role == plan.Spec {
		w.P("\tdst.OriginalVersion = ", quoted(w.label))
	}
	w.fields(k, at.to, up)
	w.P()
	w.P("// ", comment(name, down), " converts what this version can represent of src to dst.")
	w.P(header(down, "dst *"+typ+", src *"+stored))
	w.P("\t*dst = ", typ, "{}")
	w.fields(k, at.to, down)
	if name == "" && at.to.Role != plan.Nested && w.isPart(k.typ) {
		w.alone(typ, at.to)
	}
}

func comment(name string, d direction) string {
	if name == "" {
		return "Convert" + string(d) + "Storage"
	}
	return name + string(d) + "Storage"
}

// isPart reports whether a type is a named spec or status of a root.
func (w *author) isPart(t types.Type) bool {
	for _, r := range w.own.Roots {
		for _, m := range []*augmentation.Member{r.Spec, r.Status} {
			if m != nil && types.Identical(m.Type, t) {
				return w.own.Named(m) != nil
			}
		}
	}
	return false
}

func (w *author) fields(k known, to *plan.Struct, d direction) {
	if !k.plain {
		w.calls = append(w.calls, w.Genruntime("JSON"+string(d))+map[direction]string{up: "(src, dst)", down: "(dst, src)"}[d])
		w.done()
		return
	}
	for _, f := range to.Fields {
		if g := k.field(f); g != nil && d == up {
			w.toStored("dst."+f.Name, "src."+g.Path, g, f.Type)
		} else if g != nil {
			w.fromStored("dst."+g.Path, "src."+f.Name, g, f.Type)
		}
	}
	w.done()
}
