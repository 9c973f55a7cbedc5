package gotypes

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

func quoted(s string) string { return strconv.Quote(s) }

// literal returns the Go literal of a scalar's JSON text.
func literal(text string) string {
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		return strconv.Quote(s)
	}
	return text
}

// accessors writes the methods of runtime.KubernetesResource, which return and set the parts of a
// resource.
func (w *writer) accessors(kv *plan.KindVersion) {
	kind := kv.Kind.Name
	w.P()
	w.P("// GetSpec returns the spec or nil, NewEmptySpec a blank one. SetStatus converts that of another version.")
	var methods [][2]string
	for _, part := range []string{"Spec", "Status"} {
		t := w.Runtime("Convertible" + part)
		methods = append(methods,
			[2]string{"func (r *" + kind + ") Get" + part + "() " + t, "return " + w.Genruntime(part+"Of") + "(r." + part + ")"},
			[2]string{"func (r *" + kind + ") NewEmpty" + part + "() " + t, "return new(" + kind + part + ")"})
	}
	methods = append(methods, [2]string{
		"func (r *" + kind + ") SetStatus(status " + w.Runtime("ConvertibleStatus") + ") error",
		"return " + w.Genruntime("SetStatus") + "(&r.Status, status)",
	})
	w.Funcs(methods...)
	if w.storage() {
		w.originalOfStorage(kv)
	}
}

// originalOfStorage writes the method by which a stored object returns the version that the user
// wrote.
func (w *writer) originalOfStorage(kv *plan.KindVersion) {
	kind := kv.Kind.Name
	w.P()
	w.P("// OriginalGVK names the version that the user wrote.")
	w.P("func (r *", kind, ") OriginalGVK() *", w.Schema("GroupVersionKind"), " {")
	w.P("\tversion := ", quoted(kv.Version.Label))
	w.P("\tif r.Spec != nil && r.Spec.OriginalVersion != \"\" {")
	w.P("\t\tversion = r.Spec.OriginalVersion")
	w.P("\t}")
	w.P("\treturn &schema.GroupVersionKind{Group: GroupVersion.Group, Version: version, Kind: ", quoted(kind), "}")
	w.P("}")
}

// externals writes the methods that return the names of an API type's resource in the external
// API.
func (w *writer) externals(kv *plan.KindVersion) {
	kind := kv.Kind.Name
	w.P()
	w.P("// OriginalGVK names the version that the user wrote, ExternalType and ExternalVersion the type in the external API.")
	w.Funcs(
		[2]string{"func (r *" + kind + ") OriginalGVK() *" + w.Schema("GroupVersionKind"), "return new(GroupVersion.WithKind(" + quoted(kind) + "))"},
		[2]string{"func (r *" + kind + ") ExternalType() string", "return " + quoted(kv.Kind.Resource.Model.Type)},
		[2]string{"func (r *" + kind + ") ExternalVersion() string", "return " + quoted(kv.Version.Model.Name)},
		[2]string{"func (s *" + kind + "Spec) OriginalVersion() string", "return GroupVersion.Version"},
	)
	if names := kv.Version.Model.ExternalNames(); len(names) > 0 {
		var entries []string
		for _, name := range slices.Sorted(maps.Keys(names)) {
			entries = append(entries, quoted(name)+": "+quoted(names[name]))
		}
		w.P()
		w.P("// ExternalNames returns the names in the external API of members at the root that have another name here.")
		w.P("func (r *", kind, ") ExternalNames() map[string]string {")
		w.P("\treturn map[string]string{", strings.Join(entries, ", "), "}")
		w.P("}")
	}
	if paths := kv.Version.Model.SecretPaths(); len(paths) > 0 {
		w.P()
		w.P("// SecretPaths lists the paths of secrets in spec and status: [] stands for elements of lists, * for values of maps.")
		w.P("func (r *", kind, ") SecretPaths() []string {")
		w.P("\treturn []string{")
		for _, path := range paths {
			w.P("\t\t", quoted(path), ",")
		}
		w.P("\t}")
		w.P("}")
	}
	if path := kv.ReplicasPath(); path != "" {
		w.P()
		w.P("// SpecReplicasPath is the path that the scale subresource writes.")
		w.Func("func (r *"+kind+") SpecReplicasPath() string", "return "+quoted(path))
	}
}
