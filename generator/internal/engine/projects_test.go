package engine_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// projects has projects in the layouts of kubebuilder.
const projects = "../scaffold/testdata/projects"

// TestProjects begins with strata init in projects of kubebuilder, and runs the commands that it
// prints, and those that strata init --write prints, until there are no new ones.
func TestProjects(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles much")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	copier := filepath.Join(t.TempDir(), "controller-gen")
	goTool(t, ".", "build", "-o", copier, "sigs.k8s.io/controller-tools/cmd/controller-gen")
	for name, want := range map[string]string{
		"single":     "strata import; strata init --write; strata generate; make generate; go test ./versions/...",
		"multigroup": "strata init --write; strata generate; make generate; go test ./versions/...",
		"webhooks":   "strata import; strata init --write; strata generate; make generate; go test ./versions/...",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			copyTree(t, filepath.Join(projects, name), dir)
			p := newcomer{dir, append(os.Environ(), "GOWORK=", "GOFLAGS=-trimpath", "GOPROXY=off", "CONTROLLER_GEN="+copier)}
			var ran []string
			next := following(t, p.run(t, "strata init --checkout "+root))
			for len(next) > 0 {
				out := p.run(t, next[0])
				ran = append(ran, next[0])
				if next = next[1:]; strings.Contains(out, "\nnext:\n") {
					next = following(t, out)
				}
			}
			if diff := cmp.Diff(want, strings.Join(ran, "; ")); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			p.run(t, "go vet ./...")
			before := p.contents(t)
			again := p.run(t, "strata init --write --checkout "+root)
			if !strings.Contains(again, "nothing to write\n") || cmp.Diff(before, p.contents(t)) != "" {
				t.Errorf("a second strata init changes something: %s", again)
			}
		})
	}
}

// newcomer is the folder of a project, and the environment of its commands.
type newcomer struct {
	dir string
	env []string
}

// run runs a command in a shell, and returns what it printed on standard output.
func (p newcomer) run(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	var errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = p.dir, p.env, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", command, err, out, &errs)
	}
	return string(out)
}

// contents returns all files of a project.
func (p newcomer) contents(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(p.dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			out[name] = contentsOf(t, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// following returns the commands that strata init prints at its end: at most three.
func following(t *testing.T, printed string) []string {
	t.Helper()
	_, list, found := strings.Cut(printed, "\nnext:\n")
	commands := strings.Split(strings.TrimSpace(list), "\n")
	for i := range commands {
		commands[i] = strings.TrimSpace(commands[i])
	}
	if !found || len(commands) > 3 || slices.Contains(commands, "") {
		t.Fatalf("no commands, or more than three, follow:\n%s", printed)
	}
	return commands
}

// TestWriteKeepsConversions checks that strata init --write leaves conversions that do what
// generated ones would not, and edits nothing of such a kind but its statuses.
func TestWriteKeepsConversions(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles much")
	}
	dir := t.TempDir()
	copyTree(t, "testdata/kubebuilder", dir)
	databaseModule(t, dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod -trimpath")
	types := filepath.Join(dir, "api/v1beta1/database_types.go")
	without := strings.Replace(contentsOf(t, types), "\tstrata.VersionedStatus `json:\",inline\"`\n", "", 1)
	without = strings.Replace(without, "\tstrata \"github.com/stratakube/strata/runtime\"\n", "", 1)
	write(t, dir, "api/v1beta1/database_types.go", without)
	copies := contentsOf(t, filepath.Join(dir, "api/v1beta1/zz_generated.deepcopy.go"))
	write(t, dir, "api/v1beta1/zz_generated.deepcopy.go", strings.Replace(copies, "\tin.VersionedStatus.DeepCopyInto(&out.VersionedStatus)\n", "", 1))
	p := newcomer{dir, os.Environ()}
	before := p.contents(t)
	out := p.run(t, "strata init --write")
	for _, want := range []string{"kept the conversions of Database: strata import lists", "edited api/v1beta1/database_types.go\n", "to edit: 0 statuses", "next:\n  strata import\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not printed:\n%s", want, out)
		}
	}
	for name, body := range p.contents(t) {
		if name != types && before[name] != body {
			t.Errorf("%s is changed", name)
		}
	}
	if now := contentsOf(t, types); !strings.Contains(now, "\tstrata.VersionedStatus `json:\",inline\"`\n") {
		t.Errorf("the status has no field for hidden values:\n%s", now)
	}
}

// TestWriteReplacesStubs checks that strata init --write removes conversions that copy only metadata,
// as kubebuilder's scaffolding writes them, and keeps one that also converts a field of its own
// accord.
func TestWriteReplacesStubs(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles much")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	const stub = `package v1beta1

import (
	"log"

	"sigs.k8s.io/controller-runtime/pkg/conversion"

	shipv1 "example.com/harbour/api/ship/v1"
)

// ConvertTo converts this Frigate (v1beta1) to the Hub version (v1).
func (src *Frigate) ConvertTo(dstRaw conversion.Hub) error {
	dst := dstRaw.(*shipv1.Frigate)
	log.Printf("ConvertTo: Converting Frigate from Spoke version v1beta1 to Hub version v1;"+
		"source: %s/%s", src.Namespace, src.Name)

	// TODO(user): Implement conversion logic from v1beta1 to v1
	// Example: dst.Spec.Size = src.Spec.Replicas
	dst.ObjectMeta = src.ObjectMeta
	return nil
}

// ConvertFrom converts the Hub version (v1) to this Frigate (v1beta1).
func (dst *Frigate) ConvertFrom(srcRaw conversion.Hub) error {
	src := srcRaw.(*shipv1.Frigate)
	dst.ObjectMeta = src.ObjectMeta
	return nil
}
`
	for _, test := range []struct {
		name, body, want, not string
	}{
		{"stub", stub, "replaced the conversions of Frigate: they copied only metadata", "kept the conversions"},
		{"a choice", strings.Replace(stub, "dst.ObjectMeta = src.ObjectMeta\n\treturn nil\n}\n\n", "dst.ObjectMeta = src.ObjectMeta\n\tdst.Status.Afloat = src.Status.Afloat\n\treturn nil\n}\n\n", 1), "kept the conversions of Frigate", "replaced"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			copyTree(t, filepath.Join(projects, "multigroup"), dir)
			write(t, dir, "api/ship/v1beta1/frigate_conversion.go", test.body)
			write(t, dir, "api/ship/v1/frigate_conversion.go", "package v1\n\n// Hub marks the hub.\nfunc (*Frigate) Hub() {}\n")
			p := newcomer{dir, append(os.Environ(), "GOWORK=", "GOFLAGS=-trimpath", "GOPROXY=off")}
			out := p.run(t, "strata init --write --yes --checkout "+root)
			if !strings.Contains(out, test.want) || strings.Contains(out, test.not) {
				t.Errorf("%q is not printed, or %q is:\n%s", test.want, test.not, out)
			}
			_, err := os.Stat(filepath.Join(dir, "api/ship/v1beta1/frigate_conversion.go"))
			if isGone := err != nil; isGone != (test.body == stub) {
				t.Errorf("the conversions are gone: %t\n%s", isGone, out)
			}
		})
	}
}
