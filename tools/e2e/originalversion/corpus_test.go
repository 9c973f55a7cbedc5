package originalversion_test

import (
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/e2e/env"
)

// resources are types of real schemas: with parents, with unions, with a property that leaves and
// returns, and with many versions.
var resources = []string{
	"Microsoft.AppConfiguration/configurationStores", "Microsoft.Batch/batchAccounts", "Microsoft.Batch/batchAccounts/pools",
	"Microsoft.KeyVault/vaults", "Microsoft.Kusto/clusters", "Microsoft.ManagedIdentity/userAssignedIdentities",
	"Microsoft.Search/searchServices",
}

var providers = []string{
	"Microsoft.AppConfiguration", "Microsoft.Batch", "Microsoft.KeyVault", "Microsoft.Kusto", "Microsoft.ManagedIdentity", "Microsoft.Search",
}

var mains = map[string]string{
	"operator/main.go": `package main

import (
	"corpus.strata.test/api"
	"github.com/stratakube/strata/operator"
)

func main() { operator.Main(api.AddToScheme) }
`,
	"webhook/main.go": `package main

import (
	"corpus.strata.test/api"
	"github.com/stratakube/strata/webhook/server"
)

func main() { server.Main(api.AddToScheme) }
`,
}

// TestRealSchemas generates an API from real schemas and from the types that mark secret and
// observed properties, with an operator and a webhook.
func TestRealSchemas(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	tier.Long(t, "builds an operator for published APIs")
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	corpora, err := corpus.Find(w.Root)
	if err != nil {
		t.Skipf("needs corpora: %v", err)
	}
	dir := t.TempDir()
	command, err := corpus.Build(t.Context(), w, dir)
	if err != nil {
		t.Fatal(err)
	}
	m, closing, err := corpus.OpenModule(w, "recovery", corpus.Project{
		Schemas: corpora.Schemas(), Include: corpus.Of(providers...), Types: corpora.Types(), Typed: corpus.TypesOf(providers...),
		Kinds: resources, Like: "tools",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closing)
	if _, err := command.Generate(t.Context(), m.Project); err != nil {
		t.Fatal(err)
	}
	programs := build(t, m, dir)
	s := open(t, programs, m.Output(), corpora.Schemas())
	o, err := s.Operate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.kinds) != len(resources) {
		t.Errorf("%d kinds were generated, of %d types", len(s.kinds), len(resources))
	}
	t.Run("secrets", func(t *testing.T) { s.secrets(t, o) })
	t.Run("rivals", func(t *testing.T) { s.rivals(t, o, m.Output(), programs.Plugins) })
	s.everyVersion(t, s.kinds...)
}

// build builds the programs of the API of a module into a folder.
func build(t *testing.T, m corpus.Module, dir string) env.Programs {
	t.Helper()
	programs := env.Programs{Operator: filepath.Join(dir, "operator"), Webhook: filepath.Join(dir, "webhook")}
	for name, text := range mains {
		if err := m.WriteNew(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := m.Build(t.Context(), filepath.Join(dir, filepath.Dir(name)), "./"+filepath.Dir(name)); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if programs.Plugins, err = env.BuildPlugins(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return programs
}
