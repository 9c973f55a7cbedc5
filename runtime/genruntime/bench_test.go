package genruntime_test

import (
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

type storedAddress struct {
	Street      *string
	Number      *int64
	Height      *float64
	Listed      *bool
	Lines       []string
	Labels      map[string]string
	Former      []storedAddress
	Free        runtime.JSON
	PropertyBag runtime.PropertyBag
}

func convertAddress(src *address, dst *storedAddress) error {
	*dst = storedAddress{
		Street:      src.Street,
		Number:      src.Number,
		Height:      src.Height,
		Listed:      src.Listed,
		Lines:       genruntime.CastList[string](src.Lines),
		Labels:      genruntime.CastMap[string](src.Labels),
		Free:        src.Free,
		PropertyBag: src.PropertyBag.Clone(),
	}
	return genruntime.FirstError(genruntime.ListTo(&dst.Former, src.Former, convertAddress))
}

// bigAddress has about 250 scalars.
func bigAddress() *address {
	return &address{Former: []address{midAddress(), midAddress(), midAddress(), midAddress(), midAddress()}}
}

func midAddress() address {
	a := smallAddress()
	a.Former = []address{smallAddress(), smallAddress(), smallAddress(), smallAddress()}
	return a
}

func smallAddress() address {
	return address{
		Street: new("Long Street"), Number: new(int64(17)), Height: new(1.5), Listed: new(true),
		Lines: []string{"first", "second", "third"}, Labels: map[string]string{"a": "1", "b": "2", "c": "3"},
		Free: runtime.JSON(`{"a":1.0}`),
	}
}

func BenchmarkConvert(b *testing.B) {
	src := bigAddress()
	b.ReportAllocs()
	for b.Loop() {
		var dst *storedAddress
		if err := genruntime.ObjectTo(&dst, src, convertAddress); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCopyObject(b *testing.B) {
	src := bigAddress()
	b.ReportAllocs()
	for b.Loop() {
		genruntime.CopyObject(src)
	}
}

func BenchmarkStashAndRecall(b *testing.B) {
	b.Run("text", func(b *testing.B) { stashAndRecall(b, new("Long Street")) })
	b.Run("integer", func(b *testing.B) { stashAndRecall(b, new(int64(17))) })
	b.Run("number", func(b *testing.B) { stashAndRecall(b, new(1.5)) })
	b.Run("list", func(b *testing.B) { stashAndRecall(b, []string{"first", "second", "third"}) })
	b.Run("object", func(b *testing.B) { small := smallAddress(); stashAndRecall(b, &small) })
	b.Run("null-within", func(b *testing.B) { stashAndRecall(b, &address{Free: runtime.JSON("[null]")}) })
}

func stashAndRecall[T any](b *testing.B, value T) {
	bag := runtime.PropertyBag{"other": runtime.JSON("1")}
	b.ReportAllocs()
	for b.Loop() {
		genruntime.Stash(&bag, "key", value)
		var back T
		if !genruntime.Recall(&bag, "key", &back) {
			b.Fatal("nothing was recalled")
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	data := []byte(`{"name":"a","x":1.0,"y":{"z":[1,2,3]},"home":{"street":"Long Street","number":17}}`)
	b.ReportAllocs()
	for b.Loop() {
		var o open
		if err := o.UnmarshalJSON(data); err != nil {
			b.Fatal(err)
		}
		if _, err := o.MarshalJSON(); err != nil {
			b.Fatal(err)
		}
	}
}
