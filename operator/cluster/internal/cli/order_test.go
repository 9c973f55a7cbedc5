package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOrder reads files with the order of clusters.
func TestOrder(t *testing.T) {
	const head = "apiVersion: cluster.strata.dev/v1alpha1\nkind: FleetUpgrade\nplans: plans\n"
	for name, test := range map[string]struct{ text, want string }{
		"an order":            {head + "waves: [{name: a, contexts: [x, y], pause: 24h}, {name: b, contexts: [z], pause: confirm}, {name: c, contexts: [w]}]", ""},
		"another kind":        {"apiVersion: v1\nkind: Config\n", "it begins with apiVersion: cluster.strata.dev/v1alpha1 and kind: FleetUpgrade"},
		"an unknown key":      {head + "wave: []", "wave"},
		"no plans":            {strings.Replace(head, "plans: plans\n", "", 1) + "waves: [{name: a, contexts: [x]}]", "plans is missing"},
		"no waves":            {head, "waves is empty"},
		"no name":             {head + "waves: [{contexts: [x]}]", "waves[0] has no name"},
		"one name twice":      {head + "waves: [{name: a, contexts: [x]}, {name: a, contexts: [y]}]", "two waves have the name a"},
		"no contexts":         {head + "waves: [{name: a}]", "wave a has no contexts"},
		"one context twice":   {head + "waves: [{name: a, contexts: [x]}, {name: b, contexts: [x]}]", `"x" is no context, or is in the order twice`},
		"a pause that is not": {head + "waves: [{name: a, contexts: [x], pause: soon}]", `pause is a time such as 24h, or confirm, not "soon"`},
		"a negative pause":    {head + "waves: [{name: a, contexts: [x], pause: -1h}]", "pause is a time"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "order.yaml")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			o, err := readOrder(file)
			switch {
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%v, want %q", err, test.want)
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want == "":
				if d, _, _ := o.Waves[0].duration(); d != 24*time.Hour || o.Plans != filepath.Join(filepath.Dir(file), "plans") {
					t.Errorf("the pause is %s, and the plans are in %s", d, o.Plans)
				}
			}
		})
	}
}
