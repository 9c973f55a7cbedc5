package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

// TestQuestions answers what init asks on a terminal.
func TestQuestions(t *testing.T) {
	const followed = "next:\n  strata generate\n  go get github.com/stratakube/strata/runtime && go mod tidy\n  go test ./api/...\n"
	for _, test := range []struct {
		reason, answers string
		args            []string
		want, asked     string
		code            int
	}{
		{
			reason: "empty answers take what was found", answers: "\n\n\n\n\n\n",
			want: "from go=./shop\nwrote api example.com/demo/api\n" + followed,
			asked: "begin with a new API in Go (new), with Go types or CRDs that exist (existing), or with schemas of an external API (external)? [existing]: " +
				"sources, such as go=./shop crd=config/crd [go=./shop]: folder of what is generated [api]: its import path [example.com/demo/api]: " +
				"folder of a main that serves the conversions, empty for none []: folder of a checkout of Strata, which is not released yet; empty for none []: ",
		},
		{
			reason: "answers that are none are asked for again, and schemas need a suffix", answers: "door\nexternal\n\ntable=x\narm=schemas\ngen\n\nexample.org\ncmd/hook\n\n\n",
			want:  "from arm=schemas\nwrote gen example.com/demo/gen example.org cmd/hook\nnext:\n  strata generate\n  go get github.com/stratakube/strata/webhook && go mod tidy\n  go test ./gen/...\n",
			asked: `there is no kind of source "table"`,
		},
		{
			reason: "a new API has a group, a kind and versions", answers: "new\nWidget\nshop.example.com/Widget\nv1beta1, v1\n\n\n\n\n",
			want:  "from go=./shop\nwrote api example.com/demo/api\n" + followed,
			asked: `"Widget" is not a group and a kind`,
		},
		{
			reason: "what flags have set is not asked", args: []string{"--webhook", "--source", "go=./shop", "--output", "gen", "--module", "example.com/gen", "--checkout", "../strata"},
			want: "from go=./shop\nwrote gen example.com/gen  cmd/webhook\nnext:\n  strata generate\n  go test ./gen/...\n  go run ./cmd/webhook --help\n",
		},
		{
			reason: "nor for a new API", args: []string{"--new", "shop.example.com/Widget", "--versions", "v1", "--output", "gen", "--module", "example.com/gen", "--webhook", "--checkout", "x"},
			want: "from go=./shop\nwrote gen example.com/gen  cmd/webhook\nnext:\n  strata generate\n  go test ./gen/...\n  go run ./cmd/webhook --help\n",
		},
		{reason: "nothing is asked where that is said", args: []string{"--yes"}, want: "from go=./shop\nwrote api example.com/demo/api\n" + followed},
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
