package crd_test

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/emit/crd"
	"github.com/stratakube/strata/generator/internal/golden"
)

const twoVersions = `resource Contoso.Shop/orders
  kind Order orders
HEAD
  version v1beta1
FACTS
    spec &OrderSpec
    def OrderSpec object
      .size int
        "Old: how large. Sizes are those of the trade.\n\nSee the handbook for a list of all of them."
  version v1
FACTS
    spec &OrderSpec
    def OrderSpec object
      .size int
        "New: how large. Sizes are those of the trade.\n\nSee the handbook for a list of all of them."
`

func twoVersionsWith(head, facts string) golden.Files {
	return golden.Files{"model": strings.NewReplacer("HEAD\n", head, "FACTS\n", facts).Replace(twoVersions)}
}

// TestDescriptionsGoByWorth prints a CRD with limits from its whole size down: the hub's version
// loses nothing before the other version has lost everything.
func TestDescriptionsGoByWorth(t *testing.T) {
	p := sample(t, twoVersionsWith("", ""))
	whole, _ := only(t, p, options())
	var seen []string
	for limit := len(whole.Body); limit > 0; limit -= 32 {
		o := options()
		o.Limit = limit
		f, _ := only(t, p, o)
		if len(seen) == 0 || seen[len(seen)-1] != f.Trim {
			seen = append(seen, f.Trim)
		}
		isWhole := strings.Contains(string(f.Body), "New: how large. Sizes are those of the trade.") && strings.Contains(string(f.Body), "See the handbook")
		if strings.Contains(string(f.Body), "Old: ") && !isWhole {
			t.Fatalf("with a limit of %d the hub's version loses descriptions before the other one:\n%s", limit, f.Body)
		}
		if f.Trim == "no descriptions" {
			break
		}
	}
	if len(seen) < 5 || seen[len(seen)-1] != "no descriptions" || !strings.Contains(strings.Join(seen, "\n"), "hub's version alone\n") {
		t.Errorf("the trims are %q", seen)
	}
}

// TestNativeKindsAboveLimitHaveDescriptions prints the CRD of a kind whose source is a CRD: it
// is too large without any descriptions, and so loses none.
func TestNativeKindsAboveLimitHaveDescriptions(t *testing.T) {
	p := sample(t, twoVersionsWith("  group shop.example.com\n", `    fact served true
    fact schema {"type":"object","properties":{"spec":{}}}
`))
	o := options()
	o.Limit = 500
	f, _ := only(t, p, o)
	if f.Trim != "" || !strings.Contains(string(f.Body), "Old: ") || !strings.Contains(string(f.Body), "See the handbook") {
		t.Errorf("descriptions: %q\n%s", f.Trim, f.Body)
	}
	if len(f.Body) <= o.Limit || len(f.Body) > crd.Limit {
		t.Errorf("%d bytes", len(f.Body))
	}
}
