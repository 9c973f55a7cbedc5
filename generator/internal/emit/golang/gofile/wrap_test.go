package gofile_test

import (
	"go/format"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
)

func TestWideLinesAreBroken(t *testing.T) {
	a, b := strings.Repeat("a", 60), strings.Repeat("b", 60)
	for _, test := range []struct{ reason, line, want string }{
		{"a line of 120 columns stays", "var x = f(" + a + ", " + b[:47] + ")", ""},
		{"one that is wider is broken in its parentheses", "var x = f(c, " + a + ", " + b + ")", "var x = f(\n\tc, " + a + ",\n\t" + b + ",\n)"},
		{"the receiver of a method stays", "func (c C) " + a + "(" + b + " C) { return }", "func (c C) " + a + "(\n\t" + b + " C,\n) { return }"},
		{
			"a receiver is broken where there is nothing else", "func (c *" + a + ") M() *" + a + " {}",
			"func (\n\tc *" + a + ",\n) M() *" + a + " {}",
		},
		{
			"so it is where the name of the method is long, too", "func (c *" + a + ") " + b + "(d D) {}",
			"func (\n\tc *" + a + ",\n) " + b + "(\n\td D,\n) {}",
		},
		{
			"a function that begins on the line is broken in its parameters", "\tx = f(c, func(v " + a + ") " + a + " {",
			"\tx = f(c, func(\n\t\tv " + a + ",\n\t) " + a + " {",
		},
		{"a text that looks like a function stays", "\tx = f(`func(v " + a + ", w " + b + ") `,", ""},
		{"a literal has its members on lines", "var x = T{Aa: " + a + ", B: " + b + "}", "var x = T{\n\tAa: " + a + ",\n\tB:  " + b + ",\n}"},
		{
			"a long text is in pieces", `var x = "` + a + b + `"`,
			`var x = "` + (a + b)[:108] + "\" +\n\t\"" + (a + b)[108:] + `"`,
		},
		{"an escape is whole", `var x = "` + a + b[:47] + `\"` + b[:20] + `"`, `var x = "` + a + b[:47] + "\" +\n\t\"" + `\"` + b[:20] + `"`},
		{"a tag stays", "type T struct{ F int `" + a + b + "` }", ""},
		{"a name stays", "var " + a + " = " + b, ""},
		{"a comment stays", "\t// f(" + a + ", " + b + ")", ""},
		{"a comment behind code stays", "\tx := 1 // f(" + a + ", " + b + ")", ""},
		{"a literal of several lines stays", "var x = `" + a + "\n" + a + " f(" + b + ", " + b + ")`", ""},
		{"a type in parentheses is no list", "var x = f(c, (*" + a + b + ").M)", "var x = f(\n\tc,\n\t(*" + a + b + ").M,\n)"},
		{"a type that is asserted is no list", "var x = a.(" + a + b + ")", ""},
		{"a conversion has one argument", "var x = (*" + a + ")(" + b + ")", "var x = (*" + a + ")(\n\t" + b + ",\n)"},
	} {
		f := gofile.New("example.com/p", "p")
		f.P(test.line)
		want := test.want
		if want == "" {
			want = test.line
		}
		want = gofile.Header + "\n\npackage p\n\n" + want + "\n"
		if got := string(f.Bytes()); got != want {
			t.Errorf("%s: got\n%s, want\n%s", test.reason, got, want)
		}
	}
}

// TestBrokenLinesAreFormatted breaks calls and literals of random arguments: gofmt leaves them as
// they are, and they are no wider than their widest argument makes them.
func TestBrokenLinesAreFormatted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := "var x = " + drawn(t, 3)
		f := gofile.New("example.com/p", "p")
		f.P(line)
		got := f.Bytes()
		want, err := format.Source(got)
		if err != nil {
			t.Fatalf("%v in\n%s", err, got)
		}
		if string(want) != string(got) {
			t.Fatalf("gofmt makes\n%s\nof\n%s", want, got)
		}
		for line := range strings.Lines(string(got)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 120 {
				t.Fatalf("%d columns in\n%s", n, got)
			}
		}
	})
}

// drawn is an expression: a name, a text, a method of a type, a call, a conversion or a literal.
func drawn(t *rapid.T, depth int) string {
	word := rapid.StringMatching(`[a-z]{1,30}`)
	kinds := []string{"name", "text", "method"}
	if depth > 0 {
		kinds = append(kinds, "call", "conversion", "literal", "rows")
	}
	items := func(item func() string) string {
		var all []string
		for range rapid.IntRange(1, 6).Draw(t, "items") {
			all = append(all, item())
		}
		return strings.Join(all, ", ")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "text":
		return strconv.Quote(rapid.StringOfN(rapid.RuneFrom([]rune("ab(,\"\\\n\u00e9")), 0, 200, -1).Draw(t, "text"))
	case "call":
		return word.Draw(t, "f") + "1(" + items(func() string { return drawn(t, depth-1) }) + ")"
	case "method":
		return "(*" + word.Draw(t, "T") + "1)." + word.Draw(t, "m") + "1"
	case "conversion":
		return "(*" + word.Draw(t, "T") + "1)(" + drawn(t, depth-1) + ")"
	case "rows":
		return "[]T{" + items(func() string { return drawnRow(t) }) + "}"
	case "literal":
		keys := 0
		return "T{" + items(func() string {
			keys++
			return "K" + strconv.Itoa(keys) + word.Draw(t, "key") + ": " + drawn(t, depth-1)
		}) + "}"
	}
	return word.Draw(t, "name") + "1"
}

// drawnRow is a row of a table, which lists literals.
func drawnRow(t *rapid.T) string {
	var all []string
	for range rapid.IntRange(1, 8).Draw(t, "elements") {
		all = append(all, "{Name: "+strconv.Quote(rapid.StringMatching(`[a-z]{1,50}`).Draw(t, "name"))+"}")
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// TestRowsHaveNoLinesForBraces wants the braces of a row on its first and its last line, and a list
// of rows to begin where the members before it end.
func TestRowsHaveNoLinesForBraces(t *testing.T) {
	a, b := strings.Repeat("a", 50), strings.Repeat("b", 50)
	f := gofile.New("example.com/p", "p")
	f.P("var x = T{A: 1, B: 2, Rows: []R{{{N: " + a + "}, {N: " + b + "}, {N: c}}, {{N: d}}}}")
	want := gofile.Header + "\n\npackage p\n\nvar x = T{\n\tA: 1, B: 2, Rows: []R{\n\t\t{{N: " + a + "}, {N: " + b + "},\n\t\t\t{N: c}},\n" +
		"\t\t{{N: d}},\n\t},\n}\n"
	if got := string(f.Bytes()); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestFunctionsStandBelowEachOther(t *testing.T) {
	f := gofile.New("example.com/p", "p")
	long := strings.Repeat("a", 80)
	f.Funcs([2]string{"func A() int", "return 1"}, [2]string{"func Bcd() int", "return 2"}, [2]string{"func E() int", "return " + long},
		[2]string{"func F() int", "return " + long + long[:30]})
	want := gofile.Header + "\n\npackage p\n\nfunc A() int   { return 1 }\nfunc Bcd() int { return 2 }\nfunc E() int   { return " + long + " }\n" +
		"func F() int {\n\treturn " + long + long[:30] + "\n}\n"
	if got := string(f.Bytes()); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// TestColumnsAreAligned checks that gofmt leaves columns as they are, also with names beyond ASCII.
func TestColumnsAreAligned(t *testing.T) {
	f := gofile.New("example.com/p", "p")
	f.P("type T struct {")
	f.Columns([][3]string{{"Ünit", "*ÜnitÜnit", "`json:\"a\"`"}, {"A", "*string", "`json:\"大\"`"}, {"Longer", "int", ""}})
	f.P("}")
	stable(t, f.Bytes())
}
