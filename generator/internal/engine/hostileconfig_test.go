package engine_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

// configured has the usual texts of a configuration by their positions.
var configured = map[string]string{
	"root": "schemas", "include": "**/*.json", "exclude": "none/*", "only": "Contoso.Shop/*", "version": ">=2001-01-01",
	"dir": "api", "module": "example.com/shop/api", "runtime": "github.com/stratakube/strata/runtime",
	"suffix": "example.com", "provider": "Contoso.Shop", "folder": "shop", "type": "Contoso.Shop/orders", "kind": "Ordering",
	"namespace": "strata-system", "service": "strata-webhook",
	"image": "example.com/webhook:1", "writer": "system:serviceaccount:a:b", "kustomize": "config", "helm": "chart",
	"operator": "example.com/operator:1", "watched": "default", "metadata": "169.254.169.254:80",
	"secret": "properties.size", "member": "size", "renamed": "length",
	"resource": "Contoso.Shop/orders", "chosen": "2010-01-01", "property": "properties.clash", "choice": "any", "bundle": "Q0E=",
}

// configuration has a text at every position.
func configuration(at func(position string) string) string {
	q := func(position string) string { return quoted(at(position)) }
	return `apiVersion: strata.dev/v1alpha1
kind: Generation
sources: [{arm: {root: ` + q("root") + `, include: [` + q("include") + `], exclude: [` + q("exclude") + `]}}]
only: {resources: [` + q("only") + `], versions: [` + q("version") + `]}
output: {dir: ` + q("dir") + `, module: ` + q("module") + `, runtime: ` + q("runtime") + `}
groups: {suffix: ` + q("suffix") + `, folders: {` + q("provider") + `: ` + q("folder") + `}}
kinds: {` + q("type") + `: {kind: ` + q("kind") + `}}
resources: {shop: {"2010-01-01": {OrderProperties: {` + q("member") + `: {nameInNextVersion: ` + q("renamed") + `}}}}}
properties: [{property: ` + q("secret") + `, secret: true}]
types: [{resource: ` + q("resource") + `, version: ` + q("chosen") + `, property: ` + q("property") + `, type: ` + q("choice") + `}]
` + installation(at)
}

// installation has a webhook that is a service, or, for the text of its CA, one that is a URL.
func installation(at func(position string) string) string {
	q := func(position string) string { return quoted(at(position)) }
	if at("bundle") != configured["bundle"] {
		return "install: {webhook: {url: \"https://webhook.example.com/convert\", caBundle: " + q("bundle") + "}}\n"
	}
	return `install:
  webhook: {service: {namespace: ` + q("namespace") + `, name: ` + q("service") + `}}
  image: ` + q("image") + `
  hubWriters: [` + q("writer") + `]
  kustomize: ` + q("kustomize") + `
  helm: ` + q("helm") + `
  operator: {image: ` + q("operator") + `, namespaces: [` + q("watched") + `], metadataService: ` + q("metadata") + `}
`
}

// TestHostileConfiguration puts each text at each position of a configuration. It is refused, with
// its position, or does no harm; nothing is written outside the folder of the configuration.
func TestHostileConfiguration(t *testing.T) {
	if !configures(t, "", "") {
		t.Error("the configuration without hostile texts is refused")
	}
	for at, position := range slices.Sorted(maps.Keys(configured)) {
		refused := 0
		for i, text := range append([]string{""}, hostileTexts...) {
			if !isTried(at, i, refused) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", position, i), func(t *testing.T) {
				if !configures(t, position, text) {
					refused++
				}
			})
		}
		if refused == 0 {
			t.Errorf("every text is taken as %s", position)
		}
	}
}

// configures reports whether a configuration with a text at a position is taken; then nothing that
// it writes does harm.
func configures(t *testing.T, position, text string) bool {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "a/b/c/d/e")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	for version, size := range map[string]string{"2010-01-01": "size", "2011-01-01": "length"} {
		write(t, dir, "schemas/"+version+"/a.json", `{"resourceDefinitions": {"orders": {"properties": {"type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["`+version+`"]}, "properties": {"$ref": "#/definitions/OrderProperties"}}}},
 "definitions": {"OrderProperties": {"properties": {"`+size+`": {"type": "string"}, "clash": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}}}}}`)
	}
	write(t, dir, "strata.yaml", configuration(func(at string) string {
		if at == position {
			return text
		}
		return configured[at]
	}))
	code, out, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml"))
	isPlain(t, out, errs)
	files, err := contents(top)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	count := 0
	for file, body := range files {
		below, inside := strings.CutPrefix(file, "a/b/c/d/e/")
		if position == "dir" { // authors choose where the output lies, and how it is called
			if within, err := filepath.Rel(filepath.Join(dir, text), filepath.Join(top, file)); err == nil && filepath.IsLocal(within) {
				below, inside = within, true
			}
		}
		if !inside {
			t.Errorf("written is %s", file)
		}
		if strings.HasPrefix(below, "schemas/") || below == "strata.yaml" {
			continue
		}
		count++
		harmless(t, below, body)
	}
	if code == cli.Done {
		return true
	}
	if position == "" {
		t.Log(errs)
	}
	if code != cli.Failed || count > 0 || !strings.Contains(errs, "strata: error: ") {
		t.Errorf("exit code %d, %d files, %s", code, count, errs)
	}
	return false
}
