package testrun

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/browser/program"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// Machine has the facts of a machine and of a run that skips depend on.
type Machine struct {
	Root        string              // of the workspace
	Short       bool                // the tests run with -short
	Environment func(string) string // the value of a variable, as os.Getenv
	Left        []string            // folders whose packages only `mage test:long` tests
}

// Reason is a kind of reason for which a test may be skipped.
type Reason struct {
	Kind  string             // the words before the colon in the text of the skip
	When  string             // when it holds, for the documentation
	Holds func(Machine) bool // reports whether it holds
}

// Reasons are all reasons for which a test may be skipped. Any other text fails a run.
var Reasons = []Reason{
	{"short", "with -short", func(m Machine) bool { return m.Short }},
	{"not this case", "always: rows of a table, or random inputs, to which a test does not apply", func(Machine) bool { return true }},
	{"needs STRATA_CORPUS=1", "the variable is unset: `mage corpus` sets it", unset("STRATA_CORPUS")},
	{tier.SoakReason, "the variable is unset: `mage soak` sets it", unset(tier.SoakVariable)},
	{tier.LongReason, "the variables are unset: `mage test:long` sets STRATA_LONG, and `mage soak` STRATA_SOAK", unset(tier.LongVariable, tier.SoakVariable)},
	{"needs corpora", "there are no real schemas, and this is no CI", Machine.lacksCorpora},
	{"needs built programs", "KUBEBUILDER_ASSETS names other programs", func(m Machine) bool { return m.Environment("KUBEBUILDER_ASSETS") != "" }},
	{"needs an ordinary user", "root runs the tests", func(Machine) bool { return os.Geteuid() == 0 }},
	{"needs symbolic links", "the system or the user may not make symbolic links", func(Machine) bool { return !canLink() }},
	{"needs flock", "there is no command flock", func(Machine) bool { _, err := exec.LookPath("flock"); return err != nil }},
	{"needs make", "there is no command make", func(Machine) bool { _, err := exec.LookPath("make"); return err != nil }},
	{"needs ssh-keygen", "there is no command ssh-keygen", func(Machine) bool { _, err := exec.LookPath("ssh-keygen"); return err != nil }},
	{"needs Chromium", "there is no Chromium", func(Machine) bool { _, err := program.Find(); return err != nil }},
	{"needs states of files", "the system is neither Linux nor macOS", func(Machine) bool { return runtime.GOOS != "linux" && runtime.GOOS != "darwin" }},
	{"needs a privileged user", "the user may not set vm.memfd_noexec, or the kernel is older than 6.3", func(Machine) bool { return !canSet("/proc/sys/vm/memfd_noexec") }},
	{"needs the repository", "never: it is for those who test a module outside of this repository", func(Machine) bool { return false }},
}

// unset returns whether none of some variables has a value.
func unset(names ...string) func(Machine) bool {
	return func(m Machine) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return m.Environment(name) != "" })
	}
}

// lacksCorpora reports whether tests may do without real schemas. CI always has them.
func (m Machine) lacksCorpora() bool {
	if m.Environment("CI") != "" {
		return false
	}
	named := m.Environment("STRATA_CORPORA")
	_, err := os.Stat(cmp.Or(named, filepath.Join(m.Root, "..", "shared", "corpora")))
	return named == "" && err != nil
}

func canLink() bool {
	dir, err := os.MkdirTemp("", "strata-link-*")
	if err != nil {
		return true
	}
	defer os.RemoveAll(dir)
	return os.Symlink(dir, filepath.Join(dir, "link")) == nil
}

// canSet reports whether a parameter of the kernel is there and can be written.
func canSet(path string) bool {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	_ = file.Close()
	return true
}

// stated finds the text that a test gave to Skip in a line of its output.
var stated = regexp.MustCompile(`^\s*\S+\.go:\d+: (.*)`)

// judge returns why a skip is not accepted, which is nothing where its reason holds.
func (m Machine) judge(text string) string {
	i := kindOf(text)
	switch {
	case text == "":
		return "it states no reason"
	case i < 0:
		return "no kind of reason in tools/build/testrun/reason.go is stated"
	case !Reasons[i].Holds(m):
		return fmt.Sprintf("%q holds only when: %s", Reasons[i].Kind, Reasons[i].When)
	}
	return ""
}

// kindOf returns the index in Reasons of the kind that a text begins with; negative if it is none.
func kindOf(text string) int {
	return slices.IndexFunc(Reasons, func(r Reason) bool { return strings.HasPrefix(text, r.Kind+":") })
}
