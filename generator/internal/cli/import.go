package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/analysis/migrate"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
)

// usualCases is the default number of random objects of every version that are compared.
const usualCases = 200

func (a *app) imports() *cobra.Command {
	var flags flags
	cases := usualCases
	format := newFormat(table, json, yaml)
	c := &cobra.Command{
		Use:   "import",
		Short: "list what hand-written conversions do and the metadata does not declare",
		Long: "import reads the hand-written ConvertTo and ConvertFrom of the packages of go sources, and the functions\n" +
			"that they call. It lists the properties that they convert differently from generated conversions. For a\n" +
			"rename it prints the line for strata.yaml. For a property that moves, or is derived from others, it prints\n" +
			"which step to write by hand.\n\n" +
			"It then builds a program in a temporary folder, which stores random objects with these conversions. The\n" +
			"program compares how they and the generated ones read the objects in every version. import writes nothing,\n" +
			"and exits with 1 if anything is left to do.",
		Example: "  strata import\n  strata import --cases 2000 -o json",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			request, err := flags.request(a)
			if err != nil {
				return err
			}
			if cases < 0 {
				return fmt.Errorf("--cases is %d, not a number of objects", cases)
			}
			r := engine.ImportRequest{Request: request, Cases: cases}
			result, err := within(c.Context(), func() (engine.ImportResult, error) { return a.engine.Import(c.Context(), r) })
			return a.give(request, err, format, importAnswer{result}.answer())
		},
	}
	flags.add(a, c)
	c.Flags().IntVar(&cases, "cases", usualCases, "number of random objects of every version to compare; 0 for none")
	format.add(c)
	return c
}

// importAnswer prints the result of strata import in each format.
type importAnswer struct{ engine.ImportResult }

func (r importAnswer) answer() answer {
	out := answer{table: r.table, document: r.document}
	if differences := r.differences(); len(r.Findings)+differences > 0 {
		m := diag.Errorf(diag.Pos{}, "%s, %s", counted(len(r.Findings), "finding", "findings"), counted(differences, "property is read otherwise", "properties are read otherwise")).
			WithHint("%s", r.remedy())
		out.finding = &m
	}
	return out
}

// remedy returns what to do about findings. Without any, only the values show what is different.
func (r importAnswer) remedy() string {
	if len(r.Findings) > 0 {
		return "add the lines above to strata.yaml, write the hand-written steps, and run strata import again"
	}
	return "where the values after are right, delete the hand-written conversion; otherwise write a step by hand"
}

func (r importAnswer) differences() int {
	n := 0
	for _, reading := range r.Readings {
		if !reading.Stub {
			n += len(reading.Differences)
		}
	}
	return n
}

// table prints a block for every finding, and one for every kind that was compared.
func (r importAnswer) table(b *strings.Builder) {
	for _, f := range r.Findings {
		fmt.Fprintf(b, "%s %s %s: %s\n", f.Resource, f.Version, f.Kind, headlineOf(f))
		for _, at := range f.At {
			fmt.Fprintf(b, "  at %s\n", at)
		}
		if f.Metadata != "" {
			fmt.Fprintf(b, "  add to strata.yaml: %s\n", f.Metadata)
		}
		if f.Marker != "" {
			fmt.Fprintf(b, "  mark it in %s: // %s=...\n", f.Version, f.Marker)
		}
		if f.Folder != "" {
			fmt.Fprintf(b, "  write in %s below the output folder:\n", f.Folder)
		}
		for _, m := range f.Methods {
			fmt.Fprintf(b, "    %s\n", m)
		}
	}
	if len(r.Findings) == 0 {
		fmt.Fprintf(b, "%s: the plan does all that they do\n", counted(r.Conversions, "hand-written conversion", "hand-written conversions"))
	}
	for _, reading := range r.Readings {
		readingOf(b, reading)
	}
}

func headlineOf(f migrate.Finding) string {
	from, to := strings.Join(f.From, ", "), strings.Join(f.To, ", ")
	switch f.Kind {
	case migrate.Renamed, migrate.Moved:
		return from + " is " + to
	case migrate.Constant:
		return strings.Join(append(f.From, f.To...), ", ") + " is given a value"
	case migrate.Unread:
		return "it does not convert to a later version that strata knows"
	}
	return from + " and " + to + " are made of each other"
}

// mostPrinted is how many differences a table shows of a kind.
const mostPrinted = 20

func readingOf(b *strings.Builder, r migrate.Reading) {
	fmt.Fprintf(b, "%s: %s stored, %s", r.Kind, counted(r.Stored, "object", "objects"), counted(r.Read, "reading", "readings"))
	if r.Refused > 0 {
		fmt.Fprintf(b, ", %s by the hand-written conversions", counted(r.Refused, "refusal", "refusals"))
	}
	switch {
	case len(r.Differences) == 0:
		b.WriteString(": all as before\n")
		return
	case r.Stub:
		b.WriteString(": the hand-written conversions copy only metadata, and generated ones convert all fields\n")
		return
	}
	fmt.Fprintf(b, ": %s\n", counted(len(r.Differences), "property is read otherwise", "properties are read otherwise"))
	for i, d := range r.Differences {
		if i == mostPrinted {
			fmt.Fprintf(b, "  and %d more\n", len(r.Differences)-mostPrinted)
			break
		}
		fmt.Fprintf(b, "  %s %s, %d times: before %s, after %s\n    stored %s\n", d.Version, d.Path, d.Count, orAbsent(d.Before), orAbsent(d.After), short(string(d.Stored)))
	}
}

func orAbsent(value []byte) string {
	if len(value) == 0 {
		return "absent"
	}
	return short(string(value))
}

func short(text string) string {
	const most = 600
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

func (r importAnswer) document(end ending) any {
	return struct {
		ending
		Conversions int               `json:"conversions"`
		Findings    []migrate.Finding `json:"findings"`
		Readings    []migrate.Reading `json:"readings"`
	}{end, r.Conversions, append([]migrate.Finding{}, r.Findings...), append([]migrate.Reading{}, r.Readings...)}
}
