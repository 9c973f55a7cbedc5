package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/stratakube/strata/operator/arm/internal/importing"
)

// interval is the time between two lines of progress. Tests shorten it.
var interval = 2 * time.Second

// progress prints the state of an import, and the call that it waits for: a line every two
// seconds, and none for a short run.
type progress struct {
	out   io.Writer
	now   func() time.Time
	began time.Time

	mu    sync.Mutex
	state importing.State

	stop chan struct{}
	done chan struct{}
}

// newProgress starts the output of progress; end stops it.
func newProgress(out io.Writer) *progress {
	p := &progress{out: out, now: time.Now, began: time.Now(), stop: make(chan struct{}), done: make(chan struct{})}
	ticker := time.NewTicker(interval)
	go func() {
		defer close(p.done)
		defer ticker.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-ticker.C:
				p.line()
			}
		}
	}()
	return p
}

// report sets the state to print.
func (p *progress) report(state importing.State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = state
}

func (p *progress) line() {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, took := p.state, p.now().Sub(p.began).Seconds()
	switch {
	case s.Reading != "":
		fmt.Fprintf(p.out, "strata arm: %d resources read in %.0f s, %.1f a second; reading %s\n", s.Read, took, float64(s.Read)/took, visible(s.Reading))
	case s.Encoded < s.Read:
		fmt.Fprintf(p.out, "strata arm: %d of %d objects encoded\n", s.Encoded, s.Read)
	default:
		fmt.Fprintf(p.out, "strata arm: %d of %d objects written\n", s.Written, s.Read)
	}
}

// end stops the output: no line is written after it.
func (p *progress) end() {
	close(p.stop)
	<-p.done
}

// visible returns text on one line, without control characters for a terminal.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
