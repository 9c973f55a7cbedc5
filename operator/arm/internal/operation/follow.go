package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/stratakube/strata/operator/arm/internal/armid"
	"github.com/stratakube/strata/operator/arm/internal/rest"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// State is the state of an operation.
type State struct {
	Done bool
	// Next is the handle for the next look, if the operation is not done.
	Next    Handle
	Percent uint32
	Message string
	After   time.Duration // 0 if ARM sets none
	// Resource is the last answer of the resource itself; nil if it was not read.
	Resource *rest.Response
}

// Follower follows the operations of one resource.
type Follower struct {
	Client  *rest.Client
	ID      armid.ID
	Version string // of the API
	Log     *slog.Logger
	Strip   func(string) string // removes secrets from the text of an error; nil if there are none
}

// Begin returns the state of a change from the answer to it, which must not be an error.
func (f Follower) Begin(method string, answer *rest.Response) (State, error) {
	after, _ := answer.RetryAfter()
	if h, ok := f.named(method, answer); ok {
		return State{Next: h, After: after, Message: "accepted"}, nil
	}
	next := Handle{Version: handleVersion, Method: method, Style: Resource}
	switch {
	case answer.Status == http.StatusAccepted:
		return State{Next: next, After: after, Message: "accepted"}, nil
	case method == http.MethodDelete:
		return State{Done: true}, nil
	}
	return f.byState(next, answer)
}

// named returns the operation that headers of an answer name. A Location counts only with status
// 202: with others it is the address of the resource.
func (f Follower) named(method string, answer *rest.Response) (Handle, bool) {
	if answer.Status == http.StatusNoContent {
		return Handle{}, false
	}
	for _, name := range []string{"Azure-AsyncOperation", "Operation-Location"} {
		if u, ok := f.header(answer, name); ok {
			return Handle{Version: handleVersion, Method: method, Style: Status, URL: u}, true
		}
	}
	if answer.Status != http.StatusAccepted {
		return Handle{}, false
	}
	u, ok := f.header(answer, "Location")
	return Handle{Version: handleVersion, Method: method, Style: Location, URL: u}, ok
}

// header returns the URL in a header, if it may be called. Otherwise the resource is read in
// place of its operation.
func (f Follower) header(answer *rest.Response, name string) (string, bool) {
	text := answer.Header.Get(name)
	if text == "" {
		return "", false
	}
	u, err := allowed(text, f.Client, f.ID)
	if err != nil {
		f.Log.Warn("the resource is read instead of its operation", "header", name, "error", err)
		return "", false
	}
	return u.String(), true
}

// Look requests the state of an operation. An error means that it has failed, or that the
// credentials are refused. Transient errors, such as throttling, leave the operation unchanged.
func (f Follower) Look(ctx context.Context, h Handle) (State, error) {
	if h.Style == Resource {
		return f.look(ctx, h)
	}
	u, err := allowed(h.URL, f.Client, f.ID)
	if err != nil {
		return State{}, provider.Fail(&provider.Failure{Reason: provider.Reason_REASON_INVALID, Message: err.Error()})
	}
	answer, state, err := f.ask(ctx, h, rest.Request{Method: http.MethodGet, URL: u})
	if answer == nil || err != nil {
		return state, err
	}
	switch {
	case answer.Status == http.StatusNotFound || answer.Status == http.StatusGone:
		// ARM forgets operations after a while, and sometimes at once.
		return f.look(ctx, Handle{Version: handleVersion, Method: h.Method, Style: Resource, Odd: h.Odd})
	case answer.Status >= 300:
		return State{}, provider.Fail(answer.Failure(f.doing(h)))
	case h.Style == Location:
		return f.byLocation(ctx, h, answer)
	}
	return f.byStatus(ctx, h, answer)
}

// ask makes a call. Without an answer and without an error, the problem is transient, and the
// returned state describes it.
func (f Follower) ask(ctx context.Context, h Handle, r rest.Request) (*rest.Response, State, error) {
	answer, err := f.Client.Do(ctx, r)
	if ctx.Err() != nil {
		return nil, State{}, ctx.Err()
	}
	if err != nil {
		return nil, f.passing(h, rest.FailureOfCall("look at the operation", err, f.Strip)), unlessPassing(rest.FailureOfCall(f.doing(h), err, f.Strip))
	}
	if answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusRequestTimeout || answer.Status >= 500 {
		return nil, f.passing(h, answer.Failure("look at the operation")), nil
	}
	return answer, State{}, nil
}

func unlessPassing(failure *provider.Failure) error {
	if failure.GetReason() == provider.Reason_REASON_TRANSIENT {
		return nil
	}
	return provider.Fail(failure)
}

func (f Follower) passing(h Handle, failure *provider.Failure) State {
	return State{Next: h, Message: failure.GetMessage(), After: failure.GetRetryAfter().AsDuration()}
}

func (f Follower) doing(h Handle) string {
	switch h.Method {
	case http.MethodDelete:
		return "delete " + f.ID.String()
	case http.MethodPost:
		return "call an action of " + f.ID.String()
	}
	return "apply " + f.ID.String()
}

// status is the answer of URLs of operations.
type status struct {
	Status     string        `json:"status"`
	Percent    float64       `json:"percentComplete"`
	Error      *rest.Problem `json:"error"`
	Properties *struct {
		State string        `json:"provisioningState"`
		Error *rest.Problem `json:"error"`
	} `json:"properties"`
}

func (f Follower) byStatus(ctx context.Context, h Handle, answer *rest.Response) (State, error) {
	var s status
	_ = json.Unmarshal(answer.Body, &s) // other JSON, or none, has no status
	if s.Status == "" && s.Properties != nil {
		s.Status = s.Properties.State
	}
	switch {
	case s.Status == "" && answer.Status == http.StatusAccepted:
		return f.goesOn(h, answer, s), nil
	case s.Status == "":
		return f.look(ctx, Handle{Version: handleVersion, Method: h.Method, Style: Resource, Odd: h.Odd})
	case isGood(s.Status):
		return f.finish(ctx, h)
	case isBad(s.Status):
		return State{}, provider.Fail(rest.FailureOf(f.doing(h), s.Status, s.problem()))
	}
	return f.goesOn(h, answer, s), nil
}

func (s status) problem() rest.Problem {
	switch {
	case s.Error != nil:
		return *s.Error
	case s.Properties != nil && s.Properties.Error != nil:
		return *s.Properties.Error
	}
	return rest.Problem{}
}

func (f Follower) goesOn(h Handle, answer *rest.Response, s status) State {
	if named, ok := f.named(h.Method, answer); ok && named.Style == h.Style {
		h.URL = named.URL
	}
	h.Odd = 0
	after, _ := answer.RetryAfter()
	return State{Next: h, After: after, Percent: uint32(min(max(s.Percent, 0), 100)), Message: s.Status}
}

// byLocation returns the state by the answer of a Location: status 202 means that the operation
// runs, and any other success its end.
func (f Follower) byLocation(ctx context.Context, h Handle, answer *rest.Response) (State, error) {
	if answer.Status == http.StatusAccepted {
		return f.goesOn(h, answer, status{Status: "accepted"}), nil
	}
	if state := stateOf(answer.Body); isBad(state.name) {
		return State{}, provider.Fail(rest.FailureOf(f.doing(h), state.name, state.problem))
	}
	return f.finish(ctx, h)
}

// finish reads the resource after a change has succeeded. After a deletion there is none.
func (f Follower) finish(ctx context.Context, h Handle) (State, error) {
	if h.Method == http.MethodDelete {
		return State{Done: true}, nil
	}
	return f.look(ctx, Handle{Version: handleVersion, Method: h.Method, Style: Resource, Odd: h.Odd})
}

// look reads the resource itself.
func (f Follower) look(ctx context.Context, h Handle) (State, error) {
	answer, passing, err := f.ask(ctx, h, rest.Request{Method: http.MethodGet, Path: f.ID.Path(), Version: f.Version})
	switch {
	case answer == nil || err != nil:
		return passing, err
	case answer.IsAbsence() && h.Method == http.MethodDelete:
		return State{Done: true}, nil
	case answer.IsAbsence():
		return f.odd(h, answer, "the resource is not there")
	case answer.Status >= 300:
		return State{}, provider.Fail(answer.Failure(f.doing(h)))
	case answer.Status == http.StatusAccepted:
		return f.goesOn(h, answer, status{Status: "accepted"}), nil
	}
	return f.byState(h, answer)
}

// odd lets the operation run for up to maxOdd looks in a row, and then reports it as lost, so
// that it is begun again.
func (f Follower) odd(h Handle, answer *rest.Response, what string) (State, error) {
	if h.Odd++; h.Odd >= maxOdd {
		return State{}, provider.Fail(&provider.Failure{
			Reason: provider.Reason_REASON_TRANSIENT, Code: "OperationLost",
			Message: fmt.Sprintf("%s: the operation is lost, and %s", f.doing(h), what),
		})
	}
	after, _ := answer.RetryAfter()
	return State{Next: h, After: after, Message: what}, nil
}

// byState returns the state by the provisioning state of the resource. A change of a resource
// without one counts as ended.
func (f Follower) byState(h Handle, answer *rest.Response) (State, error) {
	state := stateOf(answer.Body)
	after, _ := answer.RetryAfter()
	switch {
	case isBad(state.name):
		return State{}, provider.Fail(rest.FailureOf(f.doing(h), state.name, state.problem))
	case state.name != "" && !isOver(state.name):
		h.Odd = 0
		return State{Next: h, After: after, Message: state.name, Resource: answer}, nil
	case h.Method == http.MethodDelete:
		return f.odd(h, answer, "the resource is still there")
	}
	return State{Done: true, Resource: answer}, nil
}

// Provisioning is the state that a resource reports.
type Provisioning struct {
	State   string    // empty if it reports none
	Change  v1.Change // the meaning of the state
	Problem string    // the error, if it reports one
}

// ProvisioningOf returns the state that a resource, as JSON, reports.
func ProvisioningOf(resource []byte) Provisioning {
	s := stateOf(resource)
	p := Provisioning{State: s.name, Change: changeOf(s.name)}
	if p.Change == v1.Change_CHANGE_FAILED {
		p.Problem = s.problem.Text()
	}
	return p
}

type provisioning struct {
	name    string
	problem rest.Problem
}

func stateOf(resource []byte) provisioning {
	var whole struct {
		State      string          `json:"provisioningState"`
		Properties json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(resource, &whole)
	var inside struct {
		State string          `json:"provisioningState"`
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(whole.Properties, &inside) // properties may be anything, also without a state
	if inside.State == "" {
		return provisioning{name: whole.State}
	}
	var problem rest.Problem
	_ = json.Unmarshal(inside.Error, &problem) // an error may be anything, too
	return provisioning{inside.State, problem}
}

func isGood(state string) bool { return strings.EqualFold(state, "Succeeded") }

func isBad(state string) bool {
	return strings.EqualFold(state, "Failed") || strings.EqualFold(state, "Canceled") || strings.EqualFold(state, "Cancelled")
}
