package history

import (
	"encoding/json"
	"strings"
)

// Results are the output of `go test -json`, by the path of a package, or by that path, a slash
// and the name of a test.
type Results struct {
	Passed map[string]bool
	Failed map[string]string // what the test, the package or the compiler printed
}

// event is a line of it. Output of the compiler has an import path instead of a package and a test.
type event struct{ Action, Package, Test, ImportPath, Output string }

func (e event) name() string {
	if e.Test == "" {
		return e.Package + e.ImportPath
	}
	return e.Package + "/" + e.Test
}

// ReadResults reads the output of `go test -json`. Lines of other sorts are left out.
func ReadResults(out string) Results {
	r := Results{Passed: map[string]bool{}, Failed: map[string]string{}}
	printed := map[string]*strings.Builder{}
	for line := range strings.Lines(out) {
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		if printed[e.name()] == nil {
			printed[e.name()] = new(strings.Builder)
		}
		switch e.Action {
		case "pass":
			r.Passed[e.name()] = true
		case "output", "build-output":
			printed[e.name()].WriteString(e.Output)
		case "fail", "build-fail":
			r.Failed[e.name()] = printed[e.name()].String()
		}
	}
	return r
}
