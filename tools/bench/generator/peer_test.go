package generator

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
)

// task is what controller-gen is asked to write deep copies of: the API types of a group.
type task struct {
	name  string
	takes func(file string) bool // reports which generated files of a group it gets to see
}

var tasks = []task{
	// The API packages as they are. The storage packages that they import stay where they are.
	{"Packages", func(file string) bool { return filepath.Base(file) != "deepcopy.go" }},
	// Their types cut out: less than anyone could ask for.
	{"Types", func(file string) bool {
		return strings.HasSuffix(file, "_types.go") || filepath.Base(file) == "groupversion.go"
	}},
}

// BenchmarkPeer compares the generator, which reads schemas and writes types, conversions and
// generated tests, with controller-gen, which writes deep copies of the same types.
func BenchmarkPeer(b *testing.B) {
	for _, provider := range providers {
		for _, task := range tasks {
			b.Run(strings.TrimPrefix(provider, "Microsoft.")+"/"+task.name, func(b *testing.B) {
				var ours, theirs time.Duration
				for b.Loop() {
					mine, peers := compared(b, provider, task)
					ours, theirs = ours+mine, theirs+peers
				}
				b.ReportMetric(ours.Seconds()/float64(b.N), "strata-cpu-s")
				b.ReportMetric(theirs.Seconds()/float64(b.N), "controller-gen-cpu-s")
				b.ReportMetric(ours.Seconds()/theirs.Seconds(), "ratio")
			})
		}
	}
}

// TestGeneratorIsFarCheaperThanItsPeer allows twice the ratio of the goal, since others
// use the machine.
func TestGeneratorIsFarCheaperThanItsPeer(t *testing.T) {
	tier.Long(t, "measures")
	const most = 2 * 0.1
	if os.Getenv("STRATA_CORPUS") == "" {
		t.Skip("needs STRATA_CORPUS=1: builds controller-gen and runs it")
	}
	for _, provider := range providers {
		ours, theirs := compared(t, provider, tasks[0])
		if ratio := ours.Seconds() / theirs.Seconds(); ratio > most {
			t.Errorf("%s: %v is %.2f of the %v that controller-gen takes, want at most %.2f", provider, ours, ratio, theirs, most)
		}
	}
}

// compared returns the processor time of the generator and of controller-gen on a provider.
func compared(tb testing.TB, provider string, task task) (ours, theirs time.Duration) {
	tb.Helper()
	p := fresh(tb, "compared", corpus.Project{Include: corpus.Of(provider), NoCRDs: true})
	ours = generate(tb, p).Cost.CPU
	group := strings.ToLower(strings.TrimPrefix(provider, "Microsoft."))
	return ours, deepCopies(tb, task.copyTypes(tb, p.Output(), group))
}

// copyTypes copies the types of a group for controller-gen into packages of their own in the
// module, with markers that request deep copies. It returns the folder.
func (task task) copyTypes(tb testing.TB, output, group string) string {
	tb.Helper()
	folder := "peer/" + task.name + "/" + group
	if err := os.RemoveAll(filepath.Join(module(tb).Dir, filepath.FromSlash(folder))); err != nil {
		tb.Fatal(err)
	}
	copied := 0
	err := filepath.WalkDir(filepath.Join(output, group), func(path string, entry fs.DirEntry, err error) error {
		below, relErr := filepath.Rel(filepath.Join(output, group), path)
		if err != nil || relErr != nil || entry.IsDir() {
			return err
		}
		name := filepath.ToSlash(below)
		if !strings.HasPrefix(name, "v") || strings.Contains(name, "/storage/") || !task.takes(name) {
			return nil
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		copied++
		if filepath.Base(name) == "groupversion.go" {
			body = bytes.Replace(body, []byte("\npackage "), []byte("\n// +kubebuilder:object:generate=true\npackage "), 1)
		}
		return module(tb).WriteNew(folder+"/"+name, body)
	})
	if err != nil || copied == 0 {
		tb.Fatalf("%d files of %s were copied (%v)", copied, group, err)
	}
	return filepath.Join(module(tb).Dir, filepath.FromSlash(folder))
}

// deepCopies runs controller-gen, requires that it wrote something for every package, and removes
// that.
func deepCopies(tb testing.TB, dir string) time.Duration {
	tb.Helper()
	binary, err := command.In{Dir: "peers", Env: []string{"GOWORK=off"}}.Output(tb.Context(), "go", "tool", "-n", "controller-gen")
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), strings.TrimSpace(binary), "object", "paths=./...")
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), corpus.GoEnv...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cost, err := corpus.Measure(cmd)
	if err != nil {
		tb.Fatalf("%v\n%s", err, &out)
	}
	checkWritten(tb, dir)
	return cost.CPU
}

func checkWritten(tb testing.TB, dir string) {
	tb.Helper()
	packages, written := 0, 0
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		switch filepath.Base(path) {
		case "groupversion.go":
			packages++
		case "zz_generated.deepcopy.go":
			written++
			return os.Remove(path)
		}
		return err
	})
	if err != nil || packages == 0 || written != packages {
		tb.Fatalf("controller-gen wrote %d files for %d packages (%v)", written, packages, err)
	}
}
