package finding

import (
	"fmt"
	"strings"
)

// Markdown describes a rule in a section of a page, within 100 columns.
func (r Rule) Markdown() string {
	breaks := r.Severity.String()
	if r.Severity == None {
		breaks = "nothing"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", r.Name)
	wrap(&b, "", r.ID+". "+r.Text+" "+r.Effect)
	b.WriteByte('\n')
	facts := []string{"class: " + string(r.Class), "breaks: " + breaks, "who notices it: " + string(r.Direction)}
	if r.Conversion != "" {
		facts = append(facts, "conversion between versions: "+string(r.Conversion))
	}
	for _, line := range append(facts, "what to do: "+r.Advice) {
		wrap(&b, "- ", line)
	}
	return b.String()
}

// wrap writes words in lines of at most 100 columns. The first line begins with a mark, and the
// others with as many spaces.
func wrap(b *strings.Builder, mark, text string) {
	const columns = 100
	line := mark
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len(line)+1+len(word) > columns:
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", len(mark)) + word
		default:
			line += " " + word
		}
	}
	b.WriteString(line + "\n")
}

// Page returns the page of the reference about all rules.
func Page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, of := range []struct{ title, ids string }{{"Resources and versions", "ST10"}, {"Properties", "ST11"}, {"Values", "ST12"}, {"Findings of strata check", "ST20"}} {
		b.WriteString("\n## " + of.title + "\n")
		for _, r := range rules {
			if strings.HasPrefix(r.ID, of.ids) {
				b.WriteString("\n" + r.Markdown())
			}
		}
	}
	return b.String()
}

const pageHead = `# Rules

[strata diff](commands.md#strata-diff) and [strata check](commands.md#strata-check) report findings
of these rules. A name or an identifier never gets another meaning. ` + "`strata diff --explain NAME`" + `
prints the section of a rule. [strata.yaml](strata-yaml.md#findings) can change what a rule breaks,
and ignore findings.

| class | what a finding is about |
|---|---|
| ` + "`wire`" + ` | names, types and positions in the JSON of objects |
| ` + "`stored`" + ` | objects that a cluster stores |
| ` + "`new-writes`" + ` | which values may be written |
| ` + "`clients`" + ` | what an API server does for clients |
| ` + "`docs`" + ` | descriptions; listed with ` + "`--docs`" + ` |

| breaks | what |
|---|---|
| nothing | no client that follows the conventions of Kubernetes |
| ` + "`new-writes`" + ` | writes of some values; stored objects stay writable |
| ` + "`clients`" + ` | clients that use the API as it was, or that move to the later version |
| ` + "`stored-data`" + ` | objects that are stored in the version, as another type within one version does |

A change is noticed by readers or writers. Readers get objects that they do not expect. Writers send
objects that are refused, or that have another effect than before. Between versions, these are
clients that move from the earlier version to the later one: Strata goes on serving the earlier one,
and stores what it cannot represent in a [property bag](../glossary.md#property-bag).

| conversion between versions | what it does about the change |
|---|---|
| ` + "`harmless`" + ` | clients of both versions go on as before |
| ` + "`kept`" + ` | a property bag keeps the value for clients of its version; clients of the other do not see it |
| ` + "`no help`" + ` | the change has its effect in spite of conversions |

Within one version no conversion helps.
`
