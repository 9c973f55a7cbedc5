package jsontext

import (
	"slices"
	"strings"
	"testing"
)

// TestJumps compares the ends of values with those that a cursor without jumps finds, for cursors
// over all and over a part of the text.
func TestJumps(t *testing.T) {
	long := `{"text":"` + strings.Repeat("[", LongValue) + `"}`
	exact := `[` + strings.Repeat("1", LongValue-2) + `]`
	text := []byte(`{"a":[` + long + `,` + exact + `,[` + exact[2:] + `],"b":{"c":` + long + `},"d":[{}]}`)
	j := FindJumps(text)
	other := slices.Clone(text)
	for from := range text {
		if text[from] != '{' && text[from] != '[' {
			if end := j.end(text, from); end != 0 {
				t.Errorf("%d is not where a value begins, which ends at %d", from, end)
			}
			continue
		}
		whole := Cursor{Data: text, At: from}
		if inText(text, from) || !whole.Skip(MaxDepth) {
			continue
		}
		want := whole.At
		if want-from < LongValue {
			want = 0
		}
		if end := j.end(text, from); end != want {
			t.Errorf("the value at %d ends at %d, want %d", from, end, want)
		}
		if end := j.end(text[from:], 0); want > 0 && end != want-from || want == 0 && end != 0 {
			t.Errorf("the value at %d ends at %d of the text behind, want %d", from, end, want-from)
		}
		if want > 0 {
			if end := j.end(text[from:want], 0); end != want-from {
				t.Errorf("the value at %d, alone, ends at %d", from, end)
			}
			if end := j.end(text[from:want-1], 0); end != 0 {
				t.Errorf("the value at %d, cut off, ends at %d", from, end)
			}
		}
		if end := j.end(other, from); end != 0 {
			t.Errorf("a value of other memory ends at %d", end)
		}
	}
	if end := j.end(text, len(text)); end != 0 {
		t.Errorf("at the end, a value ends at %d", end)
	}
	if FindJumps([]byte(exact[1:])) != nil || FindJumps([]byte(exact)).end([]byte(exact), 0) != 0 {
		t.Error("short JSON has jumps, or those of one text are of another")
	}
	if j := FindJumps([]byte(exact + `"`)); j != nil {
		t.Error("damaged JSON has jumps")
	}
}

// TestJumpsOfOpenValues checks JSON that ends within values: those that have ended have jumps, and
// those around them have none.
func TestJumpsOfOpenValues(t *testing.T) {
	exact := `[` + strings.Repeat("1", LongValue-2) + `]`
	text := []byte(`{"a":[` + exact + `,{"b":` + exact + `,"c":[[1],`)
	j := FindJumps(text)
	for from, b := range text {
		want := 0
		if strings.HasPrefix(string(text[from:]), exact) {
			want = from + len(exact)
		}
		if end := j.end(text, from); end != want {
			t.Errorf("%c at %d ends at %d, want %d", b, from, end, want)
		}
	}
	if deep := strings.Repeat("[", 10*LongValue); len(FindJumps([]byte(deep)).spans) > 0 {
		t.Error("lists without an end have jumps")
	}
}

// inText reports whether an offset is within a string of JSON without escapes.
func inText(text []byte, at int) bool { return strings.Count(string(text[:at]), `"`)%2 == 1 }
