package crd

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// maxListCost is the maximum cost of all rules within lists and maps of one schema. A tenth of
// the API server's limit is reserved for the other rules, each of which is checked once for an
// object.
const maxListCost = validation.StaticEstimatedCRDCostLimit / 10 * 9

// cost is an API server's estimate for a rule: of one evaluation, and the maximum number of
// evaluations if nothing bounds them.
type cost struct{ once, most uint64 }

// affords reports whether a rule at the walk's path is within the limits, and subtracts its cost
// from the budget.
func (w *walk) affords(c cost) bool {
	times := w.within.count
	if w.within.endless {
		times = c.most
	}
	all := saturated(c.once, times)
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

func saturated(a, b uint64) uint64 {
	if over, product := bits.Mul64(a, b); over == 0 {
		return product
	}
	return 1<<64 - 1
}

// costs caches estimates by the digest of rule and schema. Most versions have the same rules, and
// compiling one takes a millisecond.
var costs sync.Map

type estimate struct {
	cost
	err error
}

// costOf estimates a rule that reads only some members of an object.
func costOf(r v1.ValidationRule, self props, fields []string) (cost, error) {
	isNamed := func(name string) bool { return slices.Contains(fields, name) }
	self = mentioned(props{Type: "object", Required: self.Required, Properties: self.Properties}, isNamed, true)
	self.XValidations = v1.ValidationRules{r}
	return estimated(self)
}

// estimated estimates the only rule of a schema.
func estimated(self props) (cost, error) {
	text, err := json.Marshal(self)
	if err != nil {
		return cost{}, fmt.Errorf("estimate a rule: %w", err)
	}
	key := sha256.Sum256(text)
	if known, ok := costs.Load(key); ok {
		return known.(estimate).cost, known.(estimate).err
	}
	c, err := compile(self)
	costs.Store(key, estimate{c, err})
	return c, err
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

var baseEnvironment = sync.OnceValue(func() *environment.EnvSet {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
})

func compile(self props) (cost, error) {
	var internal apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&self, &internal, nil); err != nil {
		return cost{}, fmt.Errorf("estimate a rule: %w", err)
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return cost{}, fmt.Errorf("estimate a rule: %w", err)
	}
	results, err := cel.Compile(structural, model.SchemaDeclType(structural, false), celconfig.PerCallLimit, baseEnvironment(), cel.NewExpressionsEnvLoader())
	if err != nil {
		return cost{}, fmt.Errorf("estimate a rule: %w", err)
	}
	if len(results) != 1 || results[0].Error != nil {
		return cost{}, fmt.Errorf("no rule of CEL can express it")
	}
	return cost{results[0].MaxCost, results[0].MaxCardinality}, nil
}
