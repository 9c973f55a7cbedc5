package tutorial_test

import (
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

// stage and step are what the program in tools/build/images/dockerfile prints.
type stage struct {
	Name, Base string
	Steps      []step
}

type step struct {
	Verb, From, Text string
	Args             []string
}

// makesImages follows the Dockerfile of a project without a container engine, and requires an image
// for each name. BuildKit's own code reads the file. The commands run in a copy of the folder,
// since an engine has no more than that.
func (s shell) makesImages(t *testing.T, file string, images ...string) {
	t.Helper()
	e := engine{context: s.dir, root: t.TempDir(), env: append(slices.Clone(s.env), "GOTOOLCHAIN=local")} // as images of Go have it
	stages := readDockerfile(t, filepath.Join(s.dir, filepath.FromSlash(file)))
	if len(stages) == 0 || stages[0].Name != "build" {
		t.Fatalf("%s has the stages %+v", file, stages)
	}
	e.hasGo(t, stages[0].Base)
	for _, step := range stages[0].Steps {
		if err := e.follow(t, step); err != nil {
			t.Fatalf("%s: %s: %v", file, step.Text, err)
		}
	}
	var got []string
	for _, image := range stages[1:] {
		got = append(got, image.Name)
		if err := e.starts(image); err != nil {
			t.Errorf("%s: the image %s: %v", file, image.Name, err)
		}
	}
	if !slices.Equal(got, images) {
		t.Errorf("%s has the images %q, want %q", file, got, images)
	}
	if slices.Contains(images, "operator") {
		lock, err := os.ReadFile(e.at("/out/plugins/strata-plugins.lock"))
		if err != nil || !strings.Contains(string(lock), "strata-arm") {
			t.Errorf("the plugin is not locked: %s (%v)", lock, err)
		}
	}
}

// readDockerfile reads a Dockerfile as BuildKit does. It fails if one of BuildKit's checks warns.
func readDockerfile(t *testing.T, file string) (stages []stage) {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	reader := filepath.Join(t.TempDir(), "dockerfile")
	in := command.In{Dir: filepath.Join(w.Root, "tools", "build", "images", "dockerfile"), Env: []string{"GOWORK=off"}}
	if err := programs.Build(t.Context(), in, reader, "."); err != nil {
		t.Fatal(err)
	}
	text, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = text.Close() }()
	cmd := exec.CommandContext(t.Context(), reader)
	cmd.Stdin, cmd.Stderr = text, t.Output()
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if err := json.Unmarshal(printed, &stages); err != nil {
		t.Fatal(err)
	}
	return stages
}

// engine stands for a container engine, in the stage that builds.
type engine struct {
	context string // what the engine gets
	root    string // stands for the root folder of the stage
	work    string // the working folder
	env     []string
}

// at returns where an absolute path of the stage is.
func (e *engine) at(name string) string { return filepath.Join(e.root, filepath.FromSlash(name)) }

// hasGo requires that the base has the Go version of the project: it gets no other.
func (e *engine) hasGo(t *testing.T, base string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(e.context, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.ParseLax("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	version, isGo := strings.CutPrefix(base, "golang:")
	if !isGo || semver.Compare("v"+version, semver.MajorMinor("v"+mod.Go.Version)) < 0 {
		t.Errorf("the base is %s, and the project needs Go %s", base, mod.Go.Version)
	}
}

// follow executes one instruction.
func (e *engine) follow(t *testing.T, s step) error {
	t.Helper()
	switch s.Verb {
	case "WORKDIR":
		e.work = s.Args[0]
		return os.MkdirAll(e.at(e.work), 0o755)
	case "ENV", "ARG":
		for pair := range slices.Chunk(s.Args, 2) {
			if known := map[string]string{"TARGETOS": "linux", "TARGETARCH": runtime.GOARCH}[pair[0]]; known != "" && s.Verb == "ARG" {
				pair[1] = known
			}
			e.env = append(e.env, pair[0]+"="+pair[1])
		}
		return nil
	case "COPY":
		if s.From != "" || !slices.Equal(s.Args, []string{".", "."}) {
			return errors.New("it does not copy the project")
		}
		return errors.Join(e.copyProject(), e.checkout())
	case "RUN":
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", strings.ReplaceAll(s.Args[0], "/out", e.at("/out")))
		cmd.Dir, cmd.Env = e.at(e.work), e.env
		if printed, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, printed)
		}
		return nil
	default:
		return errors.New("no test follows this instruction")
	}
}

// copyProject copies what the .dockerignore of kubebuilder's projects lets an engine have: Go
// files. The go.work is that of a project with a checkout.
func (e *engine) copyProject() error {
	return filepath.WalkDir(e.context, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || filepath.Ext(file) != ".go" && !slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum"}, entry.Name()) {
			return err
		}
		name, err := filepath.Rel(e.context, file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		to := filepath.Join(e.at(e.work), name)
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644))
	})
}

// checkout lets a project with a checkout of Strata find it beside its folder. An engine would not
// find it: the guide says so.
func (e *engine) checkout() error {
	beside := filepath.Join(filepath.Dir(e.context), "strata")
	if _, err := os.Stat(filepath.Join(beside, "go.work")); err != nil {
		return nil
	}
	return os.Symlink(beside, filepath.Join(filepath.Dir(e.at(e.work)), "strata"))
}

// starts requires that a stage copies what was built, and starts it as a user without rights. Its
// base has no libraries, so that the program has to be static.
func (e *engine) starts(image stage) error {
	copied, user, entry := map[string]string{}, "", ""
	for _, s := range image.Steps {
		switch s.Verb {
		case "COPY":
			if s.From != "build" || len(s.Args) != 2 || !path.IsAbs(s.Args[1]) {
				return fmt.Errorf("%s: it copies nothing of the stage that builds", s.Text)
			}
			copied[s.Args[1]] = e.at(s.Args[0])
		case "USER":
			user = s.Args[0]
		case "ENTRYPOINT":
			entry = s.Args[0]
		default:
			return fmt.Errorf("%s: the image has no shell, and no test follows this", s.Text)
		}
	}
	for to, file := range copied {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("%s: %w", to, err)
		}
	}
	if user != "65532:65532" {
		return fmt.Errorf("its user is %q", user)
	}
	program, err := elf.Open(copied[entry])
	if err != nil {
		return fmt.Errorf("what it starts, %q: %w", entry, err)
	}
	defer func() { _ = program.Close() }()
	if slices.ContainsFunc(program.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return fmt.Errorf("%s needs libraries", entry)
	}
	return nil
}
