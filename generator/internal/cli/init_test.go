package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

// TestQuestions answers what init asks on a terminal.
func TestQuestions(t *testing.T) {
	for _, test := range []struct {
		reason, answers string
		args            []string
		want, asked     string
		code            int
	}{
		{
			reason: "empty answers take what was found", answers: "\n\n\n\n",
			want:  "from go=./shop\nwrote api example.com/demo/api\nnext: strata generate\n",
			asked: "sources, such as go=./shop crd=config/crd [go=./shop]: folder of what is generated [api]: its import path [example.com/demo/api]: folder of a main that serves the conversions, empty for none []: ",
		},
		{
			reason: "sources that are none are asked for again, and schemas need a suffix", answers: "table=x\narm=schemas\ngen\n\nexample.org\ncmd/hook\n",
			want:  "from arm=schemas\nwrote gen example.com/demo/gen example.org cmd/hook\nnext: strata generate\nthen: go mod tidy, go run ./cmd/hook --help\n",
			asked: `there is no kind of source "table"`,
		},
		{
			reason: "what a flag has decided about the webhook is not asked", args: []string{"--webhook"}, answers: "\n\n\n",
			want: "from go=./shop\nwrote api example.com/demo/api  cmd/webhook\nnext: strata generate\nthen: go mod tidy, go run ./cmd/webhook --help\n",
		},
		{reason: "nothing is asked where that is said", args: []string{"--yes"}, want: "from go=./shop\nwrote api example.com/demo/api\nnext: strata generate\n"},
		{reason: "the end of the input is no answer", answers: "\n", code: cli.Failed, asked: "with --yes nothing is asked"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var out, errs bytes.Buffer
			streams := cli.Streams{In: strings.NewReader(test.answers), Out: &out, Err: &errs, Interactive: true}
			if code := cli.Run(t.Context(), append([]string{"init"}, test.args...), streams, fake{}); code != test.code {
				t.Errorf("exit code %d: %s", code, &errs)
			}
			if out.String() != test.want {
				t.Errorf("printed\n%s\nwant\n%s", &out, test.want)
			}
			if !strings.Contains(errs.String(), test.asked) {
				t.Errorf("asked %q, want %q", &errs, test.asked)
			}
		})
	}
}
