package scaffold_test

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/scaffold"
)

// TestLook looks through archives, each of which says what is found.
func TestLook(t *testing.T) {
	for _, name := range []string{"project", "crds"} {
		t.Run(name, func(t *testing.T) {
			dir, want := unpack(t, "testdata/"+name+".txtar")
			found, err := scaffold.Look(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, list(found)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
			below := filepath.Join(dir, "below", "shop")
			if err := os.MkdirAll(below, 0o755); err != nil {
				t.Fatal(err)
			}
			if found, err := scaffold.Look(t.Context(), below); err != nil || found.Module != "example.com/demo/below/shop" {
				t.Errorf("the module below is %v, %v", found, err)
			}
		})
	}
}

// unpack writes the files of an archive, except for the one called want.
func unpack(t *testing.T, name string) (dir, want string) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir, want
}

// TestPatterns checks which packages one pattern names: those of a folder that has resources and
// what they import, so that packages of later versions are read too.
func TestPatterns(t *testing.T) {
	const root = "package p\n\n// +kubebuilder:object:root=true\ntype W struct{}\n"
	uses := func(name string) string {
		return strings.Replace(root, "\n\n", "\n\nimport _ \"example.com/demo/"+name+"\"\n\n", 1)
	}
	for _, test := range []struct {
		reason string
		files  map[string]string
		want   string
	}{
		{"versions", map[string]string{"api/v1/w.go": root, "api/v2/w.go": root}, "go=./api/..."},
		{"one version", map[string]string{"api/v1beta1/w.go": root}, "go=./api/..."},
		{"one version beside a controller", map[string]string{"pkg/v1/w.go": root, "pkg/controller/c.go": "package controller\n"}, "go=./pkg/v1"},
		{"one package", map[string]string{"shop/w.go": root}, "go=./shop"},
		{"a version in the folder of the module", map[string]string{"v1/w.go": root}, "go=./v1"},
		{
			"shared packages", map[string]string{
				"apis/edge/v1/w.go": uses("apis/common"), "apis/shop/v1/w.go": root,
				"apis/common/c.go": "package common\n\nimport _ \"example.com/demo/apis/internal/text\"\n", "apis/internal/text/t.go": "package text\n",
			}, "go=./apis/...",
		},
		{
			"controllers", map[string]string{
				"pkg/api/v1/w.go": root, "pkg/api/v2/w.go": uses("pkg/units"), "pkg/units/u.go": "package units\n", "pkg/other/v1/w.go": root, "pkg/controller/c.go": "package controller\n",
			}, "go=./pkg/api/v1 go=./pkg/api/v2 go=./pkg/other/v1",
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			test.files["go.mod"] = "module example.com/demo\n"
			for name, body := range test.files {
				name = filepath.Join(dir, filepath.FromSlash(name))
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(body), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			found, err := scaffold.Look(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range found.Sources {
				got = append(got, s.String())
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLookInProjects looks through projects in the layouts of kubebuilder: the Go packages are the
// source, in one pattern, and what is made from them is none.
func TestLookInProjects(t *testing.T) {
	const made = "the Go packages declare its kinds"
	for name, want := range map[string]struct {
		kinds, left string
		statuses    int
		build       string
	}{
		"single": {
			kinds: "api/v1 shop.example.com Book 1; api/v1alpha1 shop.example.com Book 1",
			left: "config/crd/bases/shop.example.com_books.yaml: " + made +
				"; config/crd/patches/cainjection_in_books.yaml and 1 more: a patch of a CRD; dist/install.yaml: " + made,
			statuses: 2,
			build:    "Makefile config/crd/kustomization.yaml   internal/controller/suite_test.go internal/webhook/v1/webhook_suite_test.go",
		},
		"multigroup": {
			kinds:    "api/crew/v1 crew.example.com Captain 0; api/ship/v1 ship.example.com Frigate 0; api/ship/v1beta1 ship.example.com Frigate 0",
			left:     "config/crd/bases/crew.example.com_captains.yaml and 1 more: " + made,
			statuses: 3,
			build:    "Makefile config/crd/kustomization.yaml  ",
		},
		"webhooks": {
			kinds: "api/v1 menu.example.com Oven,Recipe 1; api/v1beta1 menu.example.com Recipe 1",
			left: "config/crd/bases/menu.example.com_ovens.yaml and 1 more: " + made +
				"; config/crd/patches/webhook_in_recipes.yaml: a patch of a CRD; dist/chart/templates/crd/recipes.menu.example.com.yaml: " + made,
			statuses: 3,
			build:    "Makefile config/crd/kustomization.yaml kitchen-system/kitchen-webhook-service kitchen-system/kitchen-serving-cert",
		},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := scaffold.Look(t.Context(), filepath.Join("testdata/projects", name))
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Sources) != 1 || found.Sources[0].String() != "go=./api/..." || !slices.Equal(found.Programs, []string{"cmd/main.go"}) {
				t.Errorf("sources are %v, programs %v", found.Sources, found.Programs)
			}
			var kinds, left []string
			statuses := 0
			for _, p := range found.Packages {
				kinds = append(kinds, fmt.Sprint(p.Dir, " ", p.Group, " ", strings.Join(p.Kinds, ","), " ", len(p.Conversions)))
				statuses += len(p.Statuses)
			}
			for _, l := range found.Left {
				left = append(left, l.String())
			}
			if got := strings.Join(kinds, "; "); got != want.kinds || statuses != want.statuses {
				t.Errorf("kinds are %s, with %d statuses, want %s and %d", got, statuses, want.kinds, want.statuses)
			}
			if got := strings.Join(left, "; "); got != want.left {
				t.Errorf("left are %s\nwant %s", got, want.left)
			}
			c, err := scaffold.Choices{}.Complete(found)
			if err != nil || c.Output != "versions" {
				t.Errorf("the output is %q, %v", c.Output, err)
			}
			if got := strings.Join(append([]string{found.Build.Makefile, found.Build.Kustomization, c.Service, c.Certificate}, found.Build.Suites...), " "); got != want.build || !c.Kustomization {
				t.Errorf("what builds and installs is %q, with a kustomization: %t", got, c.Kustomization)
			}
			checkInstall(t, c)
			asksToWrite(t, found)
		})
	}
}

// asksToWrite checks that the last question is whether the user's files are edited, and that
// nothing is edited without a yes.
func asksToWrite(t *testing.T, found *scaffold.Found) {
	t.Helper()
	c := scaffold.Choices{Sources: found.Sources}
	all := scaffold.Questions(found, c, false)
	q := all[len(all)-1]
	if !strings.Contains(q.Text, "--write") || !q.Asked(c) || q.Proposal(c) != "no" {
		t.Fatalf("the last question is %q, asked: %t", q.Text, q.Asked(c))
	}
	if err := q.Set(&c, "perhaps"); err == nil || c.Write {
		t.Errorf("perhaps is taken for an answer: %v", err)
	}
	for _, answer := range []string{"no", "yes"} {
		if err := q.Set(&c, answer); err != nil || c.Write != (answer == "yes") {
			t.Errorf("%s: %v, edits: %t", answer, err, c.Write)
		}
	}
	if q.Asked(c) || q.Asked(scaffold.Choices{Sources: []scaffold.Source{{Kind: "crd", Path: "config/crd"}}}) {
		t.Error("it is asked after --write, or where there is nothing to edit")
	}
}

// checkInstall checks that strata reads from the configuration what the project deploys.
func checkInstall(t *testing.T, c scaffold.Choices) {
	t.Helper()
	body := c.Files(nil)[0].Body
	read, err := config.Decode(scaffold.ConfigFile, body)
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	in := read.Install
	if read.Output.Kustomization != c.Kustomization || in.Certificate != c.Certificate || c.Service != "" && in.Webhook.Namespace+"/"+in.Webhook.Name != c.Service {
		t.Errorf("the configuration says %+v\n%s", in, body)
	}
}

// TestDeployed finds the webhook's service and certificate by what config/default deploys.
func TestDeployed(t *testing.T) {
	const (
		service = "kind: Service\nmetadata: {name: hook}\n"
		first   = "kind: Certificate\nmetadata: {name: first}\nspec: {secretName: a}\n"
		second  = "kind: Certificate\nmetadata: {name: second}\nspec: {secretName: webhook-server-cert}\n"
	)
	for _, test := range []struct{ reason, whole, certificates, want string }{
		{"both, with prefix and suffix", "namespace: n\nnamePrefix: a-\nnameSuffix: -z\nresources: [../webhook, ../certmanager]\n", first, "n/a-hook-z n/a-first-z"},
		{"the certificate of the webhook among several", "namespace: n\nbases:\n- ../webhook\n- ../certmanager\n", first + "---\n" + second, "n/hook n/second"},
		{"none of several", "namespace: n\nresources: [../webhook, ../certmanager]\n", first + "---\n" + first, "n/hook "},
		{"cert-manager is not deployed", "namespace: n\nresources:\n- ../webhook\n#- ../certmanager\n", first, "n/hook "},
		{"the webhook is not deployed", "namespace: n\nresources:\n- ../certmanager\n", first, " "},
		{"no namespace", "resources: [../webhook]\n", first, " "},
		{"no YAML", "namespace: [\n", first, " "},
	} {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"default/kustomization": test.whole, "webhook/service": service, "certmanager/certificate": test.certificates} {
				name = filepath.Join(dir, "config", filepath.FromSlash(name)+".yaml")
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			found, err := scaffold.Look(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := found.Build.Service + " " + found.Build.Certificate; got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

// TestReleases checks that CRDs of several releases become a list of releases, the oldest first,
// and that other folders do not.
func TestReleases(t *testing.T) {
	const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: NAMEs.example.com}\n" +
		"spec: {group: example.com, names: {plural: NAMEs, kind: NAME}, versions: []}\n"
	for _, test := range []struct {
		reason string
		files  map[string]string // the kind, by the file
		want   string
	}{
		{"releases by number", map[string]string{"crds/v1.4/a.yaml": "A", "crds/v1.10/a.yaml": "A", "crds/v1.10/b.yaml": "B", "crds/v1.4.1/a.yaml": "A"}, "crd: {releases: [crds/v1.4, crds/v1.4.1, crds/v1.10]}"},
		{"names without a v", map[string]string{"crds/2.0.0/a.yaml": "A", "crds/2.0.0-rc.1/a.yaml": "A"}, "crd: {releases: [crds/2.0.0-rc.1, crds/2.0.0]}"},
		{"no kind is in two", map[string]string{"crds/v1.4/a.yaml": "A", "crds/v1.5/b.yaml": "B"}, "crd: {root: crds}"},
		{"folders of groups", map[string]string{"crds/shop/a.yaml": "A", "crds/depot/a.yaml": "A"}, "crd: {root: crds}"},
		{"a file beside them", map[string]string{"crds/v1.4/a.yaml": "A", "crds/v1.5/a.yaml": "A", "crds/b.yaml": "B"}, "crd: {root: crds}"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			for name, kind := range test.files {
				name = filepath.Join(dir, filepath.FromSlash(name))
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(strings.ReplaceAll(crd, "NAME", kind)), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			found, err := scaffold.Look(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			c, err := scaffold.Choices{Module: "example.com/x/api"}.Complete(found)
			if err != nil {
				t.Fatal(err)
			}
			body := string(c.Files(nil)[0].Body)
			if !strings.Contains(body, "  - "+test.want+"\n") {
				t.Errorf("%q is not in\n%s", test.want, body)
			}
			if _, err := config.Decode(scaffold.ConfigFile, []byte(body)); err != nil {
				t.Error(err)
			}
		})
	}
}

func list(found *scaffold.Found) string {
	var b strings.Builder
	fmt.Fprintln(&b, found.Module)
	for _, s := range found.Sources {
		files := "files"
		if s.Files == 1 {
			files = "file"
		}
		fmt.Fprintf(&b, "%s %s (%d %s)", s.Kind, s.Path, s.Files, files)
		if s.Include != nil {
			fmt.Fprintf(&b, ": %s", strings.Join(s.Include, " "))
		}
		b.WriteByte('\n')
	}
	for _, l := range found.Left {
		fmt.Fprintln(&b, "not", l)
	}
	return b.String()
}

// TestLookEndsWithItsContext checks that a search through a large folder can be stopped.
func TestLookEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := scaffold.Look(ctx, t.TempDir()); err == nil {
		t.Error("the look went on")
	}
}

// TestLookAtOddFiles checks that a search reads no file that is none, and takes the module that the
// go command takes.
func TestLookAtOddFiles(t *testing.T) {
	for name, test := range map[string]struct {
		make   func(file string) error
		module string
	}{
		"Makefile": {func(file string) error { return os.Mkdir(file, 0o755) }, "example.com/outer/inner"},
		"go.work":  {func(file string) error { return os.Mkdir(file, 0o755) }, "example.com/outer/inner"},
		"go.mod":   {func(file string) error { return os.WriteFile(file, []byte("go 1.26\n"), 0o600) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			inner := filepath.Join(dir, "inner")
			if err := errors.Join(os.Mkdir(inner, 0o755), os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/outer\n"), 0o600), test.make(filepath.Join(inner, name))); err != nil {
				t.Fatal(err)
			}
			if found, err := scaffold.Look(t.Context(), inner); err != nil || found.Module != test.module {
				t.Errorf("found %+v, %v", found, err)
			}
		})
	}
}

// TestNextQuotesFolders checks that the names of folders, which others may have chosen, are words
// of the commands that follow, and that a pattern of all packages names each.
func TestNextQuotesFolders(t *testing.T) {
	found := &scaffold.Found{Module: "example.com/demo", HasRuntime: true, Packages: []scaffold.Package{{Dir: "api/$(id)", Kinds: []string{"W"}}}}
	everything, err := scaffold.ParseSource("go=./...")
	if err != nil {
		t.Fatal(err)
	}
	c := scaffold.Choices{Sources: []scaffold.Source{everything}, Output: "out;id"}
	want := []string{"strata generate", "go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object 'paths=./api/$(id)'", "go test './out;id/...'"}
	if diff := cmp.Diff(want, c.Next(found, "strata")); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// TestNextGetsRuntimeFirst checks that a project gets the runtime before it generates, if generate
// reads types whose statuses embed one of the runtime's, and with the webhook if it serves one.
func TestNextGetsRuntimeFirst(t *testing.T) {
	c := scaffold.Choices{Sources: []scaffold.Source{{Kind: "go", Path: "shop"}}, Output: "api"}
	kind := scaffold.Package{Dir: "shop", Kinds: []string{"W"}}
	const copies = "go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object paths=./shop"
	for _, test := range []struct {
		reason, webhook string
		edit            func(*scaffold.Package)
		want            []string
	}{
		{"edited types", "", func(*scaffold.Package) {}, []string{"go get github.com/stratakube/strata/runtime", "strata generate", copies}},
		{"with a webhook", "cmd/webhook", func(*scaffold.Package) {}, []string{"go get github.com/stratakube/strata/webhook", "strata generate", copies}},
		{"types to edit", "", func(p *scaffold.Package) { p.Statuses = []scaffold.Status{{}} }, []string{"go get github.com/stratakube/strata/runtime", "strata init --write", "strata generate"}},
		{"no types of kinds", "", func(p *scaffold.Package) { p.Kinds = nil }, []string{"strata generate", "go get github.com/stratakube/strata/runtime && go mod tidy", "go test ./api/..."}},
	} {
		p := kind
		test.edit(&p)
		c.Webhook = test.webhook
		found := &scaffold.Found{Module: "example.com/demo", Packages: []scaffold.Package{p}}
		if diff := cmp.Diff(test.want, c.Next(found, "strata")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestComplete(t *testing.T) {
	shop, schemas := scaffold.Source{Kind: "go", Path: "shop"}, scaffold.Source{Kind: "arm", Path: "schemas"}
	in := func(sources ...scaffold.Source) *scaffold.Found {
		return &scaffold.Found{Module: "example.com/demo", Sources: sources}
	}
	for _, test := range []struct {
		reason string
		found  *scaffold.Found
		given  scaffold.Choices
		want   scaffold.Choices
		wrong  string
	}{
		{
			reason: "what is found is taken", found: in(shop),
			want: scaffold.Choices{Sources: []scaffold.Source{shop}, Output: "api", Module: "example.com/demo/api"},
		},
		{
			reason: "what is chosen stands above what is found", found: in(shop), given: scaffold.Choices{Sources: []scaffold.Source{schemas}, Output: "gen", Module: "example.com/x", Suffix: "example.org"},
			want: scaffold.Choices{Sources: []scaffold.Source{schemas}, Output: "gen", Module: "example.com/x", Suffix: "example.org"},
		},
		{
			reason: "groups of schemas need a suffix", found: in(schemas),
			want: scaffold.Choices{Sources: []scaffold.Source{schemas}, Output: "api", Module: "example.com/demo/api", Suffix: "example.com"},
		},
		{
			reason: "the output is no folder of packages that are read", found: in(scaffold.Source{Kind: "go", Path: "api/v1"}),
			want: scaffold.Choices{Sources: []scaffold.Source{{Kind: "go", Path: "api/v1"}}, Output: "versions", Module: "example.com/demo/versions"},
		},
		{
			reason: "the output is not taken for the packages in apis", found: in(scaffold.Source{Kind: "go", Path: "apis/shop/v1"}),
			want: scaffold.Choices{Sources: []scaffold.Source{{Kind: "go", Path: "apis/shop/v1"}}, Output: "versions", Module: "example.com/demo/versions"},
		},
		{
			reason: "a new API is a source", found: &scaffold.Found{}, given: scaffold.Choices{New: &scaffold.NewAPI{Group: "shop.example.com", Kind: "Widget"}, GoModule: "example.com/demo"},
			want: scaffold.Choices{
				New: &scaffold.NewAPI{Group: "shop.example.com", Kind: "Widget", Versions: []string{"v1alpha1"}, Folder: "shop"}, GoModule: "example.com/demo",
				Sources: []scaffold.Source{shop}, Output: "api", Module: "example.com/demo/api",
			},
		},
		{reason: "a new API is none that exists", found: in(), given: scaffold.Choices{New: &scaffold.NewAPI{}, Sources: []scaffold.Source{shop}}, wrong: "exclude each other"},
		{reason: "a folder must be a package", found: in(), given: scaffold.Choices{New: &scaffold.NewAPI{Group: "1.example.com", Kind: "W"}}, wrong: "name of a Go package"},
		{reason: "a package can be imported", found: in(), given: scaffold.Choices{New: &scaffold.NewAPI{Group: "main.example.com", Kind: "W"}}, wrong: "name of a Go package"},
		{reason: "a package is one that the go command finds", found: in(), given: scaffold.Choices{New: &scaffold.NewAPI{Group: "testdata.example.com", Kind: "W"}}, wrong: "name of a Go package"},
		{reason: "a package is none of a vendored module", found: in(), given: scaffold.Choices{New: &scaffold.NewAPI{Group: "a.example.com", Kind: "W", Folder: "vendor/a"}}, wrong: "name of a Go package"},
		{reason: "a module is made where there is none", found: in(shop), given: scaffold.Choices{GoModule: "example.com/other"}, wrong: "in the Go module of example.com/demo already"},
		{reason: "a module has a path", found: &scaffold.Found{Sources: []scaffold.Source{shop}}, given: scaffold.Choices{GoModule: "no path"}, wrong: "path of a Go module"},
		{reason: "without a source there is nothing to generate", found: in(), wrong: "nothing here"},
		{reason: "without a module generated code has no import path", found: &scaffold.Found{Sources: []scaffold.Source{shop}}, wrong: "no Go module"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := test.given.Complete(test.found)
			switch {
			case test.wrong != "":
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Errorf("error %v, want one with %q", err, test.wrong)
				}
			case err != nil:
				t.Error(err)
			default:
				if diff := cmp.Diff(test.want, got, cmpopts.IgnoreUnexported(scaffold.Choices{})); diff != "" {
					t.Errorf("chosen (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestFiles checks that strata reads the configuration with all choices, and that the program
// compiles and has at most twenty lines.
func TestFiles(t *testing.T) {
	choices := scaffold.Choices{
		Sources: []scaffold.Source{
			{Kind: "arm", Path: "schemas"}, {Kind: "bicep", Path: "odd: name"}, {Kind: "crd", Path: "config/crd", Include: []string{"a.yaml", "b/*.yaml"}},
			{Kind: "openapi", Path: "docs"}, {Kind: "go", Path: "apis/shop"}, {Kind: "go", Path: "apis/v1"},
		},
		Output: "api", Module: "example.com/demo/api", Suffix: "example.com", Webhook: "cmd/converter",
	}
	files := choices.Files([]byte("{}"))
	if len(files) != 5 || files[1].Path != scaffold.SchemaFile || files[2].Path != "cmd/converter/main.go" {
		t.Fatalf("files are %v", files)
	}
	c, err := config.Decode(files[0].Path, files[0].Body)
	if err != nil {
		t.Fatalf("%v\n%s", err, files[0].Body)
	}
	if len(c.Sources) != 5 || c.Sources[1].Bicep.Root != "odd: name" || c.Sources[2].CRD.Include[1] != "b/*.yaml" ||
		len(c.Sources[4].Go.Packages) != 2 || c.Output.Dir != "api" || c.Groups.Suffix != "example.com" {
		t.Errorf("the configuration says %+v", c)
	}
	if !strings.HasPrefix(string(files[0].Body), "# yaml-language-server: $schema=./"+scaffold.SchemaFile+"\n") {
		t.Errorf("the first line names no schema: %.80s", files[0].Body)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "main.go", files[2].Body, parser.AllErrors); err != nil || strings.Count(string(files[2].Body), "\n") > 20 {
		t.Errorf("%v in a main of\n%s", err, files[2].Body)
	}
}

func TestParseSource(t *testing.T) {
	for text, want := range map[string]string{"go=./shop": "go=./shop", "go=shop/": "go=./shop", "go=.": "go=.", "crd=config//crd": "crd=config/crd"} {
		if got, err := scaffold.ParseSource(text); err != nil || got.String() != want {
			t.Errorf("%s is %s, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"shop": "such as go=./shop", "go=": "such as go=./shop", "cdr=x": `did you mean "crd"?`, "tables=x": "kinds are go"} {
		var m diag.Message
		if _, err := scaffold.ParseSource(text); !errors.As(err, &m) || !strings.Contains(m.Hint, want) {
			t.Errorf("%s: %v, want a hint with %q", text, err, want)
		}
	}
}

func TestParseNewAPI(t *testing.T) {
	for _, text := range []string{"", "Widget", "shop/Widget", "shop.example.com/widget", "Shop.example.com/Widget", "shop.example.com/Wid get", "shop..com/W", "a.b/" + strings.Repeat("W", 64)} {
		if api, err := scaffold.ParseNewAPI(text); err == nil {
			t.Errorf("%q is %+v", text, api)
		}
	}
	for _, text := range []string{"", "v", "1", "v0", "v1gamma1", "v1,", "v1;v2", "v1,v1"} {
		if versions, err := scaffold.ParseVersions(text); err == nil {
			t.Errorf("%q is %v", text, versions)
		}
	}
	if versions, err := scaffold.ParseVersions("v1alpha1, v1"); err != nil || !slices.Equal(versions, []string{"v1alpha1", "v1"}) {
		t.Errorf("versions are %v, %v", versions, err)
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{"../bin/strata": "../bin/strata", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$x": "'$x'"} {
		if got := scaffold.ShellWord(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}

// TestWorkspace checks that a workspace states the latest version of Go that its modules require.
func TestWorkspace(t *testing.T) {
	for project, want := range map[string]string{"go 1.24\n": "go 1.26.0\n", "go 1.26.8 // pinned\n": "go 1.26.8\n", "": "go 1.26.0\n", "go 1.100rc1\n": "go 1.100rc1\n"} {
		dir := t.TempDir()
		for name, text := range map[string]string{"demo/go.mod": "module example.com/demo\n\n" + project, "strata/runtime/go.mod": "module github.com/stratakube/strata/runtime\n\ngo 1.26.0\n"} {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		found, err := scaffold.Look(t.Context(), filepath.Join(dir, "demo"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := scaffold.Choices{Output: "api", Checkout: "../strata"}.CheckOut(filepath.Join(dir, "demo"), found)
		if err != nil {
			t.Fatal(err)
		}
		files := c.Files(nil)
		if work := files[len(files)-1]; work.Path != scaffold.WorkFile || !strings.HasPrefix(string(work.Body), want) || !strings.Contains(string(work.Body), "\t../strata/webhook\n") {
			t.Errorf("%q: %s is\n%s", project, work.Path, work.Body)
		}
	}
}

// TestWorkspaceOfUser checks that a go.work that exists keeps all that it has, that a second run
// changes nothing, and that a workspace above the project is not hidden.
func TestWorkspaceOfUser(t *testing.T) {
	const mine = "go 1.25\n\n// Ours.\nuse (\n\t. // the project\n\t./tools\n\t../strata/runtime\n)\n\nreplace example.com/a v1.0.0 => ../a\n"
	dir := t.TempDir()
	write := func(files map[string]string) {
		t.Helper()
		for name, text := range files {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	work := func(text string) string {
		t.Helper()
		write(map[string]string{"demo/go.work": text})
		found, err := scaffold.Look(t.Context(), filepath.Join(dir, "demo"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := scaffold.Choices{Output: "api", Checkout: "../strata"}.CheckOut(filepath.Join(dir, "demo"), found)
		if err != nil {
			t.Fatal(err)
		}
		files := c.Files(nil)
		return string(files[len(files)-1].Body)
	}
	write(map[string]string{"demo/go.mod": "module example.com/demo\n\ngo 1.26.0\n", "strata/runtime/go.mod": "module github.com/stratakube/strata/runtime\n\ngo 1.26.0\n"})
	got := work(mine)
	for _, want := range []string{
		"go 1.26.0\n", "// Ours.\n", "\t. // the project\n", "\t./tools\n", "\t../strata/webhook\n", "example.com/a v1.0.0 => ../a\n",
		"github.com/stratakube/strata/runtime v0.0.0 => ../strata/runtime\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "../strata/runtime\n"); n != 2 {
		t.Errorf("the runtime is named %d times:\n%s", n, got)
	}
	if again := work(got); again != got {
		t.Errorf("a second run changes it:\n%s", cmp.Diff(got, again))
	}
	write(map[string]string{"strata/go.work": "go 1.26.0\n\nuse ./runtime\n\nreplace github.com/stratakube/strata/runtime v0.3.1 => ./runtime\n"})
	if released := work(mine); !strings.Contains(released, "github.com/stratakube/strata/runtime v0.3.1 => ../strata/runtime\n") {
		t.Errorf("a checkout that requires released modules:\n%s", released)
	}
	if err := os.Remove(filepath.Join(dir, "demo/go.work")); err != nil {
		t.Fatal(err)
	}
	write(map[string]string{"go.work": "go 1.26.0\n\nuse ./demo\n"})
	_, err := scaffold.Choices{Checkout: "../strata"}.CheckOut(filepath.Join(dir, "demo"), &scaffold.Found{})
	var m diag.Message
	if !errors.As(err, &m) || !strings.Contains(m.Text, "of its own would hide") || !strings.Contains(m.Hint, "go work use "+filepath.Join(dir, "strata/operator/api")+" ") {
		t.Errorf("a workspace above the project: %v, %+v", err, m)
	}
	write(map[string]string{"go.work": "go 1.26.0\n\nuse ./strata\n"})
	if _, err := (scaffold.Choices{Checkout: "../strata"}).CheckOut(filepath.Join(dir, "demo"), &scaffold.Found{}); err != nil {
		t.Errorf("a workspace of others: %v", err)
	}
	write(map[string]string{"demo/go.work": "use (\n"})
	if _, err := (scaffold.Choices{Checkout: "../strata"}).CheckOut(filepath.Join(dir, "demo"), &scaffold.Found{}); err == nil || !strings.Contains(err.Error(), "go.work") {
		t.Errorf("a workspace that is none: %v", err)
	}
}
