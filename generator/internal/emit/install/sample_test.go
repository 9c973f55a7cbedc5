package install_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"text/template"

	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/emit/install"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

const shop = `
resource Contoso.Shop/orders
  kind Order orders
  version 2020-01-01
    spec &OrderSpec
    def OrderSpec object
      .size int
  version 2021-01-01
    spec &OrderSpec
    def OrderSpec object
      .size int
`

func options() install.Options {
	return install.Options{
		Namespace: "strata-system", Service: "strata-webhook", Port: 443, Image: "webhook:v1",
		HubWriters: []string{"joe"}, Kustomize: "config", Helm: "chart", Operator: &install.Operator{Image: "operator:v1"},
	}
}

// packages prints the packages of a shop whose hub has moved, by path.
func packages(t testing.TB, o install.Options) map[string][]byte {
	t.Helper()
	resources, err := model.Parse("model", []byte(shop))
	if err != nil {
		t.Fatal(err)
	}
	c, problems := chain.Link(context.Background(), resources, chain.Options{Suffix: "example.com"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return printed(t, plan.Decide(context.Background(), c, plan.Options{Hubs: map[string][]string{"contoso.shop/orders": {"v20200101"}}}), o)
}

// printed prints the packages of a plan, by path.
func printed(t testing.TB, p *plan.Plan, o install.Options) map[string][]byte {
	t.Helper()
	files, err := install.Files(p, o, []string{"crds/orders.contoso-shop.example.com.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		out[f.Path] = f.Body
	}
	return out
}

// documents reads the manifests of a file.
func documents(t testing.TB, body []byte) []map[string]any {
	t.Helper()
	var out []map[string]any
	for document := range strings.SplitSeq(string(body), "\n---\n") {
		var m map[string]any
		if err := yaml.UnmarshalStrict([]byte(document), &m); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		out = append(out, m)
	}
	return out
}

// manifest decodes the manifest of a kind in the Kustomize package into its Go type,
// strictly. Those of the operator are not among them.
func manifest(t testing.TB, files map[string][]byte, kind string, into any) {
	t.Helper()
	for path, body := range files {
		if !strings.HasPrefix(path, "config/") || path == operatorFile {
			continue
		}
		for document := range strings.SplitSeq(string(body), "\n---\n") {
			if !strings.Contains(document, "\nkind: "+kind+"\n") {
				continue
			}
			if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no %s", kind)
}

// render renders a template of the chart as Helm does, for some kinds. Of what Helm adds, it has
// what the charts use.
func render(t testing.TB, files map[string][]byte, name, namespace string, kinds ...any) ([]byte, error) {
	t.Helper()
	var values map[string]any
	if err := yaml.Unmarshal(files["chart/values.yaml"], &values); err != nil {
		t.Fatal(err)
	}
	if kinds != nil {
		values["kinds"] = kinds
	}
	functions := template.FuncMap{
		"list": func(all ...any) []any { return all },
		"dict": func(all ...string) map[string]string {
			out := map[string]string{}
			for pair := range slices.Chunk(all, 2) {
				out[pair[0]] = pair[1]
			}
			return out
		},
		"get":       func(d map[string]string, key any) string { return d[key.(string)] },
		"append":    func(all []any, one any) []any { return append(slices.Clip(all), one) },
		"has":       func(one any, all []any) bool { return slices.Contains(all, one) },
		"first":     func(all []string) string { return all[0] },
		"splitList": func(by string, text any) []string { return strings.Split(text.(string), by) },
		"join": func(by string, all []any) string {
			var texts []string
			for _, one := range all {
				texts = append(texts, one.(string))
			}
			return strings.Join(texts, by)
		},
		"default": func(otherwise, given []any) []any {
			if len(given) == 0 {
				return otherwise
			}
			return given
		},
		"quote": func(s string) string { return `"` + s + `"` },
		"fail":  func(s string) (string, error) { return "", failure(s) },
		"toYaml": func(v any) (string, error) {
			text, err := yaml.Marshal(v)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"nindent": func(n int, s string) string {
			indent := "\n" + strings.Repeat(" ", n)
			return indent + strings.ReplaceAll(s, "\n", indent)
		},
	}
	parsed, err := template.New(name).Funcs(functions).Option("missingkey=error").Parse(string(files[name]))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, map[string]any{"Values": values, "Release": map[string]any{"Namespace": namespace}})
	return out.Bytes(), err
}

type failure string

func (f failure) Error() string { return string(f) }
