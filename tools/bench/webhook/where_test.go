package webhook

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTimesOfTraces adds up what pprof prints: a sample counts once, for the first kind of work
// that one of its functions has.
func TestTimesOfTraces(t *testing.T) {
	const traces = `File: program
Type: cpu
Duration: 4.02s, Total samples = 60ms
-----------+-------------------------------------------------------
      10ms   runtime.adjustframe
             runtime.copystack
             runtime.newstack
             github.com/stratakube/strata/runtime/convert.(*edit).object
             github.com/stratakube/strata/webhook.(*Handler).ServeHTTP
-----------+-------------------------------------------------------
      20ms   github.com/stratakube/strata/runtime/internal/jsontext.(*Cursor).Plain (inline)
             github.com/stratakube/strata/webhook.(*Handler).ServeHTTP
             net/http.(*http2serverConn).runHandler
-----------+-------------------------------------------------------
      30ms   internal/runtime/syscall/linux.Syscall6
             crypto/tls.(*Conn).Write
             net/http.(*http2serverConn).serve
-----------+-------------------------------------------------------
     1.50s   runtime.memmove
             crypto/tls.(*Conn).Read
-----------+-------------------------------------------------------
      40ms   time.now
             github.com/stratakube/strata/webhook/internal/pace.(*Meter).Wait
-----------+-------------------------------------------------------
      50ms   time.Now
`
	want := map[string]float64{
		"growing stacks": 10e6, "converting": 20e6, "system calls": 30e6, "TLS": 1.5e9,
		"reading and writing the review, limits": 40e6, otherWork: 50e6,
	}
	if diff := cmp.Diff(want, timesOf(traces)); diff != "" {
		t.Error(diff)
	}
}

func TestPageTellsWhereTimeGoes(t *testing.T) {
	page := Results{Where: []Where{{"HTTP/2/1/6000", map[string]map[string]float64{
		Planned: {"converting": 9000, otherWork: 1500}, Echo: {otherWork: 1000},
	}}}}.Page()
	for _, want := range []string{"| converting | 9.0 | 0.0 | 9.0 |", "| other | 1.5 | 1.0 | 0.5 |", "| all | 10.5 | 1.0 | 9.5 |"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}
