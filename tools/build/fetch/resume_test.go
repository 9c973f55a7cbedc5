package fetch

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const partName = "things.tar.gz.part"

func (b *bench) part() int {
	info, err := os.Stat(filepath.Join(b.o.Dest, ".work", partName))
	if err != nil {
		return 0
	}
	return int(info.Size())
}

func TestBrokenDownloadGoesOnWithinRun(t *testing.T) {
	data := example().archive(t)
	h := newHost(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 0 {
			breaking(w, r, data)
		}
		serve(w, r, data)
	})
	b := newBench(t, example().pin("things")).from(h)
	b.wantRun()
	b.wantStanding("things", example().selected())
	want := []string{"", fmt.Sprintf("bytes=%d-", len(data)/2)}
	if diff := cmp.Diff(want, h.ranges()); diff != "" {
		t.Error(diff)
	}
	if got := h.asked[1].Header.Get("If-Range"); !strings.HasPrefix(got, `"`) {
		t.Errorf("If-Range is %q", got)
	}
	b.wantLines("resumed at")
}

func TestBrokenDownloadGoesOnInNextRun(t *testing.T) {
	data := example().archive(t)
	h := newHost(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 0 {
			breaking(w, r, data)
		}
		serve(w, r, data)
	})
	b := newBench(t, example().pin("things")).from(h)
	b.o.Limits.Attempts = 1
	b.wantError("fetch: things: download https://", "EOF", "hint: where the host cannot be reached, set STRATA_MIRROR")
	b.wantStanding("things", files{}, partName, partName+".json")
	if got := b.part(); got != len(data)/2 {
		t.Errorf("%d bytes are kept of %d", got, len(data)/2)
	}
	b.wantRun()
	b.wantStanding("things", example().selected())
	if diff := cmp.Diff([]string{"", fmt.Sprintf("bytes=%d-", len(data)/2)}, h.ranges()); diff != "" {
		t.Error(diff)
	}
}

// TestResumedRunEndsWellWith begins with half an archive. The destination must have the right
// files, with any behaviour of the server.
func TestResumedRunEndsWellWith(t *testing.T) {
	data := example().archive(t)
	half := len(data) / 2
	for _, c := range []struct {
		reason  string
		answer  http.HandlerFunc
		want    []string // the ranges asked for, after the first run
		printed string
	}{
		{"a server that ignores Range", func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(data)
		}, []string{"bytes=half-"}, "verified"},
		{"an archive that was packed anew", func(w http.ResponseWriter, r *http.Request) {
			serve(w, r, append(bytes.Clone(data), zipped(t, nil)...))
		}, []string{"bytes=half-"}, "verified"},
		{"a server that continues at another byte", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") == "" {
				serve(w, r, data)
				return
			}
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 10-%d/%d", len(data)-1, len(data)))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(data[10:])
		}, []string{"bytes=half-", ""}, "does not continue what has come"},
		{"a server that continues without saying where", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				w.WriteHeader(http.StatusPartialContent)
			}
			_, _ = w.Write(data)
		}, []string{"bytes=half-", ""}, "does not continue what has come"},
		{"a server that continues another archive", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") == "" {
				serve(w, r, data)
				return
			}
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", half, len(data)-1, len(data)))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(bytes.Repeat([]byte("x"), len(data)-half))
		}, []string{"bytes=half-", ""}, "the resumed archive is refused: it is brought from its beginning"},
		{"an archive that has become shorter", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") == "" {
				serve(w, r, data)
				return
			}
			w.Header().Set("Content-Range", "bytes */10")
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		}, []string{"bytes=half-", ""}, "does not continue what has come"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			h := newHost(t, func(w http.ResponseWriter, r *http.Request, n int) {
				if n == 0 {
					breaking(w, r, data)
				}
				c.answer(w, r)
			})
			b := newBench(t, example().pin("things")).from(h)
			b.o.Limits.Attempts = 1
			b.wantError("EOF")
			b.o.Limits.Attempts = 3
			b.wantRun()
			b.wantStanding("things", example().selected())
			b.wantLines(c.printed)
			var want []string
			for _, r := range c.want {
				want = append(want, strings.Replace(r, "half", fmt.Sprint(half), 1))
			}
			if diff := cmp.Diff(want, h.ranges()[1:]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPartOfAnotherCommitIsNotResumed(t *testing.T) {
	data := example().archive(t)
	h := newHost(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 0 {
			breaking(w, r, data)
		}
		serve(w, r, data)
	})
	b := newBench(t, example().pin("things")).from(h)
	b.o.Limits.Attempts = 1
	b.wantError("EOF")
	moved := example().pin("things")
	moved.Commit = strings.Repeat("a", 40)
	b.pins(moved)
	b.wantRun()
	b.wantStanding("things", example().selected())
	if diff := cmp.Diff([]string{"", ""}, h.ranges()); diff != "" {
		t.Error(diff)
	}
}

// The archive had come whole, but this machine failed to unpack it.
func TestCompleteDownloadIsNotFetchedAgain(t *testing.T) {
	data := example().archive(t)
	h := serving(t, data)
	b := newBench(t, example().pin("things")).from(h)
	failing := fmt.Errorf("disk full")
	err := work(context.Background(), b.o, func(r *run) error {
		return r.from(context.Background(), example().pin("things"), func(origin) error { return failing })
	})
	wantMessage(t, err, "disk full")
	b.wantRun()
	b.wantStanding("things", example().selected())
	if diff := cmp.Diff([]string{"", fmt.Sprintf("bytes=%d-", len(data))}, h.ranges()); diff != "" {
		t.Error(diff)
	}
}

func TestDownloadWithoutValidatorIsNotResumed(t *testing.T) {
	data := example().archive(t)
	for _, c := range []struct {
		reason, header, value string
	}{
		{"no validator", "X-Nothing", "nothing"},
		{"a weak entity tag", "ETag", `W/"weak"`},
		{"a date as young as the answer", "Last-Modified", time.Now().UTC().Format(http.TimeFormat)},
	} {
		t.Run(c.reason, func(t *testing.T) {
			h := newHost(t, func(w http.ResponseWriter, r *http.Request, n int) {
				w.Header().Set(c.header, c.value)
				w.Header().Set("Content-Length", fmt.Sprint(len(data)))
				if n == 0 {
					_, _ = (&cutting{w, len(data) / 2}).Write(data)
				}
				_, _ = w.Write(data)
			})
			b := newBench(t, example().pin("things")).from(h)
			b.wantRun()
			b.wantStanding("things", example().selected())
			if diff := cmp.Diff([]string{"", ""}, h.ranges()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOldDateServesAsValidator(t *testing.T) {
	now := time.Now().UTC()
	header := http.Header{}
	header.Set("Date", now.Format(http.TimeFormat))
	header.Set("Last-Modified", now.Add(-time.Hour).Format(http.TimeFormat))
	if got := validator(header); got != header.Get("Last-Modified") {
		t.Errorf("got %q", got)
	}
}
