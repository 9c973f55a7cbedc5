package arm

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/stratakube/strata/operator/arm/internal/armid"
	"github.com/stratakube/strata/operator/arm/internal/config"
	"github.com/stratakube/strata/operator/arm/internal/identity"
	"github.com/stratakube/strata/operator/arm/internal/operation"
	"github.com/stratakube/strata/operator/arm/internal/rest"
	"github.com/stratakube/strata/operator/plugin"
	"github.com/stratakube/strata/operator/plugin/effect"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// Name is the name of the plugin.
const Name = "strata.dev/arm"

// Register registers the provider with a server.
func Register(s *plugin.Server) { provider.Register(s, Name, Open) }

// Open returns the provider for a configuration, whose keys the guide lists. It makes no calls.
func Open(_ context.Context, values map[string]string) (provider.Provider, error) {
	return open(values, rest.Options{})
}

func open(values map[string]string, options rest.Options) (provider.Provider, error) {
	c, err := config.Parse(values)
	if err != nil {
		return nil, err
	}
	return &arm{config: c, clients: identity.NewClients(c, options)}, nil
}

type arm struct {
	config  *config.Config
	clients *identity.Clients
	actions actions
}

// Close closes idle connections.
func (a *arm) Close() error { return a.clients.Close() }

// Observe reads the resource and the requested outputs. A resource whose last change is
// unfinished has no outputs yet.
func (a *arm) Observe(ctx context.Context, in *provider.Subject) (*v1.ObserveResponse, error) {
	s, err := a.subject(in)
	if err != nil {
		return nil, s.fail(err)
	}
	answer, err := s.get(ctx)
	if err != nil {
		return nil, s.fail(err)
	}
	if answer == nil {
		return &v1.ObserveResponse{Observation: &v1.Observation{Compared: true}}, nil
	}
	seen, err := s.observation(ctx, answer)
	return &v1.ObserveResponse{Observation: seen}, s.fail(err)
}

// Apply sends the spec with a PUT. With create_only, the resource must not exist. Otherwise, if
// the subject has an entity tag, the resource must still have it.
func (a *arm) Apply(ctx context.Context, in *provider.ApplyRequest) (*provider.Outcome, error) {
	s, err := a.subject(in.GetSubject())
	if err != nil {
		return nil, s.failed(effect.None, err)
	}
	if err := s.checkIdentity(); err != nil {
		return nil, s.failed(effect.None, err)
	}
	put, err := s.put(ctx, in)
	if err != nil {
		return nil, s.failed(effect.None, err)
	}
	answer, err := s.client.Do(ctx, put)
	if err != nil {
		return nil, s.failed(rest.EffectOf(err), err)
	}
	return s.changed(ctx, http.MethodPut, answer, "apply")
}

// changed returns the outcome of a change from the answer of ARM. If the answer is a success, the
// change took effect, even if changed returns an error.
func (s *subject) changed(ctx context.Context, method string, answer *rest.Response, doing string) (*provider.Outcome, error) {
	happened := effect.OfStatus(answer.Status)
	if happened != effect.Certain {
		return nil, s.failed(happened, provider.Fail(answer.Failure(doing+" "+s.id.String())))
	}
	state, err := s.follower().Begin(method, answer)
	if err != nil {
		return nil, s.failed(effect.Certain, err)
	}
	outcome, err := s.outcome(ctx, method, state)
	return outcome, s.failed(effect.Certain, err)
}

// put returns the request that applies the spec. With create_only, an existing resource is a
// conflict.
func (s *subject) put(ctx context.Context, in *provider.ApplyRequest) (rest.Request, error) {
	body, err := s.body()
	if err != nil {
		return rest.Request{}, err
	}
	put := rest.Request{Method: http.MethodPut, Path: s.id.Path(), Version: s.version, Body: body, IfMatch: entityTag(s.resource.GetEtag())}
	if !in.GetCreateOnly() {
		return put, nil
	}
	put.IfMatch, put.IfNoneMatch = "", "*"
	existing, err := s.get(ctx)
	if err == nil && existing != nil {
		err = provider.Fail(&provider.Failure{
			Reason: provider.Reason_REASON_CONFLICT, Code: "ResourceExists",
			Message: "create " + s.id.String() + ": it exists already, and belongs to another client",
		})
	}
	return put, err
}

// Delete deletes the resource, even if another client has changed it since.
func (a *arm) Delete(ctx context.Context, in *provider.Subject) (*provider.Outcome, error) {
	s, err := a.subject(in)
	if err != nil {
		return nil, s.failed(effect.None, err)
	}
	answer, err := s.client.Do(ctx, rest.Request{Method: http.MethodDelete, Path: s.id.Path(), Version: s.version})
	switch {
	case err != nil:
		return nil, s.failed(rest.EffectOf(err), err)
	case answer.IsAbsence():
		return &provider.Outcome{Observation: &v1.Observation{}}, nil
	}
	return s.changed(ctx, http.MethodDelete, answer, "delete")
}

// Poll returns the state of an operation. An error means that it has failed, or that the
// credentials are refused. Throttling and transient errors leave the operation unchanged, with a
// message.
func (a *arm) Poll(ctx context.Context, in *provider.OperationRequest) (*provider.Outcome, error) {
	s, err := a.subject(in.GetSubject())
	if err != nil {
		return nil, s.fail(err)
	}
	handle, err := operation.ParseHandle(in.GetOperation().GetHandle(), s.client, s.id)
	if err != nil {
		return nil, s.fail(invalid("go on with an operation: %v", err))
	}
	state, err := s.follower().Look(ctx, handle)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err() // not a failure: the operation may still run
	case err != nil:
		return nil, s.fail(err)
	}
	return s.outcome(ctx, handle.Method, state)
}

// Cancel cancels a deployment. ARM cannot cancel changes of other types.
func (a *arm) Cancel(ctx context.Context, in *provider.OperationRequest) (*provider.CancelResponse, error) {
	s, err := a.subject(in.GetSubject())
	if err != nil {
		return nil, s.fail(err)
	}
	if !s.canCancel() {
		return nil, s.fail(invalid("cancel: operations of %s cannot be cancelled", s.id.Type()))
	}
	answer, err := s.client.Do(ctx, rest.Request{Method: http.MethodPost, Path: s.id.Path() + "/cancel", Version: s.version})
	switch {
	case err != nil:
		return nil, s.fail(err)
	case answer.Status >= 300 && answer.Status != http.StatusConflict: // 409: it has ended by itself
		return nil, s.fail(provider.Fail(answer.Failure("cancel " + s.id.String())))
	}
	return &provider.CancelResponse{}, nil
}

// outcome returns the outcome of a change in a state.
func (s *subject) outcome(ctx context.Context, method string, state operation.State) (*provider.Outcome, error) {
	if !state.Done {
		return s.unfinished(method, state), nil
	}
	if method == http.MethodDelete {
		return &provider.Outcome{Observation: &v1.Observation{}}, nil
	}
	resource := state.Resource
	if resource == nil || !s.isResource(resource.Body) {
		var err error
		if resource, err = s.get(ctx); err != nil {
			return nil, s.fail(err)
		}
		if resource == nil {
			return nil, s.fail(provider.Fail(&provider.Failure{
				Reason: provider.Reason_REASON_TRANSIENT, Message: "apply " + s.id.String() + ": it was put, and is not there",
			}))
		}
	}
	seen, err := s.observation(ctx, resource)
	return &provider.Outcome{Observation: seen}, s.fail(err)
}

// unfinished returns the outcome of a running change. The observation has at least the identifier
// of the resource.
func (s *subject) unfinished(method string, state operation.State) *provider.Outcome {
	op := &provider.Operation{
		Handle: state.Next.String(), Percent: state.Percent, Message: s.secrets.strip(state.Message),
		CanCancel: method == http.MethodPut && s.canCancel(),
	}
	if state.After > 0 {
		op.PollAfter = durationpb.New(state.After)
	}
	seen := &v1.Observation{Exists: true, Id: s.id.String()}
	if state.Resource != nil && s.isResource(state.Resource.Body) {
		seen = s.plain(state.Resource)
	}
	if seen.LastChange = v1.Change_CHANGE_RUNNING; method == http.MethodDelete {
		seen.LastChange = v1.Change_CHANGE_DELETING
	}
	return &provider.Outcome{Observation: seen, Operation: op}
}

func (s *subject) canCancel() bool {
	return strings.EqualFold(s.id.Type(), "Microsoft.Resources/deployments")
}

func (s *subject) follower() operation.Follower {
	return operation.Follower{Client: s.client, ID: s.id, Version: s.version, Log: slog.Default(), Strip: s.secrets.strip}
}

// identify returns the identifier that the spec determines.
func (a *arm) identify(r *v1.Resource, subscription string) (armid.ID, error) {
	parent, err := armid.Parse(r.GetPlace().GetParent())
	if err != nil {
		return armid.ID{}, invalid("owner: %v", err)
	}
	if r.GetPlace().GetParent() == "" {
		parent, err = a.defaultParent(r.GetType(), subscription)
		if err != nil {
			return armid.ID{}, err
		}
	}
	id, err := armid.Of(r.GetType(), parent, r.GetPlace().GetName())
	if err != nil {
		return armid.ID{}, invalid("%v; hint: set the parent in spec.owner, and the name in spec.azureName", err)
	}
	return id, nil
}

// defaultParent returns the parent of a resource without an owner.
func (a *arm) defaultParent(kind, subscription string) (armid.ID, error) {
	switch {
	case isOfTenant(kind):
		return armid.ID{}, nil
	case !armid.IsResourceGroup(kind):
		return a.config.Parent, nil
	}
	if subscription == "" {
		subscription = a.config.Subscription
	}
	if subscription == "" {
		return armid.ID{}, invalid("a resource group without an owner; hint: spec.owner.armId, %s of the credentials, or subscription of the configuration sets the subscription", identity.SubscriptionID)
	}
	id, err := armid.Of(armid.Subscription, armid.ID{}, subscription)
	if err != nil {
		return armid.ID{}, invalid("subscription: %v", err)
	}
	return id, nil
}

// isOfTenant reports whether resources of a type exist only in the tenant.
func isOfTenant(kind string) bool {
	switch strings.ToLower(kind) {
	case "microsoft.resources/subscriptions", "microsoft.management/managementgroups", "microsoft.subscription/aliases":
		return true
	}
	return false
}
