package generator

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

//go:embed testdata/hub/hub_test.go
var hubBenchmark []byte

// chainLengths are how many steps there are an object and the hub that conversions are measured
// with.
var chainLengths = []int{1, 2, 3, 10}

// BenchmarkHub measures conversions to the hub and back, over chains of several lengths, beside a
// deep copy of the same object in the same run: a Batch pool and a storage account. It prints the
// results of the generated benchmarks, each with its ratio to the deep copy.
func BenchmarkHub(b *testing.B) {
	m := module(b)
	files := map[string][]byte{"hub_test.go": hubBenchmark}
	for _, kind := range []struct{ resource, name string }{
		{"Microsoft.Batch/batchAccounts/pools", "pool"},
		{"Microsoft.Storage/storageAccounts", "account"},
	} {
		files[kind.name+"_test.go"] = hubCalls(b, m.Output(), kind.resource, kind.name)
	}
	if err := m.WriteFolder("hub", files); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		runHub(b, m.Dir)
	}
}

// BenchmarkHubExample is BenchmarkHub for the worked example without its hand-written steps,
// BenchmarkHubHands with them.
func BenchmarkHubExample(b *testing.B) { benchmarkExample(b, "hubexample", nil) }

func BenchmarkHubHands(b *testing.B) {
	benchmarkExample(b, "hubhands", []string{"crm/v20130303/storage/person_names.go", "crm/v20180808/storage/compat/person_address.go"})
}

func benchmarkExample(b *testing.B, name string, hands []string) {
	l := labtest.WithSchemas(b)
	p := corpus.Project{Schemas: filepath.Join(l.Workspace.Root, "schemas", "crm"), Include: []string{"*/Microsoft.Crm.json"}}
	m, unlock, err := corpus.OpenModule(l.Workspace, name, p)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(unlock)
	example := filepath.Join(l.Workspace.Root, "operator", "api")
	for _, hand := range hands {
		body, err := os.ReadFile(filepath.Join(example, filepath.FromSlash(hand)))
		if err != nil {
			b.Fatal(err)
		}
		body = bytes.ReplaceAll(body, []byte("github.com/stratakube/strata/operator/api/"), []byte(corpus.ModulePath+"/api/"))
		if err := m.WriteNew("api/"+hand, body); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := l.Generate(b.Context(), m.Project); err != nil {
		b.Fatal(err)
	}
	files := map[string][]byte{
		"hub_test.go":    hubBenchmark,
		"person_test.go": hubCalls(b, m.Output(), "Microsoft.Crm/persons", "person"),
		"party_test.go":  hubCalls(b, m.Output(), "Microsoft.Crm/parties", "party"),
	}
	if err := m.WriteFolder("hub", files); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		runHub(b, m.Dir)
	}
}

// hubCalls is the benchmark of one resource, in the versions that are so many steps from the hub.
func hubCalls(b *testing.B, output, resource, name string) []byte {
	b.Helper()
	manifest, err := corpus.ReadManifest(output)
	if err != nil {
		b.Fatal(err)
	}
	var rows []corpus.Resource // the main line
	for _, row := range manifest.Resources {
		if strings.EqualFold(row.Source.Type, resource) && !strings.Contains(row.Version, "preview") {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(x, y corpus.Resource) int { return strings.Compare(x.Version, y.Version) })
	hub := rows[len(rows)-1]
	imports := fmt.Sprintf("\thub %q\n", hub.Package+"/storage")
	calls := ""
	for _, n := range chainLengths {
		at := max(len(rows)-1-n, 0)
		v := rows[at]
		if strings.Contains(imports, "\t"+v.Version+" ") {
			continue
		}
		imports += fmt.Sprintf("\t%s %q\n", v.Version, v.Package)
		calls += fmt.Sprintf("\tmeasure[%s.%s, hub.%s](b, %q)\n", v.Version, v.Kind, v.Kind, fmt.Sprintf("%d-steps", len(rows)-1-at))
	}
	return fmt.Appendf(nil, "package hub\n\nimport (\n\t\"testing\"\n\n%s)\n\nfunc Benchmark_%s(b *testing.B) {\n%s}\n", imports, name, calls)
}

// runHub runs generated benchmarks, and prints for each the ratio of its time to that of the deep
// copy beside it.
func runHub(b *testing.B, dir string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "go", "test", "-run=-", "-bench=.", "-benchtime=200ms", ".")
	cmd.Dir = filepath.Join(dir, "hub")
	cmd.Env = append(cmd.Environ(), corpus.GoEnv...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, line := range ratios(string(out)) {
		b.Log(line)
		fmt.Println(line)
	}
}

// processors matches the end of a benchmark's name.
var processors = regexp.MustCompile(`-\d+$`)

// ratios adds to each line of a benchmark its ratio to the deep copy.
func ratios(out string) []string {
	var lines []string
	copies := map[string]float64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		var ns float64
		if _, err := fmt.Sscan(fields[2], &ns); err != nil {
			continue
		}
		name := processors.ReplaceAllString(fields[0], "")
		group := name[:strings.LastIndex(name, "/")]
		if strings.HasPrefix(name[len(group)+1:], "hidden-") {
			group += "/hidden"
		}
		if strings.HasSuffix(name, "deepcopy") {
			copies[group] = ns
		}
		lines = append(lines, fmt.Sprintf("%s  %.2f of a deep copy", strings.TrimSpace(line), ns/copies[group]))
	}
	return lines
}
