//go:build unix

package targets_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/targets"
)

// TestNight runs the nightly script with a go command that records its calls, and fails for one
// of its targets. The script must run the others all the same, and fail.
func TestNight(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"tool mage modules", "tool mage test:long", "tool mage corpus", "tool mage bench:guard", "tool mage soak"}
	for _, test := range []struct {
		fails string
		code  int
		want  []string
	}{
		{"nothing", 0, want},
		{"tool mage modules", 5, want[:1]},
		{"tool mage test:long", 5, want},
		{"tool mage corpus", 5, want},
		{"tool mage bench:guard", 5, want},
		{"tool mage soak", 5, want},
	} {
		t.Run("fails: "+test.fails, func(t *testing.T) {
			bin := t.TempDir()
			script(t, bin, `[ "$1" = version ] || echo "$*" >> '`+bin+`/log'; [ "$*" != '`+test.fails+`' ] || exit 5`)
			cmd := exec.Command("bash", filepath.Join(w.Root, ".ci", "night"))
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			if code := exitCode(t, cmd.Run()); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			log, err := os.ReadFile(filepath.Join(bin, "log"))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Split(strings.TrimSpace(string(log)), "\n"); !slices.Equal(got, test.want) {
				t.Errorf("the script runs %q, want %q", got, test.want)
			}
		})
	}
}

// TestSoakMeasuresMutants soaks in a workspace with a package whose mutants are measured, without
// gremlins. It expects the error of the missing program.
func TestSoakMeasuresMutants(t *testing.T) {
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(mutated)), root); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	bin := t.TempDir()
	script(t, bin, `case "$1" in list) ;; *) echo "$*" >> '`+bin+`/log' ;; esac`)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if err := targets.Soak(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "mutate: ") {
		t.Errorf("error %v, want one of mutate", err)
	}
}

// TestSkipWithoutReasonFails runs the targets that test with a go command whose only test was
// skipped, with a reason that is accepted and with one that is not.
func TestSkipWithoutReasonFails(t *testing.T) {
	const refused = "TestA was skipped"
	quick := func() error { return targets.TestQuick(t.Context()) }
	for _, test := range []struct {
		name, reason string
		do           func() error
		fails        bool
	}{
		{"test", "it was late", func() error { return targets.Test(t.Context()) }, true},
		{"test:quick", "it was late", quick, true},
		{"test:quick", "not this case: it is none", quick, false},
	} {
		t.Run(test.name+", "+test.reason, func(t *testing.T) {
			t.Chdir(extract(t))
			skipsAll(t, test.reason)
			giveAssets(t)
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			if err := test.do(); (err != nil) != test.fails || test.fails && !strings.Contains(err.Error(), refused) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// skipsAll puts a go command first in PATH whose tests are skipped for a reason.
func skipsAll(t *testing.T, reason string) {
	t.Helper()
	dir := filepath.Dir(noteGo(t, ""))
	noting := filepath.Join(dir, "noting")
	if err := os.Rename(filepath.Join(dir, "go"), noting); err != nil {
		t.Fatal(err)
	}
	event := func(action, more string) string {
		return `echo '{"Action":"` + action + `","Package":"example.com/p","Test":"TestA"` + more + `}'`
	}
	script(t, dir, `[ "$1 $2" = 'test -json' ] || exec '`+noting+`' "$@"
`+event("run", "")+"\n"+event("output", `,"Output":"    a_test.go:1: `+reason+`\\n"`)+"\n"+event("skip", ""))
}
