package runtime_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
)

type authored struct {
	Name string `json:"name"`
	Size int32  `json:"size,omitempty"`
}

type generated struct {
	Name *string `json:"name,omitzero"`
	Size *int64  `json:"size,omitzero"`
}

func TestDerive(t *testing.T) {
	parse := func(s string) (int32, error) {
		n, err := strconv.ParseInt(s, 10, 32)
		return int32(n), err
	}
	t.Run("a value of one type becomes one of another", func(t *testing.T) {
		var dst *int64
		if err := runtime.Derive(new("42"), &dst, parse); err != nil || dst == nil || *dst != 42 {
			t.Errorf("42 became %v, %v", dst, err)
		}
	})
	t.Run("what is absent stays absent, and replaces what was there", func(t *testing.T) {
		dst := new(int64(7))
		if err := runtime.Derive((*string)(nil), &dst, parse); err != nil || dst != nil {
			t.Errorf("nothing became %v, %v", dst, err)
		}
	})
	t.Run("what the function refuses is its error", func(t *testing.T) {
		var dst *int64
		if err := runtime.Derive(new("many"), &dst, parse); !errors.Is(err, strconv.ErrSyntax) || dst != nil {
			t.Errorf("many became %v, %v", dst, err)
		}
	})
	t.Run("structs travel member by member", func(t *testing.T) {
		var dst []generated
		split := runtime.Sure(func(names []string) []authored { return []authored{{Name: names[0], Size: 3}, {Name: names[1]}} })
		if err := runtime.Derive([]string{"a", "b"}, &dst, split); err != nil {
			t.Fatal(err)
		}
		want := []generated{{Name: new("a"), Size: new(int64(3))}, {Name: new("b")}}
		if diff := cmp.Diff(want, dst); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a value that the function's type cannot hold is an error", func(t *testing.T) {
		var dst *string
		if err := runtime.Derive(new(int64(1)<<40), &dst, runtime.Sure(func(n int32) string { return "" })); err == nil {
			t.Errorf("a number that is too large became %v", dst)
		}
	})
	t.Run("functions follow one another", func(t *testing.T) {
		var dst *string
		if err := runtime.Derive(new("41"), &dst, runtime.Pipe(parse, runtime.Sure(func(n int32) string { return strconv.Itoa(int(n) + 1) }))); err != nil || *dst != "42" {
			t.Errorf("41 became %v, %v", dst, err)
		}
	})
}

func TestFill(t *testing.T) {
	var dst *generated
	if err := runtime.Fill(&dst, runtime.Given(func() authored { return authored{Name: "new"} })); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&generated{Name: new("new")}, dst); diff != "" {
		t.Error(diff)
	}
}

func TestNumbers(t *testing.T) {
	if n, err := runtime.ToNumber(1 << 53); err != nil || n != 1<<53 {
		t.Errorf("2^53 became %v, %v", n, err)
	}
	if n, err := runtime.ToNumber(1<<53 + 1); err == nil {
		t.Errorf("2^53+1 became %v, which is another number", n)
	}
	if n, err := runtime.ToWhole(-2.75); err != nil || n != -2 {
		t.Errorf("-2.75 became %v, %v", n, err)
	}
	if n, err := runtime.ToWhole(1e300); err == nil {
		t.Errorf("1e300 became %v", n)
	}
}

func TestRenamed(t *testing.T) {
	swap := []string{"Azure", "Blue", "Blue", "Azure"}
	list := map[string][]string{"a": {"Azure", "Red"}, "b": {"Blue"}, "c": nil}
	got := runtime.Renamed(list, swap...)
	if diff := cmp.Diff(map[string][]string{"a": {"Blue", "Red"}, "b": {"Azure"}, "c": nil}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(list, runtime.Renamed(got, swap...)); diff != "" {
		t.Errorf("renamed back, it differs:\n%s", diff)
	}
	if list["a"][0] != "Azure" {
		t.Error("the source was changed")
	}
	if p := runtime.Renamed((*string)(nil), swap...); p != nil {
		t.Errorf("nothing became %q", *p)
	}
}
