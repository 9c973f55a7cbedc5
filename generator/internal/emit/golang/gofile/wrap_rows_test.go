package gofile_test

import (
	"go/format"
	"strconv"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
)

// TestRowsOfLongTextsAreBroken prints rows of a table with several texts that are longer than a
// line. The printer ends, and gofmt leaves the rows as they are.
func TestRowsOfLongTextsAreBroken(t *testing.T) {
	for n := 50; n <= 700; n += 7 {
		long := strconv.Quote(strings.Repeat("a", n))
		for _, line := range []string{
			"\t{Name: " + long + ", Key: " + long + ", Kind: \"s\"},",
			"\t{Name: " + long + ", Key: " + long + ", Kind: \"lmo\", Free: " + long + "},",
			"\t" + long + ": " + long + ",",
		} {
			f := gofile.New("example.com/p", "p")
			f.P("var x = T{")
			f.P(line)
			f.P("}")
			got := f.Bytes()
			want, err := format.Source(got)
			if err != nil {
				t.Fatalf("%v in\n%s", err, got)
			}
			if string(want) != string(got) {
				t.Errorf("gofmt makes\n%s\nof\n%s", want, got)
			}
		}
	}
}
