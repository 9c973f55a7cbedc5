package scan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var texts = []struct {
	reason, text string
	valid        bool
}{
	{"an object", `{"a":1,"b":[true,false,null],"c":{"d":"e"}}`, true},
	{"white space may stand between tokens", " {\n\t\"a\" :\r[ 1 , 2 ] } ", true},
	{"empty ones", `[{},[],"",{"a":{}}]`, true},
	{"numbers of any size are numbers", `[0,-0,1.5,-1e999,1E+2,123456789012345678901234567890]`, true},
	{"escapes", `"\"\\\/\b\f\n\r\t\u00e9\ud800"`, true},
	{"texts beyond ASCII", `{"größe":"日本 🙂"}`, true},
	{"names may stand twice", `{"a":1,"a":2}`, true},
	{"nothing", ``, false},
	{"a comma too many in an object", `{"a":1,}`, false},
	{"a comma too many in a list", `[1,]`, false},
	{"a comma too few", `[1 2]`, false},
	{"a bracket of the other sort", `[1}`, false},
	{"a name that is no text", `{1:2}`, false},
	{"a name without a value", `{"a"}`, false},
	{"something behind", `{} x`, false},
	{"a zero byte", "\x00", false},
	{"a zero behind", "{}\x00", false},
	{"a leading zero", `01`, false},
	{"a number that ends in a point", `1.`, false},
	{"a number that ends in an exponent", `1e`, false},
	{"a sign alone", `-`, false},
	{"a word that is none", `nul`, false},
	{"a word that starts like one", `truth`, false},
	{"an unknown escape", `"\x"`, false},
	{"an escape of three digits", `"\u12g4"`, false},
	{"a control character", "\"a\nb\"", false},
	{"a text that is not UTF-8", "\"\xff\"", false},
	{"a rune cut short", "\"\xe6\x97\"", false},
	{"a surrogate in UTF-8", "\"\xed\xa0\x80\"", false},
	{"an open text", `"abc`, false},
	{"an open object", `{"a":1`, false},
}

func check(data []byte, src io.Reader) error {
	var t Text
	t.Reset(data, src, 0)
	if err := t.Skip(); err != nil {
		return err
	}
	return t.End()
}

func TestSkip(t *testing.T) {
	for _, test := range texts {
		t.Run(test.reason, func(t *testing.T) {
			if err := check([]byte(test.text), nil); (err == nil) != test.valid {
				t.Errorf("error is %v", err)
			}
			if err := check(nil, iotest.OneByteReader(strings.NewReader(test.text))); (err == nil) != test.valid {
				t.Errorf("byte by byte, error is %v", err)
			}
		})
	}
}

func TestErrorsNameOffsetAndNothingOfText(t *testing.T) {
	err := check([]byte(`{"password": secret}`), nil)
	var wrong *Error
	if !errors.As(err, &wrong) || wrong.Offset != 13 || strings.Contains(err.Error(), "secret") {
		t.Errorf("error is %v", err)
	}
	err = check(nil, io.MultiReader(strings.NewReader(`{"a":`), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the reader's error is lost: %v", err)
	}
}

func TestDepth(t *testing.T) {
	for _, test := range []struct {
		reason string
		depth  int
		valid  bool
	}{
		{"as deep as decoders of Kubernetes go", MaxDepth, true},
		{"deeper", MaxDepth + 1, false},
		{"much deeper, of which nothing more is read", 1 << 20, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			for _, pair := range []string{"[]", `{"a":}`} {
				open, end := pair[:len(pair)-1], pair[len(pair)-1:]
				text := strings.Repeat(open, test.depth) + `1` + strings.Repeat(end, test.depth)
				if err := check([]byte(text), nil); (err == nil) != test.valid {
					t.Errorf("%s: error is %v", pair, err)
				}
			}
		})
	}
}

func TestHoldSurvivesReading(t *testing.T) {
	value := `{"a":"` + strings.Repeat("x", 5*window) + `"}`
	var text Text
	text.Reset(nil, iotest.HalfReader(strings.NewReader(strings.Repeat(" ", window)+"[1,"+value+"]")), 0)
	if err := errors.Join(text.Enter('['), text.Skip(), text.Expect(',')); err != nil {
		t.Fatal(err)
	}
	text.Hold()
	if err := text.Skip(); err != nil {
		t.Fatal(err)
	}
	if got := string(text.Since(0)); got != value {
		t.Errorf("%d bytes were held, want %d", len(got), len(value))
	}
	text.Rewind(0)
	if err := text.Skip(); err != nil || string(text.Since(0)) != value {
		t.Errorf("what was held does not read again: %v", err)
	}
}

func TestMemoryOfTextsThatAreNotStored(t *testing.T) {
	var text Text
	text.Reset(nil, strings.NewReader("["+strings.Repeat("1,", 1<<20)+"1]"), 0)
	if err := text.Skip(); err != nil {
		t.Fatal(err)
	}
	if cap(text.buf) > window {
		t.Errorf("the buffer grew to %d bytes", cap(text.buf))
	}
}

func TestMembers(t *testing.T) {
	var got []string
	for name, value := range Members([]byte(` { "a" : 1 , "b\u0062" :[ 2 ], "a":{"c":3} } `)) {
		got = append(got, string(name)+"="+string(value))
	}
	if diff := cmp.Diff([]string{`"a"=1`, `"b\u0062"=[ 2 ]`, `"a"={"c":3}`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMember(t *testing.T) {
	object := []byte(`{"a":1,"b\u0062":2,"a":3,"n":"\u0041"}`)
	for name, want := range map[string]string{"a": "3", "bb": "2", "c": ""} {
		if got := string(Member(object, name)); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if got := Unquote(Member(object, "n")); got != "A" {
		t.Errorf("n says %q", got)
	}
}

// FuzzSkip compares Skip with the standard library, which also accepts texts that are not UTF-8.
func FuzzSkip(f *testing.F) {
	for _, test := range texts {
		f.Add([]byte(test.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := check(data, nil)
		if want := json.Valid(data) && utf8.Valid(data); (err == nil) != want {
			t.Errorf("error is %v, want %t", err, want)
		}
		if again := check(nil, iotest.OneByteReader(bytes.NewReader(data))); (again == nil) != (err == nil) {
			t.Errorf("byte by byte %v, else %v", again, err)
		}
	})
}

func BenchmarkSkip(b *testing.B) {
	data := []byte(`[` + strings.TrimSuffix(strings.Repeat(`{"name":"firstName","values":["one","two"],"number":12345,"nested":{"flag":true}},`, 70), ",") + `]`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var t Text
	for b.Loop() {
		t.Reset(data, nil, 0)
		if err := t.Skip(); err != nil {
			b.Fatal(err)
		}
	}
}
