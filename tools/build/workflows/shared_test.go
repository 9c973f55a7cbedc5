package workflows

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/programs"
)

// shared is the workflow that workflows of users call.
const shared = "check-api.yml"

const schemaOfUser = `{
  "resourceDefinitions": {
    "orders": {"properties": {
      "type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["2020-01-01"]},
      "properties": {"$ref": "#/definitions/OrderProperties"}}}},
  "definitions": {"OrderProperties": {"properties": {"size": {"type": "string"}, %s: {"type": "string"}}}}
}
`

const configOfUser = `apiVersion: strata.dev/v1alpha1
kind: Generation
sources: [{arm: {root: schemas}}]
output: {dir: api, module: example.com/shop/api}
groups: {suffix: example.com}
`

// TestSharedWorkflow runs the commands of the workflow in a repository of a user. They pass until a
// property has gone, and a lower bar lets that pass, too.
func TestSharedWorkflow(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds strata")
	}
	bin, dir := t.TempDir(), t.TempDir()
	if err := programs.Build(t.Context(), command.In{Dir: root(t)}, filepath.Join(bin, "strata"), "./generator/cmd/strata"); err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, step := range read(t)[shared].Jobs["check"].Steps {
		if step.Run != "" {
			steps = append(steps, step.Run)
		}
	}
	const install = `go install "github.com/stratakube/strata/generator/cmd/strata@$VERSION"`
	if len(steps) != 4 || steps[0] != install {
		t.Fatalf("the steps are %q", steps)
	}
	sh := func(line string, env ...string) (string, error) {
		c := exec.CommandContext(t.Context(), "sh", "-e", "-c", line)
		c.Dir = dir
		c.Env = append(os.Environ(), append(env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "HOME="+dir, "CONFIG=strata.yaml", "BASE=main")...)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	must := func(line string) {
		t.Helper()
		if out, err := sh(line); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("strata.yaml", configOfUser)
	write("schemas/Shop.json", fmt.Sprintf(schemaOfUser, `"gone"`))
	must("git init -q -b main && git config user.name test && git config user.email test@example.com")
	must("strata generate && git add . && git commit -qm one")
	for _, step := range steps[1:] {
		if out, err := sh(step, "FAIL_ON=clients"); err != nil {
			t.Errorf("%s fails before the change: %v\n%s", step, err, out)
		}
	}
	write("schemas/Shop.json", fmt.Sprintf(schemaOfUser, `"come"`))
	if out, err := sh(steps[1]); err == nil {
		t.Errorf("%s does not see that generated files are old:\n%s", steps[1], out)
	}
	if out, err := sh(steps[3], "FAIL_ON=clients"); err == nil || !strings.Contains(out, "1 break clients") {
		t.Errorf("%s does not see a property that has gone: %v\n%s", steps[3], err, out)
	}
	if out, err := sh(steps[3], "FAIL_ON=stored-data"); err != nil {
		t.Errorf("%s: %v\n%s", steps[3], err, out)
	}
}
