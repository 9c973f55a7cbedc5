package scaffold

import (
	"slices"
	"strings"
)

// mostNext is the largest number of commands that follow.
const mostNext = 3

// Next returns the commands that follow in the project's folder. program is strata as the user
// called it. Each command succeeds when the ones before it have.
func (c Choices) Next(found *Found, program string) []string {
	var out []string
	hasRuntime := found.HasRuntime || c.Checkout != ""
	statuses, conversions := found.ToEdit(c)
	// The webhook's module requires the runtime's.
	needed := RuntimeModule
	if c.Webhook != "" {
		needed = webhookModule
	}
	// Statuses embed a type of the runtime, and generate reads the types.
	if c.ReadsKinds(found) && !hasRuntime {
		out, hasRuntime = append(out, "go get "+needed), true
	}
	if conversions > 0 {
		out = append(out, program+" import")
	}
	if statuses+conversions+found.Build.Edits > 0 {
		out = append(out, program+" init --write")
	}
	out = append(out, program+" generate")
	if c.ReadsKinds(found) {
		out = append(out, found.deepCopies(c))
	}
	switch {
	case c.Operator != "" && !hasRuntime:
		out = append(out, "go get -tool "+ARMProgram+" "+PluginProgram+" && go mod tidy")
	case !hasRuntime:
		// The module brings the versions of Kubernetes' modules that it is tested with. go mod tidy
		// alone takes the latest ones.
		out = append(out, "go get "+needed+" && go mod tidy")
	}
	tests := "go test " + ShellWord("./"+c.Output+"/...")
	switch {
	case c.Operator != "":
		out = append(out, "go build -o plugins/ "+ARMProgram+" && go run "+PluginProgram+" verify --write --dir plugins", "go run "+ShellWord("./"+c.Operator)+" --help")
	case c.Webhook != "":
		out = append(out, tests, "go run "+ShellWord("./"+c.Webhook)+" --help")
	default:
		out = append(out, tests, program+" generate --check")
	}
	return out[:min(mostNext, len(out))]
}

// ReadsKinds reports whether the API types are those of packages that were found.
func (c Choices) ReadsKinds(found *Found) bool { return slices.ContainsFunc(found.Packages, c.Reads) }

// deepCopies returns the command that writes the deep copies of the user's types again. The field
// for hidden values is a pointer.
func (f *Found) deepCopies(c Choices) string {
	if f.makesCopies {
		return "make generate"
	}
	var paths strings.Builder
	for _, p := range f.Packages {
		if c.Reads(p) {
			paths.WriteString(" " + ShellWord("paths=./"+p.Dir))
		}
	}
	return "go run " + copyProgram + " object" + paths.String()
}

// copyProgram writes deep copies, in the version that Strata is tested with.
const copyProgram = "sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0"

// ToEdit counts the statuses without a field for hidden values, and the packages with conversions
// that Strata is to generate.
func (f *Found) ToEdit(c Choices) (statuses, conversions int) {
	for _, p := range f.Packages {
		if c.Reads(p) {
			statuses += len(p.Statuses)
			conversions += min(1, len(p.Conversions))
		}
	}
	return statuses, conversions
}

// Converts reports whether a package that a source reads converts more than metadata of a resource.
func (f *Found) Converts(c Choices, resource string) bool {
	return slices.ContainsFunc(f.Packages, func(p Package) bool {
		return c.Reads(p) && slices.ContainsFunc(p.Converted, func(kind string) bool { return p.Declares(kind, resource) })
	})
}

// Reads reports whether a source reads a package, whose types stay the API types.
func (c Choices) Reads(p Package) bool {
	return len(p.Kinds) > 0 && slices.ContainsFunc(c.Sources, func(s Source) bool { return s.Kind == "go" && isBelow(p.Dir+"/", s.folder()) })
}

// ShellWord returns a word as a shell reads it.
func ShellWord(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:@+") == "" && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
