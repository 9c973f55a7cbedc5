package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source"
)

const example = `# yaml-language-server: $schema=./strata.schema.json
apiVersion: strata.dev/v1alpha1
kind: Generation
sources:
  - arm: {root: schemas, include: ["*/Microsoft.Crm.json"], exclude: ["*-preview/*"]}
  - arm: {root: more}
only: {resources: ["Microsoft.Crm/persons{,/notes}"], versions: [">=2011-01-01"]}
output: {dir: ../api, module: example.com/demo/api}
groups: {suffix: example.com}
versions: {serve: {stable: 4, preview: 1}}
kinds: {crm/Person: {rename: {owner: vendorOwner}}}
resources:
  crm:
    2014-04-04:
      PersonProperties:
        alphaKey: {nameInNextVersion: sortKey}
        middleName: {removed: assessed, conversion: custom}
    2018-08-08:
      Address: {nameInNextVersion: Location}
      Phone: {conversion: none}
check: {strict: true}
`

func TestDecode(t *testing.T) {
	got, err := config.Decode("in/strata.yaml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	want := &config.Config{
		File: "in/strata.yaml", Dir: "in",
		Sources: []config.Source{
			{ARM: &config.Tree{
				Root: filepath.Join("in", "schemas"), Include: []string{"*/Microsoft.Crm.json"}, Exclude: []string{"*-preview/*"},
			}, Pos: pos(t, `arm: {root: schemas`, "sources[0]")},
			{ARM: &config.Tree{Root: filepath.Join("in", "more"), Include: []string{"**/*.json"}}, Pos: pos(t, `arm: {root: more`, "sources[1]")},
		},
		Only: config.Only{
			Resources: []string{"Microsoft.Crm/persons{,/notes}"},
			Versions:  []config.Constraint{constraint(t, ">=2011-01-01")},
		},
		Output:   config.Output{Dir: "api", Module: "example.com/demo/api", Runtime: config.DefaultRuntime},
		Groups:   config.Groups{Suffix: "example.com"},
		Versions: config.Versions{Serve: config.ServePolicy{Stable: 4, Preview: 1}},
		Kinds: map[string]config.KindRules{"crm/Person": {
			Rename: map[string]string{"owner": "vendorOwner"}, Pos: pos(t, "crm/Person", "kinds.crm/Person"),
		}},
		Renames: []config.Rename{
			{Group: "crm", Version: "2014-04-04", Type: "PersonProperties", Property: "alphaKey", To: "sortKey",
				Pos: pos(t, "alphaKey", `resources.crm["2014-04-04"].PersonProperties.alphaKey`)},
			{Group: "crm", Version: "2018-08-08", Type: "Address", To: "Location",
				Pos: pos(t, "Address", `resources.crm["2018-08-08"].Address`)},
		},
		Removals: []config.Removal{{Group: "crm", Version: "2014-04-04", Type: "PersonProperties", Property: "middleName",
			Pos: pos(t, "middleName", `resources.crm["2014-04-04"].PersonProperties.middleName`)}},
		Conversions: []config.Conversion{
			{Group: "crm", Version: "2014-04-04", Type: "PersonProperties", Property: "middleName", Mode: config.Custom,
				Pos: pos(t, "middleName", `resources.crm["2014-04-04"].PersonProperties.middleName`)},
			{Group: "crm", Version: "2018-08-08", Type: "Phone", Mode: config.None, Pos: pos(t, "Phone", `resources.crm["2018-08-08"].Phone`)},
		},
		Check: config.Check{Strict: true},
		Install: config.Install{
			Webhook:      config.Webhook{Namespace: "strata-system", Name: "strata-webhook", Path: "/convert", Port: 443},
			Certificates: config.Self, Image: "strata-webhook:dev",
		},
	}
	compareText := cmp.Comparer(func(a, b config.Constraint) bool { return a.String() == b.String() })
	if diff := cmp.Diff(want, got, compareText, cmpopts.IgnoreUnexported(config.Config{})); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestAt(t *testing.T) {
	c, err := config.Decode("strata.yaml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reason, path string
		want         diag.Pos
	}{
		{"an element of a list", "sources[0].arm.exclude[0]", pos(t, `"*-preview`, "sources[0].arm.exclude[0]")},
		{"a quoted key", `resources.crm["2014-04-04"]`, pos(t, "PersonProperties", `resources.crm["2014-04-04"]`)},
		{"what the file leaves out is where it would stand", "sources[1].arm.include[0]", pos(t, "{root: more", "sources[1].arm")},
		{"an unknown rule of a known version", `resources.crm["2014-04-04"].Nobody["a.b"].x`, pos(t, "PersonProperties", `resources.crm["2014-04-04"]`)},
		{"nothing around it", "plugins", diag.InFile("strata.yaml")},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			tt.want.File = "strata.yaml"
			if got := c.At(tt.path); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// pos returns the position where a piece of the example first appears.
func pos(t *testing.T, piece, path string) diag.Pos {
	t.Helper()
	offset := strings.Index(example, piece)
	if offset < 0 {
		t.Fatalf("%q is not in the example", piece)
	}
	return diag.At("in/strata.yaml", offset, path)
}

func constraint(t *testing.T, text string) config.Constraint {
	t.Helper()
	c, err := config.ParseConstraint(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{
		"schemas/2011-01-01/Crm.json", "schemas/2011-01-01/Other.json", "schemas/2012-02-02-preview/Crm.json",
		"schemas/2010-01-01/Crm.json", "schemas/common/definitions.json", "schemas/README.md",
	} {
		write(t, name, nil)
	}
	arm := config.Tree{Root: "schemas", Include: []string{"{*,*/*}/Crm.json", "common/*"}, Exclude: []string{"*-preview/*"}}
	tree, err := source.List(arm.Root, os.DirFS(arm.Root))
	if err != nil || len(tree) != 6 {
		t.Fatalf("all files are %q, %v", tree, err)
	}
	var got []string
	for _, path := range tree {
		if arm.Match(path) {
			got = append(got, path)
		}
	}
	want := []string{"2010-01-01/Crm.json", "2011-01-01/Crm.json", "common/definitions.json"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	arm.Include = append(arm.Include, "*-preview/*", "*/Crm.jsn")
	if diff := cmp.Diff([]int{3}, arm.Idle(tree)); diff != "" {
		t.Errorf("globs that match nothing, whatever is excluded (-want +got):\n%s", diff)
	}
}

// TestOutputThroughLink checks that a link within the repository cannot lead the output out of it.
// A link that stays inside is allowed.
func TestOutputThroughLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links: on this system they need rights")
	}
	for name, target := range map[string]string{"out": "../elsewhere", "inside": "real"} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, dir := range []string{"repo/.git", "repo/in/schemas", "repo/in/more", "repo/real", "elsewhere"} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(target, "repo/link"); err != nil {
				t.Fatal(err)
			}
			write(t, "repo/in/strata.yaml", []byte(strings.Replace(example, "../api", "../link/api", 1)))
			_, err := config.Read("repo/in/strata.yaml", nil)
			if isOutOfRepository := err != nil && strings.Contains(err.Error(), "outside of the repository"); isOutOfRepository != (name == "out") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestReadMissing(t *testing.T) {
	_, err := config.Read(filepath.Join(t.TempDir(), "strata.yaml"), nil)
	m, ok := err.(diag.Message)
	if !ok || !strings.Contains(m.Hint, "--config") {
		t.Errorf("got %#v, want a message with a hint to --config", err)
	}
}
