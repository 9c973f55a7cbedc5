package engine_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

const packagedConfig = `apiVersion: strata.dev/v1alpha1
kind: Generation
sources:
  - go: {packages: ["./shop"]}
output: {dir: api, module: example.com/shop/api, crdPackage: true}
kinds: {shop-example-com/Gadget: {hub: HUB}, shop-example-com/Widget: {hub: HUB}}
`

const packagedShop = `// +groupName=shop.example.com
// +strata:version:name=v1
// +strata:version:name=v2
package shop

// +strata:resource
type WidgetSpec struct {
	// +strata:added:since=v2
	Colour string ` + "`json:\"colour\"`" + `
}

// +strata:resource
type GadgetSpec struct {
	Name string ` + "`json:\"name\"`" + `
}
`

const packagedTest = `package shop_test

import (
	"slices"
	"testing"

	"example.com/shop/api/crds"
)

func TestCRDs(t *testing.T) {
	all, err := crds.CRDs()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	if want := []string{"gadgets.shop.example.com", "widgets.shop.example.com"}; !slices.Equal(names, want) {
		t.Fatalf("%q, want %q", names, want)
	}
	if got, want := stored(t, ""), "v2storage"; got != want {
		t.Errorf("%s is stored, want %s", got, want)
	}
	if got := stored(t, "v1storage"); got != "v1storage" {
		t.Errorf("%s is stored, want that of the former hub", got)
	}
	if got, want := crds.Storable("widgets.shop.example.com"), []string{"v2storage", "v1storage"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, wrong := range [][2]string{{"widgets.shop.example.com", "v1"}, {"widgets.shop.example.com", "v3"}, {"../crds", ""}} {
		if crd, err := crds.CRD(wrong[0], wrong[1]); err == nil {
			t.Errorf("%q: %v", wrong, crd.Name)
		} else {
			t.Log(err)
		}
	}
	all[1].Spec.Versions[0].Name = "changed"
	if again, err := crds.CRD("widgets.shop.example.com", ""); err != nil || again.Spec.Versions[0].Name != "v1" {
		t.Errorf("a caller changes the CRDs of others: %v", err)
	}
}

// stored returns the only stored version.
func stored(t *testing.T, version string) string {
	crd, err := crds.CRD("widgets.shop.example.com", version)
	if err != nil {
		t.Fatal(err)
	}
	if crd.Spec.Conversion == nil || crd.Spec.Conversion.Webhook == nil || len(crd.Spec.Versions) != 4 {
		t.Errorf("%+v", crd.Spec)
	}
	var out []string
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			out = append(out, v.Name)
		}
	}
	if len(out) != 1 {
		t.Fatalf("%q are stored", out)
	}
	return out[0]
}
`

// TestCRDPackage checks that a program gets CRDs as values, and chooses the stored version among
// those of the hub and of former hubs. The rest of the API requires nothing for it.
func TestCRDPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles much")
	}
	dir := t.TempDir()
	module(t, dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod -trimpath")
	write(t, dir, "shop/shop.go", packagedShop)
	write(t, dir, "shop/crds_test.go", packagedTest)
	for _, hub := range []string{"v1", "v2"} {
		write(t, dir, "strata.yaml", strings.ReplaceAll(packagedConfig, "HUB", hub))
		if code, _, errs := generate(t.Context(), dir+"/strata.yaml"); code != cli.Done {
			t.Fatalf("exit code %d: %s", code, errs)
		}
	}
	isFormatted(t, dir+"/api")
	write(t, dir, "go.mod", contentsOf(t, dir+"/go.mod")+requirementOf(t, "k8s.io/apiextensions-apiserver"))
	write(t, dir, "go.sum", contentsOf(t, dir+"/go.sum")+contentsOf(t, "../../go.sum"))
	goTool(t, dir, "test", "./shop", "./api/crds")

	write(t, dir, "strata.yaml", strings.Replace(strings.ReplaceAll(packagedConfig, "HUB", "v2"), ", crdPackage: true", "", 1))
	if code, _, errs := generate(t.Context(), dir+"/strata.yaml"); code != cli.Done {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	if _, err := os.Stat(dir + "/api/crds/crds.go"); err == nil {
		t.Error("the package stays though nothing asks for it")
	}
}

// requirementOf returns the line of the generator's go.mod that requires a module.
func requirementOf(t *testing.T, path string) string {
	t.Helper()
	for line := range strings.Lines(contentsOf(t, "../../go.mod")) {
		if strings.HasPrefix(strings.TrimSpace(line), path+" ") {
			return "\nrequire " + strings.TrimSpace(line) + "\n"
		}
	}
	t.Fatal("the generator does not require " + path)
	return ""
}
