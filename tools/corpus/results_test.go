package corpus_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
)

// results are the output of `go test -json`.
type results struct {
	passed   map[string]bool // by the last part of the test's name
	failures []string        // what failing tests and packages printed
}

// event is a line of it. Output of the compiler has an import path instead of a package and a test.
type event struct{ Action, Package, Test, ImportPath, Output string }

func (e event) source() string { return e.Package + e.ImportPath + " " + e.Test }

func readResults(t *testing.T, out string) results {
	t.Helper()
	r := results{passed: map[string]bool{}}
	printed := map[string]*strings.Builder{}
	for line := range strings.Lines(out) {
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			continue // the command line, or what the go command says about itself
		}
		switch e.Action {
		case "pass":
			r.passed[e.Test[strings.LastIndex(e.Test, "/")+1:]] = true
		case "output", "build-output":
			if printed[e.source()] == nil {
				printed[e.source()] = new(strings.Builder)
			}
			printed[e.source()].WriteString(e.Output)
		case "fail", "build-fail":
			if text := printed[e.source()]; text != nil {
				r.failures = append(r.failures, e.source()+"\n"+text.String())
			}
		}
	}
	return r
}

// testName names the generated test of a type of a resource version.
func testName(row corpus.Resource, label string) string {
	return strings.ReplaceAll(row.Source.Type, "/", ".") + "_" + label
}

func TestReadResults(t *testing.T) {
	got := readResults(t, `+ go test -json ./...
{"Action":"run","Package":"a","Test":"TestPool/Microsoft.Batch.pools_v1"}
{"Action":"output","Package":"a","Test":"TestPool/Microsoft.Batch.pools_v1","Output":"fine\n"}
{"Action":"pass","Package":"a","Test":"TestPool/Microsoft.Batch.pools_v1"}
{"Action":"output","Package":"a","Test":"TestPool/Microsoft.Batch.pools_v2","Output":"lost\n"}
{"Action":"fail","Package":"a","Test":"TestPool/Microsoft.Batch.pools_v2"}
{"Action":"build-output","ImportPath":"b","Output":"undefined: x\n"}
{"Action":"build-fail","ImportPath":"b"}
`)
	var pool corpus.Resource
	pool.Source.Type = "Microsoft.Batch/pools"
	if !got.passed[testName(pool, "v1")] || got.passed[testName(pool, "v2")] {
		t.Errorf("passed: %v", got.passed)
	}
	want := "a TestPool/Microsoft.Batch.pools_v2\nlost\n\nb \nundefined: x\n"
	if text := strings.Join(got.failures, "\n"); text != want {
		t.Errorf("failures are %q, want %q", text, want)
	}
}
