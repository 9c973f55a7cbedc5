package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestConcurrentRunsDownloadOnce(t *testing.T) {
	data := example().archive(t)
	h := newHost(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		time.Sleep(50 * time.Millisecond)
		serve(w, r, data)
	})
	b := newBench(t, example().pin("things")).from(h)
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			if err := b.run(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	b.wantStanding("things", example().selected())
	if len(h.asked) != 1 {
		t.Errorf("%d downloads", len(h.asked))
	}
}

func TestWaitingForLockEndsWithContext(t *testing.T) {
	b := newBench(t, example().pin("things"))
	err := work(context.Background(), b.o, func(*run) error {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		return Run(ctx, b.o)
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestCancelledDownloadKeepsOnlyItsPart(t *testing.T) {
	data := example().archive(t)
	h := newHost(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 0 {
			serve(&halting{w, r, len(data) / 2}, r, data)
			return
		}
		serve(w, r, data)
	})
	b := newBench(t, example().pin("things"), example().pin("more")).from(h)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(0, func() {
		for b.part() < len(data)/2 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	})
	if err := Run(ctx, b.o); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "more") {
		t.Errorf("got %v", err)
	}
	b.wantStanding("things", files{}, partName, partName+".json")
	b.wantRun()
	b.wantStanding("things", example().selected())
	b.wantLines("resumed at")
}

// halting sends left bytes and then waits for the client to go.
type halting struct {
	http.ResponseWriter
	r    *http.Request
	left int
}

func (h *halting) Write(p []byte) (int, error) {
	_, _ = h.ResponseWriter.Write(p[:min(len(p), h.left)])
	h.ResponseWriter.(http.Flusher).Flush()
	<-h.r.Context().Done()
	return 0, h.r.Context().Err()
}

// stopping is an origin that calls stop after the first of the example's files.
type stopping struct{ stop func() error }

func (s stopping) read(ctx context.Context, want *selection, _ Limits, visit visit) error {
	want.match("schemas/a/one.json")
	if err := visit("schemas/a/one.json", strings.NewReader("{}")); err != nil {
		return err
	}
	return s.stop()
}

func TestInterruptedUnpackingLeavesOldTree(t *testing.T) {
	b := newBench(t, example().pin("things")).from(serving(t, example().archive(t)))
	b.wantRun()
	err := work(context.Background(), b.o, func(r *run) error {
		return r.replace(context.Background(), other().pin("things"), stopping{func() error { return io.ErrClosedPipe }})
	})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	b.wantStanding("things", example().selected())
}

// A run was killed after each of the steps of installing.
func TestKilledInstallationIsUndone(t *testing.T) {
	p := destination{t.TempDir()}
	for _, c := range []struct {
		reason            string
		final, old, stage files
		want              files
	}{
		{"while staging", example(), nil, other(), example()},
		{"after the old tree was put aside", nil, example(), other(), example()},
		{"before the old tree was removed", other(), example(), nil, other()},
		{"at the first staging", nil, nil, other(), files{}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			check(t, os.RemoveAll(p.dir))
			c.final.write(t, p.final("things"))
			c.old.write(t, p.old("things"))
			c.stage.write(t, p.stage("things"))
			check(t, p.recover("things"))
			b := &bench{t: t, o: Options{Dest: p.dir}}
			check(t, os.MkdirAll(p.work(""), 0o755))
			b.wantStanding("things", c.want)
		})
	}
}

const childVariable = "STRATA_FETCH_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		toAndFro(dir)
	}
	os.Exit(m.Run())
}

// toAndFro replaces one tree by the other until it is killed.
func toAndFro(dir string) {
	for i := 0; ; i++ {
		side := []string{"left", "right"}[i%2]
		err := Run(context.Background(), Options{
			Sources: filepath.Join(dir, side+".yaml"), Dest: filepath.Join(dir, "cache"), Mirror: filepath.Join(dir, side),
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

func TestKilledRunsLeaveNothingHalfWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts processes")
	}
	b := newBench(t, example().pin("things"))
	dir := filepath.Dir(b.o.Sources)
	for side, f := range map[string]files{"left": example(), "right": other()} {
		f.write(t, filepath.Join(dir, side, "things"))
		b.pins(f.pin("things"))
		check(t, os.Rename(b.o.Sources, filepath.Join(dir, side+".yaml")))
	}
	for i := range 20 {
		killed(t, dir, time.Duration(i)*300*time.Microsecond)
		got := readTree(t, filepath.Join(b.o.Dest, "things"))
		if digest := got.pin("things").SHA256; len(got) > 0 && digest != example().pin("things").SHA256 && digest != other().pin("things").SHA256 {
			t.Fatalf("half a tree stands after kill %d", i)
		}
	}
	b.pins(example().pin("things"))
	b.o.Mirror = filepath.Join(dir, "left")
	b.wantRun()
	b.wantStanding("things", example().selected())
}

// killed starts a child, waits until it has installed a tree, and kills it some time
// after that.
func killed(t *testing.T, dir string, after time.Duration) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	check(t, err)
	check(t, child.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	check(t, err)
	time.Sleep(after)
	check(t, child.Process.Kill())
	_ = child.Wait()
}
