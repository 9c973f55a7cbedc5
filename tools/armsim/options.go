package armsim

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Options configure a simulator. Only Schemas is required.
type Options struct {
	Schemas []string // folders of published schemas, as <version>/<Provider>.json

	State   string // file that keeps the state; empty for none
	Sync    bool   // what is answered is on the disk, and survives the end of the machine; slow
	CallLog string // file to which each call is appended as a line of JSON; empty for none

	Strict    bool   // subscriptions and resource groups do not exist until they are PUT
	Anonymous bool   // calls need no Authorization
	Token     string // the only bearer token that is taken; empty for any

	Operations []OperationRule // which writes take long; the first that matches decides
	RetryAfter time.Duration   // what clients that poll receive; a second by default
	Faults     Faults
	Seed       uint64 // of what is drawn: which writes take long

	Reads, Writes, Deletes Rate // what one subscription may do

	PageSize  int   // of lists; 1,000 by default
	BodyLimit int64 // of requests, in bytes; 4 MiB by default
	Calls     int   // how many calls are remembered; 50,000 by default
	CallBytes int   // how much memory they may take; 64 MiB by default

	Now func() time.Time // what operations and rates are timed by; time.Now by default
}

// Rate is a bucket of tokens. Without PerSecond there is no limit.
type Rate struct {
	PerSecond float64
	Burst     int // 1 at least
}

// Style is how a client learns that an operation has ended.
type Style string

// The styles. In each the resource shows properties.provisioningState.
const (
	AsyncOperation Style = "asyncOperation" // header Azure-AsyncOperation
	Location       Style = "location"       // 202 and header Location
	Both           Style = "both"           // both headers
	StateOnly      Style = "state"          // no header: only the resource shows the state
)

// OperationRule makes matching writes or actions long-running operations.
type OperationRule struct {
	Type     string   `json:"type"`               // a pattern over types, as Microsoft.Batch/*, or */listKeys for an action; empty for all
	Methods  []string `json:"methods,omitempty"`  // PUT, PATCH, DELETE, POST; empty for the first three
	Fraction float64  `json:"fraction,omitempty"` // how many of the writes, up to 1; 0 means all
	Duration Duration `json:"duration"`
	Style    Style    `json:"style"`
}

// Duration is written as in Go: 1.5s.
type Duration time.Duration

// MarshalJSON writes a duration.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// UnmarshalJSON reads a duration.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errors.New(`a duration is written as "1.5s"`)
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%w; a duration is written as \"1.5s\"", err)
	}
	*d = Duration(v)
	return nil
}

func (o Options) withDefaults() Options {
	o.RetryAfter = orDefault(o.RetryAfter, time.Second)
	o.PageSize = orDefault(o.PageSize, 1000)
	o.BodyLimit = orDefault(o.BodyLimit, 4<<20)
	o.Calls = orDefault(o.Calls, 50_000)
	o.CallBytes = orDefault(o.CallBytes, 64<<20)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func orDefault[T int | int64 | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// checkOperations reports all errors in rules.
func checkOperations(rules []OperationRule) error {
	var errs []error
	for i, r := range rules {
		fail := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("operations[%d]: %s", i, fmt.Sprintf(format, args...)))
		}
		if r.Fraction < 0 || r.Fraction > 1 {
			fail("fraction: %v is not between 0 and 1", r.Fraction)
		}
		if r.Duration < 0 {
			fail("duration: it is negative")
		}
		if styles := []Style{AsyncOperation, Location, Both, StateOnly}; !slices.Contains(styles, r.Style) {
			fail("style: %q is none of asyncOperation, location, both, state", r.Style)
		}
		if r.Style == StateOnly && slices.ContainsFunc(r.Methods, func(m string) bool { return strings.EqualFold(m, http.MethodPost) }) {
			fail("style: the result of an action (POST) needs a header that names it: asyncOperation, location or both")
		}
		for _, m := range r.Methods {
			if !slices.Contains([]string{"PUT", "PATCH", "DELETE", "POST"}, strings.ToUpper(m)) {
				fail("methods: %q is none of PUT, PATCH, DELETE, POST", m)
			}
		}
	}
	return errors.Join(errs...)
}

// matches reports whether a rule is about a write, or about an action that its methods name. A
// pattern's * is any text, slashes among it.
func (r OperationRule) matches(method, typ string) bool {
	if method == http.MethodPost && len(r.Methods) == 0 {
		return false
	}
	return (r.Type == "" || like(r.Type, typ)) && among(r.Methods, method)
}

func among(methods []string, method string) bool {
	return len(methods) == 0 || slices.ContainsFunc(methods, func(m string) bool { return strings.EqualFold(m, method) })
}

// like reports whether a text has the form of a pattern, in which * is any text. Letter case does
// not matter.
func like(pattern, text string) bool {
	pattern, text = strings.ToLower(pattern), strings.ToLower(text)
	first, rest, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	parts := strings.Split(rest, "*")
	last := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return strings.HasSuffix(text, last)
}
