package commandline_test

import (
	"bytes"
	"context"
	"flag"
	"testing"

	"github.com/stratakube/strata/operator/plugin/internal/commandline"
)

// TestHelp checks that the descriptions of commands begin in one column, and that help of a command
// that does not exist fails.
func TestHelp(t *testing.T) {
	run := func(_ context.Context, args []string, _ commandline.Streams) error {
		_, err := commandline.Flags(args, func(*flag.FlagSet) {})
		return err
	}
	p := commandline.Program{Name: "shop", Short: "shop sells.", Commands: []commandline.Command{
		{Name: "sell", Usage: "sell", Short: "sell all", Run: run},
		{Name: "return", Usage: "return BILL [--with-a-reason TEXT] [--dir DIR]", Short: "return a bill", Run: run},
	}}
	const all = "shop sells.\n\n" +
		"  shop sell                                            sell all\n" +
		"  shop return BILL [--with-a-reason TEXT] [--dir DIR]  return a bill\n"
	const one = "usage: shop sell\n\nsell all\n"
	for _, test := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{nil, commandline.Done, all, ""},
		{[]string{"help"}, commandline.Done, all, ""},
		{[]string{"--help"}, commandline.Done, all, ""},
		{[]string{"help", "sell"}, commandline.Done, one, ""},
		{[]string{"sell", "--help"}, commandline.Done, one, ""},
		{[]string{"help", "buy"}, commandline.Failed, "", "shop: error: unknown command \"buy\"\nshop: hint: there are sell, return\n"},
	} {
		var out, errs bytes.Buffer
		code := p.Run(t.Context(), test.args, commandline.Streams{Out: &out, Err: &errs})
		if code != test.code || out.String() != test.out || errs.String() != test.err {
			t.Errorf("%q: exit code %d, output\n%s%s", test.args, code, &out, &errs)
		}
	}
}
