package genruntime_test

import (
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

func TestSpecsConvertToEachOther(t *testing.T) {
	for _, test := range []struct {
		reason    string
		src, dst  runtime.ConvertibleSpec
		want      runtime.ConvertibleSpec
		onlyTypes string // when neither converts to the other
	}{
		{"a spoke to its hub", &spec[v1]{"v1:ann"}, &hubSpec{}, &hubSpec{"ann", "v1"}, ""},
		{"a hub to its spoke", &hubSpec{Name: "ann"}, &spec[v2]{}, &spec[v2]{"v2:ann"}, ""},
		{"a spoke to another spoke", &spec[v1]{"v1:ann"}, &spec[v2]{}, &spec[v2]{"v2:ann"}, ""},
		{"a spoke to its own type", &spec[v1]{"v1:ann"}, &spec[v1]{}, &spec[v1]{"v1:ann"}, ""},
		{"a hub to its own type", &hubSpec{"ann", "v1"}, &hubSpec{}, &hubSpec{"ann", "v1"}, ""},
		{"a spoke to a foreign hub", &spec[v1]{"v1:ann"}, &foreignSpec{}, nil, "*genruntime_test.hubSpec to *genruntime_test.foreignSpec"},
		{"a foreign hub to a spoke", &foreignSpec{}, &spec[v1]{}, nil, "*genruntime_test.foreignSpec to *genruntime_test.hubSpec"},
		{"a hub to a foreign hub", &hubSpec{}, &foreignSpec{}, nil, "*genruntime_test.hubSpec to *genruntime_test.foreignSpec"},
		{"a spoke to nothing", &spec[v1]{"v1:ann"}, nil, nil, "*genruntime_test.spec[github.com/stratakube/strata/runtime/genruntime_test.v1] to <nil>"},
		{"a spoke to a typed nothing", &spec[v1]{"v1:ann"}, (*foreignSpec)(nil), nil, "to *genruntime_test.foreignSpec"},
		{"a spoke to what is no pointer", &spec[v1]{"v1:ann"}, looseSpec{}, nil, "to genruntime_test.looseSpec"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			checkPivot(t, test.src.ConvertSpecTo(test.dst), test.onlyTypes, test.want, test.dst)
			if test.want != nil {
				reflect.ValueOf(test.dst).Elem().SetZero()
				checkPivot(t, test.dst.ConvertSpecFrom(test.src), "", test.want, test.dst)
			}
		})
	}
}

func TestStatusesConvertToEachOther(t *testing.T) {
	for _, test := range []struct {
		reason    string
		src, dst  runtime.ConvertibleStatus
		want      runtime.ConvertibleStatus
		onlyTypes string
	}{
		{"a spoke to its hub", &status[v1]{"v1:up"}, &hubStatus{}, &hubStatus{"up"}, ""},
		{"a hub to its spoke", &hubStatus{"up"}, &status[v2]{}, &status[v2]{"v2:up"}, ""},
		{"a spoke to another spoke", &status[v1]{"v1:up"}, &status[v2]{}, &status[v2]{"v2:up"}, ""},
		{"a spoke to a foreign hub", &status[v1]{"v1:up"}, &foreignStatus{}, nil, "*genruntime_test.hubStatus to *genruntime_test.foreignStatus"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			checkPivot(t, test.src.ConvertStatusTo(test.dst), test.onlyTypes, test.want, test.dst)
			if test.want != nil {
				reflect.ValueOf(test.dst).Elem().SetZero()
				checkPivot(t, test.dst.ConvertStatusFrom(test.src), "", test.want, test.dst)
			}
		})
	}
}

func checkPivot(t *testing.T, err error, onlyTypes string, want, got any) {
	t.Helper()
	if onlyTypes != "" {
		if !errors.Is(err, runtime.ErrNotConvertible) || !strings.Contains(err.Error(), onlyTypes) {
			t.Errorf("error is %v, want %v of %s", err, runtime.ErrNotConvertible, onlyTypes)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFirstHalfOfPivotMayFail(t *testing.T) {
	src, dst := &hubSpec{Name: "broken"}, &spec[v2]{}
	if err := src.ConvertSpecTo(dst); !errors.Is(err, errBroken) {
		t.Errorf("error is %v", err)
	}
	if err := genruntime.SpecToVia(&spec[v1]{"v1:broken"}, new(hubSpec), dst); !errors.Is(err, errBroken) {
		t.Errorf("error is %v", err)
	}
	dst.Called = ""
	if err := genruntime.SpecToVia(&hubSpec{}, new(foreignSpec), dst); !errors.Is(err, runtime.ErrNotConvertible) || dst.Called != "" {
		t.Errorf("error is %v, and the other half ran: %v", err, dst)
	}
}

func TestPivotsAreForgotten(t *testing.T) {
	hub, foreign := &hubSpec{}, &foreignSpec{}
	for range 3 {
		if err := hub.ConvertSpecTo(foreign); !errors.Is(err, runtime.ErrNotConvertible) {
			t.Fatal(err)
		}
		if err := hub.ConvertSpecTo(&spec[v1]{}); err != nil {
			t.Fatal(err)
		}
	}
	genruntime.EachAskedSpec(func(pair any) { t.Errorf("%v is still asked for", pair) })
}

func TestPivotsOfManyGoroutines(t *testing.T) {
	src := &hubSpec{Name: "ann"}
	var running sync.WaitGroup
	for range 50 {
		running.Go(func() {
			dst := &spec[v2]{}
			if err := src.ConvertSpecTo(dst); err != nil || dst.Called != "v2:ann" {
				t.Errorf("got %v, %v", dst, err)
			}
		})
	}
	running.Wait()
}

// TestAskingForOtherDirectionEnds covers types that generated code never has, whose
// conversions would otherwise recurse for ever.
func TestAskingForOtherDirectionEnds(t *testing.T) {
	for reason, err := range map[string]error{
		"a spoke that does not convert to its hub":   genruntime.SpecToVia(&foreignSpec{}, new(hubSpec), new(hubSpec)),
		"a spoke that does not convert from its hub": genruntime.SpecFromVia(&foreignSpec{}, new(hubSpec), new(hubSpec)),
		"a hub that is nothing":                      genruntime.SpecToVia(&spec[v1]{}, nil, &spec[v2]{}),
		"a source that is nothing":                   genruntime.SpecFromVia(&spec[v1]{}, new(hubSpec), nil),
		"a hub from a foreign one":                   genruntime.SpecFromVia(new(hubSpec), new(hubSpec), new(foreignSpec)),
		"a spoke from a foreign hub":                 genruntime.SpecFromVia(&spec[v1]{}, new(hubSpec), new(foreignSpec)),
	} {
		if !errors.Is(err, runtime.ErrNotConvertible) {
			t.Errorf("%s: error is %v", reason, err)
		}
	}
}
