package genruntime_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime/genruntime"
)

// caption is an API type that is stored as a number of its digits.
type caption struct{ Text string }

func (l *caption) ConvertToStorage(dst *number) error { return toNumber(&digits{l.Text}, dst) }

func (l *caption) ConvertFromStorage(src *number) error {
	l.Text = "x"
	if src.Value < 0 {
		return errDigits
	}
	l.Text = string(rune('0' + src.Value))
	return nil
}

// TestStorage converts objects and lists of an API type to its storage type and back: absent stays
// absent, empty stays empty, and the first error is returned when all is converted.
func TestStorage(t *testing.T) {
	for _, test := range []struct {
		reason string
		api    []caption
		stored []number
		fails  bool
	}{
		{"absent", nil, nil, false},
		{"empty", []caption{}, []number{}, false},
		{"values", []caption{{"7"}, {"1"}}, []number{{7}, {1}}, false},
		{"an error", []caption{{"x"}, {"1"}}, []number{{-1}, {1}}, true},
	} {
		var stored []number
		var api []caption
		errTo, errFrom := genruntime.ListToStorage(&stored, test.api), genruntime.ListFromStorage(&api, test.stored)
		if diff := cmp.Diff(test.stored, stored); diff != "" {
			t.Errorf("%s: stored (-want +got):\n%s", test.reason, diff)
		}
		if diff := cmp.Diff(test.api, api); diff != "" {
			t.Errorf("%s: API (-want +got):\n%s", test.reason, diff)
		}
		if errors.Is(errTo, errDigits) != test.fails || errors.Is(errFrom, errDigits) != test.fails {
			t.Errorf("%s: errors are %v and %v", test.reason, errTo, errFrom)
		}
		if len(test.api) == 0 {
			continue
		}
		one, back := &number{99}, &caption{"z"}
		errTo, errFrom = genruntime.ToStorage(&one, &test.api[0]), genruntime.FromStorage(&back, &test.stored[0])
		if *one != test.stored[0] || *back != test.api[0] || errors.Is(errTo, errDigits) != test.fails || errors.Is(errFrom, errDigits) != test.fails {
			t.Errorf("%s: one is %v and %v, with errors %v and %v", test.reason, *one, *back, errTo, errFrom)
		}
	}
	one, back := &number{99}, &caption{"z"}
	if err := errors.Join(genruntime.ToStorage(&one, (*caption)(nil)), genruntime.FromStorage(&back, nil)); err != nil || one != nil || back != nil {
		t.Errorf("nothing becomes %v and %v, error %v", one, back, err)
	}
}
