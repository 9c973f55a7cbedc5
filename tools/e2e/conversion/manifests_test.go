package conversion_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

const personOf2013 = `# A person of the first version.
apiVersion: crm.example.com/v20130303 # old
kind: Person
metadata: {name: mickey}
spec:
  azureName: mickey
  properties:
    # As on the passport.
    firstName: Michael
    middleName: Theodore
    lastName: Mouse # of course
    residentialAddress:
      label: 1313 S. Harbor Blvd # at home
`

const personOf2019 = `# A person of the first version.
apiVersion: crm.example.com/v20190909 # old
kind: Person
metadata: {name: mickey}
spec:
  azureName: mickey
  properties:
    # As on the passport.
    knownAs: Michael
    legalName: Michael Theodore Mouse
    familyName: Mouse # of course
    residentialAddress:
      street: 1313 S. Harbor Blvd # at home
`

// TestConvertBySteps converts manifests of a kind with hand-written steps, in both directions, by
// the webhook of the worked example.
func TestConvertBySteps(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	for name, pkg := range map[string]string{"strata": "./generator/cmd/strata", "strata-webhook": "./operator/cmd/strata-webhook"} {
		if err := programs.Build(t.Context(), command.In{Dir: w.Root}, filepath.Join(bin, name), pkg); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "person.yaml")
	if err := os.WriteFile(file, []byte(personOf2013), 0o600); err != nil {
		t.Fatal(err)
	}
	convert := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), filepath.Join(bin, "strata"), append([]string{"convert", "--from", filepath.Join(w.Root, "operator", "api", "conversions"), file}, args...)...)
		c.Dir = dir
		var out, failed strings.Builder
		c.Stdout, c.Stderr = &out, &failed
		_ = c.Run() // its exit code is checked
		if got := c.ProcessState.ExitCode(); got != want {
			t.Fatalf("strata convert %v: exit code %d, want %d\n%s", args, got, want, failed.String())
		}
		return out.String(), failed.String()
	}
	_, stderr := convert(2, "--to", "v20190909")
	if !strings.Contains(stderr, "person.yaml:2:13: hand-written steps take part") || !strings.Contains(stderr, "\n  strata convert --converter 'bin/webhook convert' ...\n") {
		t.Errorf("without a program: %s", stderr)
	}
	command := "--converter=" + filepath.Join(bin, "strata-webhook") + " convert"
	if out, _ := convert(0, "--to", "v20190909", command); out != personOf2019 {
		t.Errorf("in 2019-09-09:\n%s", out)
	}
	if out, _ := convert(1, "--to", "v20190909", command, "--check"); out != file+"\n" {
		t.Errorf("the check lists %q", out)
	}
	if _, stderr := convert(2, "--to", "v20140404", command); !strings.Contains(stderr, "person.yaml:12:5: Person mickey: v20140404 cannot express spec.properties.residentialAddress") {
		t.Errorf("in 2014-04-04: %s", stderr)
	}
	for _, version := range []string{"v20140404", "v20130303"} { // the address of 2014 is in the property bag
		convert(0, "--to", version, command, "--keep", "--write")
	}
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), strings.Replace(personOf2013, " # at home", "", 1)) {
		t.Errorf("through 2014-04-04: %v\n%s", err, text)
	}

	// A program of the group's name is found beside strata.
	if err := os.Rename(filepath.Join(bin, "strata-webhook"), filepath.Join(bin, "strata-converter-crm.example.com")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(personOf2019), 0o600); err != nil {
		t.Fatal(err)
	}
	convert(0, "--to", "v20130303", "--write")
	if text, err := os.ReadFile(file); err != nil || string(text) != personOf2013 {
		t.Errorf("back in 2013-03-03: %v\n%s", err, text)
	}
	convert(0, "--to", "v20130303", "--check")

	// The hook of pre-commit passes its arguments, and the files.
	hook := hookOf(t, w.Root, "strata-convert")
	for version, want := range map[string]int{"v20190909": 1, "v20130303": 0} {
		c := exec.CommandContext(t.Context(), filepath.Join(bin, hook[0]), append(hook[1:], "--to", version, "--from", filepath.Join(w.Root, "operator", "api", "conversions"), file)...)
		out, _ := c.CombinedOutput()
		if got := c.ProcessState.ExitCode(); got != want || strings.Contains(string(out), file) != (want == 1) {
			t.Errorf("the hook has exit code %d for %s, want %d: %s", got, version, want, out)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != personOf2013 {
		t.Errorf("after the hook: %v\n%s", err, text)
	}
}

// hookOf returns the command of a hook that the repository publishes for pre-commit.
func hookOf(t *testing.T, root, id string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct{ ID, Entry, Language string }
	if err := yaml.Unmarshal(text, &hooks); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(hooks, func(h struct{ ID, Entry, Language string }) bool { return h.ID == id && h.Language == "system" })
	if at < 0 {
		t.Fatalf("there is no hook %s: %+v", id, hooks)
	}
	return strings.Fields(hooks[at].Entry)
}
