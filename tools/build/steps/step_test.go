package steps_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/steps"
)

var errBroken = errors.New("broken")

func TestRun(t *testing.T) {
	tests := []struct {
		reason  string
		steps   []string // a name that starts with "bad" fails, one that starts with "end" ends the context
		ran     string
		err     string
		summary string
	}{
		{"no step is no work", nil, "", "", ""},
		{"one step needs no summary", []string{"vet"}, "vet", "", ""},
		{"steps run in the order given", []string{"vet", "test"}, "vet test", "", "ok vet\nok test\n"},
		{
			"a failure does not hide what comes after it", []string{"bad vet", "test", "bad lint"},
			"bad vet test bad lint", "bad vet: broken\nbad lint: broken", "FAIL bad vet\nok test\nFAIL bad lint\n",
		},
		{
			"the end of the context stops the verb", []string{"end", "test"},
			"end", "end: context canceled", "FAIL end\n",
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var ran []string
			var all []steps.Step
			for _, name := range test.steps {
				all = append(all, steps.Step{Name: name, Do: func(ctx context.Context) error {
					ran = append(ran, name)
					if strings.HasPrefix(name, "bad") {
						return errBroken
					}
					if name == "end" {
						cancel()
					}
					return ctx.Err()
				}})
			}

			var summary strings.Builder
			err := steps.Run(ctx, &summary, all...)
			if got := message(err); got != test.err {
				t.Errorf("error = %q, want %q", got, test.err)
			}
			if got := strings.Join(ran, " "); got != test.ran {
				t.Errorf("ran %q, want %q", got, test.ran)
			}
			if got := untimed(summary.String()); got != test.summary {
				t.Errorf("summary = %q, want %q", got, test.summary)
			}
		})
	}
}

// TestFollow checks that the line of a step is written when it ends, and before the next one
// begins; on a terminal, that its name is there while it runs.
func TestFollow(t *testing.T) {
	for _, isTerminal := range []bool{false, true} {
		var out strings.Builder
		seen := map[string]string{}
		step := func(name string, err error) steps.Step {
			return steps.Step{Name: name, Do: func(context.Context) error {
				seen[name] = untimed(out.String())
				return err
			}}
		}
		err := steps.Follow(t.Context(), &out, isTerminal, step("vet", errBroken), step("test", nil))
		if message(err) != "vet: broken" {
			t.Errorf("error = %v", err)
		}
		want := map[string]string{"vet": "", "test": "FAIL vet\n", "": "FAIL vet\nok test\n"}
		if isTerminal {
			const indent = "...           "
			want = map[string]string{"vet": indent + "vet"}
			want["test"] = want["vet"] + "\rFAIL vet\n" + indent + "test"
			want[""] = want["test"] + "\rok test\n"
		}
		seen[""] = untimed(out.String())
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("terminal %t: what is written before each step, and at the end (-want +got):\n%s", isTerminal, diff)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

var duration = regexp.MustCompile(` +\d+\.\d+s +`)

func untimed(summary string) string { return duration.ReplaceAllString(summary, " ") }
