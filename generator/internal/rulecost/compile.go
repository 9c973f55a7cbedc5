package rulecost

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Cost is an API server's estimate for a rule: of one evaluation, and the maximum number of
// evaluations if nothing bounds them.
type Cost struct{ Once, Most uint64 }

// Product multiplies a cost by a number of evaluations. It returns the largest number if the
// product is larger.
func Product(a, b uint64) uint64 {
	if over, product := bits.Mul64(a, b); over == 0 {
		return product
	}
	return math.MaxUint64
}

// Environment returns the functions and types that rules may use in an API server.
var Environment = sync.OnceValue(func() *environment.EnvSet {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
})

// costs caches estimates by the digest of rule and schema. Most versions have the same rules, and
// compiling one takes a millisecond.
var costs sync.Map

type estimate struct {
	Cost
	err error
}

// Of estimates the only rule of a schema.
func Of(self v1.JSONSchemaProps) (Cost, error) {
	text, err := json.Marshal(self)
	if err != nil {
		return Cost{}, fmt.Errorf("estimate a rule: %w", err)
	}
	key := sha256.Sum256(text)
	if known, ok := costs.Load(key); ok {
		return known.(estimate).Cost, known.(estimate).err
	}
	c, err := estimated(self)
	costs.Store(key, estimate{c, err})
	return c, err
}

func estimated(self v1.JSONSchemaProps) (Cost, error) {
	var internal apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&self, &internal, nil); err != nil {
		return Cost{}, fmt.Errorf("estimate a rule: %w", err)
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return Cost{}, fmt.Errorf("estimate a rule: %w", err)
	}
	results, err := compile(structural, model.SchemaDeclType(structural, false))
	if err != nil {
		return Cost{}, fmt.Errorf("estimate a rule: %w", err)
	}
	if len(results) != 1 || results[0].Error != nil {
		return Cost{}, errors.New("no rule of CEL can express it")
	}
	return Cost{results[0].MaxCost, results[0].MaxCardinality}, nil
}

// compile compiles the rules of a schema for an object that a client writes.
func compile(s *schema.Structural, t *apiservercel.DeclType) ([]cel.CompilationResult, error) {
	return cel.Compile(s, t, celconfig.PerCallLimit, Environment(), cel.NewExpressionsEnvLoader())
}
