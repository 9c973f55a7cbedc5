package testrun_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/testrun"
)

// tests are packages whose tests pass, fail, are skipped, or do not compile.
const tests = `
-- go.mod --
module example.com/m
go 1.26.0
-- good/good_test.go --
package good
import "testing"
func TestGood(t *testing.T) { t.Log("nobody asked") }
func TestSlow(t *testing.T) {
	if testing.Short() {
		t.Cleanup(func() { t.Log("what a script prints in the end") })
		t.Skip("short: takes long")
	}
}
-- bad/bad_test.go --
package bad
import "testing"
func TestBad(t *testing.T) { t.Run("inner", func(t *testing.T) { t.Error("two and two are five") }) }
-- broken/broken_test.go --
package broken
var _ int = "text"
-- waits/waits_test.go --
package waits
import ("os"; "testing"; "time")
func TestOne(t *testing.T) {
	long, _ := time.ParseDuration(os.Getenv("LONG"))
	time.Sleep(600*time.Millisecond + long)
}
func TestTwo(t *testing.T) { time.Sleep(600 * time.Millisecond) }
-- skips/skips_test.go --
package skips
import "testing"
func TestCorpus(t *testing.T) { t.Skip("needs corpora: none are there") }
func TestOther(t *testing.T) { t.Skip("no time") }
func TestSilent(t *testing.T) { t.SkipNow() }
`

func TestRun(t *testing.T) {
	root := extract(t)
	tests := []struct {
		reason  string
		args    []string
		machine testrun.Machine
		failed  string   // what the error of the tests contains
		refused []string // what the error of the report contains
		printed []string // expressions that match what is printed, in this order
	}{
		{
			reason:  "what passes has a line, its time and nothing else",
			args:    []string{"./good"},
			printed: []string{`^ok  \texample.com/m/good\t[0-9.]+s\n\n=== Time of packages, .*\n +[0-9.]+s  1 others, .*\n\n=== No tests were skipped\n\nDONE 2 tests in [0-9.]+s\n$`},
		},
		{
			reason:  "a skip whose reason holds is printed",
			args:    []string{"-short", "./good"},
			machine: testrun.Machine{Short: true},
			printed: []string{`   1  short: takes long  \[\S*good TestSlow\]\n`, `DONE 2 tests, 1 skipped in`},
		},
		{
			reason:  "folders that are left to another run are printed",
			args:    []string{"./good"},
			machine: testrun.Machine{Left: []string{"tools/long"}},
			printed: []string{`=== Folders that only mage test:long tests\n +tools/long\n`, `=== No tests were skipped`},
		},
		{
			reason:  "one whose reason does not hold fails the run",
			args:    []string{"-short", "./good"},
			refused: []string{`TestSlow was skipped: "short: takes long": "short" holds only when: with -short`},
		},
		{
			reason:  "a test that fails is shown, and named again in the end",
			args:    []string{"./bad", "./good"},
			failed:  "exit status 1",
			printed: []string{`two and two are five`, `FAIL\texample.com/m/bad`, `=== Failed\n(.*\n)*=== FAIL: \S*bad TestBad/inner`, `DONE 4 tests, 2 failures`},
		},
		{
			reason:  "what does not compile is shown",
			args:    []string{"./broken", "./good"},
			failed:  "exit status 1",
			printed: []string{`cannot use "text"`, `FAIL\texample.com/m/broken \[build failed\]`},
		},
		{
			reason:  "without schemas, elsewhere than in CI",
			args:    []string{"-run=Corpus", "./skips"},
			machine: testrun.Machine{Root: root},
		},
		{
			reason:  "CI has schemas",
			args:    []string{"-run=Corpus", "./skips"},
			machine: testrun.Machine{Root: root, Environment: func(name string) string { return map[string]string{"CI": "true"}[name] }},
			refused: []string{"TestCorpus was skipped"},
		},
		{
			reason: "so has a machine where they are",
			args:   []string{"-run=Corpus", "./skips"},
			machine: testrun.Machine{Environment: func(name string) string {
				return map[string]string{"STRATA_CORPORA": root}[name]
			}},
			refused: []string{"TestCorpus was skipped"},
		},
		{
			reason:  "every skip needs a reason of the table",
			args:    []string{"-run=Other|Silent", "./skips"},
			refused: []string{`TestOther was skipped: "no time": no kind of reason`, `TestSilent was skipped: "": it states no reason`},
		},
		{
			reason:  "that no test ran is an error",
			args:    []string{"-run=^$", "./good"},
			refused: []string{"no test ran"},
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			if test.machine.Environment == nil {
				test.machine.Environment = func(string) string { return "" }
			}
			var printed strings.Builder
			r := testrun.New(&printed)
			in := command.In{Dir: root, Env: []string{"GOWORK=off"}, Stderr: &strings.Builder{}}
			args := append([]string{"-count=1"}, test.args...)
			contains(t, r.Test(t.Context(), testrun.Lane{{In: in, Args: args}}), test.failed)
			contains(t, r.Report(test.machine), test.refused...)
			rest := printed.String()
			for _, want := range test.printed {
				at := regexp.MustCompile(want).FindStringIndex(rest)
				if at == nil {
					t.Fatalf("%q is not in\n%s", want, rest)
				}
				rest = rest[at[1]:]
			}
		})
	}
}

// TestLongTestsHaveLines runs a test of ten seconds, which has a line beside its package.
func TestLongTestsHaveLines(t *testing.T) {
	root := extract(t)
	var printed strings.Builder
	r := testrun.New(&printed)
	in := command.In{Dir: root, Env: []string{"GOWORK=off", "LONG=10s"}, Stderr: &strings.Builder{}}
	contains(t, r.Test(t.Context(), testrun.Lane{{In: in, Args: []string{"./waits"}}}), "")
	contains(t, r.Report(testrun.Machine{}), "")
	if !regexp.MustCompile(`=== Tests of 10s and more\n +1[0-9.]+s  \S*waits TestOne\n\n`).MatchString(printed.String()) {
		t.Errorf("the report is\n%s", printed.String())
	}
}

// TestSeveralCommandsAreOneRun requires one report on the tests of all commands.
func TestSeveralCommandsAreOneRun(t *testing.T) {
	root := extract(t)
	var printed strings.Builder
	r := testrun.New(&printed)
	in := command.In{Dir: root, Env: []string{"GOWORK=off"}, Stderr: &strings.Builder{}}
	contains(t, r.Test(t.Context(), testrun.Lane{{In: in, Args: []string{"./bad"}}}), "exit status 1")
	contains(t, r.Test(t.Context(), testrun.Lane{{In: in, Args: []string{"./good"}}}), "")
	contains(t, r.Report(testrun.Machine{}), "")
	if !strings.Contains(printed.String(), "DONE 4 tests, 2 failures") {
		t.Errorf("the report is\n%s", printed.String())
	}
}

// TestLanes runs commands beside one another, and after one that fails. A test of each lane waits
// for a test of the other.
func TestLanes(t *testing.T) {
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(met)), root); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	r := testrun.New(&printed)
	of := func(pkg string) testrun.Command {
		return testrun.Command{In: command.In{Dir: root, Env: []string{"GOWORK=off", "MEETING=" + t.TempDir()}}, Args: []string{"-count=1", pkg}}
	}
	a, b := of("./a"), of("./b")
	b.In.Env = a.In.Env
	contains(t, r.Test(t.Context(), testrun.Lane{of("./bad"), a}, testrun.Lane{b}), "./bad: exit status 1")
	contains(t, r.Report(testrun.Machine{}), "")
	for _, want := range []string{"ok  \texample.com/m/a\t", "ok  \texample.com/m/b\t", "FAIL\texample.com/m/bad", "DONE 3 tests, 1 failure"} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("%q is not in\n%s", want, printed.String())
		}
	}
}

// met are packages of which two wait for one another.
const met = `
-- go.mod --
module example.com/m
go 1.26.0
-- meet.go --
package m
import ("os"; "path/filepath"; "testing"; "time")
func Meet(t *testing.T, mine, other string) {
	dir := os.Getenv("MEETING")
	if err := os.WriteFile(filepath.Join(dir, mine), nil, 0o666); err != nil { t.Fatal(err) }
	for range 3000 {
		if _, err := os.Stat(filepath.Join(dir, other)); err == nil { return }
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the other does not come")
}
-- a/a_test.go --
package a
import ("testing"; "example.com/m")
func TestA(t *testing.T) { m.Meet(t, "a", "b") }
-- b/b_test.go --
package b
import ("testing"; "example.com/m")
func TestB(t *testing.T) { m.Meet(t, "b", "a") }
-- bad/bad_test.go --
package bad
import "testing"
func TestBad(t *testing.T) { t.Error("bad") }
`

func contains(t *testing.T, err error, parts ...string) {
	t.Helper()
	text := ""
	if err != nil {
		text = err.Error()
	}
	if strings.Join(parts, "") == "" && text != "" {
		t.Errorf("error = %s", text)
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("error = %q, want it to contain %q", text, part)
		}
	}
}

// TestTimesAddUp has two commands run tests of one package.
func TestTimesAddUp(t *testing.T) {
	var printed strings.Builder
	r := testrun.New(&printed)
	in := command.In{Dir: extract(t), Env: []string{"GOWORK=off"}}
	lane := testrun.Lane{{In: in, Args: []string{"-count=1", "-run=One", "./waits"}}, {In: in, Args: []string{"-count=1", "-skip=One", "./waits"}}}
	contains(t, r.Test(t.Context(), lane), "")
	contains(t, r.Report(testrun.Machine{Environment: func(string) string { return "" }}))
	if want := regexp.MustCompile(`\n +(1\.[2-9]|[2-9]\.\d|\d\d+\.\d)s  \S*waits\n(.*\n)*DONE 2 tests`); !want.MatchString(printed.String()) {
		t.Errorf("what is printed does not match %s:\n%s", want, printed.String())
	}
}

func extract(t *testing.T) string {
	t.Helper()
	root := t.TempDir() + "/m" // beside it there are no schemas
	if err := os.Mkdir(root, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := txtar.Write(txtar.Parse([]byte(tests)), root); err != nil {
		t.Fatal(err)
	}
	return root
}
