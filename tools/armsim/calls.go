package armsim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/stratakube/strata/tools/armsim/internal/armid"
)

// Call records a call and its response.
type Call struct {
	Sequence   uint64            `json:"sequence"`
	Time       time.Time         `json:"time"`
	Method     string            `json:"method"`
	Path       string            `json:"path"`
	APIVersion string            `json:"apiVersion"`
	Headers    map[string]string `json:"headers,omitempty"` // of rememberedHeaders
	Body       json.RawMessage   `json:"body,omitempty"`
	Status     int               `json:"status"` // 0 if it was not answered
	Response   string            `json:"response,omitempty"`
	Refused    bool              `json:"refused,omitempty"`   // by a schema
	Committed  bool              `json:"committed,omitempty"` // it has changed something
	Fault      string            `json:"fault,omitempty"`
	Took       Duration          `json:"took"`
}

// rememberedHeaders are those of a request that are logged. What authorizes is not among them.
var rememberedHeaders = [...]string{"If-Match", "If-None-Match", "X-Ms-Client-Request-Id"}

// call is one that is being answered.
type call struct {
	Call
	target armid.Target
	query  map[string][]string
	body   []byte
	base   string // scheme and host
	fault  effect
	header http.Header
}

// longestBody is how much of a body is remembered.
const longestBody = 64 << 10

func (c *call) remember() {
	for _, name := range rememberedHeaders {
		if v := c.header.Get(name); v != "" {
			if c.Headers == nil {
				c.Headers = map[string]string{}
			}
			c.Headers[name] = brief(v)
		}
	}
	switch {
	case len(c.body) == 0:
	case len(c.body) > longestBody:
		c.Body, _ = json.Marshal("... " + strconv.Itoa(len(c.body)) + " bytes")
	default:
		var compact bytes.Buffer
		if json.Compact(&compact, c.body) == nil {
			c.Body = compact.Bytes()
		} else {
			c.Body, _ = json.Marshal(string(c.body))
		}
	}
}

func brief(s string) string {
	if len(s) > 500 {
		return s[:500] + "..."
	}
	return s
}

// callLog remembers the last calls, in bounded memory, and writes all to a file.
type callLog struct {
	most, mostBytes int

	mu       sync.Mutex
	calls    []Call
	bytes    int
	sequence uint64
	answered int
	statuses map[string]int
	file     *os.File
	failure  error // of the file
}

func openCalls(o Options) (*callLog, error) {
	l := &callLog{most: o.Calls, mostBytes: o.CallBytes}
	if o.CallLog == "" {
		return l, nil
	}
	file, err := os.OpenFile(o.CallLog, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log of calls: %w", err)
	}
	l.file = file
	return l, nil
}

func (l *callLog) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	if l.failure != nil {
		return l.failure
	}
	return err
}

// add numbers a call and remembers it.
func (l *callLog) add(c Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sequence++
	c.Sequence = l.sequence
	l.answered++
	if l.statuses == nil {
		l.statuses = map[string]int{}
	}
	l.statuses[strconv.Itoa(c.Status)]++
	l.write(c)
	l.calls = append(l.calls, c)
	l.bytes += c.size()
	drop := 0
	for len(l.calls)-drop > l.most || l.bytes > l.mostBytes && drop < len(l.calls) {
		l.bytes -= l.calls[drop].size()
		l.calls[drop] = Call{}
		drop++
	}
	l.calls = l.calls[drop:]
}

func (c Call) size() int { return 400 + len(c.Path) + len(c.Body) + len(c.Response) }

func (l *callLog) write(c Call) {
	if l.file == nil || l.failure != nil {
		return
	}
	line, err := json.Marshal(c)
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	if err != nil {
		l.failure = fmt.Errorf("write log of calls: %w", err)
	}
}

// list gives the calls after a number, at most so many if a limit is given.
func (l *callLog) list(after uint64, limit int) []Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, _ := slices.BinarySearchFunc(l.calls, after+1, func(c Call, n uint64) int {
		switch {
		case c.Sequence < n:
			return -1
		case c.Sequence > n:
			return 1
		}
		return 0
	})
	found := l.calls[i:]
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	return slices.Clone(found)
}

func (l *callLog) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls, l.bytes = nil, 0
}

func (l *callLog) counted() (int, map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.statuses == nil {
		return 0, map[string]int{}
	}
	return l.answered, maps.Clone(l.statuses)
}
