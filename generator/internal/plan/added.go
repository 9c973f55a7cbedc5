package plan

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// Added is a member that Strata adds to the root of a spec or a status. No source describes it, and all
// versions of a kind have it, so that conversions copy it.
type Added struct {
	// Name is that of the field, JSON that of the member.
	Name, JSON string
	// Wrap is "*" or "[]". Origin says where Ident, which it stands before, is declared.
	Wrap   string
	Origin Origin
	Ident  string
	Doc    string
}

// Origin says which package declares the type of an added member.
type Origin uint8

// The packages.
const (
	Builtin Origin = iota
	OfRuntime
	OfMeta
)

// Added members that not all kinds have: secretRefs where a property is a secret, the others where no property has the name.
const (
	secretRefs    = "secretRefs"
	configMapRefs = "configMapRefs"
	outputs       = "outputs"
)

// identity are the members of statuses by which the external API names a resource.
var identity = []string{"id", "name", "type"}

var addedToSpecs = []Added{
	{"AzureName", "azureName", "*", Builtin, "string", "The name of the resource outside the cluster; by default the name of the object."},
	{"Owner", "owner", "*", OfRuntime, "Owner", "The parent of the resource."},
	{"SecretRefs", secretRefs, "[]", OfRuntime, "SecretRef", "Where values of secret properties lie that the spec does not have."},
	{"ConfigMapRefs", configMapRefs, "[]", OfRuntime, "ConfigMapRef", "Values of properties that lie in ConfigMaps, and are no secrets."},
	{"Outputs", outputs, "*", OfRuntime, "Outputs", "Where values of the external API are written."},
}

var addedToStatuses = []Added{
	{"Id", "id", "*", Builtin, "string", "The identifier outside the cluster."},
	{"Name", "name", "*", Builtin, "string", "The name outside the cluster."},
	{"Type", "type", "*", Builtin, "string", "The type outside the cluster."},
	{"Conditions", "conditions", "[]", OfMeta, "Condition", "The observed state of the resource."},
}

// Added returns the members that Strata adds to a root; none to other structs.
func (s *Struct) Added() []Added { return s.Owner.Kind.added(s.Role) }

// TakesConfigMaps reports whether objects of the kind can name ConfigMaps in their specs.
func (k *Kind) TakesConfigMaps() bool {
	return slices.ContainsFunc(k.added(Spec), func(a Added) bool { return a.JSON == configMapRefs || a.JSON == outputs })
}

func (k *Kind) added(role Role) []Added {
	var all []Added
	switch {
	case k.IsNative():
	case role == Spec:
		all = addedToSpecs
	case role == Status:
		all = addedToStatuses
	}
	return slices.DeleteFunc(slices.Clone(all), func(a Added) bool { return slices.Contains(k.without, a.JSON) })
}

// withoutOf returns the added members that a resource does not have. A vendor's property at the root of a
// spec or a status stays what it is, in any version and letter case: no version of the kind has ours of that name.
func withoutOf(r *model.Resource) (without []string) {
	if !r.HasSecrets() {
		without = append(without, secretRefs)
	}
	for _, name := range []string{configMapRefs, outputs} {
		if r.SpecHas(name) {
			without = append(without, name)
		}
	}
	for _, name := range identity {
		if r.StatusHas(name) {
			without = append(without, name)
		}
	}
	return without
}

// reserveAdded keeps the names of added fields from the properties of a root. A status without a place of its
// own has the fields of the spec.
func (n *node) reserveAdded(names idents) {
	if !n.isRoot() {
		return
	}
	added := n.kind.added(n.role)
	if n.role == Spec && n.place.Resource.Status == nil {
		added = append(added, n.kind.added(Status)...)
	}
	for _, a := range added {
		names[a.Name] = true
	}
}
