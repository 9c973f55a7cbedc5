package crds

import (
	"fmt"
	"strings"

	"github.com/stratakube/strata/tools/build/ratios"
)

// goal is how many MB of heap a CRD may take.
const goal = 4.0

// Ratios returns what the figures say on any machine.
func Ratios(all []Figures, cached []Cached) ratios.Set {
	set := ratios.Set{}
	for _, f := range all {
		set[f.Name+", MB of heap for each"] = f.HeapOfEach()
		set[f.Name+", KB of each as JSON"] = float64(f.Bytes) / float64(f.CRDs) / 1e3
	}
	for _, c := range cached {
		set[fmt.Sprintf("objects in %d versions, times their JSON in heap", c.Served)] = float64(c.HeapOfEach()) / float64(c.Bytes)
	}
	return set
}

// Page is the report on figures, in Markdown.
func Page(all []Figures, cached []Cached) string {
	var out strings.Builder
	fmt.Fprintf(&out, `# What CRDs cost an API server

Written by `+"`go tool mage bench:crds -write`"+`. It needs the real schemas, beside the repository or
where `+"`STRATA_CORPORA`"+` says. Each set of CRDs is created on a new API server. The sets of Strata are
CRDs that it generates from the schemas of Azure Resource Manager: one has the largest kinds, the
other one kinds of all sizes. The others are what vendors publish.

- *Heap*: what the API server has in use after a collection of garbage, less what it had before, for
  each CRD. The goal is at most %.0f MB for kinds of all sizes.
- *Published*: from the first CRD until the OpenAPI documents have each kind in each served version.
- *CPU*: of the API server in this time.
- *Explain* and *apply*: `+"`kubectl explain KIND.spec`"+` and `+"`kubectl apply --server-side`"+` of the CRD of
  the largest kind, medians of %d.

Heap and bytes are the same on any machine. Times depend on what else the machine does.

![Heap of an API server for each CRD](crds.svg)

| CRDs | number | versions | of these served | KB of each | heap of each | published | CPU | explain | apply |
|---|---|---|---|---|---|---|---|---|---|
`, goal, rounds)
	for _, f := range all {
		fmt.Fprintf(&out, "| %s | %d | %d | %d | %d | %.1f MB | %.1f s | %.1f s | %.2f s | %.2f s |\n", f.Name, f.CRDs, f.Versions, f.Served,
			f.Bytes/f.CRDs/1000, f.HeapOfEach(), f.Published.Seconds(), f.CPU.Seconds(), f.Explain.Seconds(), f.Apply.Seconds())
	}
	out.WriteString(`
## Objects

The API server has a cache for each served version, with all objects as Go values. This table has
its heap for each object, by the number of served versions. The objects have strings of 64 bytes.

| served versions | objects | bytes of an object | heap of an object | times its bytes |
|---|---|---|---|---|
`)
	for _, c := range cached {
		fmt.Fprintf(&out, "| %d | %d | %d | %d | %.1f |\n", c.Served, c.Objects, c.Bytes, c.HeapOfEach(), float64(c.HeapOfEach())/float64(c.Bytes))
	}
	return out.String()
}
