package operation

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/stratakube/strata/operator/arm/internal/rest"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// ActionState is the state of an action.
type ActionState struct {
	Answer []byte // of the action; nil while it runs
	Next   Handle // the handle for the next look, while it runs
	After  time.Duration
}

// BeginAction returns the state of an action from the answer to its POST.
func (f Follower) BeginAction(doing string, answer *rest.Response) (ActionState, error) {
	switch answer.Status {
	case http.StatusOK:
		return ActionState{Answer: answer.Body}, nil
	case http.StatusAccepted:
	default:
		return ActionState{}, provider.Fail(answer.Failure(doing))
	}
	after, _ := answer.RetryAfter()
	next := Handle{Version: handleVersion, Method: http.MethodPost}
	// A Location answers with the result of the action itself; a status may lack it.
	if u, ok := f.header(answer, "Location"); ok {
		next.Style, next.URL = Location, u
		return ActionState{Next: next, After: after}, nil
	}
	if named, ok := f.named(http.MethodPost, answer); ok {
		return ActionState{Next: named, After: after}, nil
	}
	return ActionState{}, lost(doing, "ARM accepts it and returns no address of its result")
}

// lost returns the failure of an action whose result cannot be found. The next observation begins
// it again.
func lost(doing, why string) error {
	return provider.Fail(&provider.Failure{Reason: provider.Reason_REASON_TRANSIENT, Code: "OperationLost", Message: doing + ": " + why})
}

// LookAction returns the state of an action. Throttling and transient errors leave it unchanged,
// and any other error ends it.
func (f Follower) LookAction(ctx context.Context, doing string, h Handle) (ActionState, error) {
	u, err := allowed(h.URL, f.Client, f.ID)
	if err != nil {
		return ActionState{}, provider.Fail(&provider.Failure{Reason: provider.Reason_REASON_INVALID, Message: doing + ": " + err.Error()})
	}
	answer, state, err := f.ask(ctx, h, rest.Request{Method: http.MethodGet, URL: u})
	switch {
	case err != nil:
		return ActionState{}, err
	case answer == nil:
		return ActionState{Next: state.Next, After: state.After}, nil
	case answer.Status == http.StatusAccepted:
		return goesOnAsAction(f.goesOn(h, answer, status{})), nil
	case answer.Status == http.StatusNotFound, answer.Status == http.StatusGone:
		return ActionState{}, lost(doing, "ARM has forgotten its operation")
	case answer.Status != http.StatusOK:
		return ActionState{}, provider.Fail(answer.Failure(doing))
	case h.Style == Location:
		return ActionState{Answer: answer.Body}, nil
	}
	return f.actionByStatus(doing, h, answer)
}

// actionByStatus reads the status of an action, which has the result in its properties.
func (f Follower) actionByStatus(doing string, h Handle, answer *rest.Response) (ActionState, error) {
	var s status
	_ = json.Unmarshal(answer.Body, &s) // properties may be anything
	var result struct {
		Properties json.RawMessage `json:"properties"`
	}
	switch {
	case isBad(s.Status):
		return ActionState{}, provider.Fail(rest.FailureOf(doing, s.Status, s.problem()))
	case !isGood(s.Status):
		return goesOnAsAction(f.goesOn(h, answer, s)), nil
	case json.Unmarshal(answer.Body, &result) != nil || len(result.Properties) == 0:
		return ActionState{}, provider.Fail(&provider.Failure{
			Reason: provider.Reason_REASON_INVALID, Message: doing + ": it succeeded, and its status has no properties with the result",
		})
	}
	return ActionState{Answer: result.Properties}, nil
}

func goesOnAsAction(s State) ActionState { return ActionState{Next: s.Next, After: s.After} }
