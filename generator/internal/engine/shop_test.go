package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
)

const shopConfig = `apiVersion: strata.dev/v1alpha1
kind: Generation
sources:
  - arm: {root: schemas}
output: {dir: api, module: example.com/shop/api}
groups: {suffix: example.com}
`

// shop writes a configuration and the schemas of two providers, each with some
// resources in some versions that differ a little from one another.
func shop(t *testing.T, dir string, versions int) {
	t.Helper()
	write(t, dir, "strata.yaml", shopConfig)
	for v := range versions {
		name := fmt.Sprintf("%d-01-01", 2010+v)
		if v%3 == 2 {
			name += "-preview"
		}
		for _, provider := range []string{"Contoso.Shop", "Fabrikam.Sea"} {
			write(t, dir, "schemas/"+name+"/"+provider+".json", shopSchema(provider, name, v))
		}
	}
}

func shopSchema(provider, version string, v int) string {
	var resources []string
	for _, r := range []string{"orders", "carts", "orders/lines"} {
		resources = append(resources, fmt.Sprintf(`"%s": {"properties": {
      "type": {"enum": ["%s/%s"]}, "apiVersion": {"enum": ["%s"]},
      "properties": {"$ref": "#/definitions/%s"}}}`, r, provider, r, version, strings.ReplaceAll(r, "/", "_")))
	}
	return fmt.Sprintf(`{
  "resourceDefinitions": {%s},
  "definitions": {
    "orders": {"properties": {"size": {"enum": ["S", "L%d"]}, "to": {"$ref": "#/definitions/Address"}, "only%d": {"type": "string"}}},
    "carts": {"properties": {"items": {"type": "array", "items": {"$ref": "#/definitions/Address"}}, "odd": {"oneOf": [{"type": "string"}, {"type": "array"}]}}},
    "orders_lines": {"properties": {"labels": {"type": "object", "additionalProperties": {"type": "string"}}, "nested": {"$ref": "#/definitions/orders_lines"}}},
    "Address": {"properties": {"street": {"type": "%s"}}}}
}`, strings.Join(resources, ",\n    "), v, v, []string{"string", "integer"}[v/4%2])
}

// generate runs the command with a configuration, in the working folder.
func generate(ctx context.Context, config string, args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	args = append([]string{"generate", "--config", config}, args...)
	code = cli.Run(ctx, args, cli.Streams{Out: &stdout, Err: &stderr}, engine.Engine{})
	return code, stdout.String(), stderr.String()
}

// mustGenerate generates and gives all files of the output folder.
func mustGenerate(t *testing.T, config string) map[string]string {
	t.Helper()
	if code, _, errs := generate(t.Context(), config); code != cli.Done {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	files, err := contents(filepath.Join(filepath.Dir(config), "api"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
