package targets

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/archives"
	"github.com/stratakube/strata/tools/build/modules"
)

// TestPrefix requires the prefix of this repository, also if an example of another project comes
// first.
func TestPrefix(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	w.Modules = append([]modules.Module{{Path: "example.com/backup", Name: "operator/plugin/example/backup"}}, w.Modules...)
	if got := prefix(w); got != "github.com/stratakube/strata" {
		t.Errorf("the prefix is %s", got)
	}
}

// TestTrust sets the variables that the guide names, for signatures of the workflow and of a key.
func TestTrust(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(w.Root, "docs", "guide", "howto", "install-strata.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{keyVariable, rootVariable, identityVariable, issuerVariable} {
		t.Setenv(name, "")
	}
	for _, m := range regexp.MustCompile(`(?m)^export (\w+)=(.+)$`).FindAllStringSubmatch(string(page), -1) {
		t.Setenv(m[1], m[2])
	}
	want := archives.Trust{
		Root:     "bin/trusted_root.json",
		Identity: "https://github.com/stratakube/strata/.github/workflows/release.yml@refs/tags/generator/v0.1.0",
		Issuer:   "https://token.actions.githubusercontent.com",
	}
	if diff := cmp.Diff(want, trust()); diff != "" {
		t.Errorf("of a workflow (-want +got):\n%s", diff)
	}
	for _, name := range []string{rootVariable, identityVariable, issuerVariable} {
		t.Setenv(name, "")
	}
	t.Setenv("STRATA_RELEASE_KEY", "cosign.pub")
	if diff := cmp.Diff(archives.Trust{Key: "cosign.pub"}, trust()); diff != "" {
		t.Errorf("of a key (-want +got):\n%s", diff)
	}
}
