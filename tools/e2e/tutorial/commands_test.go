package tutorial_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/archives"
	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

var (
	blocks   = regexp.MustCompile("(?ms)^ *```(?:sh|console)\n(.*?)^ *```$")
	ofBeside = regexp.MustCompile(`(?m)^\s*(?:\$ )?(?:kubectl |(?:\.\./)?(?:bin/)?)strata ([a-z]+) ([a-z-][^#|<>&\n]*)`)
	mistaken = regexp.MustCompile(`unknown (command|flag|shorthand)|flag needs an argument|invalid argument|flag provided but not defined`)
)

// TestCommandsOfPrograms gives each command of the programs beside strata that a page has to its
// program, with --help: the program knows the command, its flags and their values. A test of the
// generator does so for strata itself.
func TestCommandsOfPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds four programs")
	}
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	count := map[string]int{}
	for _, p := range archives.Programs[1:] {
		in := command.In{Dir: filepath.Join(w.Root, filepath.FromSlash(p.Module))}
		if p.Module != "" {
			in.Env = []string{"GOWORK=off"}
		}
		if err := programs.Build(t.Context(), in, filepath.Join(bin, p.Name), p.Package); err != nil {
			t.Fatal(err)
		}
		count[strings.TrimPrefix(p.Name, "strata-")] = 0
	}
	in := command.In{Dir: t.TempDir(), Env: []string{"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "KUBECONFIG=" + os.DevNull}}
	fault := func(program, words string) string {
		printed, err := in.Output(t.Context(), "bash", "-c", "strata-"+program+" "+words+" --help 2>&1; true")
		if err != nil {
			printed += err.Error()
		}
		return mistaken.FindString(printed)
	}
	err = fs.WalkDir(os.DirFS(w.Root), "docs/guide", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		for _, block := range blocks.FindAllStringSubmatch(read(t, w, name), -1) {
			for _, m := range ofBeside.FindAllStringSubmatch(strings.ReplaceAll(block[1], "\\\n", " "), -1) {
				if _, isBeside := count[m[1]]; !isBeside || strings.ContainsAny(m[2], "[]") {
					continue // a synopsis, or a command of strata itself
				}
				count[m[1]]++
				if wrong := fault(m[1], m[2]); wrong != "" {
					t.Errorf("%s: strata %s %s: %s", name, m[1], m[2], wrong)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for program, n := range count {
		if n == 0 {
			t.Errorf("no page has a command of strata %s", program)
		}
		if fault(program, "no-such-command --none") == "" {
			t.Errorf("strata %s no-such-command is no mistake", program)
		}
	}
	t.Logf("commands: %v", count)
}
