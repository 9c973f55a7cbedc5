package webhook

import (
	"runtime"
	"testing"

	"github.com/stratakube/strata/webhook/internal/pace"
)

// exchangeOf returns an exchange of a handler with the default limits.
func exchangeOf(t *testing.T) *exchange {
	t.Helper()
	l := Limits{}.orDefault()
	x := &exchange{handler: &Handler{limits: l, gate: newGate(l)}, ctx: t.Context(), meter: pace.New(pace.Rate{})}
	t.Cleanup(func() {
		if taken := x.taken(); taken != 0 {
			t.Errorf("%d bytes are taken at the end", taken)
		}
	})
	return x
}

// taken returns the memory that the gate has granted.
func (x *exchange) taken() (sum int64) {
	g := x.handler.gate
	for i := range g.pools {
		sum += g.sizes[i] - g.pools[i].free
	}
	return sum
}

// counted returns the memory that a buffer takes from the gate.
func counted(buf []byte) int64 {
	if cap(buf) <= firstBuffer {
		return 0
	}
	return int64(cap(buf))
}

// TestBuffers checks that the gate counts used buffers by their capacity, and that buffers of usual
// sizes are reused.
func TestBuffers(t *testing.T) {
	for _, size := range []int{1, firstBuffer, firstBuffer + 1, 40 << 10, smallBuffer, smallBuffer + 1, maxPooled, maxPooled + 1, 3 << 20} {
		x := exchangeOf(t)
		buf, err := x.Get(size)
		if err != nil {
			t.Fatal(err)
		}
		if cap(buf) < size || x.taken() != counted(buf) {
			t.Errorf("%d bytes are counted for a buffer of %d, where %d were wanted", x.taken(), cap(buf), size)
		}
		if size > maxPooled && cap(buf) != size {
			t.Errorf("a buffer of %d bytes that is not kept has %d", size, cap(buf))
		}
		x.Put(buf)
		if size <= maxPooled && allocatedBy(t, x, size) > 25*uint64(cap(buf)) {
			t.Errorf("buffers of %d bytes are made anew", size)
		}
	}
}

// allocatedBy gets and puts back a buffer 50 times.
func allocatedBy(t *testing.T, x *exchange, size int) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 50 {
		buf, err := x.Get(size)
		if err != nil {
			t.Fatal(err)
		}
		x.Put(buf)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestSpareBuffers checks that an exchange keeps the two buffers that it begins with, and none that
// is smaller.
func TestSpareBuffers(t *testing.T) {
	x := exchangeOf(t)
	only := make([]byte, 1, firstBuffer)
	x.Put(only)
	if got, err := x.Get(1); err != nil || &got[:1][0] != &only[0] {
		t.Errorf("the only buffer is not used again, %v", err)
	}
	x.Put(make([]byte, 0, 1<<10))
	if buf, err := x.Get(firstBuffer); err != nil || cap(buf) < firstBuffer {
		t.Errorf("a buffer of %d bytes, %v", cap(buf), err)
	}
	for range 5 {
		x.Put(make([]byte, 0, firstBuffer))
	}
	if len(x.spare) != 2 {
		t.Errorf("%d buffers are kept", len(x.spare))
	}
}

// TestBuffersOfConversions checks that a buffer that a conversion allocated is counted like others.
func TestBuffersOfConversions(t *testing.T) {
	for _, size := range []int{1 << 10, firstBuffer, firstBuffer + 1, 1 << 20} {
		x := exchangeOf(t)
		given, err := x.Get(2 * firstBuffer)
		if err != nil {
			t.Fatal(err)
		}
		made := make([]byte, 0, size)
		x.adopt(made, given)
		if x.taken() != counted(made) {
			t.Errorf("%d bytes are counted for a buffer of %d", x.taken(), size)
		}
		x.Put(made)
	}
}

// TestRoomForAnswers checks that a result has room for its object, a quarter more, and 1 KiB, and
// that buffers double.
func TestRoomForAnswers(t *testing.T) {
	const object = 20 << 10
	const fits = firstBuffer - (object + object/4 + 1<<10)
	for gathered, grows := range map[int]bool{fits: false, fits + 1: true} {
		x := exchangeOf(t)
		x.writer.Reset(make([]byte, 0, firstBuffer), nil)
		if err := x.writer.Add(append(x.writer.Next(), make([]byte, gathered)...)); err != nil {
			t.Fatal(err)
		}
		if err := x.prepare(object); err != nil {
			t.Fatal(err)
		}
		if got := cap(x.writer.Buffer()); (got > firstBuffer) != grows || x.writer.Gathered() != gathered {
			t.Errorf("a buffer of %d bytes holds %d, where %d had gathered", got, x.writer.Gathered(), gathered)
		}
		x.Put(x.writer.Buffer())
	}
	x := exchangeOf(t)
	large, err := x.Get(3 << 20)
	if err != nil {
		t.Fatal(err)
	}
	x.writer.Reset(large, nil)
	if err := x.prepare(3 << 20); err != nil || cap(x.writer.Buffer()) < 6<<20 {
		t.Errorf("a buffer of 3 MiB grows to %d bytes, %v", cap(x.writer.Buffer()), err)
	}
	x.Put(x.writer.Buffer())
}

// TestPoolsOfBuffers checks that small buffers and conversions do not wait for large ones, unless
// they cost too much.
func TestPoolsOfBuffers(t *testing.T) {
	for size, want := range map[int]int{40 << 10: smallBuffers, 128 << 10: smallBuffers, 128<<10 + 1: largeBuffers, 8 << 20: largeBuffers} {
		if got := poolOf(size); got != want {
			t.Errorf("a buffer of %d bytes is of pool %d, want %d", size, got, want)
		}
	}
	g := newGate(Limits{}.orDefault())
	half, most := g.sizes[smallWork]/2, g.sizes[largeWork]
	for _, test := range []struct {
		reason string
		bytes  int
		cost   int64
		want   work
	}{
		{"a small object", 1 << 10, 0, work{smallWork, 17 << 10}},
		{"the largest small one", 64 << 10, 0, work{smallWork, 17 * 64 << 10}},
		{"one byte more", 64<<10 + 1, 0, work{largeWork, 17 * (64<<10 + 1)}},
		{"a small one that costs half of the pool", 1 << 10, half - 1<<10, work{smallWork, half}},
		{"a small one that costs more", 1 << 10, half - 1<<10 + 1, work{largeWork, half + 1}},
		{"one that costs less than its bytes make likely", 1 << 20, 5, work{largeWork, 17 << 20}},
		{"one that costs more than there is", 1 << 10, 1 << 40, work{largeWork, most}},
	} {
		if got := g.workOf(test.bytes, test.cost); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.reason, got, test.want)
		}
	}
}
