package cli

import (
	"bytes"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	p.end() // the lines of this test are written by hand
	p.now = func() time.Time { return p.began.Add(4 * time.Second) }
	p.report(10, "/subscriptions/s\x1b[2J\n")
	p.line()
	if want := "strata arm: 10 resources read in 4 s, 2.5 a second; reading /subscriptions/s\ufffd[2J\ufffd\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}
