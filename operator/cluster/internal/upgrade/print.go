package upgrade

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table prints a plan as text: a line for each kind, and one for each finding.
func (p *Plan) Table(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "CRD\tOBJECTS\tHUB\tCHANGES\tWRITES\tLARGEST")
	for i := range p.Kinds {
		k := &p.Kinds[i]
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%d\t%d\n", k.CRD, k.Objects, k.hubs(), k.changes(), k.Writes, k.Largest)
	}
	_ = t.Flush() // the writer's own error is returned to the caller
	for i := range p.Kinds {
		if k := &p.Kinds[i]; len(k.Originals) > 0 {
			var counts []string
			for _, version := range slices.Sorted(maps.Keys(k.Originals)) {
				counts = append(counts, fmt.Sprintf("%s %d", plain(version), k.Originals[version]))
			}
			fmt.Fprintf(w, "%s: original versions: %s\n", k.CRD, strings.Join(counts, ", "))
		}
	}
	if !p.Failed() {
		fmt.Fprintln(w, "no findings")
		return
	}
	fmt.Fprintln(t, "FINDING\tCRD\tVERSION\tOBJECTS\tEXAMPLE\tPATH\tMESSAGE")
	for i := range p.Kinds {
		for _, f := range p.Kinds[i].Findings {
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", f.Reason, p.Kinds[i].CRD, plain(f.Version), f.Objects, f.Example, f.Path, f.Message)
		}
	}
	_ = t.Flush()
}

// plain quotes a version that an object names, unless it is one that CRDs can have.
func plain(version string) string {
	for _, r := range version {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return strconv.QuoteToASCII(version[:min(len(version), maxName)])
		}
	}
	return version[:min(len(version), maxName)]
}

func (k *Kind) hubs() string {
	switch k.From {
	case "", k.To:
		return k.To
	}
	return k.From + " -> " + k.To
}

func (k *Kind) changes() string {
	if k.New {
		return "new"
	}
	var out []string
	for _, c := range []struct {
		what     string
		versions []string
	}{{"added", k.Added}, {"gone", k.Gone}, {"unserved", k.Unserved}} {
		if len(c.versions) > 0 {
			out = append(out, c.what+" "+strings.Join(c.versions, " "))
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, "; ")
}

func objects(n int) string {
	if n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", n)
}
