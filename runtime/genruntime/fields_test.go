package genruntime_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// always and never state about themselves whether they are zero.
type (
	always struct{ n int }
	never  struct{ n int }
)

func (a always) IsZero() bool { return a.n > 0 }
func (a *never) IsZero() bool { return a.n > 0 }

// TestOmittedResources compares with encoding/json: values that a tag omits must be absent in
// storage.
func TestOmittedResources(t *testing.T) {
	for reason, leaves := range map[string]struct{ got, want bool }{
		"omitempty, a text":                     {genruntime.Filled(new("")) == nil, true},
		"omitempty, a text that says something": {genruntime.Filled(new("x")) == nil, false},
		"omitempty, a number":                   {genruntime.Filled(new(0)) == nil, true},
		"omitempty, nil":                        {genruntime.FilledList([]string(nil)) == nil, true},
		"omitempty, an empty list":              {genruntime.FilledList([]string{}) == nil, true},
		"omitempty, a list":                     {genruntime.FilledList([]string{""}) == nil, false},
		"omitempty, an empty map":               {genruntime.FilledMap(map[string]int{}) == nil, true},
		"omitempty, a map":                      {genruntime.FilledMap(map[string]int{"": 0}) == nil, false},
		"omitempty, any empty list":             {genruntime.Unempty(new([]int{})) == nil, true},
		"omitempty, any list":                   {genruntime.Unempty(new([]int{0})) == nil, false},
		"omitempty, any empty map":              {genruntime.Unempty(new(map[string]int{})) == nil, true},
		"omitempty, any empty text":             {genruntime.Unempty(new("")) == nil, true},
		"omitempty, an array of no length":      {genruntime.Unempty(new([0]int)) == nil, true},
		"omitempty, an array of zeros":          {genruntime.Unempty(new([1]int)) == nil, false},
		"omitempty, a blank struct":             {genruntime.Unempty(new(time.Time)) == nil, false},
		"omitempty, false":                      {genruntime.Unempty(new(false)) == nil, true},
		"omitempty, true":                       {genruntime.Unempty(new(true)) == nil, false},
		"omitempty, a nil pointer":              {genruntime.Unempty(new(*int)) == nil, true},
		"omitempty, a pointer to zero":          {genruntime.Unempty(new(new(0))) == nil, false},
		"omitzero, zero":                        {genruntime.Unzero(new(0)) == nil, true},
		"omitzero, one":                         {genruntime.Unzero(new(1)) == nil, false},
		"omitzero, a blank struct":              {genruntime.Unzero(&struct{ n int }{}) == nil, true},
		"omitzero, a struct":                    {genruntime.Unzero(&struct{ n int }{1}) == nil, false},
		"omitzero, an empty list":               {genruntime.Unzero(new([]int{})) == nil, false},
		"omitzero, a zero time in a zone":       {genruntime.Unzero(new(time.Time{}.In(time.FixedZone("east", 3600)))) == nil, true},
		"omitzero, what says that it is zero":   {genruntime.Unzero(&always{1}) == nil, true},
		"omitzero, what says that it is not":    {genruntime.Unzero(&never{}) == nil, false},
	} {
		if leaves.got != leaves.want {
			t.Errorf("%s: it is left out: %t", reason, leaves.got)
		}
	}
	if v := genruntime.Unzero(new(7)); *v != 7 {
		t.Errorf("7 became %d", *v)
	}
}

func TestValuesBehindPointers(t *testing.T) {
	if got := genruntime.Value(new(7)); got != 7 || genruntime.Value((*int)(nil)) != 0 {
		t.Errorf("7 is %d, and nothing is %d", got, genruntime.Value((*int)(nil)))
	}
	double := func(dst, src *int) error {
		*dst = 2 * *src
		return errBroken
	}
	dst := 1
	if err := genruntime.ValueFrom(&dst, nil, double); err != nil || dst != 1 {
		t.Errorf("nothing made %d of 1, %v", dst, err)
	}
	if err := genruntime.ValueFrom(&dst, new(4), double); !errors.Is(err, errBroken) || dst != 8 {
		t.Errorf("4 became %d, %v", dst, err)
	}
	to := genruntime.PointeeTo(func(src, dst *int) error { return double(dst, src) })
	dst = 1
	if err := to(new(*int), &dst); err != nil || dst != 1 {
		t.Errorf("nil made %d of 1, %v", dst, err)
	}
	if err := to(new(new(3)), &dst); !errors.Is(err, errBroken) || dst != 6 {
		t.Errorf("3 became %d, %v", dst, err)
	}
	var made *int
	if err := genruntime.PointeeFrom(double)(&made, new(5)); !errors.Is(err, errBroken) || *made != 10 {
		t.Errorf("5 became %v, %v", made, err)
	}
}

type (
	heading string
	toggle  bool
	pages   uint16
	ratio   float32
)

func TestScalarsOfOtherNames(t *testing.T) {
	var text string
	var title heading
	if err := genruntime.FirstError(genruntime.TextTo(new(heading("x")), &text), genruntime.TextFrom(&title, &text)); err != nil || title != "x" {
		t.Errorf("x became %q, then %q, %v", text, title, err)
	}
	var truth bool
	var on toggle
	if err := genruntime.FirstError(genruntime.TruthTo(new(toggle(true)), &truth), genruntime.TruthFrom(&on, &truth)); err != nil || !on {
		t.Errorf("true became %t, then %t, %v", truth, on, err)
	}
}

func TestIntegersOfEverySize(t *testing.T) {
	check := func(reason string, err error, got, want int64, fits bool) {
		t.Helper()
		if genruntime.IsUnrepresentable(err) == fits || fits && got != want {
			t.Errorf("%s: %d, want %d, %v", reason, got, want, err)
		}
	}
	for _, n := range []int64{0, 1, -1, 127, 128, -128, -129, 255, 256, 65535, 65536, math.MaxInt32, math.MaxInt32 + 1, math.MinInt32, math.MinInt32 - 1, math.MaxInt64, math.MinInt64} {
		var small int8
		check("int8", genruntime.IntegerFrom(&small, &n), int64(small), n, -128 <= n && n <= 127)
		var few pages
		check("uint16", genruntime.IntegerFrom(&few, &n), int64(few), n, 0 <= n && n <= 65535)
		var large uint64
		check("uint64", genruntime.IntegerFrom(&large, &n), int64(large), n, n >= 0)
		var long, again int64
		check("int64", genruntime.FirstError(genruntime.IntegerFrom(&long, &n), genruntime.IntegerTo(&long, &again)), again, n, true)
	}
	for n, fits := range map[uint64]bool{0: true, 1: true, math.MaxInt64: true, math.MaxInt64 + 1: false, math.MaxUint64: false} {
		var stored int64
		if err := genruntime.IntegerTo(&n, &stored); (err == nil) != fits || fits && uint64(stored) != n {
			t.Errorf("%d is stored as %d, %v", n, stored, err)
		}
	}
}

func TestNumbersOfEverySize(t *testing.T) {
	for _, test := range []struct {
		number float64
		fits   bool
	}{{0, true}, {0.1, true}, {-2.5, true}, {1e38, true}, {1e39, false}, {0.123456789012, false}, {math.MaxFloat64, false}} {
		small := ratio(7)
		err := genruntime.NumberFrom(&small, &test.number)
		var again float64
		if genruntime.IsUnrepresentable(err) == test.fits || test.fits && (genruntime.NumberTo(&small, &again) != nil || again != test.number) || !test.fits && small != 7 {
			t.Errorf("%v is %v in 32 bits, then %v, %v", test.number, small, again, err)
		}
		var e *genruntime.UnrepresentableError
		if errors.As(err, &e) && (e.Type != reflect.TypeFor[ratio]() || e.Value != string(jsontext.Encode(test.number))) {
			t.Errorf("the error of %v is of %v, with %s", test.number, e.Type, e.Value)
		}
		var large, back float64
		if err := genruntime.FirstError(genruntime.NumberFrom(&large, &test.number), genruntime.NumberTo(&large, &back)); err != nil || back != test.number {
			t.Errorf("%v is %v in 64 bits, %v", test.number, back, err)
		}
	}
}

func TestValuesThatTravelAsJSON(t *testing.T) {
	dst := "as it was"
	for reason, err := range map[string]error{
		"nothing":                genruntime.JSONTo[*string](nil, &dst),
		"null":                   genruntime.JSONTo(new(*string), &dst),
		"nothing, the other way": genruntime.JSONFrom[string, string](&dst, nil),
		"null, the other way":    genruntime.JSONFrom(&dst, new(*string)),
	} {
		if err != nil || dst != "as it was" {
			t.Errorf("%s made %q, %v", reason, dst, err)
		}
	}
	if err := genruntime.JSONTo(new(heading("x")), &dst); err != nil || dst != "x" {
		t.Errorf("x is stored as %q, %v", dst, err)
	}
	if err := genruntime.JSONFrom(&dst, new(heading("y"))); err != nil || dst != "y" {
		t.Errorf("y is shown as %q, %v", dst, err)
	}
	for want, err := range map[string]error{
		"write func()":                     genruntime.JSONTo(new(func() {}), &dst),
		"store genruntime_test.heading":    genruntime.JSONTo(new(heading("x")), new(int64)),
		"write what is stored of string":   genruntime.JSONFrom(&dst, new(func() {})),
		"a stored value does not fit bool": genruntime.JSONFrom(new(bool), new(1)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
	if err := genruntime.JSONTo(new(func() {}), &dst); genruntime.IsUnrepresentable(err) || dst != "y" {
		t.Errorf("%v is for want of room, and the value is %q", err, dst)
	}
}

func TestStatusesThatAreNoPointers(t *testing.T) {
	dst := status[v1]{Called: "v1:old"}
	if err := genruntime.SetStatusOf(&dst, nil); err != nil || dst.Called != "" {
		t.Errorf("nothing became %q, %v", dst.Called, err)
	}
	if err := genruntime.SetStatusOf(&dst, &status[v1]{Called: "v1:same"}); err != nil || dst.Called != "v1:same" {
		t.Errorf("the same type became %q, %v", dst.Called, err)
	}
	if err := genruntime.SetStatusOf(&dst, &status[v2]{Called: "v2:other"}); err != nil || dst.Called != "v1:other" {
		t.Errorf("another version became %q, %v", dst.Called, err)
	}
	before := dst
	if err := genruntime.SetStatusOf(&dst, &foreignStatus{}); !errors.Is(err, runtime.ErrNotConvertible) || cmp.Diff(before, dst) != "" {
		t.Errorf("another kind became %q, %v", dst.Called, err)
	}
	var carried runtime.VersionedStatus
	*carried.Bag() = new("bag")
	if copied := carried.DeepCopy(); copied.PropertyBag == carried.PropertyBag || *copied.PropertyBag != "bag" {
		t.Error("a copy shares the bag, or has none")
	}
}
