package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"
)

// interval is the time between two lines of progress.
const interval = 2 * time.Second

// progress reports while an import runs how many resources it has read and what it waits for: a
// line every two seconds, none of a run that is short.
type progress struct {
	out   io.Writer
	now   func() time.Time
	began time.Time

	mu   sync.Mutex
	read int
	at   string // what is being read

	stop chan struct{}
	done chan struct{}
}

// newProgress begins; end ends it.
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

// report takes how many resources have been read, and what is read next.
func (p *progress) report(read int, at string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read, p.at = read, at
}

func (p *progress) line() {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := p.now().Sub(p.began).Seconds()
	fmt.Fprintf(p.out, "strata arm: %d resources read in %.0f s, %.1f a second; reading %s\n", p.read, took, float64(p.read)/took, visible(p.at))
}

// end ends the lines: none is written after it.
func (p *progress) end() {
	close(p.stop)
	<-p.done
}

// visible is text on one line that says nothing to a terminal.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
