package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/finding"
)

// explainRule prints what a rule means.
func (a *app) explainRule(c *cobra.Command, name string, format *format, args []string) error {
	if len(args) > 0 {
		return wrongUsage(c, fmt.Errorf("--explain compares nothing: %q", args))
	}
	r, found := finding.Find(name)
	if !found {
		err := fmt.Errorf("there is no rule %q", name)
		if meant := diag.Nearest(strings.ToLower(name), finding.Words()); meant != "" {
			err = fmt.Errorf("%w; %s is one", err, meant)
		}
		return wrongUsage(c, err)
	}
	text := r.Markdown()
	switch format.value {
	case table, markdown:
	case json, yaml:
		var err error
		if text, err = format.print(r); err != nil {
			return err
		}
	default:
		return wrongUsage(c, fmt.Errorf("--explain prints no %s", format.value))
	}
	return emit(a.streams.Out, text)
}
