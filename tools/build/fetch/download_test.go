package fetch

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDownloadIsUnpackedAndVerified(t *testing.T) {
	h := serving(t, example().archive(t))
	b := newBench(t, example().pin("things")).from(h)
	b.wantRun()
	b.wantStanding("things", example().selected())
	if got, want := h.asked[0].URL.Path, "/github.com/example/things/"+testCommit+".tar.gz"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
	if got := h.asked[0].Header.Get("Accept-Encoding"); got != "identity" {
		t.Errorf("asked for the encoding %q", got)
	}
}

func TestSecondRunAsksForNothing(t *testing.T) {
	h := serving(t, example().archive(t))
	b := newBench(t, example().pin("things")).from(h)
	b.wantRun()
	b.wantRun()
	if len(h.asked) != 1 {
		t.Errorf("%d requests", len(h.asked))
	}
	b.wantLines("up to date")
}

func TestDownloadRefuses(t *testing.T) {
	data := example().archive(t)
	for _, c := range []struct {
		reason string
		limits Limits
		answer http.HandlerFunc
		want   string
	}{
		{"an archive that says it is too large", Limits{ArchiveBytes: 1000}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1001")
			w.(http.Flusher).Flush()
			<-r.Context().Done() // it need not come to be refused
		}, "larger than the 1.0 kB"},
		{"an archive that does not say it", Limits{ArchiveBytes: 1000}, func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			_, _ = w.Write(data)
		}, "larger than the 1.0 kB"},
		{"an archive that the server encodes again", Limits{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = w.Write(data)
		}, "encodes the archive again"},
		{"an archive that lacks its end, though all that was promised came", Limits{}, func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(data[:len(data)-20])
		}, "cut short"},
		{"a page that is no archive", Limits{}, func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("<html>sign in</html>"))
		}, "damaged"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			h := newHost(t, func(w http.ResponseWriter, r *http.Request, _ int) { c.answer(w, r) })
			b := newBench(t, example().pin("things")).from(h)
			c.limits.Pause = time.Millisecond
			b.o.Limits = c.limits
			b.wantError(c.want)
			b.wantStanding("things", files{})
			if len(h.asked) != 1 {
				t.Errorf("%d requests; a refusal is final", len(h.asked))
			}
		})
	}
}

func TestDownloadRepeatsTransientFailures(t *testing.T) {
	data := example().archive(t)
	for status, want := range map[int]int{
		http.StatusInternalServerError: 2,
		http.StatusServiceUnavailable:  2,
		http.StatusTooManyRequests:     2,
		http.StatusNotFound:            1,
		http.StatusForbidden:           1,
		http.StatusPartialContent:      1,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			h := newHost(t, func(w http.ResponseWriter, r *http.Request, n int) {
				if n == 0 {
					w.WriteHeader(status)
					return
				}
				serve(w, r, data)
			})
			b := newBench(t, example().pin("things")).from(h)
			if err := b.run(); (err == nil) != (want == 2) {
				t.Errorf("got %v", err)
			}
			if len(h.asked) != want {
				t.Errorf("%d requests, want %d", len(h.asked), want)
			}
		})
	}
}

func TestRetryAfterIsHonouredUpToMinute(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	b := newBench(t, example().pin("things")).from(h)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if err := Run(ctx, b.o); err == nil {
		t.Error("no error")
	}
	b.wantLines("again in 1m0s")
}

func TestSlowServerIsGivenUp(t *testing.T) {
	data := example().archive(t)
	waiting := func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() }
	halting := func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data[:100])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	trickling := func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		for _, one := range data {
			if _, err := w.Write([]byte{one}); err != nil || r.Context().Err() != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	}
	for _, c := range []struct {
		reason string
		answer func(http.ResponseWriter, *http.Request, int)
	}{
		{"no answer", waiting}, {"no more bytes", halting}, {"a byte at a time", trickling},
	} {
		t.Run(c.reason, func(t *testing.T) {
			b := newBench(t, example().pin("things")).from(newHost(t, c.answer))
			b.o.Limits.Stall, b.o.Limits.Attempts = 100*time.Millisecond, 2
			b.wantError("stalled:", "in 100ms")
			b.wantLines("stalled:")
		})
	}
}

func TestRedirects(t *testing.T) {
	data := example().archive(t)
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, data) }))
	defer plain.Close()
	for _, c := range []struct {
		reason   string
		to       string
		loopback bool
		want     string
	}{
		{"to https is followed", "/elsewhere", false, ""},
		{"to http is refused", plain.URL, false, "is not https"},
		{"to http on this machine is followed when a test allows it", plain.URL, true, ""},
		{"to http elsewhere is refused then too", "http://example.com/?token=secret", true, "http://example.com/ is not https"},
		{"to a file is refused", "file:///etc/passwd", true, "is not https"},
		{"in circles is refused", "/github.com/example", false, "more than 3 redirects"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			h := newHost(t, func(w http.ResponseWriter, r *http.Request, n int) {
				if strings.HasPrefix(r.URL.Path, "/github.com/") {
					http.Redirect(w, r, c.to, http.StatusFound)
					return
				}
				serve(w, r, data)
			})
			b := newBench(t, example().pin("things")).from(h)
			b.o.LoopbackHTTP, b.o.Limits.Redirects = c.loopback, 3
			if c.want == "" {
				b.wantRun()
				return
			}
			err := b.run()
			wantMessage(t, err, c.want)
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%v tells a secret", err)
			}
		})
	}
}

// hosts sends every request to one server, as if it were the one that is named.
type hosts struct{ to *host }

func (h hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := r.Clone(r.Context())
	sent.Host = r.URL.Host
	sent.URL.Host = strings.TrimPrefix(h.to.URL, "https://")
	return h.to.Client().Transport.RoundTrip(sent)
}

func TestCodeHostIsAskedForItsArchive(t *testing.T) {
	data := example().archive(t)
	h := newHost(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if r.Host == "github.com" {
			http.Redirect(w, r, "https://codeload.github.com"+strings.Replace(r.URL.Path, "archive", "tar.gz", 1), http.StatusFound)
			return
		}
		serve(w, r, data)
	})
	b := newBench(t, example().pin("things"))
	b.o.Client = &http.Client{Transport: hosts{h}}
	b.wantRun()
	var got []string
	for _, r := range h.asked {
		got = append(got, r.Host+r.URL.Path)
	}
	want := []string{"github.com/example/things/archive/" + testCommit + ".tar.gz", "codeload.github.com/example/things/tar.gz/" + testCommit + ".tar.gz"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownHostIsNamed(t *testing.T) {
	s := example().pin("things")
	s.Repository = "git.example.com/things"
	newBench(t, s).wantError("no archive endpoint is known of git.example.com", "hint: set STRATA_MIRROR")
}
