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
			shown := []rune(location.Excerpt + " ")
			if r != '\n' && r != '\t' && location.Caret < len(location.Excerpt) && shown[min(location.Caret, len(shown)-1)] != r {
				t.Fatalf("the caret of %+v stands on %q, not on %q", location, shown[location.Caret], r)
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
