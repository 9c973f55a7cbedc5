package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// certify writes the certificate if the environment requests it. It returns an error if there
// were enough cases and a law was not exercised at a property.
func (c *chain) certify(o options, cases int) error {
	if folder := os.Getenv("STRATA_CERTIFICATE"); folder != "" {
		name := strings.ToLower(strings.ReplaceAll(c.resource, "/", ".")) + ".md"
		if err := os.WriteFile(filepath.Join(folder, name), c.certificate(cases), 0o666); err != nil {
			return fmt.Errorf("write the certificate: %w", err)
		}
	}
	if o.seeded {
		return nil
	}
	return c.checkCounts(cases)
}

// isEnough reports whether each position of a version has been the target of a case.
func (c *chain) isEnough(l *link, cases int) bool { return cases/len(c.written()) > len(l.targets) }

// checkCounts returns an error if a law was never exercised at a position, in a version that had a
// case for each of its positions.
func (c *chain) checkCounts(cases int) error {
	var missing []string
	for _, l := range c.written() {
		if !c.isEnough(l, cases) {
			continue
		}
		for _, pl := range l.atlas.all {
			for law, n := range pl.counts {
				if n == 0 && !c.isExempt(pl, law) {
					missing = append(missing, fmt.Sprintf("%s %s: %v", l.label, pl.path, lawNames[law]))
				}
			}
		}
	}
	if n := len(c.written()); cases/n >= n && len(c.pairs) < n*(n-1) {
		missing = append(missing, fmt.Sprintf("%d of %d pairs of versions", n*(n-1)-len(c.pairs), n*(n-1)))
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%d times a law was not exercised at a property in %d cases: %q", len(missing), cases,
		missing[:min(len(missing), 10)])
}

// certificate returns Markdown with the number of times that each law was exercised at each
// property of each version. It is the same for the same cases.
func (c *chain) certificate(cases int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Round-trip certificate of %s\n\n", c.resource)
	fmt.Fprintf(&b, "%d cases over %d versions; the hub is %s. A number says how often a law held with a value there.\n",
		cases, len(c.written()), c.hub.label)
	n := len(c.written())
	fmt.Fprintf(&b, "Of %d ways from one version to another and back, %d were taken.\n", n*(n-1), len(c.pairs))
	for _, l := range c.written() {
		fmt.Fprintf(&b, "\n## %s\n\n| property |", l.label)
		for _, name := range lawNames {
			fmt.Fprintf(&b, " %s |", name)
		}
		b.WriteString("\n|---|" + strings.Repeat("---:|", int(laws)) + "\n")
		for _, pl := range l.atlas.all {
			c.row(&b, pl)
		}
	}
	return []byte(b.String())
}

func (c *chain) row(b *strings.Builder, pl *position) {
	fmt.Fprintf(b, "| `%s` |", pl.path)
	for law, n := range pl.counts {
		if c.isExempt(pl, law) {
			b.WriteString(" - |")
		} else {
			fmt.Fprintf(b, " %d |", n)
		}
	}
	b.WriteString("\n")
}

// isExempt reports whether a law does not apply to a position. An edit never sets or unsets status
// or metadata. A single version has no pairs.
func (c *chain) isExempt(pl *position, l int) bool {
	return pl.fixed && law(l) == editLaw || len(c.written()) == 1 && law(l) == pairLaw
}
