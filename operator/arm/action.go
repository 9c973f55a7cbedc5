package arm

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/stratakube/strata/operator/arm/internal/body"
	"github.com/stratakube/strata/operator/arm/internal/operation"
	"github.com/stratakube/strata/operator/arm/internal/rest"
	"github.com/stratakube/strata/operator/plugin/fieldpath"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

const (
	patience    = 10 * time.Second       // how long one observation waits for an action
	shortestGap = 100 * time.Millisecond // the shortest pause between two looks at an action
	usualGap    = time.Second            // the pause if ARM sets none
	mostActions = 1000                   // the maximum number of stored actions
)

// actions stores the actions that take longer than one observation. It is safe for concurrent
// use.
type actions struct {
	mu    sync.Mutex
	going map[actionKey]operation.Handle
}

// actionKey identifies an action of a resource. With other credentials it is another action.
type actionKey struct {
	client  *rest.Client
	id      string
	version string
	name    string
}

// take returns and removes a stored action.
func (a *actions) take(key actionKey) (operation.Handle, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	h, ok := a.going[key]
	delete(a.going, key)
	return h, ok
}

// put stores an action. If there are too many, it removes an arbitrary one, which the next
// observation begins again.
func (a *actions) put(key actionKey, h operation.Handle) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.going == nil {
		a.going = map[actionKey]operation.Handle{}
	}
	for other := range a.going {
		if len(a.going) < mostActions {
			break
		}
		delete(a.going, other)
	}
	a.going[key] = h
}

// call performs an action and returns its result. If the action takes longer than patience, call
// returns a transient failure; the next call continues the action.
func (s *subject) call(ctx context.Context, action string) (any, error) {
	doing := action + " of " + s.id.String()
	key := actionKey{s.client, strings.ToLower(s.id.String()), s.version, action}
	state, err := s.begin(ctx, key, doing)
	for deadline := time.Now().Add(patience); err == nil && state.Answer == nil; {
		gap := max(state.After, shortestGap)
		if state.After == 0 {
			gap = usualGap
		}
		if !s.wait(ctx, gap, deadline) {
			s.actions.put(key, state.Next)
			return nil, provider.Fail(&provider.Failure{
				Reason: provider.Reason_REASON_TRANSIENT, Code: "ActionInProgress", Message: doing + ": it goes on", RetryAfter: durationpb.New(gap),
			})
		}
		state, err = s.look(ctx, key, doing, state.Next)
	}
	if err != nil {
		return nil, err
	}
	value, err := body.Value(state.Answer)
	if err != nil {
		return nil, provider.Fail(&provider.Failure{Reason: provider.Reason_REASON_TRANSIENT, Message: doing + ": the answer is no JSON"})
	}
	return value, nil
}

// begin continues a stored action, or begins it.
func (s *subject) begin(ctx context.Context, key actionKey, doing string) (operation.ActionState, error) {
	if h, ok := s.actions.take(key); ok {
		return s.look(ctx, key, doing, h)
	}
	answer, err := s.client.Do(ctx, rest.Request{Method: http.MethodPost, Path: s.id.Path() + "/" + key.name, Version: s.version})
	if err != nil {
		return operation.ActionState{}, err
	}
	return s.follower().BeginAction(doing, answer)
}

// look requests the state of an action. It stores the action if the context ends meanwhile.
func (s *subject) look(ctx context.Context, key actionKey, doing string, h operation.Handle) (operation.ActionState, error) {
	state, err := s.follower().LookAction(ctx, doing, h)
	if ctx.Err() != nil {
		s.actions.put(key, h)
	}
	return state, err
}

// wait waits for a gap, and reports whether the deadline allows another look.
func (s *subject) wait(ctx context.Context, gap time.Duration, deadline time.Time) bool {
	if end, ok := ctx.Deadline(); ok && end.Before(deadline) {
		deadline = end
	}
	if time.Now().Add(gap).After(deadline) {
		return false
	}
	timer := time.NewTimer(gap)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// ask returns the values of the outputs. It calls each action once.
func (s *subject) ask(ctx context.Context) ([]*v1.Secret, error) {
	answers := map[string]any{}
	var values []*v1.Secret
	for _, out := range s.outputs {
		if _, ok := answers[out.Action]; !ok {
			value, err := s.call(ctx, out.Action)
			if err != nil {
				return nil, err
			}
			answers[out.Action] = value
		}
		found, ok := fieldpath.Get(answers[out.Action], out.Path)
		if !ok || found == nil {
			return nil, invalid("outputs: %s answers without %s", out.Action, out.Path)
		}
		text, err := body.Text(found)
		if err != nil {
			return nil, err
		}
		values = append(values, &v1.Secret{Path: out.text, Value: text})
	}
	return values, nil
}
