package report

import (
	"fmt"
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/older"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/plan"
)

// OlderFile is the name of the report on older objects in the folder of a group.
const OlderFile = "older-objects.md"

// Older lists, for every group that has any, the requirements that objects of older versions can
// violate.
func Older(p *plan.Plan, all []*older.Finding) []File {
	of := map[string][]*older.Finding{}
	for _, f := range all {
		of[f.Group] = append(of[f.Group], f)
	}
	var out []File
	for _, g := range p.Groups {
		if found := of[g.Chain.Folder]; len(found) > 0 {
			out = append(out, File{"reports/" + g.Chain.Folder + "/" + OlderFile, olderObjects(g.Chain.Name, found)})
		}
	}
	return out
}

func olderObjects(group string, found []*older.Finding) []byte {
	var b strings.Builder
	b.WriteString(header)
	fmt.Fprintf(&b, "# Older objects in %s\n\n", plaintext.Markdown(group))
	b.WriteString("What a version requires, and objects of an older version can violate. An API server accepts a label on such an\n" +
		"object through the newer version, and refuses an edit beside the value. The last column says how to make older objects\n" +
		"valid; a line belongs in strata.yaml. `strata check` lists the same.\n\n")
	b.WriteString("| kind | version | after | where | requirement | how to mend it |\n|---|---|---|---|---|---|\n")
	for _, f := range found {
		where := "the whole spec"
		if f.Path != "" {
			where = plaintext.Code(f.Path)
		}
		mend := plaintext.Markdown(f.Mend)
		if f.Line != "" {
			mend += ": below " + plaintext.Code(f.Below) + ", " + plaintext.Code(f.Line)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s: %s | %s |\n", plaintext.Markdown(f.Kind), plaintext.Markdown(f.Version), plaintext.Markdown(f.Older),
			where, f.What, plaintext.Markdown(f.Text), mend)
	}
	return []byte(b.String())
}
