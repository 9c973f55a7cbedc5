package engine

import (
	"fmt"
	"slices"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
)

// unmatched reports entries of only, in the configuration and on the command line, that match
// nothing.
func (rd *reader) unmatched() {
	for _, r := range rd.Ledger.Models() {
		for _, v := range r.Versions {
			rd.declared = append(rd.declared, declared{r.Type, v.Name})
		}
	}
	if rd.part == nil { // else the complete run has found a match
		rd.unmatchedOf(rd.config.Only, func(key string, i int) diag.Pos { return rd.config.At(fmt.Sprintf("only.%s[%d]", key, i)) }, "")
	}
	rd.unmatchedOf(rd.Only, func(string, int) diag.Pos { return diag.Pos{} }, "--only: ")
}

func (rd *reader) unmatchedOf(only config.Only, at func(key string, i int) diag.Pos, prefix string) {
	for i, glob := range only.Resources {
		one := config.Only{Resources: []string{glob}}
		if !slices.ContainsFunc(rd.declared, func(d declared) bool { return one.AllowsType(d.resource) }) {
			rd.Messages.Add(nearest(diag.Errorf(at("resources", i), "%sno resource matches %q", prefix, glob), glob, rd.types(),
				"types are spelled as in Microsoft.Batch/batchAccounts/pools, and ** crosses their slashes; letter case does not count"))
		}
	}
	for i, c := range only.Versions {
		if !slices.ContainsFunc(rd.declared, func(d declared) bool { return only.AllowsType(d.resource) && c.Allows(d.version) }) {
			rd.Messages.Add(diag.Errorf(at("versions", i), "%sno version of these resources is within %q", prefix, c).
				WithHint("strata show prints the versions that there are"))
		}
	}
}

// types returns the resource types that the sources or the ledger declare, once for each version.
func (rd *reader) types() []string {
	var types []string
	for _, d := range rd.declared {
		types = append(types, d.resource)
	}
	return types
}
