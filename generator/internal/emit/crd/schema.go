package crd

import (
	"encoding/json"
	"slices"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/generator/internal/emit/crd/celguard"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/rulecost"
)

type props = v1.JSONSchemaProps

func text() props { return props{Type: "string"} }

func object(properties map[string]props) props { return props{Type: "object", Properties: properties} }

// anything is the schema that accepts and preserves every JSON value.
func anything() props { return props{XPreserveUnknownFields: yes()} }

// rooted adds the members that every object has at its root.
func rooted(root props) props {
	root.Properties["apiVersion"], root.Properties["kind"] = text(), text()
	root.Properties["metadata"] = props{Type: "object"}
	return root
}

// root returns the schema of an API version.
func (w *writer) root(kv *plan.KindVersion) props {
	spec := (&walk{writer: w, version: kv, left: maxListCost}).root(kv.Spec)
	status := (&walk{writer: w, version: kv, status: true}).root(kv.Status)
	root := rooted(object(map[string]props{"spec": spec, "status": status}))
	root.Description = w.trim.text(kv.Kind.Name+" is "+kv.Kind.Resource.Model.Type+" in version "+kv.Version.Model.Name+".", 0, false)
	root.XValidations = v1.ValidationRules{guard}
	return root
}

// walk writes the types of a spec or a status. It writes a struct at every path that leads to it,
// because structural schemas have no references.
type walk struct {
	*writer
	version *plan.KindVersion
	status  bool
	native  bool
	path    []string       // names of members
	around  []*plan.Struct // the structs around the current object
	firsts  firsts
	at      level       // of the current object
	field   *plan.Field // the field of the current type
	within  surroundings
	left    uint64 // the budget for the costs of rules in lists and maps
	rules   int    // the number of rules written
}

// surroundings describes the lists and maps around an object, for rules.
type surroundings struct {
	list    bool // there is a list, whose elements cannot be compared with old ones
	count   uint64
	endless bool // count is not bounded
}

// found is a schema. loose means that it has values that the API server does not compare with old
// ones: objects that preserve unknown members. Lists are handled separately.
type found struct {
	props
	loose  bool
	narrow bool // not all members have a schema
}

func (w *walk) root(s *plan.Struct) props {
	w.within.count = 1
	w.firsts = firstsOf(s)
	return w.object(s, level{first: true}).props
}

// object writes a struct. A struct within itself is cut.
func (w *walk) object(s *plan.Struct, at level) found {
	isCut, deep := w.cut.cuts(at)
	if inItself := slices.Contains(w.around, s); isCut || inItself || w.ctx.Err() != nil {
		if !inItself {
			w.cuts = append(w.cuts, Cut{w.version.Version.Label, w.currentPath(), w.cut.reason(deep)})
		}
		return found{props: props{Type: "object", XPreserveUnknownFields: yes()}, loose: true}
	}
	w.around = append(w.around, s)
	defer func(before level) {
		w.around, w.at = w.around[:len(w.around)-1], before
	}(w.at)
	w.at = at
	out := found{props: object(map[string]props{})}
	for _, f := range s.Fields {
		if f.Additional {
			w.further(&out, f)
			continue
		}
		if len(out.Properties) == w.width() {
			w.narrow(&out)
			continue
		}
		member := w.member(f)
		out.loose = out.loose || member.loose
		out.Properties[f.Property.Name] = member.props
	}
	w.extras(s, &out.props)
	if len(out.Properties) == 0 {
		out.Properties = nil
	}
	w.require(s, &out)
	w.setFacts(&out.props, s.Facts, w.self(nil))
	return out
}

// width returns the number of members of the object that have a schema. At the root of a whole
// object, all have one: undeclared members would be lost.
func (w *walk) width() int {
	if w.native && w.isRoot() && w.version.Version.Model.AtRoot {
		return everywhere
	}
	return w.cut.width
}

// narrow preserves the remaining members of an object without a schema.
func (w *walk) narrow(out *found) {
	if !out.narrow {
		w.cuts = append(w.cuts, Cut{w.version.Version.Label, w.currentPath(), w.cut.reasonOfWidth()})
	}
	out.XPreserveUnknownFields, out.loose, out.narrow = yes(), true, true
}

// setFacts sets the keywords that facts state, and the description as trimmed. Rules of a value
// that is not known to have members need no guards.
func (w *walk) setFacts(out *props, facts model.Facts, self celguard.Value) {
	if len(facts) == 0 {
		return
	}
	ours := out.XValidations
	out.XValidations = nil
	setFacts(out, facts)
	w.guardRules(out, self)
	out.XValidations = append(out.XValidations, ours...)
	out.Description = w.trim.text(out.Description, len(w.path)+2, w.status && !w.native)
}

// lax reports whether the schema has no requirements: in a status that is not native.
func (w *walk) lax() bool { return w.status && !w.native }

// further declares the members that the schema does not name. If others are named, these cannot
// have a schema of their own.
func (w *walk) further(out *found, f *plan.Field) {
	if elem := f.Schema().(*model.Map).Elem; len(out.Properties) == 0 && (!w.isRoot() || w.native && !w.status) {
		w.field = f
		inner := w.typ(elem, f.API)
		if !inner.loose {
			out.AdditionalProperties = &v1.JSONSchemaPropsOrBool{Allows: true, Schema: &inner.props}
			return
		}
	}
	out.XPreserveUnknownFields, out.loose = yes(), true
}

func (w *walk) isRoot() bool { return len(w.around) == 1 }

func (w *walk) member(f *plan.Field) found {
	w.path = append(w.path, f.Property.Name)
	defer func() { w.path = w.path[:len(w.path)-1] }()
	w.field = f
	out := w.typ(f.Schema(), f.API)
	if f.Property.Documentation() != "" || !w.native {
		out.Description = w.trim.member(f, len(w.path)+1, w.native, w.status)
	}
	return out
}

// typ writes a type. leaf is the plan's type of the innermost values.
func (w *walk) typ(t model.Type, leaf plan.Type) found {
	switch t := t.(type) {
	case *model.List:
		return w.list(t, leaf)
	case *model.Map:
		return w.mapped(t, leaf)
	case *model.Scalar:
		return found{props: w.scalar(t)}
	case *model.Enum:
		return found{props: w.enum(t)}
	case *model.Ref:
		return w.object(leaf.Struct, w.at.below(w.field, w.firsts))
	}
	free := t.(*model.Any)
	if facts := free.Facts.Without(model.Unrepresented); len(facts) > 0 {
		out := props{}
		w.setFacts(&out, facts, nil)
		return found{props: out, loose: out.XPreserveUnknownFields != nil}
	}
	return found{props: anything(), loose: true}
}

// list writes a list. The API server compares it as a whole, whatever its elements are.
func (w *walk) list(t *model.List, leaf plan.Type) found {
	out := props{Type: "array"}
	if !w.lax() {
		listLimits(&out, t.Limits)
	}
	elem := w.inside(out.MaxItems, true, func() found { return w.typ(t.Elem, leaf) })
	out.Items = &v1.JSONSchemaPropsOrArray{Schema: &elem.props}
	w.setFacts(&out, listFacts(t.Facts), w.self(t))
	return found{props: out}
}

// listFacts returns the facts that the schema of a list has. Keys without a type of list are only
// for conversions: an API server would enforce them.
func listFacts(facts model.Facts) model.Facts {
	if facts.Get("x-kubernetes-list-type") == "" {
		return facts.Without("x-kubernetes-list-map-keys")
	}
	return facts
}

func (w *walk) mapped(t *model.Map, leaf plan.Type) found {
	elem := w.inside(nil, false, func() found { return w.typ(t.Elem, leaf) })
	out := props{Type: "object", AdditionalProperties: &v1.JSONSchemaPropsOrBool{Allows: true, Schema: &elem.props}}
	w.setFacts(&out, t.Facts, w.self(t))
	return found{props: out, loose: elem.loose}
}

// inside writes the elements of a list or a map, which has at most the given number.
func (w *walk) inside(most *int64, list bool, write func() found) found {
	before := w.within
	defer func() { w.within = before }()
	w.within.list = before.list || list
	if most == nil {
		w.within.endless = true
	} else {
		w.within.count = rulecost.Product(before.count, uint64(*most))
	}
	return write()
}

// extras adds the members that Strata adds to a root.
func (w *walk) extras(s *plan.Struct, out *props) {
	for _, m := range s.AddedTo(model.APISide) {
		out.Properties[m.JSON] = w.added(m)
	}
}

// added returns the schema of a member that Strata adds.
func (w *walk) added(m model.Member) props {
	switch m.Shape {
	case model.OwnerShape:
		return w.described(object(map[string]props{
			"name":  w.described(text(), "The name of the owner's object, in the same namespace.", 3),
			"armId": w.described(text(), "The identifier of an owner that has no object in the cluster.", 3),
		}), m.Doc, 2)
	case model.SecretRefsShape:
		return w.described(w.refs("Secret", "properties.password", func(int64) props { return text() }, nil), m.Doc, 2)
	case model.ConfigMapRefsShape:
		return w.described(w.refs("ConfigMap", "properties.principalId", upTo, new(int64(maxKeys))), m.Doc, 2)
	case model.OutputsShape:
		return w.described(w.outputs(), m.Doc, 2)
	case model.ConditionsShape:
		return conditions(func(doc string) string { return w.trim.text(doc, 2, true) })
	}
	if m.JSON == model.AzureName {
		return w.described(w.name(), m.Doc, 2)
	}
	return w.described(text(), m.Doc, 2)
}

// name returns the schema of a resource's name in the external API, with the limits that the
// source states.
func (w *walk) name() props {
	var limits struct {
		Enum                 []v1.JSON
		MinLength, MaxLength json.Number
		Pattern              string
	}
	facts := w.version.Version.Model.Facts
	if json.Unmarshal([]byte(facts.Get(model.NameLimits)), &limits) != nil {
		return text()
	}
	w.path = append(w.path, model.AzureName)
	defer func() { w.path = w.path[:len(w.path)-1] }()
	out := w.scalar(&model.Scalar{Kind: model.String, Limits: &model.Limits{
		MinLength: limits.MinLength.String(), MaxLength: limits.MaxLength.String(), Pattern: limits.Pattern,
	}})
	out.Enum = limits.Enum
	return out
}

// refs returns the schema of a list of references to values. It has at most the given number,
// with texts of limited length.
func (w *walk) refs(kind, example string, text func(int64) props, most *int64) props {
	item := object(map[string]props{
		"path": w.described(text(maxPath), "The property, by its path in the spec, as in "+example+".", 3),
		"name": w.described(text(maxName), "The "+kind+", in the same namespace.", 3),
		"key":  w.described(text(maxName), "The key in it.", 3),
	})
	item.Required = []string{"key", "name", "path"}
	return listBy(item, most, "path")
}

// outputs returns the schema of the keys of Secrets and ConfigMaps that get values.
func (w *walk) outputs() props {
	path := "The path in the status, as in properties.hostName"
	return object(map[string]props{
		"secrets": w.described(w.keys("Secret", props{Type: "string", MinLength: new(int64(1))}, path+", or a call, as in listKeys().key1."),
			"Keys of Secrets, which the operator makes.", 3),
		"configMaps": w.described(w.keys("ConfigMap", props{Type: "string", Pattern: `^[^()]+$`}, path+"."),
			"Keys of ConfigMaps, which the operator makes. They get no secret.", 3),
	})
}

// Limits of references: the number of keys of ConfigMaps, the length of paths, and the length of
// the names of Secrets, ConfigMaps and keys.
const (
	maxKeys = 100
	maxPath = 1024
	maxName = 253
)

func (w *walk) keys(kind string, from props, doc string) props {
	from.MaxLength = new(int64(maxPath))
	name, key := upTo(maxName), upTo(maxName)
	name.Pattern, key.Pattern = `^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`, `^[-._a-zA-Z0-9]+$`
	item := object(map[string]props{
		"name": w.described(name, "The "+kind+", in the same namespace.", 4),
		"key":  w.described(key, "The key in it.", 4),
		"from": w.described(from, doc, 4),
	})
	item.Required = []string{"from", "key", "name"}
	return listBy(item, new(int64(maxKeys)), "key", "name")
}

// upTo returns the schema of a string of limited length.
func upTo(most int64) props { return props{Type: "string", MaxLength: &most} }

// listBy returns the schema of a list whose elements are identified by keys.
func listBy(item props, most *int64, keys ...string) props {
	mapList := "map"
	return props{
		Type: "array", Items: &v1.JSONSchemaPropsOrArray{Schema: &item}, MaxItems: most,
		XListType: &mapList, XListMapKeys: keys,
	}
}

func (w *walk) described(p props, doc string, depth int) props {
	p.Description = w.trim.text(doc, depth, w.status)
	return p
}

func noText(string) string { return "" }

// conditions returns the schema of Kubernetes conditions, by type. Members that the Go type
// always writes are required, so that no conversion adds them.
func conditions(text func(string) string) props {
	item := object(map[string]props{
		"type":               {Type: "string", Description: text("What the condition is about.")},
		"status":             {Type: "string", Description: text("True, False or Unknown.")},
		"reason":             {Type: "string", Description: text("The reason for the status, in one word.")},
		"message":            {Type: "string", Description: text("A message for the user.")},
		"lastTransitionTime": {Type: "string", Format: "date-time", Description: text("When the status last changed.")},
		"observedGeneration": {Type: "integer", Format: "int64", Description: text("The generation of the object that the condition is about.")},
	})
	item.Required = []string{"lastTransitionTime", "message", "reason", "status", "type"}
	mapList := "map"
	return props{
		Type: "array", Description: text("The observed state of the resource."),
		Items:     &v1.JSONSchemaPropsOrArray{Schema: &item},
		XListType: &mapList, XListMapKeys: []string{"type"},
	}
}
