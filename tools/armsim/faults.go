package armsim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Faults are what goes wrong on purpose. The same seed and the same calls in the same order show
// the same.
type Faults struct {
	Seed   uint64  `json:"seed"`
	Budget int     `json:"budget,omitempty"` // how many are shown in all; 0 for no limit
	Rules  []Fault `json:"rules"`
}

// Fault is one way of going wrong. Rules are drawn in order; the first that is neither slow nor
// override decides.
type Fault struct {
	Mode        Mode     `json:"mode"`
	Probability float64  `json:"probability"`          // of each call that matches
	Methods     []string `json:"methods,omitempty"`    // empty for all
	Path        string   `json:"path,omitempty"`       // a pattern, in which * is any text; empty for all
	Budget      int      `json:"budget,omitempty"`     // how often it is shown; 0 for no limit
	Delay       Duration `json:"delay,omitempty"`      // of slow, and of timeoutAfterCommit before the connection closes
	RetryAfter  Duration `json:"retryAfter,omitempty"` // of throttle and serverError
	Status      int      `json:"status,omitempty"`     // of serverError, 500 by default, and of refuse, 400 by default
	// Values is the merge patch of override: what the service stores whatever a PUT says.
	Values map[string]any `json:"values,omitempty"`
}

// Mode is the effect of a fault.
type Mode string

// The modes.
const (
	Throttle           Mode = "throttle"           // 429, nothing is done
	ServerError        Mode = "serverError"        // 5xx, nothing is done
	TimeoutAfterCommit Mode = "timeoutAfterCommit" // all is done, and nothing is answered
	LoseOperation      Mode = "loseOperation"      // the write is taken and ends in time, and its operation is not found
	FailOperation      Mode = "failOperation"      // the write is taken, and its operation fails
	Slow               Mode = "slow"               // it waits first
	ResetConnection    Mode = "resetConnection"    // the connection is reset, nothing is done
	Refuse             Mode = "refuse"             // 4xx, nothing is done
	Override           Mode = "override"           // the PUT is taken, and the service stores its own values
)

var modes = []Mode{Throttle, ServerError, TimeoutAfterCommit, LoseOperation, FailOperation, Slow, ResetConnection, Refuse, Override}

// longestDelay bounds how long a call is held.
const longestDelay = 10 * time.Minute

func (f Faults) check() error {
	var errs []error
	for i, r := range f.Rules {
		fail := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("faults.rules[%d]: %s", i, fmt.Sprintf(format, args...)))
		}
		if !slices.Contains(modes, r.Mode) {
			fail("mode: %q is none of %v", r.Mode, modes)
		}
		if !(r.Probability >= 0 && r.Probability <= 1) {
			fail("probability: %v is not between 0 and 1", r.Probability)
		}
		if r.Delay < 0 || time.Duration(r.Delay) > longestDelay || r.RetryAfter < 0 || r.Budget < 0 {
			fail("a delay or budget is negative, or a delay above %v", longestDelay)
		}
		switch {
		case r.Status == 0:
		case r.Mode == Refuse && r.Status/100 != 4:
			fail("status: %d is no error of a client", r.Status)
		case r.Mode != Refuse && r.Status/100 != 5:
			fail("status: %d is no server error", r.Status)
		}
		if (r.Mode == Override) != (len(r.Values) > 0) {
			fail("values: override needs them, and no other mode has them")
		}
		if r.Mode == Slow && r.Delay == 0 {
			fail("delay: slow needs one")
		}
	}
	if f.Budget < 0 {
		errs = append(errs, errors.New("faults.budget: it is negative"))
	}
	return errors.Join(errs...)
}

// faults draws them.
type faults struct {
	mu     sync.Mutex
	rules  Faults
	draws  *rand.Rand
	spent  int
	spents []int // by rule
	total  map[string]int
}

func (f *faults) set(rules Faults) error {
	if err := rules.check(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	rules.Rules = slices.Clone(rules.Rules)
	f.rules, f.draws = rules, rand.New(rand.NewPCG(rules.Seed, 2))
	f.spent, f.spents = 0, make([]int, len(rules.Rules))
	return nil
}

func (f *faults) effect() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return countsOf(f.total)
}

// effect is how a fault changes one call.
type effect struct {
	mode   Mode // empty for nothing, or slowness alone
	rule   Fault
	delay  time.Duration // before all else
	loses  bool
	fails  bool
	values []map[string]any // of override
	labels []string
}

func (f *faults) draw(method, path string) effect {
	f.mu.Lock()
	defer f.mu.Unlock()
	var s effect
	for i, r := range f.rules.Rules {
		if !among(r.Methods, method) || r.Path != "" && !like(r.Path, path) {
			continue
		}
		if f.draws.Float64() >= r.Probability || r.Budget > 0 && f.spents[i] >= r.Budget || f.rules.Budget > 0 && f.spent >= f.rules.Budget {
			continue
		}
		f.count(i, r.Mode)
		s.labels = append(s.labels, string(r.Mode))
		switch r.Mode {
		case Slow:
			s.delay += time.Duration(r.Delay)
			continue
		case Override:
			s.values = append(s.values, r.Values)
			continue
		}
		s.mode, s.rule = r.Mode, r
		s.loses, s.fails = r.Mode == LoseOperation, r.Mode == FailOperation
		break
	}
	return s
}

func (f *faults) count(i int, mode Mode) {
	f.spent++
	f.spents[i]++
	if f.total == nil {
		f.total = map[string]int{}
	}
	f.total[string(mode)]++
}

func (s effect) label() string { return strings.Join(s.labels, ",") }

// instead is the answer of a call to which nothing is done, if the fault is of that kind.
func (s effect) instead(retryAfter time.Duration) (answer, bool) {
	if s.rule.RetryAfter > 0 {
		retryAfter = time.Duration(s.rule.RetryAfter)
	}
	switch s.mode {
	case Throttle:
		return throttled(retryAfter), true
	case ServerError:
		status := s.rule.Status
		if status == 0 {
			status = http.StatusInternalServerError
		}
		a := fail(status, "InternalServerError", "The server failed, as the simulator was configured.")
		if s.rule.RetryAfter > 0 {
			a = a.after(retryAfter)
		}
		return a, true
	case Refuse:
		status := s.rule.Status
		if status == 0 {
			status = http.StatusBadRequest
		}
		return fail(status, strings.ReplaceAll(http.StatusText(status), " ", ""), "The request was refused, as the simulator was configured."), true
	}
	return answer{}, false
}

func throttled(wait time.Duration) answer {
	return fail(http.StatusTooManyRequests, "TooManyRequests", "The subscription has made too many requests.").after(wait)
}

// reset ends the connection of a call without an answer; where it can, so that the client learns it
// of a reset.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}
