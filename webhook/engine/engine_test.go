package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/webhook/engine"
)

// one is an engine of one kind with the versions v1 and v2, which is the hub. It returns a fixed
// answer.
type one struct {
	kind    string
	message string
	err     error
}

func (o one) group() schema.GroupKind { return schema.GroupKind{Group: "g", Kind: o.kind} }

func (o one) Kinds() []engine.Kind {
	return []engine.Kind{{GroupKind: o.group(), Versions: []string{"v1", "v2"}, Hub: "v2"}}
}

func (o one) Converter(pair engine.Pair) engine.Converter {
	if pair.Kind != o.group() || pair.To == "v3" {
		return nil
	}
	return o
}

func (o one) Append(_ context.Context, dst, object []byte) ([]byte, error) {
	if o.message == "panic" {
		panic("no")
	}
	if o.message == "" {
		swap := strings.NewReplacer("g/v1", "g/v2", "g/v2", "g/v1")
		return append(dst, swap.Replace(string(object))...), o.err
	}
	return append(dst, o.message...), o.err
}

func (one) Steps() int { return 1 }

func TestFirst(t *testing.T) {
	a, b, c := one{kind: "A", message: "first"}, one{kind: "A", message: "second"}, one{kind: "B", message: "third"}
	e := engine.First(c, a, b)
	for _, test := range []struct {
		reason string
		pair   engine.Pair
		want   engine.Converter
	}{
		{"the first that converts", engine.Pair{Kind: a.group(), From: "v1", To: "v2"}, a},
		{"another kind by another engine", engine.Pair{Kind: c.group(), From: "v1", To: "v2"}, c},
		{"none", engine.Pair{Kind: a.group(), From: "v1", To: "v3"}, nil},
	} {
		if got := e.Converter(test.pair); got != test.want {
			t.Errorf("%s: %v", test.reason, got)
		}
	}
	var kinds []string
	for _, kind := range e.Kinds() {
		kinds = append(kinds, kind.Kind)
	}
	if diff := cmp.Diff([]string{"A", "B"}, kinds); diff != "" {
		t.Error(diff)
	}
	if got := engine.First(a); got != engine.Engine(a) {
		t.Error("one engine is itself")
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		reason string
		engine one
		want   string
	}{
		{"all is well", one{kind: "A"}, ""},
		{"an error", one{kind: "A", err: errors.New("broken")}, "convert an empty A.g from v1 to v2: broken"},
		{"a panic", one{kind: "A", message: "panic"}, "convert an empty A.g from v2 to v1: panic: no"},
		{"what is no JSON", one{kind: "A", message: "x"}, "read the result"},
		{"another version", one{kind: "A", message: `{"apiVersion":"g/v7","kind":"A","metadata":{}}`}, "the result is g/v7, Kind=A"},
		{"no metadata", one{kind: "A", message: `{"apiVersion":"g/v2","kind":"A"}`}, "the result is g/v2, Kind=A"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			err := engine.Check(t.Context(), test.engine)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want %q", err, test.want)
			}
		})
	}
}

func TestPair(t *testing.T) {
	pair := engine.Pair{Kind: schema.GroupKind{Group: "g", Kind: "K"}, From: "v1", To: "v2"}
	if pair.String() != "K.g from v1 to v2" || pair.Source().String() != "g/v1, Kind=K" || pair.Target().String() != "g/v2, Kind=K" {
		t.Errorf("%s, %s, %s", pair, pair.Source(), pair.Target())
	}
}

// picky is a converter that refuses every object.
type picky struct {
	one
	reason string
	next   engine.Converter
}

func (p picky) Try(_ context.Context, dst, _ []byte) ([]byte, *engine.Refusal) {
	return append(dst, "of no use"...), &engine.Refusal{Reason: p.reason, Next: p.next}
}

// willing is a selective converter that refuses no object.
type willing struct{ one }

func (w willing) Try(_ context.Context, dst, _ []byte) ([]byte, *engine.Refusal) {
	return append(dst, w.message...), nil
}

func TestConvert(t *testing.T) {
	gone := errors.New("gone")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	last := one{kind: "A", message: "last"}
	for _, test := range []struct {
		reason    string
		ctx       context.Context
		converter engine.Converter
		want      string
		err       string
		refusals  string
	}{
		{"a converter of all objects", t.Context(), last, "before last", "", ""},
		{"one that refuses none", t.Context(), willing{one{message: "willing"}}, "before willing", "", ""},
		{"one that refuses", t.Context(), picky{reason: "a", next: last}, "before last", "", "a,"},
		{"two that refuse", t.Context(), picky{reason: "a", next: picky{reason: "b", next: last}}, "before last", "", "a,b,"},
		{"one that takes what another refuses", t.Context(), picky{reason: "a", next: willing{one{message: "willing"}}}, "before willing", "", "a,"},
		{"an error", t.Context(), picky{reason: "a", next: one{message: "x", err: errors.New("broken")}}, "before x", "broken", "a,"},
		{"a context that has ended", ended, picky{reason: "a"}, "before ", "gone", ""},
		{"no converter", t.Context(), nil, "before ", "no converter takes the object", ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			refusals := ""
			out, err := engine.Convert(test.ctx, test.converter, []byte("before "), []byte("{}"), func(reason string) { refusals += reason + "," })
			if string(out) != test.want || refusals != test.refusals || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
				t.Errorf("%s, %v, refused as %s", out, err, refusals)
			}
			if again, _ := engine.Convert(test.ctx, test.converter, []byte("before "), []byte("{}"), nil); string(again) != string(out) {
				t.Errorf("without a counter %s", again)
			}
		})
	}
}

// middle is an engine whose hub is not the last of its versions.
type middle struct{ one }

func (m middle) Kinds() []engine.Kind {
	return []engine.Kind{{GroupKind: m.group(), Versions: []string{"v1", "v2", "v3"}, Hub: "v2"}}
}

func TestCheckOfVersionsBehindHub(t *testing.T) {
	err := engine.Check(t.Context(), middle{one{kind: "A"}})
	if err == nil || !strings.Contains(err.Error(), "convert an empty A.g from v2 to v3: there is no converter") {
		t.Errorf("the error is %v", err)
	}
}
