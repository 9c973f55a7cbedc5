package gotypes

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// API writes the API types of a resource: its root, spec and status, and the nested types that it
// declares.
func API(l gofile.Layout, kv *plan.KindVersion) *gofile.File {
	w := &writer{Go: l.Types(kv.Package), side: gofile.APISide}
	w.Note = note(kv)
	w.root(kv)
	w.atRoot(kv)
	w.accessors(kv)
	w.externals(kv)
	w.structs(kv)
	for _, e := range kv.Package.Enums {
		if e.Owner == kv {
			w.enum(e)
		}
	}
	return w.File
}

// Storage writes the storage types of a resource into a file.
func Storage(f *gofile.Go, kv *plan.KindVersion) {
	w := &writer{Go: f, side: gofile.StorageSide}
	w.Note = note(kv)
	w.root(kv)
	if kv.Hub {
		w.accessors(kv)
	}
	w.structs(kv)
	w.extensions(kv, w.declared(kv))
	if kv.IsHub() {
		w.expressions(kv.Kind)
	}
}

// Compat writes the clones in a resource's compat package: the types of values in bags. The file
// imports no generated package.
func Compat(l gofile.Layout, kv *plan.KindVersion) *gofile.File {
	w := &writer{Go: l.CompatTypes(kv.Package), side: gofile.StorageSide}
	w.Note = note(kv)
	var clones []*plan.Struct
	for _, s := range kv.Package.Clones {
		if s.Owner == kv {
			clones = append(clones, s)
			w.P()
			w.structType(s)
		}
	}
	if len(clones) > 0 {
		w.Doc = "Package compat has the types of values in property bags of version " + kv.Package.Label + "."
		w.extensions(nil, clones)
	}
	return w.File
}

// declared returns the storage types that a resource's storage file declares.
func (w *writer) declared(kv *plan.KindVersion) []*plan.Struct {
	var out []*plan.Struct
	for _, s := range kv.Package.Structs {
		if s.Owner == kv && !s.Shared() {
			out = append(out, s)
		}
	}
	return out
}

// extensions writes the interfaces for hand-written steps to and from structs, and those of the
// whole resource if root is not nil.
func (w *writer) extensions(root *plan.KindVersion, structs []*plan.Struct) {
	if len(structs) == 0 {
		return
	}
	w.P()
	w.P("// A hand-written method of one of these interfaces completes the generated conversion.")
	if root != nil {
		to, from := root.WholeMethods()
		w.extension(to, root.Kind.Name)
		w.extension(from, root.Kind.Name)
	}
	for _, s := range structs {
		to, from := s.Methods()
		w.extension(to, s.Name)
		w.extension(from, s.Name)
	}
}

// extension writes the interface of a method, on one line if gofmt leaves it there.
func (w *writer) extension(m plan.Method, of string) {
	const most = 29 // of the type, as in go/printer
	signature := m.Signature(of)
	if len("func"+strings.TrimPrefix(signature, m.Name)) <= most {
		w.P("type ", m.Interface, " interface{ ", signature, " }")
		return
	}
	w.P("type ", m.Interface, " interface {")
	w.P("\t", signature)
	w.P("}")
}

// expressions writes the list of the members of the hub's spec that each version cannot
// represent.
func (w *writer) expressions(k *plan.Kind) {
	name := k.Name + "Expressions"
	w.P()
	w.P("// ", name, " lists the paths of the hub's spec that each version cannot represent.")
	w.P("var ", name, " = ", w.Genruntime("Expressions"), "{")
	var versions []string
	for _, e := range k.Expressions {
		lacks, hub := "", ""
		if e.Lacks != 0 {
			lacks = ", Lacks: " + strconv.Itoa(e.Lacks)
		}
		if e.Hub {
			hub = ", Hub: true"
		}
		versions = append(versions, "{Version: "+quoted(e.Label)+lacks+hub+"}")
	}
	w.P("\tVersions: []", w.Genruntime("Expression"), "{", strings.Join(versions, ", "), "},")
	if k.Lists != nil {
		w.P("\tLists: ", w.Genruntime("Lists"), "{")
		for _, entries := range k.Lists {
			w.P("\t\t", gofile.ListEntries(entries), ",")
		}
		w.P("\t},")
	}
	w.P("}")
}

// note returns the source that a file was generated from.
func note(kv *plan.KindVersion) string {
	m := kv.Version.Model
	out := "Source: " + kv.Kind.Resource.Model.Type + " " + m.Name
	if kv.Origin != "" {
		out += ", " + kv.Origin
	}
	return out
}

type writer struct {
	*gofile.Go
	side gofile.Side
}

func (w *writer) storage() bool { return w.side == gofile.StorageSide }

// root writes a resource's root type and its list.
func (w *writer) root(kv *plan.KindVersion) {
	kind := kv.Kind.Name
	w.Comment("", w.rootDoc(kv)+w.deprecation(kv))
	if !w.storage() {
		w.P("// +kubebuilder:object:root=true")
		if kv.Subresource {
			w.P("// +kubebuilder:subresource:status")
		}
		w.scope(kv.Kind)
	} else if kv.Hub {
		w.P("// +kubebuilder:object:root=true")
		if kv.IsHub() {
			w.P("// +kubebuilder:storageversion")
		}
	}
	w.P("type ", kind, " struct {")
	members := [][3]string{{"Spec", "*" + kind + "Spec", tag("spec")}, {"Status", "*" + kind + "Status", tag("status")}}
	if w.storage() && !kv.Hub {
		w.Columns(append(w.plainMeta(), members...))
		w.P("}")
		return
	}
	w.P("\t", w.Meta("TypeMeta"), "   `json:\",inline\"`")
	w.P("\t", w.Meta("ObjectMeta"), " `json:\"metadata,omitzero\"`")
	w.P()
	w.Columns(members)
	w.P("}")
	w.list(kv.Kind)
}

// plainMeta returns the members for type and metadata of a storage type that no cluster persists.
// They are not embedded, because the compiler would generate a wrapper for every method of the
// embedded types.
func (w *writer) plainMeta() [][3]string {
	return [][3]string{{"APIVersion", "string", tag("apiVersion")}, {"Kind", "string", tag("kind")}, {"ObjectMeta", w.Meta("ObjectMeta"), tag("metadata")}}
}

// atRoot writes the encoding of a root whose spec's members are members of the object itself.
func (w *writer) atRoot(kv *plan.KindVersion) {
	if !kv.Version.Model.AtRoot {
		return
	}
	kind := kv.Kind.Name
	w.P()
	w.P("// SpecAtRoot marks that the members of the spec stand at the root of the JSON.")
	w.P("func (*", kind, ") SpecAtRoot() {}")
	w.P()
	w.P("// MarshalJSON writes the members of the spec beside metadata and status.")
	w.P("func (r ", kind, ") MarshalJSON() ([]byte, error) {")
	w.P("\ttype fixed ", kind)
	w.P("\treturn ", w.Genruntime("MarshalAtRoot"), "(fixed(r))")
	w.P("}")
	w.P()
	w.P("// UnmarshalJSON reads what MarshalJSON writes.")
	w.P("func (r *", kind, ") UnmarshalJSON(data []byte) error {")
	w.P("\ttype fixed ", kind)
	w.P("\treturn ", w.Genruntime("UnmarshalAtRoot"), "(data, (*fixed)(r))")
	w.P("}")
}

// deprecation returns the paragraph that marks the API type of a version as deprecated, if its
// source does.
func (w *writer) deprecation(kv *plan.KindVersion) string {
	if w.storage() || kv.Deprecation == "" {
		return ""
	}
	return "\n\nDeprecated: " + kv.Deprecation
}

// scope writes a kind's scope if it is not the default.
func (w *writer) scope(k *plan.Kind) {
	if k.IsClusterScoped {
		w.P("// +kubebuilder:resource:scope=Cluster")
	}
}

func (w *writer) list(k *plan.Kind) {
	w.P()
	w.P("// +kubebuilder:object:root=true")
	w.P("type ", k.ListName(), " struct {")
	w.P("\t", w.Meta("TypeMeta"), " `json:\",inline\"`")
	w.P("\t", w.Meta("ListMeta"), " `json:\"metadata,omitzero\"`")
	w.P()
	w.P("\tItems []", k.Name, " `json:\"items\"`")
	w.P("}")
}

func (w *writer) rootDoc(kv *plan.KindVersion) string {
	of := kv.Kind.Resource.Model.Type + " in version " + kv.Version.Model.Name
	switch {
	case !w.storage():
		return described(kv, kv.Kind.Name+" is "+of+".")
	case kv.IsHub():
		return kv.Kind.Name + " is the hub: the storage type of " + of + "."
	}
	return kv.Kind.Name + " is the storage type of " + of + "."
}

// described returns a text with the source's description of the whole object appended.
func described(kv *plan.KindVersion, text string) string {
	if doc := kv.Doc(); doc != "" {
		return text + "\n\n" + doc
	}
	return text
}

// structs writes the structs that a resource declares.
func (w *writer) structs(kv *plan.KindVersion) {
	var shared []*plan.Struct
	for _, s := range kv.Package.Structs {
		switch {
		case s.Owner != kv, s.Map && !w.storage():
		case w.storage() && s.Shared():
			shared = append(shared, s)
		default:
			w.P()
			w.structType(s)
		}
	}
	w.aliases(shared)
}

// aliases writes the storage types that are equal to those of a version nearer to the hub.
func (w *writer) aliases(shared []*plan.Struct) {
	if len(shared) == 0 {
		return
	}
	w.P()
	w.P("// These types equal those of versions nearer to the hub.")
	w.P("type (")
	var rows [][3]string
	for _, s := range shared {
		rows = append(rows, [3]string{s.Name, "= " + w.Storage(s.Host.Package, s.Host.Name)})
	}
	w.Columns(rows)
	w.P(")")
}

func (w *writer) structType(s *plan.Struct) {
	if w.storage() {
		w.storageStruct(s)
	} else {
		w.apiStruct(s)
	}
	if f := s.Open(); f != nil {
		w.open(s, f)
	}
}

// added returns the members that Strata adds to a root on this side.
func (w *writer) added(s *plan.Struct) []model.Member {
	if w.storage() {
		return s.AddedTo(model.StorageSide)
	}
	return s.AddedTo(model.APISide)
}

// shape returns the Go type of a member that Strata adds.
func (w *writer) shape(m model.Member) string {
	switch m.Shape {
	case model.LabelShape:
		return "string"
	case model.OwnerShape:
		return "*" + w.Runtime("Owner")
	case model.SecretRefsShape:
		return "[]" + w.Runtime("SecretRef")
	case model.ConfigMapRefsShape:
		return "[]" + w.Runtime("ConfigMapRef")
	case model.OutputsShape:
		return "*" + w.Runtime("Outputs")
	case model.ConditionsShape:
		return "[]" + w.Meta("Condition")
	}
	return "*string"
}

func (w *writer) apiStruct(s *plan.Struct) {
	if doc := structDoc(s); doc != "" {
		w.Comment("", doc)
	}
	w.P("type ", s.Name, " struct {")
	var fields fields
	for _, f := range s.Fields {
		if f.Additional {
			fields.add(w, "Members that the schema does not name.", false, f.Name, w.Type(f.API, w.side), "`json:\"-\"`")
			continue
		}
		fields.add(w, f.Property.Documentation(), f.Property.Required && !s.Mirror, f.Name, w.Type(f.API, w.side), tag(f.Property.Name))
	}
	for _, m := range w.added(s) {
		fields.add(w, m.Doc, false, m.Name, w.shape(m), tag(m.JSON))
	}
	fields.flush(w)
	w.P("}")
}

// fields are consecutive fields of a struct without comments between them, which gofmt aligns.
type fields [][3]string

// add adds a field with its doc and marker.
func (f *fields) add(w *writer, doc string, isRequired bool, name, typ, tag string) {
	if strings.TrimSpace(doc) != "" || isRequired {
		f.flush(w)
		w.Comment("\t", doc)
	}
	if isRequired {
		w.P("\t// +required")
	}
	*f = append(*f, [3]string{name, typ, tag})
}

func (f *fields) flush(w *writer) {
	w.Columns(*f)
	*f = nil
}

func structDoc(s *plan.Struct) string {
	switch {
	case strings.HasPrefix(s.Doc, s.Name+" "):
		return s.Doc
	case s.Role != plan.Nested && s.Doc != "":
		return s.Name + ": " + s.Doc
	case s.Role == plan.Spec:
		return s.Name + " is the desired state of a " + s.Owner.Kind.Name + "."
	case s.Role == plan.Status:
		return s.Name + " is the observed state of a " + s.Owner.Kind.Name + "."
	case s.Doc != "":
		return s.Name + ": " + s.Doc
	}
	return ""
}

// storageStruct writes a struct without docs, its columns aligned.
func (w *writer) storageStruct(s *plan.Struct) {
	var rows [][3]string
	for _, f := range s.Fields {
		t := storageTag(f)
		if f.Additional {
			t = furtherTag(f)
		}
		rows = append(rows, [3]string{f.Name, w.Type(f.Type, w.side), t})
	}
	for _, m := range w.added(s) {
		rows = append(rows, [3]string{m.Name, w.shape(m), tag(m.JSON)})
	}
	rows = append(rows, [3]string{"PropertyBag", w.Runtime("PropertyBag"), tag(model.StoredBag)})
	w.P("type ", s.Name, " struct {")
	w.Columns(rows)
	w.P("}")
}

// storageTag returns a field's tag. For the runtime, it contains the keys of a list's elements
// and the default that an API server sets.
func storageTag(f *plan.Field) string {
	t := strings.TrimSuffix(tag(f.Stored()), "`")
	if keys := f.Keys(); keys != nil {
		t += " strata:" + quoted("key="+strings.Join(keys, ","))
	}
	if preset := f.Preset(); preset != "" && !strings.Contains(preset, "`") {
		t += " default:" + quoted(preset)
	}
	return t + "`"
}

// furtherTag returns the tag that lists the bag keys that further members replace.
func furtherTag(f *plan.Field) string {
	t := "`json:\"-\""
	if f.Replaces != "" {
		t += " replaces:" + strings.ReplaceAll(quoted(f.Replaces), "`", `\x60`)
	}
	return t + "`"
}

func tag(name string) string { return "`json:\"" + name + ",omitzero\"`" }

// open writes the encoding of an object with further members.
func (w *writer) open(s *plan.Struct, f *plan.Field) {
	w.P()
	w.P("// MarshalJSON writes the additional members beside the others.")
	w.P("func (o ", s.Name, ") MarshalJSON() ([]byte, error) {")
	w.P("\ttype fixed ", s.Name)
	w.P("\treturn ", w.Genruntime("MarshalOpen"), "(fixed(o), o.AdditionalProperties)")
	w.P("}")
	w.P()
	w.P("// UnmarshalJSON reads what MarshalJSON writes.")
	w.P("func (o *", s.Name, ") UnmarshalJSON(data []byte) error {")
	w.P("\ttype fixed ", s.Name)
	known := ""
	for _, g := range s.Fields {
		switch {
		case g.Additional:
		case w.storage():
			known += ", " + quoted(g.Stored())
		default:
			known += ", " + quoted(g.Property.Name)
		}
	}
	for _, m := range w.added(s) {
		known += ", " + quoted(m.JSON)
	}
	if w.storage() {
		known += ", " + quoted(model.StoredBag)
	}
	w.P("\treturn ", w.Genruntime("UnmarshalOpen"), "(data, (*fixed)(o), &o.AdditionalProperties", known, ")")
	w.P("}")
	_ = f
}

// enum writes an enum and its values.
func (w *writer) enum(e *plan.Enum) {
	base := cmp.Or(e.Integer, [...]string{"string", "int64", "float64", "bool"}[e.Base])
	w.P()
	w.P("type ", e.Name, " ", base)
	if len(e.Values) == 0 {
		return
	}
	w.P()
	var rows [][3]string
	w.P("const (")
	for _, v := range e.Values {
		if v.Note != "" {
			w.Columns(rows)
			w.Comment("\t", "\n\nDeprecated: "+v.Note)
			rows = nil
		}
		rows = append(rows, [3]string{v.Name, e.Name, "= " + literal(v.Text)})
	}
	w.Columns(rows)
	w.P(")")
}
