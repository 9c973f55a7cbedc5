package convert

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/linear"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// TestTimesConform wants a time to conform where reading and writing it gives the same text, and in
// metadata where it is read.
func TestTimesConform(t *testing.T) {
	texts := []string{
		``, `"`, `""`, `x"`, `2026-01-02T03:04:05Z`, `"2026-01-02T03:04:05Z`, `"2026-01-02T03:04:05+00:00"`, `"2026-01-02T03:04:05+01:00"`,
		`"2026-01-02T03:04:05.5Z"`, `"2026-01-02 03:04:05Z"`, `"2026-01-02T03:04:05z"`, `"2026-01-02T03:04:0/Z"`, `"2026-01-02T03:04:0:Z"`,
		`"0001-01-01T00:00:00Z"`, `"0001-01-01T00:00:01Z"`, `"0000-01-01T00:00:00Z"`, `"0100-01-01T00:00:00Z"`, `"2000-02-29T00:00:00Z"`, `"2001-02-29T00:00:00Z"`,
		`1996-01-02T03:04:05Z1`, `"2026-01-02T03:04Z"`, `"2026-01-02T03:04:05ZZZZZZ"`, `"2026x01-02T03:04:05Z"`,
	}
	for _, edge := range []struct {
		format string
		values []int
	}{
		{`"2026-%02d-02T03:04:05Z"`, []int{0, 1, 2, 9, 10, 11, 12, 13, 19, 20, 99}},
		{`"2026-01-%02dT03:04:05Z"`, []int{0, 1, 2, 10, 20, 27, 28, 29, 30, 31, 32, 40}},
		{`"2026-01-02T%02d:04:05Z"`, []int{0, 1, 10, 20, 23, 24, 25, 30}},
		{`"2026-01-02T03:%02d:05Z"`, []int{0, 1, 10, 50, 59, 60, 61, 70}},
		{`"2026-01-02T03:04:%02dZ"`, []int{0, 1, 10, 50, 59, 60, 61, 70}},
	} {
		for _, value := range edge.values {
			texts = append(texts, fmt.Sprintf(edge.format, value))
		}
	}
	for _, text := range texts {
		var read metav1.Time
		isRead := len(text) > 1 && json.Unmarshal([]byte(text), &read) == nil
		again, _ := json.Marshal(read)
		if got, want := isTime([]byte(text)), isRead && string(again) == text; got != want {
			t.Errorf("%s is a time: %t, want %t", text, got, want)
		}
		if _, got := readTime([]byte(text)); got != isRead {
			t.Errorf("%s is any time: %t, want %t", text, got, isRead)
		}
		day := 99
		_, _ = fmt.Sscanf(text, `"%04d-%02d-%02d`, new(int), new(int), &day)
		usual := isRead && string(again) == text && !read.IsZero() && read.Year() >= 100 && day <= 28
		if strings.HasPrefix(text, `"2`) && isUsualTime([]byte(text)) != usual {
			t.Errorf("%s is read as a usual time: %t, want %t", text, !usual, usual)
		}
	}
	for day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2025; day = day.AddDate(0, 0, 1) {
		text := day.Format(`"` + time.RFC3339 + `"`)
		if usual := isUsualTime([]byte(text)); usual != (day.Day() <= 28) || !isTime([]byte(text)) {
			t.Errorf("%s is read as a usual time: %t", text, usual)
		}
	}
}

// TestNumbersConform wants a number to conform where the type of Go has it.
func TestNumbersConform(t *testing.T) {
	for text, want := range map[string]struct{ isFloat, isInteger bool }{
		"0":                             {true, true},
		"-7":                            {true, true},
		"1.5":                           {true, false},
		"1e5":                           {true, false},
		"1E5":                           {true, false},
		"1e400":                         {false, false},
		"1E400":                         {false, false},
		"1" + strings.Repeat("0", 299):  {true, false},
		"1" + strings.Repeat("0", 308):  {true, false},
		"1" + strings.Repeat("0", 309):  {false, false},
		"999999999999999999":            {true, true},
		"9223372036854775807":           {true, true},
		"9223372036854775808":           {true, false},
		"-9223372036854775808":          {true, true},
		"-9223372036854775809":          {true, false},
		"true":                          {false, false},
		"":                              {false, false},
		"0." + strings.Repeat("0", 400): {true, false},
	} {
		for target, want := range map[reflect.Type]bool{reflect.TypeFor[float64](): want.isFloat, reflect.TypeFor[int64](): want.isInteger} {
			r := reader{Cursor: jsontext.Cursor{Data: []byte(text)}, limit: jsontext.MaxDepth}
			if got := r.conforms(shape.Of(target)); got != want {
				t.Errorf("%.30s of %d bytes conforms to %s: %t, want %t", text, len(text), target, got, want)
			}
		}
	}
}

// sized has an integer of every size.
type sized struct {
	Int    int    `json:"int,omitzero"`
	Int8   int8   `json:"int8,omitzero"`
	Int16  int16  `json:"int16,omitzero"`
	Int32  int32  `json:"int32,omitzero"`
	Uint   uint   `json:"uint,omitzero"`
	Uint8  uint8  `json:"uint8,omitzero"`
	Uint16 uint16 `json:"uint16,omitzero"`
	Uint32 uint32 `json:"uint32,omitzero"`
	Uint64 uint64 `json:"uint64,omitzero"`
}

// TestIntegersOfEverySizeConform wants an integer to conform where both its type and an int64 have
// it. Decode must read what the type has, and Encode must write it as it was.
func TestIntegersOfEverySizeConform(t *testing.T) {
	texts := []string{
		"0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "-32768", "-32769", "65535", "65536", "2147483647", "2147483648", "-2147483648",
		"-2147483649", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "1.0", "1e2", "true", `"1"`,
	}
	for i := range reflect.TypeFor[sized]().NumField() {
		f := reflect.TypeFor[sized]().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if s := shape.Of(f.Type); !s.Whole || s.Foreign {
			t.Errorf("%s is no integer", name)
		}
		for _, text := range texts {
			_, err := strconv.ParseInt(text, 10, 64)
			fits := json.Unmarshal([]byte(text), reflect.New(f.Type).Interface()) == nil
			want := fits && err == nil
			r := reader{Cursor: jsontext.Cursor{Data: []byte(text)}, limit: jsontext.MaxDepth}
			if got := r.conforms(shape.Of(f.Type)); got != want {
				t.Errorf("%s conforms to %s: %t, want %t", text, name, got, want)
			}
			object := `{"` + name + `":` + text + `}`
			var v sized
			if err := Decode([]byte(object), &v); (err == nil) != fits { // there is no bag for what no int64 has
				t.Errorf("%s as %s: %v", text, name, err)
				continue
			}
			if again, err := Encode(&v); err != nil || fits && text != "0" && string(again) != object {
				t.Errorf("%s is written as %s, %v", object, again, err)
			}
		}
	}
}

// encoded is an integer type with a JSON form of its own.
type encoded int8

func (encoded) MarshalText() ([]byte, error) { return []byte("x"), nil }

// TestIntegersWithMethodsDoNotConform wants a plan to refuse types with a JSON form of their own.
func TestIntegersWithMethodsDoNotConform(t *testing.T) {
	r := reader{Cursor: jsontext.Cursor{Data: []byte("1")}, limit: jsontext.MaxDepth}
	if shape.Of(reflect.TypeFor[encoded]()).Whole || r.conforms(shape.Of(reflect.TypeFor[encoded]())) {
		t.Error("1 conforms to a type that is written as a text")
	}
}

// TestDepthIsLimited wants values to be refused that are nested as deep as the limit, and no
// others.
func TestDepthIsLimited(t *testing.T) {
	const limit = 5
	for depth := 1; depth <= 2*limit; depth++ {
		lists := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		of := reflect.TypeFor[string]()
		for range depth {
			of = reflect.SliceOf(of)
		}
		for target, of := range map[string]reflect.Type{"lists": of, "free JSON": reflect.TypeFor[runtime.JSON]()} {
			r := reader{Cursor: jsontext.Cursor{Data: []byte(lists)}, limit: limit}
			want := depth < limit || target == "free JSON" && depth <= limit
			if got := r.conforms(shape.Of(of)); got != want {
				t.Errorf("%s, nested %d deep, conform: %t, want %t", target, depth, got, want)
			}
		}
	}
}

// metaConforms reports whether metadata of a shape is accepted.
func metaConforms(r *reader, s *shape.Shape) bool { return metaReader{r}.value(s) }

// TestDepthIsLimitedEverywhere nests lists in each kind of value that a reader steps over, below
// some objects. The limit must apply to the sum of both.
func TestDepthIsLimitedEverywhere(t *testing.T) {
	const limit, levels = 12, 4
	type inner struct {
		Inner  *fixtures.StoredPart  `json:"inner,omitzero"`
		Free   runtime.JSON          `json:"free,omitzero"`
		Entry  metav1.FieldsV1       `json:"entry,omitzero"`
		Time   *metav1.Time          `json:"time,omitzero"`
		Others map[string][][]string `json:"others,omitzero"`
	}
	for _, test := range []struct {
		reason, member string // with the lists at the percent sign
		reader         reader
		below          int // how many levels the member adds
		conforms       func(r *reader, s *shape.Shape) bool
	}{
		{"free JSON", `"free":%s`, reader{}, 0, (*reader).conforms},
		{"managed fields", `"entry":%s`, reader{}, 0, metaConforms},
		{"managed fields that are remembered", `"entry":%s`, reader{}, 0, metaConforms},
		{"a property bag", `"inner":{"$propertyBag":{"k":%s}}`, reader{takesBags: true, bags: true}, 2, (*reader).conforms},
		{"an unknown member", `"unknown":%s`, reader{}, 0, metaConforms},
	} {
		for depth := 1; depth < 2*limit; depth++ {
			lists := strings.Repeat("[", depth) + strings.Repeat("]", depth)
			if strings.Contains(test.reason, "remembered") {
				lists = `{"` + strings.Repeat("f", minRepeat) + `":` + lists + `}`
			}
			of := reflect.TypeFor[inner]()
			for range levels - 1 {
				of = reflect.SliceOf(of)
			}
			text := strings.Repeat("[", levels-1) + `{` + strings.Replace(test.member, "%s", lists, 1) + `}` + strings.Repeat("]", levels-1)
			r := test.reader
			r.Cursor, r.limit, r.repeats = jsontext.Cursor{Data: []byte(text)}, limit, new(repeats)
			if strings.Contains(test.reason, "remembered") {
				r.repeats.add([]byte(lists), limit-levels)
				depth := depth + 1
				if !test.conforms(&r, shape.Of(of)) {
					t.Errorf("%s, nested %d deep, do not conform", test.reason, depth)
				}
				continue
			}
			want := levels+test.below+depth <= limit
			if got := test.conforms(&r, shape.Of(of)); got != want {
				t.Errorf("%s, nested %d deep, conform: %t, want %t", test.reason, levels+test.below+depth, got, want)
			}
		}
	}
}

// wideType is an object of n members, each a text, with a property bag.
func wideType(n int) reflect.Type {
	fields := []reflect.StructField{{Name: "PropertyBag", Type: reflect.TypeFor[runtime.PropertyBag](), Tag: `json:"$propertyBag,omitzero"`}}
	for i := range n {
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("M%03d", i), Type: reflect.TypeFor[*string](), Tag: reflect.StructTag(fmt.Sprintf(`json:"m%03d,omitzero"`, i)),
		})
	}
	return reflect.StructOf(fields)
}

// TestWideObjects reads objects of more members than a word has bits, in every order, and wants
// each to be taken once.
func TestWideObjects(t *testing.T) {
	const wide = 300
	of := wideType(wide)
	member := func(i int) string { return fmt.Sprintf(`"m%03d":"v%d"`, i, i) }
	ordered, backwards := `{`+linear.Members(wide, member)+`}`, `{`+linear.Members(wide, func(i int) string { return member(wide - 1 - i) })+`}`
	for _, test := range []struct {
		reason, object string
		want           string // empty if it is refused
	}{
		{"in order", ordered, ordered},
		{"the other way round", backwards, ordered},
		{"the first twice", strings.TrimSuffix(ordered, "}") + `,` + member(0) + `}`, ""},
		{"one in the middle twice", strings.TrimSuffix(ordered, "}") + `,` + member(100) + `}`, ""},
		{"the last twice", strings.TrimSuffix(ordered, "}") + `,` + member(wide-1) + `}`, ""},
		{"one of the last twice, with others between", `{` + member(290) + `,` + member(270) + `,` + member(290) + `}`, ""},
		{"the last ones alone", `{` + member(299) + `,` + member(256) + `,` + member(255) + `}`, `{` + member(255) + `,` + member(256) + `,` + member(299) + `}`},
	} {
		into := reflect.New(of)
		read := codec.DecodeExactly(runtime.JSON(test.object), into.Interface())
		if read != (test.want != "") {
			t.Errorf("%s: it is read: %t", test.reason, read)
		} else if out, err := jsontext.Marshal(into.Interface()); read && (err != nil || string(out) != test.want) {
			t.Errorf("%s: it is %s, %v", test.reason, out, err)
		}
		r := reader{Cursor: jsontext.Cursor{Data: []byte(test.object)}, limit: jsontext.MaxDepth}
		if got := r.conforms(shape.Of(of)); got != read {
			t.Errorf("%s: it conforms: %t", test.reason, got)
		}
	}
}
