package fetch

import (
	"fmt"
	"io"
	"time"
)

// meterEvery is the time between two lines of progress of one download.
const meterEvery = 2 * time.Second

// meter reports the progress of a download.
type meter struct {
	in     io.Reader
	came   int64
	whole  int64 // negative when unknown
	last   time.Time
	report func(line string)
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.in.Read(p)
	m.came += int64(n)
	if now := time.Now(); now.Sub(m.last) >= meterEvery {
		m.last = now
		m.report(m.line())
	}
	return n, err
}

func (m *meter) line() string {
	if m.whole < 0 {
		return fmt.Sprintf("%s have come", size(m.came))
	}
	return fmt.Sprintf("%s of %s have come", size(m.came), size(m.whole))
}
