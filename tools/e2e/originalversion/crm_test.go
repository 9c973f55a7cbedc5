package originalversion_test

import (
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/env"
)

const api, schemas = "../../../operator/api", "../../../schemas/crm"

// TestWorkedExample is everything about the worked example, since one operator at a time looks
// after it.
func TestWorkedExample(t *testing.T) {
	tier.Long(t, "links an operator and its plugins")
	programs, err := env.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, programs, api, schemas)
	if _, err := s.Operate(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Run("every version", func(t *testing.T) { s.everyVersion(t, s.kinds...) })
	t.Run("rules", s.rules)
	t.Run("import", func(t *testing.T) { s.imports(t, programs.Plugins) })
}
