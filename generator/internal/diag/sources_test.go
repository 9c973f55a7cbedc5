package diag_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/diag"
)

func TestLocate(t *testing.T) {
	long := `{"a": "` + strings.Repeat("x", 5000) + `", "b": 1, "c": "` + strings.Repeat("y", 5000) + `"}`
	tests := []struct {
		reason, body string
		offset       int
		want         diag.Location
	}{
		{"the start of the file", "ab\ncd", 0, diag.Location{Line: 1, Column: 1, Excerpt: "ab"}},
		{"the start of a line", "ab\ncd", 3, diag.Location{Line: 2, Column: 1, Excerpt: "cd"}},
		{"a line's end belongs to the line", "ab\ncd", 2, diag.Location{Line: 1, Column: 3, Excerpt: "ab", Caret: 2}},
		{"the end of the file", "ab\n", 3, diag.Location{Line: 2, Column: 1}},
		{"an empty file", "", 0, diag.Location{Line: 1, Column: 1}},
		{"columns count characters", "größe: x", 9, diag.Location{Line: 1, Column: 8, Excerpt: "größe: x", Caret: 7}},
		{"a carriage return is not shown", "ab\r\ncd\r\n", 5, diag.Location{Line: 2, Column: 2, Excerpt: "cd", Caret: 1}},
		{"a tab is as wide as a space", "\tab", 1, diag.Location{Line: 1, Column: 2, Excerpt: " ab", Caret: 1}},
		{"a long line is cut on both sides", long, strings.Index(long, `"b"`), diag.Location{
			Line: 1, Column: 5011, Caret: 63,
			Excerpt: "..." + strings.Repeat("x", 57) + `", "b": 1, "c": "` + strings.Repeat("y", 26) + "...",
		}},
		{"a default is hidden", `{"a": {"default": "s, \"3", "b": 1}}`, 29, diag.Location{Line: 1, Column: 30, Excerpt: `{"a": {"default": ..., "b": 1}}`, Caret: 24}},
		{"a position in a default is that of the ellipsis", `{"default": "secret", "b": 1}`, 15, diag.Location{Line: 1, Column: 16, Excerpt: `{"default": ..., "b": 1}`, Caret: 12}},
		{"a default of an object is hidden", `"default": {"a": ["s}"], "c": {}}, "b": 1`, 36, diag.Location{Line: 1, Column: 37, Excerpt: `"default": ..., "b": 1`, Caret: 17}},
		{"a default at the end of an object is hidden", `{"default": 5}, "b"`, 16, diag.Location{Line: 1, Column: 17, Excerpt: `{"default": ...}, "b"`, Caret: 18}},
		{"examples are hidden", `"examples": ["s"], "example": "s"`, 0, diag.Location{Line: 1, Column: 1, Excerpt: `"examples": ..., "example": ...`}},
		{"a default that does not end in the line is hidden", `"a": 1, "default": {"b": "s",`, 0, diag.Location{Line: 1, Column: 1, Excerpt: `"a": 1, "default": ...`}},
		{"a default of YAML is hidden", "  default: s, t # u", 2, diag.Location{Line: 1, Column: 3, Excerpt: "  default: ...", Caret: 2}},
		{"a default in a flow of YAML is hidden", `{type: string, default: 's''t', title: T}`, 1, diag.Location{Line: 1, Column: 2, Excerpt: `{type: string, default: ..., title: T}`, Caret: 1}},
		{"a default that begins on an earlier line is hidden", "\"default\": {\n\"password\": \"s\"\n}, \"b\": 1", 15, diag.Location{Line: 2, Column: 3, Excerpt: "..."}},
		{"and what follows it is not", "\"default\": {\n\"password\": \"s\"\n}, \"b\": 1", 33, diag.Location{Line: 3, Column: 5, Excerpt: `..., "b": 1`, Caret: 6}},
		{"a default whose value is on the next line", "\"default\":\n  \"s\", \"b\": 1", 20, diag.Location{Line: 2, Column: 10, Excerpt: `  ..., "b": 1`, Caret: 9}},
		{"a default of YAML in a block is hidden", "a:\n  default:\n    password: s\n  b: 1", 20, diag.Location{Line: 3, Column: 7, Excerpt: "..."}},
		{"and what follows the block is not", "a:\n  default:\n    password: s\n\n  b: 1", 34, diag.Location{Line: 5, Column: 4, Excerpt: "  b: 1", Caret: 3}},
		{"a default of YAML in a block of text is hidden", "  default: |\n    s\n  b: 1", 16, diag.Location{Line: 2, Column: 4, Excerpt: "..."}},
		{"a list that is a default of YAML is hidden", "- default:\n  - s\n  - t\n  b: 1", 21, diag.Location{Line: 3, Column: 5, Excerpt: "..."}},
		{"an element after a default of YAML is not", "- default: s\n- b: 1", 15, diag.Location{Line: 2, Column: 3, Excerpt: "- b: 1", Caret: 2}},
		{"a default without a value hides nothing", "default:\nb: 1", 9, diag.Location{Line: 2, Column: 1, Excerpt: "b: 1"}},
		{"words of a text are not", `"the default: none", defaults: 1`, 0, diag.Location{Line: 1, Column: 1, Excerpt: `"the default: none", defaults: 1`}},
		{"a default of a marker is hidden", "// +kubebuilder:default=secret", 3, diag.Location{Line: 1, Column: 4, Excerpt: "// +kubebuilder:default=...", Caret: 3}},
		{"an example of a marker is hidden", "// +kubebuilder:example:={a: s}", 0, diag.Location{Line: 1, Column: 1, Excerpt: "// +kubebuilder:example:=..."}},
		{"a default among the arguments of a marker is hidden", "\t// +strata:made:default=\"s, t\",in=v2", 4, diag.Location{Line: 1, Column: 5, Excerpt: " // +strata:made:default=...", Caret: 4}},
		{"and the next line is not", "// +default=s\nA string", 14, diag.Location{Line: 2, Column: 1, Excerpt: "A string"}},
		{"a marker without a default is not", "// +kubebuilder:validation:Enum=default", 0, diag.Location{Line: 1, Column: 1, Excerpt: "// +kubebuilder:validation:Enum=default"}},
		{"a default in a tag is hidden", "\tA B `json:\"a\" default:\"s \\\" t\" b:\"c\"`", 1, diag.Location{Line: 1, Column: 2, Excerpt: " A B `json:\"a\" default:... b:\"c\"`", Caret: 1}},
		{"an example at the beginning of a tag is hidden", "A string `example:\"s\" json:\"a\"`", 0, diag.Location{Line: 1, Column: 1, Excerpt: "A string `example:... json:\"a\"`"}},
		{"a tag without an end is hidden", "A string `default:\"s", 0, diag.Location{Line: 1, Column: 1, Excerpt: "A string `default:..."}},
		{"a text like a tag does not show the default behind it", "\"a\": \"`default:\", \"default\": \"s\", \"b\": 1", 0, diag.Location{Line: 1, Column: 1, Excerpt: "\"a\": \"`default:...default\": ..., \"b\": 1"}},
		{"a long default before an excerpt is hidden", `"default": "` + strings.Repeat("s", 3000) + `", "b"`, 3015, diag.Location{Line: 1, Column: 3016, Excerpt: `..., "b"`, Caret: 5}},
		{"a long default behind an excerpt is hidden", `{"b": 1, "default": "` + strings.Repeat("s", 3000) + `"}`, 1, diag.Location{Line: 1, Column: 2, Excerpt: `{"b": 1, "default": ...`, Caret: 1}},
		{"bytes that are no text are told as such", "a\xff\xfeb", 3, diag.Location{Line: 1, Column: 4, Excerpt: "a��b", Caret: 3}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			sources := diag.NewSources(nil)
			sources.Add("f", []byte(tt.body))
			got, ok := sources.Locate(diag.At("f", tt.offset, ""))
			if !ok || got != tt.want {
				t.Errorf("got  %+v, %v\nwant %+v", got, ok, tt.want)
			}
		})
	}
}

func TestNoLocation(t *testing.T) {
	reads := 0
	sources := diag.NewSources(func(string) ([]byte, error) { reads++; return nil, errors.New("gone") })
	sources.Add("short", []byte("ab"))
	for reason, p := range map[string]diag.Pos{
		"the file as a whole":    diag.InFile("short"),
		"shorter by now":         diag.At("short", 3, ""),
		"cannot be read":         diag.At("gone", 0, ""),
		"cannot be read, again":  diag.At("gone", 5, ""),
		"no file":                {},
		"a path without a file":  {Path: "a.b"},
		"a negative, odd offset": diag.At("short", -7, ""),
	} {
		if location, ok := sources.Locate(p); ok {
			t.Errorf("%s: got %+v", reason, location)
		}
	}
	if reads != 1 {
		t.Errorf("a file that cannot be read was tried %d times", reads)
	}
	if _, ok := (*diag.Sources)(nil).Locate(diag.At("f", 0, "")); ok {
		t.Error("no sources know a place")
	}
}

// TestOffsetInvertsLocate checks for every character of a text that line and column give its
// offset, and that the caret is at that character.
func TestOffsetInvertsLocate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := []byte(rapid.StringOfN(rapid.RuneFrom([]rune("ab ü\n\t😀\"")), 0, 300, -1).Draw(t, "body"))
		sources, lines := diag.NewSources(nil), diag.NewLines(body)
		sources.Add("f", body)
		for offset := range body {
			if !utf8.RuneStart(body[offset]) {
				continue
			}
			location, ok := sources.Locate(diag.At("f", offset, ""))
			if back := lines.Offset(location.Line, location.Column); !ok || back != offset {
				t.Fatalf("offset %d is %+v, which is offset %d", offset, location, back)
			}
			r, _ := utf8.DecodeRune(body[offset:])
			printed := []rune(location.Excerpt + " ")
			if r != '\n' && r != '\t' && location.Caret < len(location.Excerpt) && printed[min(location.Caret, len(printed)-1)] != r {
				t.Fatalf("the caret of %+v stands on %q, not on %q", location, printed[location.Caret], r)
			}
		}
	})
}

func TestOffsetBeyond(t *testing.T) {
	lines := diag.NewLines([]byte("ab\ncd"))
	for _, tt := range []struct{ line, column, want int }{
		{0, 1, diag.NoOffset}, {3, 1, diag.NoOffset}, {1, 99, 2}, {2, 99, 5}, {2, 0, 3},
	} {
		if got := lines.Offset(tt.line, tt.column); got != tt.want {
			t.Errorf("%d:%d is at %d, want %d", tt.line, tt.column, got, tt.want)
		}
	}
}
