package genruntime_test

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
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
		if err := genruntime.Derive(new("42"), &dst, parse); err != nil || dst == nil || *dst != 42 {
			t.Errorf("42 became %v, %v", dst, err)
		}
	})
	t.Run("what is absent stays absent, and replaces what was there", func(t *testing.T) {
		dst := new(int64(7))
		if err := genruntime.Derive((*string)(nil), &dst, parse); err != nil || dst != nil {
			t.Errorf("nothing became %v, %v", dst, err)
		}
	})
	t.Run("what the function refuses is its error", func(t *testing.T) {
		var dst *int64
		if err := genruntime.Derive(new("many"), &dst, parse); !errors.Is(err, strconv.ErrSyntax) || dst != nil {
			t.Errorf("many became %v, %v", dst, err)
		}
	})
	t.Run("structs travel member by member", func(t *testing.T) {
		var dst []generated
		split := genruntime.Sure(func(names []string) []authored { return []authored{{Name: names[0], Size: 3}, {Name: names[1]}} })
		if err := genruntime.Derive([]string{"a", "b"}, &dst, split); err != nil {
			t.Fatal(err)
		}
		want := []generated{{Name: new("a"), Size: new(int64(3))}, {Name: new("b")}}
		if diff := cmp.Diff(want, dst); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a value that the function's type cannot hold is an error", func(t *testing.T) {
		var dst *string
		if err := genruntime.Derive(new(int64(1)<<40), &dst, genruntime.Sure(func(n int32) string { return "" })); err == nil {
			t.Errorf("a number that is too large became %v", dst)
		}
	})
	t.Run("functions follow one another", func(t *testing.T) {
		var dst *string
		if err := genruntime.Derive(new("41"), &dst, genruntime.Pipe(parse, genruntime.Sure(func(n int32) string { return strconv.Itoa(int(n) + 1) }))); err != nil || *dst != "42" {
			t.Errorf("41 became %v, %v", dst, err)
		}
	})
}

// splitName and joinName are functions of an author, between a name in one property and in two.
func splitName(far *named, near *whole) error {
	if near.Full == nil {
		far.First, far.Last = nil, nil
		return errors.New("no name")
	}
	return far.assignFrom(near)
}

func joinName(far *named, near *whole) error {
	if far.First == nil || far.Last == nil {
		near.Full = nil
		return errors.New("no names")
	}
	return far.assignTo(near)
}

func panics(*named, *whole) error { panic("no function") }

func TestDeriveTo(t *testing.T) {
	ada := func() *named { return &named{First: text("Ada"), Last: text("Lovelace")} }
	for _, test := range []struct {
		reason           string
		far              *named
		restored         *string
		assign, opposite func(*named, *whole) error
		want, fails      string
	}{
		{"nothing was restored", ada(), nil, joinName, splitName, "Ada Lovelace", ""},
		{"what was restored makes what is at hand", ada(), text("Ada Lovelace"), panics, splitName, "Ada Lovelace", ""},
		{"and it is spelled otherwise", &named{First: text("Ada"), Last: text(" Lovelace")}, text("Ada  Lovelace"), panics, splitName, "Ada  Lovelace", ""},
		{"the source was edited since", ada(), text("Augusta King"), joinName, splitName, "Ada Lovelace", ""},
		{"there is no way back, and what was restored stands", ada(), text("Augusta King"), panics, nil, "Augusta King", ""},
		{"there is no way back, and nothing was restored", ada(), nil, joinName, nil, "Ada Lovelace", ""},
		{"the way back panics", ada(), text("Ada Lovelace"), panics, panics, "Ada Lovelace", ""}, // it changed nothing
		{"the source says nothing", &named{}, nil, joinName, splitName, "", "AssignTo step: no names"},
		{"a function panics", ada(), nil, panics, splitName, "", "AssignTo step: panic: no function"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			near := &whole{Full: test.restored}
			err := genruntime.DeriveTo("step", test.far, near, test.restored != nil, test.assign, test.opposite, names...)
			checkDerived(t, err, near.Full, test.want, test.fails, "*genruntime_test.whole")
		})
	}
}

func TestDeriveFrom(t *testing.T) {
	for _, test := range []struct {
		reason           string
		near             *string
		restored         *string // the first name
		assign, opposite func(*named, *whole) error
		want, fails      string // the first name
	}{
		{"nothing was restored", text("Ada Lovelace"), nil, splitName, joinName, "Ada", ""},
		{"what was restored makes what is at hand", text("Ada Lovelace"), text("Ada"), panics, joinName, "Ada", ""},
		{"what was restored makes something else", text("Ada Lovelace"), text("Augusta"), splitName, joinName, "Ada", ""},
		{"there is no way back, and what was restored stands", text("Ada Lovelace"), text("Augusta"), panics, nil, "Augusta", ""},
		{"there is no way back, and nothing was restored", text("Ada Lovelace"), nil, splitName, nil, "Ada", ""},
		{"the source says nothing", nil, nil, splitName, joinName, "", "AssignFrom step: no name"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			far, near := &named{First: test.restored}, &whole{Full: test.near, PropertyBag: runtime.PropertyBag{"first": runtime.JSON(`"bag"`)}}
			if test.restored != nil {
				far.Last = text("Lovelace")
			}
			err := genruntime.DeriveFrom("step", far, near, test.restored != nil, test.assign, test.opposite, names...)
			checkDerived(t, err, far.First, test.want, test.fails, "*genruntime_test.named")
			if len(far.PropertyBag["$shown@step"]) == 0 {
				t.Errorf("nothing notes what was shown: %v", far.PropertyBag)
			}
			again := &whole{PropertyBag: runtime.PropertyBag{"$shown@step": far.PropertyBag["$shown@step"]}}
			if err := genruntime.DeriveTo("step", far, again, true, panics, nil, names...); err != nil || string(again.PropertyBag["first"]) != `"bag"` && test.fails == "" && test.restored == nil {
				t.Errorf("nobody has edited it: %v, and the bag is %v", err, again.PropertyBag)
			}
		})
	}
}

func checkDerived(t *testing.T, err error, got *string, want, fails, of string) {
	t.Helper()
	if (got == nil) != (want == "") || got != nil && *got != want {
		t.Errorf("it is %v, want %q", got, want)
	}
	var failed *runtime.AugmentationError
	if (err != nil) != (fails != "") || err != nil && (!errors.As(err, &failed) || failed.Type != of || failed.Step+": "+failed.Err.Error() != fails) {
		t.Errorf("the error is %v, want %q", err, fails)
	}
}

func TestFunctionsThatFail(t *testing.T) {
	refuse := func() (string, error) { return "half", errors.New("refused") }
	dst := text("as it was")
	if err := genruntime.Fill(&dst, refuse); err == nil || *dst != "as it was" {
		t.Errorf("a refusal made %v, %v", dst, err)
	}
	if err := genruntime.Fill(&dst, genruntime.PipeGiven(refuse, genruntime.Sure(strings.ToUpper))); err == nil || *dst != "as it was" {
		t.Errorf("the first function's refusal made %v, %v", dst, err)
	}
	if err := genruntime.Fill(&dst, genruntime.PipeGiven(genruntime.Given(func() string { return "low" }), genruntime.Sure(strings.ToUpper))); err != nil || *dst != "LOW" {
		t.Errorf("two functions made %v, %v", dst, err)
	}
	fails := func(string) (string, error) { return refuse() }
	if got, err := genruntime.Pipe(fails, genruntime.Sure(strings.ToUpper))("a"); err == nil || got != "" {
		t.Errorf("the first function's refusal made %q, %v", got, err)
	}
	if err := genruntime.Fill(&dst, genruntime.PipeGiven(genruntime.Constant(`"low"`), genruntime.Sure(strings.ToUpper))); err != nil || *dst != "LOW" {
		t.Errorf("a function after a constant made %v, %v", dst, err)
	}
	if err := genruntime.Fill(&dst, genruntime.PipeGiven(genruntime.Constant(`7`), genruntime.Sure(strings.ToUpper))); err == nil || *dst != "LOW" {
		t.Errorf("a function after a constant of another type made %v, %v", dst, err)
	}
	if got, err := genruntime.Pipe(genruntime.Same, strconv.Atoi)(runtime.JSON(`"7"`)); err != nil || got != 7 {
		t.Errorf("a function after none made %v, %v", got, err)
	}
	if err := genruntime.Nothing(new(int), new(int)); err != nil {
		t.Error(err)
	}
	absent := &named{}
	if genruntime.RecordAbsent(absent, "step"); len(absent.PropertyBag["$shown@step"]) == 0 {
		t.Errorf("nothing is noted: %v", absent.PropertyBag)
	}
}

func TestFill(t *testing.T) {
	var dst *generated
	if err := genruntime.Fill(&dst, genruntime.Given(func() authored { return authored{Name: "new"} })); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&generated{Name: new("new")}, dst); diff != "" {
		t.Error(diff)
	}
}

func TestNumbers(t *testing.T) {
	if n, err := genruntime.ToNumber(1 << 53); err != nil || n != 1<<53 {
		t.Errorf("2^53 became %v, %v", n, err)
	}
	if n, err := genruntime.ToNumber(1<<53 + 1); err == nil {
		t.Errorf("2^53+1 became %v, which is another number", n)
	}
	for n, fits := range map[int64]bool{-1 << 53: true, 1<<53 - 1: true, 0: true, -1<<53 - 1: false, 1 << 60: false} {
		if f, err := genruntime.ToNumber(n); (err == nil) != fits || fits && int64(f) != n {
			t.Errorf("%d became %v, %v", n, f, err)
		}
	}
	for f, fits := range map[float64]bool{1 << 53: true, -1 << 53: true, 1<<53 + 2: false, -1<<53 - 2: false} {
		if n, err := genruntime.ToWhole[int64](f); (err == nil) != fits || fits && float64(n) != f {
			t.Errorf("%v became %v, %v", f, n, err)
		}
	}
	if n, err := genruntime.ToWhole[int32](-2.75); err != nil || n != -2 {
		t.Errorf("-2.75 became %v, %v", n, err)
	}
	for _, f := range []float64{1e300, math.NaN(), 256, -1, -1e300} {
		if n, err := genruntime.ToWhole[uint8](f); err == nil {
			t.Errorf("%v became %v", f, n)
		}
	}
	if n, err := genruntime.ToWhole[uint8](255.5); err != nil || n != 255 {
		t.Errorf("255.5 became %v, %v", n, err)
	}
}

func TestRenamed(t *testing.T) {
	swap := []string{"Azure", "Blue", "Blue", "Azure"}
	list := map[string][]string{"a": {"Azure", "Red"}, "b": {"Blue"}, "c": nil}
	got := genruntime.Renamed(list, swap...)
	if diff := cmp.Diff(map[string][]string{"a": {"Blue", "Red"}, "b": {"Azure"}, "c": nil}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(list, genruntime.Renamed(got, swap...)); diff != "" {
		t.Errorf("renamed back, it differs:\n%s", diff)
	}
	if list["a"][0] != "Azure" {
		t.Error("the source was changed")
	}
	if p := genruntime.Renamed(new("Blue"), "Blue"); *p != "Blue" {
		t.Errorf("a name without another one became %q", *p)
	}
	if l := genruntime.Renamed([]string(nil), swap...); l != nil {
		t.Errorf("no list became %v", l)
	}
	if n := genruntime.Renamed(7, swap...); n != 7 {
		t.Errorf("7 became %d", n)
	}
	if p := genruntime.Renamed((*string)(nil), swap...); p != nil {
		t.Errorf("nothing became %q", *p)
	}
}

// TestFillFar fills a property that only the far side has, and reads it after edits of clients.
func TestFillFar(t *testing.T) {
	const key, id = "first", "v2.named.First"
	fill := func(far *named, _ *whole) error { return genruntime.Fill(&far.First, genruntime.Constant(`"Ada"`)) }
	refuses := func(*named, *whole) error { return errors.New("refused") }
	for _, test := range []struct {
		reason string
		bag    runtime.PropertyBag // of near
		fill   func(*named, *whole) error
		shows  *string
		edit   func(*named)
		stored string // the bag afterwards
		reads  *string
	}{
		{"nobody edits a filled value", nil, fill, text("Ada"), nil, `{}`, text("Ada")},
		{"a client edits something else", nil, fill, text("Ada"), func(n *named) { n.Last = text("King") }, `{}`, text("Ada")},
		{"a client edits the filled value", nil, fill, text("Ada"), func(n *named) { n.First = text("Bob") }, `{"first":"Bob"}`, text("Bob")},
		{"a client removes the filled value", nil, fill, text("Ada"), func(n *named) { n.First = nil }, `{"$shown@v2.named.First":{"values":"33niihzj4ux45"}}`, nil},
		{"a stored value stays", runtime.PropertyBag{key: runtime.JSON(`"Eve"`)}, fill, text("Eve"), nil, `{"first":"Eve"}`, text("Eve")},
		{"a function refuses", nil, refuses, nil, nil, `{}`, nil},
	} {
		t.Run(test.reason, func(t *testing.T) {
			near := &whole{PropertyBag: test.bag}
			shows := down(near, test.fill, id, key)
			checkText(t, "it shows", shows.First, test.shows)
			if test.edit != nil {
				test.edit(shows)
			}
			back := up(shows, id, key)
			if got, err := json.Marshal(back.PropertyBag); err != nil || string(got) != test.stored && (len(back.PropertyBag) > 0 || test.stored != "{}") {
				t.Errorf("it stores %s, %v, want %s", got, err, test.stored)
			}
			again := down(back, test.fill, id, key)
			checkText(t, "then it reads", again.First, test.reads)
			if diff := cmp.Diff(back, up(again, id, key), cmpopts.EquateEmpty()); diff != "" {
				t.Error("a write without an edit changes what is stored", diff)
			}
		})
	}
}

// down and up are generated code in short: First is a property that only named has.
func down(near *whole, fill func(*named, *whole) error, id, key string) *named {
	far := &named{PropertyBag: near.PropertyBag.Clone()}
	genruntime.Recall(&far.PropertyBag, key, &far.First)
	_ = genruntime.FillFrom(id, far, near, far.First == nil, fill, "first", key)
	return far
}

func up(far *named, id, key string) *whole {
	near := &whole{PropertyBag: far.PropertyBag.Clone()}
	genruntime.Stash(&near.PropertyBag, key, far.First)
	_ = genruntime.FilledTo(id, far, near, far.First == nil, "first", key)
	return near
}

func checkText(t *testing.T, what string, got, want *string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(what, diff)
	}
}
