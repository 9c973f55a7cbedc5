package golang

import (
	"go/types"
	"slices"

	crd "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/stratakube/strata/generator/internal/model"
)

// wellKnown are the types of Kubernetes and of Go that have their own JSON form.
var wellKnown = map[string]func() model.Type{
	"time.Time": date,
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                          date,
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                     date,
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                      func() model.Type { return &model.Scalar{Kind: model.String} },
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                      func() model.Type { return &model.Map{Elem: &model.Any{}} },
	"k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta":                    func() model.Type { return &model.Any{Facts: model.Facts{{Name: "type", Value: `"object"`}}} },
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                      quantity,
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                    intOrString,
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                       rawObject,
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":      free,
	"encoding/json.RawMessage":                                           free,
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.Unstructured":     rawObject,
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1.JSON": free,
}

func free() model.Type {
	return &model.Any{Facts: model.Facts{{Name: "x-kubernetes-preserve-unknown-fields", Value: "true"}}}
}

func rawObject() model.Type {
	return &model.Any{Facts: model.Facts{{Name: "type", Value: `"object"`}, {Name: "x-kubernetes-preserve-unknown-fields", Value: "true"}}}
}

func date() model.Type {
	return &model.Scalar{Kind: model.String, Limits: &model.Limits{Format: "date-time"}}
}

func intOrString() model.Type {
	return &model.Any{Facts: model.Facts{
		{Name: "anyOf", Value: `[{"type":"integer"},{"type":"string"}]`}, {Name: "x-kubernetes-int-or-string", Value: "true"},
	}}
}

// quantity returns the type of quantities: a number or a string, which the API server checks for
// the form of a quantity.
func quantity() model.Type {
	const pattern = `"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"`
	q := intOrString().(*model.Any)
	q.Facts = append(q.Facts, model.Fact{Name: "pattern", Value: pattern})
	return q
}

func fullName(n *types.Named) string {
	if n.Obj().Pkg() == nil {
		return n.Obj().Name()
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// encodesItself reports whether a type implements its own JSON encoding.
func (r *reader) encodesItself(n *types.Named) bool {
	known, ok := r.encodes[n]
	if !ok {
		known = hasOwnJSON(n)
		r.encodes[n] = known
	}
	return known
}

func hasOwnJSON(n *types.Named) bool {
	methods := types.NewMethodSet(types.NewPointer(n))
	for _, name := range []string{"MarshalJSON", "MarshalText"} {
		if methods.Lookup(nil, name) != nil {
			return true
		}
	}
	return false
}

// limits are those of numbers by their size. The API server has no integers above those of int64.
var limits = map[types.BasicKind]model.Limits{
	types.Int8:    {Format: "int32", Minimum: "-128", Maximum: "127"},
	types.Int16:   {Format: "int32", Minimum: "-32768", Maximum: "32767"},
	types.Int32:   {Format: "int32"},
	types.Int64:   {Format: "int64"},
	types.Uint:    {Format: "int64", Minimum: "0"},
	types.Uint8:   {Format: "int32", Minimum: "0", Maximum: "255"},
	types.Uint16:  {Format: "int32", Minimum: "0", Maximum: "65535"},
	types.Uint32:  {Format: "int64", Minimum: "0", Maximum: "4294967295"},
	types.Uint64:  {Format: "int64", Minimum: "0"},
	types.Float32: {Format: "float"},
	types.Float64: {Format: "double"},
}

// scalar returns the type of basic values; nil for those that JSON does not have.
func scalar(b *types.Basic) model.Type {
	kind := model.String
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		kind = model.Bool
	case info&types.IsInteger != 0:
		kind = model.Int
	case info&types.IsFloat != 0:
		kind = model.Number
	case info&types.IsString == 0:
		return nil
	}
	out := &model.Scalar{Kind: kind}
	if l, ok := limits[b.Kind()]; ok {
		out.Limits = &l
	}
	if name := types.Typ[b.Kind()].Name(); slices.Contains(model.IntegerTypes, name) { // byte is uint8
		out.Facts = model.Facts{{Name: model.IntegerType, Value: jsonText(name)}}
	}
	return out
}

// stated returns the type that a marker sets in place of the Go type; nil for none.
func stated(given markerUses) model.Type {
	if given.has("kubebuilder:validation:Schemaless") {
		return free()
	}
	if given.has("kubebuilder:validation:XIntOrString") {
		return intOrString()
	}
	all, _ := all[crd.Type](given)
	if len(all) == 0 {
		return nil
	}
	switch all[len(all)-1] {
	case "string":
		return &model.Scalar{Kind: model.String}
	case "integer":
		return &model.Scalar{Kind: model.Int}
	case "number":
		return &model.Scalar{Kind: model.Number}
	case "boolean":
		return &model.Scalar{Kind: model.Bool}
	case "array":
		return &model.List{Elem: &model.Any{}}
	}
	return rawObject()
}
