package genruntime_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stratakube/strata/runtime/genruntime"
)

type digits struct{ Text string }

type number struct{ Value int }

var errDigits = errors.New("no digits")

// toNumber parses digits. On an error it also sets dst to -1.
func toNumber(src *digits, dst *number) error {
	value, err := strconv.Atoi(src.Text)
	if err != nil {
		dst.Value = -1
		return errDigits
	}
	dst.Value = value
	return nil
}

func fromDigits(dst *number, src *digits) error { return toNumber(src, dst) }

func TestObjects(t *testing.T) {
	for _, test := range []struct {
		reason string
		src    *digits
		want   *number
		err    string
	}{
		{"absent stays absent", nil, nil, ""},
		{"an object is converted", &digits{"7"}, &number{7}, ""},
		{"on an error the rest is there", &digits{"x"}, &number{-1}, "no digits"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			to, from := &number{99}, &number{99}
			errTo := genruntime.ObjectTo(&to, test.src, toNumber)
			checkConversion(t, errTo, test.err, test.want, to)
			errFrom := genruntime.ObjectFrom(&from, test.src, fromDigits)
			checkConversion(t, errFrom, test.err, test.want, from)
		})
	}
}

func TestLists(t *testing.T) {
	for _, test := range []struct {
		reason string
		src    []digits
		want   []number
		err    string
	}{
		{"absent stays absent", nil, nil, ""},
		{"empty stays empty", []digits{}, []number{}, ""},
		{"elements are converted in their order", []digits{{"2"}, {"1"}}, []number{{2}, {1}}, ""},
		{"the first error is told, the others do not stop", []digits{{"1"}, {"x"}, {"y"}, {"2"}}, []number{{1}, {-1}, {-1}, {2}}, "element 1: no digits"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			to, from := []number{{99}}, []number{{99}}
			errTo := genruntime.ListTo(&to, test.src, toNumber)
			checkConversion(t, errTo, test.err, test.want, to)
			errFrom := genruntime.ListFrom(&from, test.src, fromDigits)
			checkConversion(t, errFrom, test.err, test.want, from)
		})
	}
}

func TestMaps(t *testing.T) {
	for _, test := range []struct {
		reason string
		src    map[string]digits
		want   map[string]number
		err    string
	}{
		{"absent stays absent", nil, nil, ""},
		{"empty stays empty", map[string]digits{}, map[string]number{}, ""},
		{"values keep their keys", map[string]digits{"a": {"1"}, "": {"2"}}, map[string]number{"a": {1}, "": {2}}, ""},
		{
			"the error at the smallest key is told",
			map[string]digits{"d": {"x"}, "b": {"x"}, "c": {"x"}, "a": {"1"}},
			map[string]number{"d": {-1}, "b": {-1}, "c": {-1}, "a": {1}},
			`value "b": no digits`,
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			to, from := map[string]number{"z": {99}}, map[string]number{"z": {99}}
			errTo := genruntime.MapTo(&to, test.src, toNumber)
			checkConversion(t, errTo, test.err, test.want, to)
			errFrom := genruntime.MapFrom(&from, test.src, fromDigits)
			checkConversion(t, errFrom, test.err, test.want, from)
		})
	}
}

func checkConversion(t *testing.T, err error, message string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	switch {
	case message == "" && err != nil, message != "" && (err == nil || err.Error() != message):
		t.Errorf("error is %v, want %q", err, message)
	case err != nil && !errors.Is(err, errDigits):
		t.Errorf("%v hides its cause", err)
	}
}

func TestConvertedValuesDoNotShareTheirPlace(t *testing.T) {
	var kept []*digits
	keep := func(src *digits, dst *number) error {
		kept = append(kept, src)
		return toNumber(src, dst)
	}
	var out map[string]number
	if err := genruntime.MapTo(&out, map[string]digits{"a": {"1"}, "b": {"2"}}, keep); err != nil {
		t.Fatal(err)
	}
	if kept[0].Text == kept[1].Text {
		t.Error("two values were converted in the same place, where a conversion may keep a pointer")
	}
}

func TestFirstError(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	if got := genruntime.FirstError(nil, first, nil, second); got != first {
		t.Errorf("got %v", got)
	}
	if allocs := testing.AllocsPerRun(100, func() { _ = genruntime.FirstError(nil, nil, nil) }); allocs != 0 {
		t.Errorf("%v allocations for no error", allocs)
	}
}

func TestListIsMadeAtOnce(t *testing.T) {
	src := make([]digits, 100)
	for i := range src {
		src[i].Text = "1"
	}
	var dst []number
	if allocs := testing.AllocsPerRun(100, func() { _ = genruntime.ListTo(&dst, src, toNumber) }); allocs != 1 {
		t.Errorf("%v allocations for one list", allocs)
	}
}

type mood string

type level int64

func TestCastList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOf(rapid.String()).Draw(t, "list")
		moods := genruntime.CastList[mood](in)
		if len(moods) != len(in) || (moods == nil) != (in == nil) {
			t.Fatalf("cast %v to %v", in, moods)
		}
		for i := range in {
			if string(moods[i]) != in[i] {
				t.Fatalf("element %d is %q, want %q", i, moods[i], in[i])
			}
		}
		if diff := cmp.Diff(in, genruntime.CastList[string](moods)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestCastMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "map")
		moods := genruntime.CastMap[mood](in)
		if len(moods) != len(in) {
			t.Fatalf("cast %v to %v", in, moods)
		}
		for key, value := range in {
			if string(moods[key]) != value {
				t.Fatalf("value %q is %q, want %q", key, moods[key], value)
			}
		}
		moods["new"] = "x"
		if back := genruntime.CastMap[string](moods); back["new"] != "x" || in["new"] != "x" {
			t.Fatal("the memory is not shared")
		}
	})
}

func TestCastsKeepAbsentAndEmpty(t *testing.T) {
	if genruntime.CastList[string]([]mood(nil)) != nil || genruntime.CastMap[string](map[string]mood(nil)) != nil {
		t.Error("absent became something")
	}
	if genruntime.CastList[string]([]mood{}) == nil || genruntime.CastMap[string](map[string]mood{}) == nil {
		t.Error("empty became absent")
	}
}

func TestCastsOfCompositeTypes(t *testing.T) {
	if got := genruntime.CastList[[]string]([][]mood{{"a"}, nil, {}}); got[0][0] != "a" || got[1] != nil || got[2] == nil {
		t.Errorf("list of lists is %#v", got)
	}
	if got := genruntime.CastList[map[string]int64]([]map[string]level{{"a": 1}}); got[0]["a"] != 1 {
		t.Errorf("list of maps is %v", got)
	}
	if got := genruntime.CastMap[[]*string](map[string][]*mood{"a": {new(mood("b"))}}); *got["a"][0] != "b" {
		t.Errorf("map of lists of pointers is %v", got)
	}
}

func TestCastsOfOtherTypesAreRefused(t *testing.T) {
	for reason, cast := range map[string]func(){
		"a string is no integer":              func() { genruntime.CastList[int64]([]mood{}) },
		"a float64 is no integer":             func() { genruntime.CastList[int64]([]float64(nil)) },
		"an object may have another shape":    func() { genruntime.CastList[digits]([]number{}) },
		"keys must be the same":               func() { genruntime.CastList[map[mood]string]([]map[string]string{}) },
		"a list of lists by its innermost":    func() { genruntime.CastList[[]string]([][]level{}) },
		"an int is not an int64, by its name": func() { genruntime.CastList[int64]([]int{}) },
	} {
		t.Run(reason, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			cast()
		})
	}
}
