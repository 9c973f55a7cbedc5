package engine_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
)

// secretValues declares secrets with defaults and examples. Every such value begins with hunter.
const secretValues = `{
  "resourceDefinitions": {
    "orders": {"properties": {
      "type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["%s"]},
      "properties": {"$ref": "#/definitions/OrderProperties"}}}},
  "definitions": {
    "OrderProperties": {"properties": {
      "clientSecret": {"type": "string", "default": "hunter1", "description": "The client secret."},
      "free": {"default": {"a": "hunter2"}},
      "keys": {"type": "array", "items": {"type": "string", "examples": ["hunter3"]}, "default": ["hunter4"]},
      "byName": {"type": "object", "additionalProperties": {"type": "string"}, "default": {"a": "hunter5"}},
      "unitPassword": {"$ref": "#/definitions/Unit"},
      "login": {"$ref": "#/definitions/Login", "default": {"adminPassword": "hunter6"}},
      "logins": {"type": "array", "items": {"$ref": "#/definitions/Login"}, "default": [{"adminPassword": "hunter7"}]},
      "%s": {"type": "string", "default": "%s"},
      "colour": {"type": "string", "default": "blue"}}},
    "Unit": {"type": "string", "default": "hunter13"},
    "Login": {"properties": {
      "user": {"type": "string", "default": "root"},
      "adminPassword": {"type": "string", "default": "hunter8", "example": "hunter9", "examples": ["hunter10"]}}}}
}`

const secretExtensions = shopConfig + `properties:
  - {property: properties.clientSecret, secret: true}
  - {property: properties.free, secret: true}
  - {property: properties.keys, secret: true}
  - {property: properties.byName, secret: true}
  - {name: "*token*", secret: true}
  - {name: adminPassword, secret: true}
  - {name: unitPassword, secret: true}
`

// TestValuesOfSecrets checks that no command prints or writes defaults or examples of a secret, nor
// defaults of an object that contains one, also if an earlier run has written them.
func TestValuesOfSecrets(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	write(t, dir, "schemas/2020-01-01/Shop.json", fmt.Sprintf(secretValues, "2020-01-01", "token", "hunter11"))
	write(t, dir, "schemas/2021-01-01/Shop.json", fmt.Sprintf(secretValues, "2021-01-01", "tokens", "hunter12"))
	write(t, dir, "strata.yaml", shopConfig)
	if found := hunters(t, mustGenerate(t, "strata.yaml")); len(found) == 0 {
		t.Fatal("defaults of properties that are no secrets are not written: the test shows nothing")
	}
	if out := outputOf(t, "show"); !strings.Contains(out, "hunter1") {
		t.Fatal("strata show prints no defaults of properties that are no secrets")
	}
	write(t, dir, "strata.yaml", secretExtensions)
	files := mustGenerate(t, "strata.yaml")
	for _, at := range hunters(t, files) {
		t.Errorf("written: %s", at)
	}
	if crd := files["crds/orders.contoso-shop.example.com.yaml"]; !strings.Contains(crd, `Default: \"blue\".`) || !strings.Contains(crd, `Default: \"root\".`) {
		t.Errorf("the CRD lacks defaults of properties that are no secrets:\n%s", crd)
	}
	for _, args := range []string{
		"show", "check", "check -o json", "check -o sarif", "generate -o json", "generate --check",
		"explain Order properties.clientSecret", "explain Order properties.clientSecret -o json",
		"explain Order properties.login.adminPassword", "explain Order properties.login -o json",
		"diff 2020-01-01 2021-01-01 --config strata.yaml", "diff 2020-01-01 2021-01-01 --config strata.yaml -o json",
		"diff 2020-01-01 2021-01-01 --config strata.yaml -o sarif", "diff 2020-01-01 2021-01-01 --config strata.yaml -o markdown",
		"diff schemas/2020-01-01 schemas/2021-01-01", "diff schemas/2020-01-01 schemas/2021-01-01 -o json", "install",
	} {
		if out := outputOf(t, strings.Fields(args)...); strings.Contains(out, "hunter") {
			t.Errorf("strata %s prints:\n%s", args, out)
		}
	}
}

var hunter = regexp.MustCompile(`.*hunter.*`)

// hunters lists the lines of files that have values of secrets.
func hunters(t *testing.T, files map[string]string) (all []string) {
	t.Helper()
	for name, text := range files {
		for _, line := range hunter.FindAllString(text, -1) {
			all = append(all, name+": "+line)
		}
	}
	return all
}

// outputOf runs a command, which must not be misused, and returns all that it prints.
func outputOf(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Run(t.Context(), args, cli.Streams{Out: &out, Err: &errs}, engine.Engine{}); code == cli.Failed || out.Len()+errs.Len() == 0 {
		t.Errorf("%q: exit code %d: %s", args, code, &errs)
	}
	return out.String() + errs.String()
}
