package engine

import (
	"fmt"
	"slices"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
)

// unmatched reports limits that nothing is within, of the configuration and of
// the command line.
func (b *build) unmatched() {
	for _, r := range b.old.Models() {
		for _, v := range r.Versions {
			b.declared = append(b.declared, declared{r.Type, v.Name})
		}
	}
	b.unmatchedOf(b.config.Only, func(key string, i int) diag.Pos { return b.config.At(fmt.Sprintf("only.%s[%d]", key, i)) }, "")
	b.unmatchedOf(b.Only, func(string, int) diag.Pos { return diag.Pos{} }, "--only: ")
}

func (b *build) unmatchedOf(only config.Only, at func(key string, i int) diag.Pos, prefix string) {
	for i, glob := range only.Resources {
		one := config.Only{Resources: []string{glob}}
		if !slices.ContainsFunc(b.declared, func(d declared) bool { return one.AllowsType(d.resource) }) {
			b.Messages.Add(nearest(diag.Errorf(at("resources", i), "%sno resource matches %q", prefix, glob), glob, b.types(),
				"types are spelled as in Microsoft.Batch/batchAccounts/pools, and ** crosses their slashes; letter case does not count"))
		}
	}
	for i, c := range only.Versions {
		if !slices.ContainsFunc(b.declared, func(d declared) bool { return only.AllowsType(d.resource) && c.Allows(d.version) }) {
			b.Messages.Add(diag.Errorf(at("versions", i), "%sno version of these resources is within %q", prefix, c).
				WithHint("strata show prints the versions that there are"))
		}
	}
}

// types are the resource types that were declared or are known, once for each
// version.
func (b *build) types() []string {
	var types []string
	for _, d := range b.declared {
		types = append(types, d.resource)
	}
	return types
}
