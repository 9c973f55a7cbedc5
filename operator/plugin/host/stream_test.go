package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/host"
	depotv1 "github.com/stratakube/strata/operator/plugin/internal/depot/v1"
	depotv3 "github.com/stratakube/strata/operator/plugin/internal/depot/v3"
	"github.com/stratakube/strata/operator/plugin/plugintest"
)

const depotOne = "example.com/one"

// depots opens a host of a store of a version.
func depots(t *testing.T, version int, change ...func(*host.Options)) depotv3.Store {
	t.Helper()
	o := options(plugin(fmt.Sprintf("-serve=depot.v%d=%s", version, depotOne)))
	for _, c := range change {
		c(&o)
	}
	return plugintest.Get(t, plugintest.Open(t, o), depotv3.Version, depotOne, nil)
}

func item(name string, size int64) *depotv1.FetchRequest {
	return &depotv1.FetchRequest{Name: name, Size: size}
}

// drain returns the sum of the sizes of all pieces.
func drain(ctx context.Context, s depotv3.Store, in *depotv1.FetchRequest) (size int64, err error) {
	err = s.Fetch(ctx, in, func(p *depotv3.Piece) error {
		size += int64(len(p.GetData()))
		return nil
	})
	return size, err
}

func TestStreamHasAllPiecesInOrder(t *testing.T) {
	s := depots(t, 3)
	var pieces int
	err := s.Fetch(t.Context(), item("fill", 3<<20), func(p *depotv3.Piece) error {
		if want := bytes.Repeat([]byte{byte(pieces)}, 64<<10); !bytes.Equal(p.GetData(), want) {
			t.Errorf("piece %d has %d bytes and begins with %d", pieces, len(p.GetData()), p.GetData()[0])
		}
		pieces++
		return nil
	})
	if err != nil || pieces != 48 {
		t.Errorf("got %d pieces, %v, want 48", pieces, err)
	}
	if size, err := drain(t.Context(), s, item("fill", 0)); size != 0 || err != nil {
		t.Errorf("an empty item has %d bytes, %v", size, err)
	}
	if size, err := drain(t.Context(), s, item("nil", 5)); size != 5 || err != nil {
		t.Errorf("an item after a piece that is nil has %d bytes, %v, want 5", size, err)
	}
}

// TestStreamTakesBoundedMemory measures the largest memory of both processes. Messages of a stream
// that goes on while its receiver is slow would be in one of them.
func TestStreamTakesBoundedMemory(t *testing.T) {
	size := int64(1 << 30)
	if os.Getenv("STRATA_LONG") == "" && os.Getenv("STRATA_SOAK") == "" {
		size = 128 << 20
	}
	const most, steps = 64 << 20, 16
	s := depots(t, 3)
	if _, err := drain(t.Context(), s, item("fill", 1<<20)); err != nil {
		t.Fatal(err)
	}
	var received, peak int64
	before := liveHeap()
	err := s.Fetch(t.Context(), item("fill", size), func(p *depotv3.Piece) error {
		if received += int64(len(p.GetData())); received%(size/steps) == 0 {
			peak = max(peak, liveHeap()-before)
		}
		return nil
	})
	if err != nil || received != size {
		t.Fatalf("received %d of %d bytes, %v", received, size, err)
	}
	if peak > most {
		t.Errorf("the heap of the host grew by %d bytes, want at most %d", peak, most)
	}
	if theirs := memoryOf(t, s); theirs > most {
		t.Errorf("the plugin had %d bytes in memory, want at most %d", theirs, most)
	}
	t.Logf("%d bytes: the heap of the host grew by at most %d", size, peak)
}

// liveHeap returns the size of the used part of the heap of this process.
func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// memoryOf returns the largest memory that the plugin has had, as the kernel counts it.
func memoryOf(t *testing.T, s depotv3.Store) int64 {
	t.Helper()
	var status []byte
	err := s.Fetch(t.Context(), item("memory", 0), func(p *depotv3.Piece) error {
		status = p.GetData()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no VmHWM in %s", status)
	}
	kib, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the plugin had %d KiB", kib)
	return kib << 10
}

// TestSlowReceiverHoldsUpItsSender uses only the first piece of an endless stream. The plugin is
// blocked before it has sent much more than connections buffer.
func TestSlowReceiverHoldsUpItsSender(t *testing.T) {
	var log plugintest.Log
	s := depots(t, 3, func(o *host.Options) { o.Log = log.Logger() })
	enough := errors.New("enough")
	err := s.Fetch(t.Context(), item("fill", -1), func(*depotv3.Piece) error {
		awaitIdle(t)
		return enough
	})
	if !errors.Is(err, enough) || err.Error() != "enough" {
		t.Errorf("error = %v, want that of the receiver as it is", err)
	}
	n, err := strconv.Atoi(logged(t, &log, `sent (\d+) pieces`)) // once the plugin has noticed
	if most := (32 << 20) / (64 << 10); err != nil || n > most {
		t.Errorf("the plugin sent %d pieces while none was used, want at most %d", n, most)
	}
}

// logged waits for a text in the log of a plugin, and returns the group of the pattern.
func logged(t *testing.T, log *plugintest.Log, pattern string) string {
	t.Helper()
	r := regexp.MustCompile(pattern)
	for ctx := within(t); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if found := r.FindStringSubmatch(log.String()); found != nil {
			return found[1]
		}
	}
	t.Fatalf("the plugin does not log %s", pattern)
	return ""
}

// awaitIdle waits until the plugins of this process use no processor time: they are blocked.
func awaitIdle(t *testing.T) {
	t.Helper()
	var last string
	ctx := within(t)
	for same := 0; same < 20 && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		var now strings.Builder
		for _, pid := range children() {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(stat), ") ")
			if fields := strings.Fields(rest); len(fields) > 12 {
				fmt.Fprintln(&now, fields[0], fields[11], fields[12])
			}
		}
		if same++; now.String() != last || strings.Contains(last, "R ") {
			same = 0
		}
		last = now.String()
	}
}

func TestStreamWithoutEndIsCancelled(t *testing.T) {
	var log plugintest.Log
	s := depots(t, 3, func(o *host.Options) { o.Log = log.Logger() })
	ctx, cancel := context.WithCancel(t.Context())
	pieces := 0
	err := s.Fetch(ctx, item("fill", -1), func(*depotv3.Piece) error {
		if pieces++; pieces == 100 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v after %d pieces, want that the call was cancelled", err, pieces)
	}
	logged(t, &log, `sent \d+ (pieces)`)
}

func TestDeadlinesOfStreams(t *testing.T) {
	t.Run("of the whole, by the context", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := drain(ctx, depots(t, 3), item("fill", -1)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error = %v, want that the deadline is over", err)
		}
	})
	t.Run("of a piece, by the host", func(t *testing.T) {
		var log plugintest.Log
		s := depots(t, 3, func(o *host.Options) { o.CallTimeout, o.Log = 300*time.Millisecond, log.Logger() })
		size, err := drain(t.Context(), s, item("hang", 5))
		if !errors.Is(err, context.DeadlineExceeded) || size != 5 {
			t.Errorf("error = %v after %d bytes, want a missed deadline after 5", err, size)
		}
		contains(t, err, "example.depot example.com/one v3: Fetch", "no message came for 300ms")
		logged(t, &log, "the call was (cancelled)")
		if size, err := drain(t.Context(), s, item("fill", 5)); size != 5 || err != nil {
			t.Errorf("the next call gives %d bytes, %v", size, err)
		}
	})
	t.Run("not of a receiver that takes long", func(t *testing.T) {
		s := depots(t, 3, func(o *host.Options) { o.CallTimeout = 400 * time.Millisecond })
		if _, err := drain(t.Context(), s, item("fill", 5)); err != nil { // the start of the process
			t.Fatal(err)
		}
		err := s.Fetch(t.Context(), item("fill", 5), func(*depotv3.Piece) error {
			time.Sleep(time.Second)
			return nil
		})
		if err != nil {
			t.Errorf("error = %v, want none", err)
		}
	})
	t.Run("of a process that hangs", func(t *testing.T) {
		s := depots(t, 3, func(o *host.Options) { o.CallTimeout, o.HangTimeout = 300*time.Millisecond, 100*time.Millisecond })
		var hung int
		err := s.Fetch(t.Context(), item("fill", -1), func(*depotv3.Piece) error {
			if hung == 0 {
				hung = children()[0]
				freeze(t, hung)
			}
			return nil
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error = %v, want that the deadline is over", err)
		}
		gone(t, hung)
		if size, err := drain(within(t), s, item("fill", 5)); size != 5 || err != nil {
			t.Errorf("the next call gives %d bytes, %v", size, err)
		}
	})
}

// TestPluginThatDiesInStream checks that an incomplete stream is an error, and that only a call
// that has sent nothing is repeated.
func TestPluginThatDiesInStream(t *testing.T) {
	s := depots(t, 3)
	size, err := drain(t.Context(), s, item("die", 1<<20))
	var interrupted *host.InterruptedError
	if !errors.As(err, &interrupted) {
		t.Errorf("error = %v after %d bytes, want an InterruptedError", err, size)
	}
	contains(t, err, "ended during the call: exit status 5")

	mark := filepath.Join(t.TempDir(), "a")
	if size, err := drain(t.Context(), s, item("die-once "+mark, 7)); err != nil || size != 7 {
		t.Errorf("got %d bytes, %v, want those of a second try", size, err)
	}
	mark = filepath.Join(t.TempDir(), "b")
	if err := s.Take(t.Context(), item("die-once "+mark, 7), func(*depotv3.Piece) error { return nil }); !errors.As(err, &interrupted) {
		t.Errorf("error = %v, want that a method that may not be repeated was interrupted", err)
	}
	mark = filepath.Join(t.TempDir(), "c")
	pieces := 0
	err = s.Fetch(t.Context(), item("die-after-one-once "+mark, 7), func(*depotv3.Piece) error {
		pieces++
		return kill(children()[0])
	})
	if !errors.As(err, &interrupted) || pieces != 1 {
		t.Errorf("error = %v after %d pieces, want that the call was interrupted after 1", err, pieces)
	}
}

func TestErrorsInStreams(t *testing.T) {
	s := depots(t, 3)
	size, err := drain(t.Context(), s, item("fail", 5))
	if contains(t, err, "example.depot example.com/one v3: Fetch: no more"); size != 5 {
		t.Errorf("the error came after %d bytes, want 5", size)
	}
	_, err = drain(t.Context(), s, item("panic", 5))
	if !errors.As(err, new(*contract.PanicError)) {
		t.Errorf("error = %v, want a PanicError", err)
	}
	for _, name := range []string{"large", "careless"} {
		_, err = drain(t.Context(), s, item(name, 5))
		var large *contract.SizeError
		if !errors.As(err, &large) || large.Limit != 16<<20 || large.Size < 17<<20 {
			t.Errorf("%s: error = %v, want a SizeError", name, err)
		}
	}
	_, err = drain(t.Context(), s, item(strings.Repeat("x", 17<<20), 5))
	var large *contract.SizeError
	if !errors.As(err, &large) || large.What != "request" {
		t.Errorf("error = %v, want that the request is too large", err)
	}
}

func TestSumOfStreamIsLimited(t *testing.T) {
	s := depots(t, 3, func(o *host.Options) { o.StreamLimit = 1 << 20 })
	size, err := drain(t.Context(), s, item("fill", -1))
	var limit *host.LimitError
	if !errors.As(err, &limit) || limit.Limit != 1<<20 || size > 1<<20 {
		t.Errorf("error = %v after %d bytes, want a LimitError at 1 MiB", err, size)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a stream without end must not hang the test
	defer cancel()
	if _, err := drain(ctx, s, item("empty", 0)); !errors.As(err, &limit) {
		t.Errorf("error = %v for empty messages without end, want a LimitError", err)
	}
	if size, err := drain(t.Context(), s, item("fill", 1<<19)); err != nil || size != 1<<19 {
		t.Errorf("got %d bytes, %v", size, err)
	}
}

func TestStopEndsStreams(t *testing.T) {
	o := options(plugin("-serve=depot.v3=" + depotOne))
	o.StopTimeout = 50 * time.Millisecond
	h := plugintest.Open(t, o)
	s := plugintest.Get(t, h, depotv3.Version, depotOne, nil)
	stopped := make(chan struct{})
	err := s.Fetch(t.Context(), item("fill", -1), func(*depotv3.Piece) error {
		select {
		case <-stopped:
		default:
			go h.Stop(context.WithoutCancel(t.Context()))
			close(stopped)
		}
		return nil
	})
	if !errors.Is(err, host.ErrStopped) {
		t.Errorf("error = %v, want ErrStopped", err)
	}
}

// TestVersionOneIsAdaptedDirectly uses plugins of all three versions through the newest
// interface. Adapting through version 2 would lose the checksum of version 1.
func TestVersionOneIsAdaptedDirectly(t *testing.T) {
	for version, want := range map[int]string{1: "sum of a", 2: "", 3: ""} {
		var sum string
		var size int
		err := depots(t, version).Fetch(t.Context(), item("a", 5000), func(p *depotv3.Piece) error {
			sum += p.GetChecksum()
			size += len(p.GetData())
			return nil
		})
		if err != nil || sum != want || size != 5000 {
			t.Errorf("version %d: got %d bytes with checksum %q, %v, want 5000 with %q", version, size, sum, err, want)
		}
	}
}
