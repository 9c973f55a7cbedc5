package plan

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// integerOf returns the Go type of the integers of a property in the API; empty if it is int64. A
// list of uint8 has int64 in Go, because encoding/json writes it as text.
func integerOf(t model.Type) string {
	wrap, inner := chain.Unwrap(t)
	name := model.IntegerTypeOf(inner)
	if name == "uint8" && strings.HasSuffix(wrap, "l") {
		return ""
	}
	return name
}

// markIntegers marks the versions whose generated API types have integers of other sizes than
// storage.
func (g *grouper) markIntegers() {
	for _, k := range g.group.Kinds {
		for _, kv := range k.Versions {
			seen := map[*Struct]bool{}
			kv.HasIntegers = kv.Root() == nil && (kv.Spec.hasIntegers(seen) || kv.Status.hasIntegers(seen))
		}
	}
}

func (s *Struct) hasIntegers(seen map[*Struct]bool) bool {
	if s == nil || seen[s] {
		return false
	}
	seen[s] = true
	return slices.ContainsFunc(s.Fields, func(f *Field) bool {
		return f.API.Integer != "" || f.Type.Struct.hasIntegers(seen)
	})
}
