package diag_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/diag"
)

var update = flag.Bool("update", false, "write the goldens")

const schema = `{
	"id": "x",
	"definitions": {"Pool": {"type": "strng", "größe": []}}
}
`

func messages() []diag.Message {
	return []diag.Message{
		diag.Errorf(diag.Pos{}, "no schemas match"),
		diag.Errorf(diag.InFile("crm.json"), "the file has no resourceDefinitions").WithHint("remove it from sources"),
		diag.Errorf(diag.At("crm.json", 46, "definitions.Pool.type"), "unknown type %q", "strng").WithHint("did you mean %q?", "string"),
		diag.Warnf(diag.At("crm.json", 57, `definitions.Pool.größe`), "an empty list <here>"),
		diag.Notef(diag.At("gone.json", 5, "a"), "omitted"),
	}
}

func TestPrint(t *testing.T) {
	many := func(n int) (all []diag.Message) {
		for i := range n {
			all = append(all, diag.Errorf(diag.Pos{}, "error %d", i), diag.Warnf(diag.Pos{}, "warning %d", i))
		}
		return append(all, diag.Notef(diag.Pos{}, "a note"))
	}
	tests := []struct {
		golden   string
		printer  diag.Printer
		messages []diag.Message
		json     bool
	}{
		{"text", diag.Printer{}, messages(), false},
		{"colour", diag.Printer{Colour: true}, messages(), false},
		{"json", diag.Printer{}, messages(), true},
		{"none-text", diag.Printer{}, nil, false},
		{"none-json", diag.Printer{}, nil, true},
		{"limit", diag.Printer{Limit: 2}, many(3), false},
		{"limit-of-20", diag.Printer{}, many(25), false},
		{"limit-is-not-of-json", diag.Printer{Limit: 1}, many(2), true},
	}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			sources := diag.NewSources(func(file string) ([]byte, error) { return nil, fmt.Errorf("no %s", file) })
			sources.Add("crm.json", []byte(schema))
			tt.printer.Sources = sources
			var out bytes.Buffer
			write := tt.printer.Text
			if tt.json {
				write = tt.printer.JSON
			}
			if err := write(&out, tt.messages); err != nil {
				t.Fatal(err)
			}
			compareGolden(t, filepath.Join("testdata", "print", tt.golden+".txt"), out.Bytes())
		})
	}
}

func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

func ExamplePrinter_Text() {
	sources := diag.NewSources(nil)
	sources.Add("strata.yaml", []byte("output:\n  dirr: api\n"))
	message := diag.Errorf(diag.At("strata.yaml", 10, "output"), "unknown key %q", "dirr").WithHint("did you mean %q?", "dir")
	_ = diag.Printer{Sources: sources}.Text(os.Stdout, []diag.Message{message})
	// Output:
	// strata: error: strata.yaml:2:3: output: unknown key "dirr"
	//     2 |   dirr: api
	//       |   ^
	// strata: hint: did you mean "dir"?
}

// TestPasteAndControls checks that lines to paste begin in the first column, and that text from
// files cannot imitate a message.
func TestPasteAndControls(t *testing.T) {
	m := diag.Errorf(diag.Pos{File: "a\nb.json", Offset: diag.NoOffset, Path: "x\x1b"}, "bad\nstrata: error: forged \x1b[2J\u202e").WithHint("say\nstrata: hint: forged").WithPaste("types:\n  - {a: b}\n")
	var out bytes.Buffer
	if err := (diag.Printer{}).Text(&out, []diag.Message{m}); err != nil {
		t.Fatal(err)
	}
	want := "strata: error: a\\nb.json: x\\x1b: bad\n    strata: error: forged \\x1b[2J\\u202e\nstrata: hint: say\n    strata: hint: forged\ntypes:\n  - {a: b}\n"
	if out.String() != want {
		t.Errorf("printed\n%s, want\n%s", &out, want)
	}
}
