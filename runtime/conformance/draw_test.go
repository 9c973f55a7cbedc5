package conformance

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/stratakube/strata/runtime"
	"pgregory.net/rapid"
)

func programOf[T any](t testing.TB) *program {
	t.Helper()
	p, err := compile(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func drawn[T any](p *program, seed uint64) *T {
	return (*T)(p.draw(new(drawer), seed, defaultBudget))
}

func TestSameSeedDrawsSameObject(t *testing.T) {
	first, second := programOf[person](t), programOf[person](t)
	var used drawer
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		x, y := drawn[person](first, seed), (*person)(second.draw(&used, seed, defaultBudget))
		if diff := cmp.Diff(x, y, cmp.AllowUnexported(storedSpec{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestSeedsThatFollowEachOtherDrawUnlikeObjects(t *testing.T) {
	p := programOf[thing](t)
	texts := map[string]bool{}
	for seed := range uint64(1000) {
		data, err := json.Marshal(drawn[thing](p, seed))
		if err != nil {
			t.Fatal(err)
		}
		texts[string(data)] = true
	}
	if len(texts) < 980 {
		t.Errorf("1000 seeds drew only %d different objects", len(texts))
	}
}

func TestObjectsOfSameProgramShareNothing(t *testing.T) {
	p := programOf[thing](t)
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		x, y := drawn[thing](p, seed), drawn[thing](p, seed)
		if diff := p.compare(comparison{apart: true}, unsafe.Pointer(x), unsafe.Pointer(y)); diff != nil {
			t.Fatal(diff)
		}
	})
}

// TestEveryStateOfPropertyIsDrawn checks that the generated tests draw each state.
func TestEveryStateOfPropertyIsDrawn(t *testing.T) {
	states := map[string]func(x *thing) bool{
		"name absent":           func(x *thing) bool { return x.Name == nil },
		"name empty":            func(x *thing) bool { return x.Name != nil && *x.Name == "" },
		"name with HTML":        func(x *thing) bool { return x.Name != nil && strings.Contains(*x.Name, "<") },
		"name beyond ASCII":     func(x *thing) bool { return x.Name != nil && strings.Contains(*x.Name, "世") },
		"name with escapes":     func(x *thing) bool { return x.Name != nil && strings.Contains(*x.Name, "\n") },
		"name with a control":   func(x *thing) bool { return x.Name != nil && strings.Contains(*x.Name, "\x00") },
		"name of another kind":  func(x *thing) bool { return x.Name != nil && *x.Name == "null" },
		"size zero":             func(x *thing) bool { return x.Size != nil && *x.Size == 0 },
		"size negative":         func(x *thing) bool { return x.Size != nil && *x.Size < 0 },
		"size beyond float64":   func(x *thing) bool { return x.Size != nil && *x.Size == 1<<53+1 },
		"ratio zero":            func(x *thing) bool { return x.Ratio != nil && *x.Ratio == 0 },
		"ratio huge":            func(x *thing) bool { return x.Ratio != nil && *x.Ratio == 1e300 },
		"on":                    func(x *thing) bool { return x.On != nil && *x.On },
		"off":                   func(x *thing) bool { return x.On != nil && !*x.On },
		"object without member": func(x *thing) bool { return x.Inner != nil && *x.Inner == inner{} },
		"object within itself":  func(x *thing) bool { return x.Inner != nil && x.Inner.Next != nil && x.Inner.Next.Next != nil },
		"list absent":           func(x *thing) bool { return x.Tags == nil },
		"list empty":            func(x *thing) bool { return x.Tags != nil && len(x.Tags) == 0 },
		"list of three":         func(x *thing) bool { return len(x.Tags) == 3 },
		"objects empty":         func(x *thing) bool { return x.Inners != nil && len(x.Inners) == 0 },
		"map absent":            func(x *thing) bool { return x.ByName == nil },
		"map empty":             func(x *thing) bool { return x.ByName != nil && len(x.ByName) == 0 },
		"map of three":          func(x *thing) bool { return len(x.ByName) == 3 },
		"texts empty":           func(x *thing) bool { return x.Notes != nil && len(x.Notes) == 0 },
		"texts of three":        func(x *thing) bool { return len(x.Notes) == 3 },
		"text under no name":    func(x *thing) bool { _, found := x.Notes[""]; return found },
		"empty list in a map":   func(x *thing) bool { return slices.ContainsFunc(valuesOf(x.Table), isEmpty) },
		"free absent":           func(x *thing) bool { return x.Free == nil },
		"free 1.0":              func(x *thing) bool { return string(x.Free) == "1.0" },
		"free list":             func(x *thing) bool { return bytes.HasPrefix(x.Free, []byte("[")) },
		"free object":           func(x *thing) bool { return bytes.HasPrefix(x.Free, []byte("{")) },
		"free with null within": func(x *thing) bool { return bytes.Contains(x.Free, []byte(":null")) },
	}
	p := programOf[thing](t)
	for seed := range uint64(2000) {
		x := drawn[thing](p, seed)
		for state, holds := range states {
			if holds(x) {
				delete(states, state)
			}
		}
	}
	for state := range states {
		t.Errorf("never drawn: %s", state)
	}
}

func valuesOf(table map[string][]string) (values [][]string) {
	for _, value := range table {
		values = append(values, value)
	}
	return values
}

func isEmpty(list []string) bool { return list != nil && len(list) == 0 }

func TestValuesThatAreNeverDrawn(t *testing.T) {
	p := programOf[thing](t)
	rapid.Check(t, func(t *rapid.T) {
		x := drawn[thing](p, rapid.Uint64().Draw(t, "seed"))
		if x.Name != nil && !utf8.ValidString(*x.Name) {
			t.Fatalf("name %q is not valid UTF-8", *x.Name)
		}
		if x.Ratio != nil && *x.Ratio != finite(*x.Ratio) {
			t.Fatalf("ratio %v has no JSON", *x.Ratio)
		}
		if free := []byte(x.Free); free != nil && (!bytes.Equal(compact(free), free) || !json.Valid(free) || string(free) == "null") {
			t.Fatalf("free JSON %s is not compact, or null", free)
		}
		for key, list := range x.Table {
			if list == nil {
				t.Fatalf("the list under %q is absent, which JSON writes as null", key)
			}
		}
		if depth(x.Inner) > 1+deepest {
			t.Fatalf("inner is %d deep", depth(x.Inner))
		}
	})
}

func depth(n *inner) int {
	if n == nil {
		return 0
	}
	return 1 + depth(n.Next)
}

func TestMetadata(t *testing.T) {
	p := programOf[person](t)
	rapid.Check(t, func(t *rapid.T) {
		x := drawn[person](p, rapid.Uint64().Draw(t, "seed"))
		if x.TypeMeta != (TypeMeta{}) {
			t.Fatal("the TypeMeta is drawn")
		}
		if x.UID != "" || !x.CreationTimestamp.IsZero() {
			t.Fatal("more of the ObjectMeta is drawn than conversions may meet")
		}
		if x.Labels != nil && len(x.Labels) == 0 {
			t.Fatal("labels are empty, which their JSON loses")
		}
	})
}

func TestMapsThatAreNeverEmpty(t *testing.T) {
	type open struct {
		PropertyBag          runtime.PropertyBag `json:"$propertyBag,omitzero"`
		AdditionalProperties map[string]open     `json:"-"`
	}
	var check func(t *rapid.T, x *open)
	check = func(t *rapid.T, x *open) {
		if x.PropertyBag != nil && len(x.PropertyBag) == 0 {
			t.Fatal("a bag is empty, which conversions make absent")
		}
		if x.AdditionalProperties != nil && len(x.AdditionalProperties) == 0 {
			t.Fatal("further members are empty, which JSON cannot tell from absent")
		}
		for _, further := range x.AdditionalProperties {
			check(t, &further)
		}
	}
	p := programOf[open](t)
	rapid.Check(t, func(t *rapid.T) {
		check(t, drawn[open](p, rapid.Uint64().Draw(t, "seed")))
	})
}

func TestTypesOfGo(t *testing.T) {
	type all struct {
		I   int
		I8  *int8
		I16 []int16
		I32 map[string]int32
		U   uint
		U8  *uint8
		U16 uint16
		U32 uint32
		U64 uint64
		F32 float32
		B   []byte
		T   time.Time
		P   **string
		L   []*string
		N   [][][]bool
		M   map[string]map[string]*inner
	}
	if err := check(Type[all]("v1"), 1000); err != nil {
		t.Error(err)
	}
}

func TestObjectsStaySmall(t *testing.T) {
	type wide struct{ A, B, C, D, E, F, G, H, I, J []person }
	p := programOf[wide](t)
	var d drawer
	for seed := range uint64(500) {
		p.draw(&d, seed, defaultBudget)
		if d.budget < -100 {
			t.Fatalf("seed %d drew %d values more than allowed", seed, -d.budget)
		}
	}
	if err := p.checkCoverage(500); err != nil {
		t.Error("and yet every field is drawn:", err)
	}
}

func TestSlabsHandOutNothingTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSlab(reflect.TypeFor[[3]int64]())
		var taken [][][3]int64
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, 500), 1, 30).Draw(t, "lengths") {
			taken = append(taken, unsafe.Slice((*[3]int64)(s.take(n)), n))
		}
		for i, values := range taken {
			for j := range values {
				if values[j] != ([3]int64{}) {
					t.Fatalf("value %d of slice %d is not zero, or was handed out before", j, i)
				}
				values[j] = [3]int64{1, int64(i), int64(j)}
			}
		}
	})
}
