//go:build unix

package conformance

import (
	"reflect"
	"testing"
)

// measure runs work b.N times and reports processor time, which other processes disturb less than
// wall time.
func measure(b *testing.B, work func(i int)) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	start := cpuNanos(b)
	for i := range b.N {
		work(i)
	}
	b.ReportMetric(float64(cpuNanos(b)-start)/float64(b.N), "cpu-ns/op")
}

func compiled(b *testing.B) *trial {
	b.Helper()
	p, err := personSpoke().compile(defaultBudget)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkCase is the mean case: draw, up, down, equal, and every tenth time all the rest.
func BenchmarkCase(b *testing.B) {
	p := compiled(b)
	measure(b, func(i int) {
		if err := p.prove(uint64(i)); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkFullCase is the mean case of an object of 250 scalars, about 6 KB of JSON.
func BenchmarkFullCase(b *testing.B) {
	p := compiled(b)
	seeds, size := fullSeeds(b, p)
	measure(b, func(i int) {
		if err := p.prove(seeds[i%len(seeds)]); err != nil {
			b.Fatal(err)
		}
	})
	b.ReportMetric(float64(size), "JSON-bytes/op")
}

// fullSeeds returns seeds of objects with all values that the budget allows, a tenth of them
// thorough. It also returns the mean size of the others.
func fullSeeds(b *testing.B, p *trial) (seeds []uint64, size int) {
	b.Helper()
	for seed := uint64(0); len(seeds) < 500; seed++ {
		x := p.api.draw(&p.drawer, seed, p.limit)
		if isThorough(seed) != (len(seeds)%10 == 0) || p.drawer.budget > 0 {
			continue
		}
		seeds = append(seeds, seed)
		data, err := p.encode(reflect.NewAt(p.api.of, x).Interface())
		if err != nil {
			b.Fatal(err)
		}
		if !isThorough(seed) {
			size += len(data)
		}
	}
	return seeds, size / 450
}

func BenchmarkThoroughCase(b *testing.B) {
	p := compiled(b)
	measure(b, func(i int) {
		if err := p.prove(uint64(10 * i)); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkDraw(b *testing.B) {
	p := compiled(b)
	size := 0
	for i := range 1000 {
		data, err := p.encode(reflect.NewAt(p.api.of, p.api.draw(&p.drawer, uint64(i), defaultBudget)).Interface())
		if err != nil {
			b.Fatal(err)
		}
		size += len(data)
	}
	measure(b, func(i int) { p.api.draw(&p.drawer, uint64(i), defaultBudget) })
	b.ReportMetric(float64(size)/1000, "JSON-bytes/op")
}

func BenchmarkEqual(b *testing.B) {
	p := compiled(b)
	const seed = 7
	x, y := p.api.draw(&p.drawer, seed, defaultBudget), p.api.draw(&p.drawer, seed, defaultBudget)
	measure(b, func(int) {
		if diff := p.api.compare(comparison{}, x, y); diff != nil {
			b.Fatal(diff)
		}
	})
}

func BenchmarkConversions(b *testing.B) {
	p := compiled(b)
	x := p.api.draw(&p.drawer, 7, defaultBudget)
	measure(b, func(int) {
		if _, err := p.proveSpokeLaw(x); err != nil {
			b.Fatal(err)
		}
	})
}
