package scan

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestOffsetCountsDroppedBytes reads more bytes than a buffer holds.
func TestOffsetCountsDroppedBytes(t *testing.T) {
	list := "[" + strings.Repeat("1,", 4*window) + "1]"
	var text Text
	text.Reset(nil, strings.NewReader(list), 0)
	if err := text.Skip(); err != nil {
		t.Fatal(err)
	}
	if got := text.Offset(); got != int64(len(list)) {
		t.Errorf("%d bytes were read, want %d", got, len(list))
	}
}

func TestRewindSkips(t *testing.T) {
	var text Text
	text.Reset([]byte(`[12,34]`), nil, 0)
	if err := text.Enter('['); err != nil {
		t.Fatal(err)
	}
	text.Hold()
	if err := text.Skip(); err != nil {
		t.Fatal(err)
	}
	if got := text.Length(); got != 2 {
		t.Errorf("%d bytes are held, want 2", got)
	}
	text.Rewind(1)
	if got := text.Peek(); got != '2' {
		t.Errorf("one byte behind the start is %q, want 2", got)
	}
	text.Release()
	if text.start >= 0 {
		t.Error("after its release a text is held")
	}
}

func TestDepthsThatAreMade(t *testing.T) {
	for asked, want := range map[int]int{-1: MaxDepth, 0: MaxDepth, 1: 1, MaxDepth: MaxDepth, MaxDepth + 1: MaxDepth} {
		var text Text
		text.Reset([]byte(`[[]]`), nil, asked)
		if got := text.Room(); got != want {
			t.Errorf("with a depth of %d there is room for %d, want %d", asked, got, want)
		}
		if err := text.Enter('['); err != nil {
			t.Fatal(err)
		}
		if got := text.Room(); got != want-1 {
			t.Errorf("within a list there is room for %d, want %d", got, want-1)
		}
	}
}

// TestMembersOfBrokenObject checks that Members yields the members before an error, and no name
// without a closing quote.
func TestMembersOfBrokenObject(t *testing.T) {
	for object, want := range map[string]string{
		`{"a":1,"b":2}`:     `"a"1"b"2`,
		`{"a":1,"b`:         `"a"1`,
		`{"a":1 "b":2}`:     `"a"1`,
		`{"a" : 1 , "b": }`: `"a"1`,
		`["a"]`:             ``,
		``:                  ``,
	} {
		var got strings.Builder
		for name, value := range Members([]byte(object)) {
			got.Write(name)
			got.Write(value)
		}
		if got.String() != want {
			t.Errorf("the members of %s are %s, want %s", object, got.String(), want)
		}
	}
	if got := closed([]byte("name")); len(got) != 0 {
		t.Errorf("a name without quotes is %q", got)
	}
}

// TestSmallReads checks that no byte is lost or read twice, however few arrive at once.
func TestSmallReads(t *testing.T) {
	const list = `[1,"two",{"three":[4]}]`
	for name, src := range map[string]io.Reader{
		"one by one":        iotest.OneByteReader(strings.NewReader(list)),
		"with their end":    iotest.DataErrReader(strings.NewReader(list)),
		"half of the space": iotest.HalfReader(strings.NewReader(list)),
	} {
		var text Text
		text.Reset(nil, src, 0)
		text.Peek()
		text.Hold()
		if err := text.Skip(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := string(text.Since(0)); got != list {
			t.Errorf("%s: %s was read", name, got)
		}
	}
}

// TestAheadReadsNoMoreThanIsAsked looks ahead byte by byte, and continues from there.
func TestAheadReadsNoMoreThanIsAsked(t *testing.T) {
	var text Text
	text.Reset(nil, iotest.OneByteReader(strings.NewReader(` "abcdef",1`)), 0)
	if got := string(text.Ahead(4)); got != `"abc` {
		t.Errorf("four bytes ahead are %s", got)
	}
	text.Advance(3)
	text.Advance(5)
	if text.Take(';') || !text.Take(',') || text.Take(',') {
		t.Error("the comma is not read once")
	}
	if got := string(text.Ahead(9)); got != "1" {
		t.Errorf("at the end there is %s", got)
	}
	if got := text.Offset(); got != 10 {
		t.Errorf("%d bytes were read, want 10", got)
	}
}
