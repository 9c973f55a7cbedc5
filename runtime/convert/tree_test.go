package convert

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/declared"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
	"github.com/stratakube/strata/runtime/internal/shape"
)

type treePool struct {
	Limits      *treeLimits         `json:"limits,omitzero"`
	Retry       *treeRetry          `json:"retry,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type treeLimits struct {
	Seconds     *int64              `json:"seconds,omitzero"`
	Name        *string             `json:"name,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type treeRetry struct {
	Timing      *treeTiming         `json:"timing,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type treeTiming struct {
	Milliseconds *int64              `json:"milliseconds,omitzero"`
	Names        []string            `json:"names,omitzero"`
	PropertyBag  runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// TestPartsThatRefuse converts a section by a sequence whose second step refuses it. The reader
// must then be in the source again, and not in the text between the steps.
func TestPartsThatRefuse(t *testing.T) {
	s := shape.Of(reflect.TypeFor[treeLimits]())
	m := recaster{steps: []Step{nil}, made: map[recastKey]*recast{}}
	whole := &recast{of: s, parts: []*recast{m.make(0, s, s), {of: s, refusal: NoPlan}}}
	const source = `{"metadata":{"name":"long enough, so that the spec begins behind the end of its text"},"spec":{"seconds":1}}`
	e := &edit{reader: reader{Cursor: jsontext.Cursor{Data: []byte(source), At: strings.Index(source, `{"seconds"`)}, limit: jsontext.MaxDepth}, out: []byte("{")}
	r := &run{edit: e, direction: &direction{spec: whole, status: &recast{of: s}}}
	if r.section(`"spec":`, whole, &r.spec) || e.refusal != NoPlan {
		t.Errorf("a part refuses, but the sequence says %s", e.refusal)
	}
	if string(e.Data) != source || e.At != len(source)-1 {
		t.Errorf("the reader is at %d of %s", e.At, e.Data)
	}
}

// TestTreesMoveAsGoValues moves properties of random objects, and compares the engines, also for
// objects and bags that no client writes by a conversion.
func TestTreesMoveAsGoValues(t *testing.T) {
	all := []*declared.Moved{{
		ID: "v2.ms", To: operation.ScaleWhole(1000, 1), From: operation.ScaleWhole(1, 1000),
		Far:  declared.MovedEnd{Path: []string{"limits", "seconds"}, Objects: []string{"limits"}, Key: "seconds"},
		Near: declared.MovedEnd{Path: []string{"retry", "timing", "milliseconds"}, Objects: []string{"retry"}, Key: "timing", Within: []string{"milliseconds"}},
	}, {
		ID: "v2.names", To: operation.Split(","), From: operation.Join(","),
		Far:  declared.MovedEnd{Path: []string{"limits", "name"}, Objects: []string{"limits"}, Key: "name"},
		Near: declared.MovedEnd{Path: []string{"retry", "timing", "names"}, Objects: []string{"retry"}, Key: "timing", Within: []string{"names"}},
	}}
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0 // because of an empty bag
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for range 20000 {
		far := `{` + pick(``, `"limits":{}`, `"limits":{"seconds":`+pick("1", "5", "9223372036854775807")+`}`, `"limits":{"name":"`+pick("", "a", "a,b", `\u003c,\n`)+`","seconds":2}`) + `}`
		near := `{` + pick(`"x":0`, `"retry":{}`, `"retry":{"timing":{}}`, `"retry":{"timing":{"milliseconds":`+pick("1500", "2000", "5000")+`}}`,
			`"retry":{"timing":{"names":`+pick(`[]`, `["a"]`, `["a","b"]`, `["<","\n"]`)+`}}`, `"retry":{"$propertyBag":{"z":1},"timing":{"names":["a,b"],"$propertyBag":{"y":[1, 2]}}}`,
			`"retry":{"$propertyBag":{"timing":{"milliseconds":1500,"names":[]}}}`,
			`"retry":{"timing":{"$propertyBag":{},"milliseconds":2000}}`) + `,"limits":{"$propertyBag":{"seconds":` + pick("1", "5", "7") + `,"name":"a"}}}`
		if near[2] == 'x' {
			near = `{` + near[len(`{"x":0,`):]
		}
		up := r.IntN(2) == 0
		src, dst := far, near
		if !up {
			src, dst = near, `{`+pick(``, `"limits":{"seconds":5}`, `"limits":{"seconds":1,"name":"a,b"}`, `"limits":{},"retry":{"$propertyBag":{"timing":{"names":["a"],"milliseconds":5000}}}`)+`}`
		}
		for round := range 2 { // the second reads the notes of the first
			goSrc, goDst := new(treePool), new(treePool)
			if err := json.Unmarshal([]byte(src), goSrc); err != nil {
				t.Fatal(src, err)
			}
			if err := json.Unmarshal([]byte(dst), goDst); err != nil {
				t.Fatal(dst, err)
			}
			e := &edit{reader: reader{limit: jsontext.MaxDepth}}
			s := shape.Of(reflect.TypeFor[treePool]())
			from, to := newTree(e, s, []byte(src)), newTree(e, s, []byte(dst))
			var err, other error
			if up {
				err, other = genruntime.MoveTo(goSrc, goDst, all...), declared.MoveTo(from, to, all...)
			} else {
				err, other = genruntime.MoveFrom(goDst, goSrc, all...), declared.MoveFrom(to, from, all...)
			}
			if e.refusal == UnclearBag && strings.Contains(src+dst, `"$propertyBag":{}`) {
				refused++
				break
			}
			if (err == nil) != (other == nil) || e.refusal != Converted {
				t.Fatal(src, dst, err, other, e.refusal)
			}
			want, err := json.Marshal(goDst)
			if err != nil {
				t.Fatal(err)
			}
			if got := to.append(nil); !jsontext.IsSame(got, want) {
				t.Fatalf("round %d, up %v, of\n%s to\n%s\nthe tree is\n%s, want\n%s", round, up, src, dst, got, want)
			}
			src, dst, up = string(want), src, !up
		}
	}
	if refused == 0 {
		t.Error("no tree refuses an empty bag")
	}
}
