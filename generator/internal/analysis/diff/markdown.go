package diff

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/operation"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// Detail returns the types, names or values of a change in a few words.
func (c Change) Detail() string {
	switch c.Kind {
	case AddedRequired:
		return c.New + ", required"
	case Renamed:
		return "was " + c.Old
	case Retyped, Narrowed, Widened, DefaultChanged, ListType, ListKeys, IntegerNarrow, IntegerWide, Scope, Names, SubresourceChanged, StorageVersion:
		return changed(c.Old, c.New)
	case Changed:
		return c.Declared
	case RuleInvalid, RuleCost, RuleCostTotal:
		return strings.TrimPrefix(c.New+": "+c.Estimate.String(), ": ")
	case Moved:
		return strings.TrimSuffix("was "+c.Old+"; "+withoutMove(c.Declared), "; ")
	}
	if c.New == "" {
		return c.Old
	}
	return c.New
}

// changed shows a value before and after.
func changed(old, later string) string { return cmp.Or(old, "none") + " -> " + cmp.Or(later, "none") }

// withoutMove returns declared changes without a move that they begin with. The paths show it.
func withoutMove(declared string) string {
	move, more, _ := strings.Cut(declared, ", ")
	if strings.HasPrefix(move, string(operation.MovedTo)+": ") {
		return more
	}
	return declared
}

// Title names what is compared: two versions, or one version of two trees.
func (c Comparison) Title() string {
	switch {
	case c.From == "" && c.To == "":
		return "all versions"
	case c.From == c.To || c.From == "":
		return c.To
	case c.To == "":
		return c.From
	}
	return c.From + " to " + c.To
}

// Markdown prints comparisons, which are sorted by resource, below a title. Unchanged ones take one
// word each.
func Markdown(title string, all []Comparison) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", plaintext.Markdown(title))
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Resource == all[0].Resource {
			n++
		}
		resource(&b, all[:n])
		all = all[n:]
	}
	return []byte(b.String())
}

// resource prints the comparisons of one resource.
func resource(b *strings.Builder, all []Comparison) {
	fmt.Fprintf(b, "\n## %s\n\n%s", plaintext.Markdown(all[0].Kind), plaintext.Code(all[0].Resource))
	var same []string
	for _, c := range all {
		if len(c.Changes) == 0 {
			same = append(same, plaintext.Markdown(c.Title()))
		}
	}
	if len(same) > 0 {
		fmt.Fprintf(b, ". Nothing changed: %s", strings.Join(same, ", "))
	}
	b.WriteString(".\n")
	for _, c := range all {
		if len(c.Changes) > 0 {
			section(b, c)
		}
	}
}

func section(b *strings.Builder, c Comparison) {
	fmt.Fprintf(b, "\n### %s\n\n", plaintext.Markdown(c.Title()))
	if c.Explorer != "" {
		fmt.Fprintf(b, "[In the explorer](<%s>)\n\n", c.Explorer)
	}
	b.WriteString("| change | property | | breaks |\n|---|---|---|---|\n")
	for _, one := range c.Changes {
		breaks := ""
		if one.Severity > finding.None {
			breaks = one.Severity.String()
		}
		b.WriteString("| " + one.Kind.String() + " | " + plaintext.Code(one.Path) + " | " + plaintext.Markdown(one.Detail()) + " | " + breaks + " |\n")
	}
}
