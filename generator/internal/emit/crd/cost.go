package crd

import (
	"slices"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"

	"github.com/stratakube/strata/generator/internal/rulecost"
)

// maxListCost is the maximum cost of all rules within lists and maps of one schema. A tenth of
// the API server's limit is reserved for the other rules, each of which is checked once for an
// object.
const maxListCost = validation.StaticEstimatedCRDCostLimit / 10 * 9

// affords reports whether a rule at the walk's path is within the limits, and subtracts its cost
// from the budget.
func (w *walk) affords(c rulecost.Cost) bool {
	times := w.within.count
	if w.within.endless {
		times = c.Most
	}
	all := rulecost.Product(c.Once, times)
	switch {
	case all > validation.StaticEstimatedCostLimit:
		return false
	case !w.within.endless && times == 1:
		return true
	case all > w.left:
		return false
	}
	w.left -= all
	return true
}

// costOf estimates a rule that reads only some members of an object.
func costOf(r v1.ValidationRule, self props, fields []string) (rulecost.Cost, error) {
	isNamed := func(name string) bool { return slices.Contains(fields, name) }
	self = mentioned(props{Type: "object", Required: self.Required, Properties: self.Properties}, isNamed, true)
	self.XValidations = v1.ValidationRules{r}
	return rulecost.Of(self)
}

// mostSized is the maximum number of required members that count for the minimum size of an
// object in an estimate. A smaller size only makes an estimate larger.
const mostSized = 200

// mentioned returns the schema of an object with only the members that a rule names. So the
// estimates of all rules of a large object take linear time. Members that the object requires
// count for its minimum size. shallowly removes the members of the members too.
func mentioned(of props, isNamed func(string) bool, shallowly bool) props {
	required := of.Required[:min(len(of.Required), mostSized)]
	members := map[string]props{}
	for name, p := range of.Properties {
		if isNamed(name) {
			if shallowly {
				p = shallow(p)
			}
			members[name] = p
		}
	}
	for _, name := range required {
		p, exists := of.Properties[name]
		if _, named := members[name]; exists && (!named || shallowly) {
			members[name] = bare(p)
		}
	}
	of.Required, of.Properties = required, members
	return of
}

// bare returns a schema without descriptions and rules.
func bare(p props) props {
	p.Description, p.XValidations = "", nil
	if p.Properties != nil {
		required := map[string]props{}
		for _, name := range p.Required {
			required[name] = bare(p.Properties[name])
		}
		p.Properties = required
	}
	return p
}

// shallow returns a schema without members. The element types of lists and maps are preserved,
// since CEL cannot use those of free JSON.
func shallow(p props) props {
	p.Description, p.XValidations, p.Properties, p.Required = "", nil, nil, nil
	if p.Items != nil {
		elem := shallow(*p.Items.Schema)
		p.Items = &v1.JSONSchemaPropsOrArray{Schema: &elem}
	}
	if p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil {
		elem := shallow(*p.AdditionalProperties.Schema)
		p.AdditionalProperties = &v1.JSONSchemaPropsOrBool{Allows: true, Schema: &elem}
	}
	return p
}
