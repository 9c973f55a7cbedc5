package release_test

import (
	"testing"

	"github.com/stratakube/strata/tools/build/release"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// edited is a change of one file.
type edited struct{ file, old, text string }

// TestGatesRefuse prepares releases that each gate refuses. The error names the gate. The commit
// cannot be tagged then.
func TestGatesRefuse(t *testing.T) {
	tier.Long(t, "runs the gates on many broken releases")
	const broken = "example.com/strata/made/gone"
	tests := []struct {
		reason, wanted string
		before, after  []edited // changes before and after release:prepare
		parts          []string
	}{
		{
			reason: "generated code that calls what the last runtime lacks, without another constant", wanted: "v0.2.0",
			before: []edited{
				{"base/base.go", "// Greet ", "// Kindly greets.\nfunc Kindly(string) string { return \"hello Ada\" }\n\n// Greet "},
				{"maker/cmd/maker/main.go", "base.Greet(", "base.Kindly("},
				{"made/made.go", "base.Greet(", "base.Kindly("},
			},
			parts: []string{"generated code and runtime: ", "the message does not name NeedsBase"},
		},
		{
			reason: "a stored object that reads otherwise", wanted: "base@v0.1.1",
			before: []edited{{"base/base.go", `"hello "`, `"hi "`}},
			parts:  []string{"stored objects: run go test"},
		},
		{
			reason: "a licence that is not allowed", wanted: "base@v0.1.1",
			before: []edited{{"base/LICENSE", "", "All rights reserved."}},
			parts:  []string{"licences: base: ", "licence of example.com/strata/base: LICENSE: 0 % of it is a known licence"},
		},
		{
			reason: "a command that cannot be installed", wanted: "upper@v0.1.1",
			after: []edited{{"upper/cmd/hello/main.go", `import (`, "import (\n\t_ \"" + broken + "\""}},
			parts: []string{"modules: upper: ", "go install: upper: ", "programs twice: upper: "},
		},
		{
			reason: "a package that does not compile", wanted: "base@v0.1.1",
			after: []edited{{"base/base.go", "package base\n", "package base\n\nvar _ int = \"a word\"\n"}},
			parts: []string{"modules: base: run go list -export", "consumers: ", "cannot use \"a word\""},
		},
		{
			reason: "a module that is not tidy", wanted: "upper@v0.1.1",
			after: []edited{{"upper/go.mod", " // indirect", ""}},
			parts: []string{"modules: upper: run go mod tidy -diff"},
		},
		{
			reason: "a change that is too great, after the release was prepared", wanted: "base@v0.1.1",
			after: []edited{{"base/base.go", "// Greet ", "// New is new.\nfunc New() {}\n\n// Greet "}},
			parts: []string{"versions: base v0.1.1 is too small", "go.mod and go.sum: "},
		},
		{
			reason: "a generator that depends on its folder", wanted: "maker@v0.1.1",
			after: []edited{{"maker/cmd/maker/main.go", "\tname := strings", "\tif wd, _ := os.Getwd(); strings.Contains(wd, \"another\") {\n\t\tschema = []byte(\"Bob\")\n\t}\n\tname := strings"}},
			parts: []string{"generated code twice: made.go differs between two builds in two folders"},
		},
		{
			reason: "generated code that the generator does not write", wanted: "made@v0.1.1",
			after: []edited{{"made/made.go", "// Greeting greets ", "// Greeting politely greets "}},
			parts: []string{"generated code twice: made.go differs"},
		},
	}
	s := newSite(t)
	s.tagged("v0.1.0")
	begin := s.git("rev-parse", "HEAD")
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			s.t = t
			s.git("reset", "--quiet", "--hard", begin)
			s.edit("base/base.go", "// Greet greets.", "// Greet greets well.")
			s.edit("upper/cmd/hello/main.go", "// Command hello greets.", "// Command hello greets well.")
			s.edit("maker/cmd/maker/main.go", "generates code for a schema.", "generates code for one schema.")
			s.edit("made/stored_test.go", `"no files"`, `"no file"`)
			s.edits(test.before)
			s.commit("change")
			_, err := s.open().Prepare(t.Context(), test.wanted)
			if err == nil {
				s.edits(test.after)
				if len(test.after) > 0 {
					s.commit(test.reason)
				}
				err = s.check()
			}
			refused(t, err, test.parts...)
			_, err = s.open().Tag(t.Context(), release.TagOptions{})
			refused(t, err, "has not passed release:check")
		})
	}
}

func (s *site) edits(all []edited) {
	s.t.Helper()
	for _, e := range all {
		s.edit(e.file, e.old, e.text)
	}
}
