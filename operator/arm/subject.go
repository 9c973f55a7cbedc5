package arm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/stratakube/strata/operator/arm/internal/armid"
	"github.com/stratakube/strata/operator/arm/internal/body"
	"github.com/stratakube/strata/operator/arm/internal/identity"
	"github.com/stratakube/strata/operator/arm/internal/operation"
	"github.com/stratakube/strata/operator/arm/internal/rest"
	"github.com/stratakube/strata/operator/plugin/fieldpath"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// subject is the checked subject of a call.
type subject struct {
	resource *v1.Resource
	id       armid.ID
	specID   armid.ID // the identifier by the spec; the tenant if it is not known any more
	version  string
	client   *rest.Client
	actions  *actions
	secrets  secrets
	inputs   map[string]fieldpath.Path // paths of values to send, by their texts
	outputs  []output
	tag      string // the tag of the mark; empty where resources are not marked
	mark     string // the value of the tag
}

type output struct {
	text string // as it was requested
	body.Output
}

// subject checks a resource, and reports all errors in it. Even then, the returned subject can
// remove secrets from errors.
func (a *arm) subject(in *provider.Subject) (*subject, error) {
	r := in.GetResource()
	s := &subject{
		resource: r, version: r.GetApiVersion(), actions: &a.actions, inputs: map[string]fieldpath.Path{}, tag: a.config.Mark, mark: in.GetMark(),
	}
	s.secrets = secretsOf(r)
	errs := []error{s.address(a), s.paths()}
	if s.version == "" {
		errs = append(errs, invalid("the resource has no api version"))
	}
	if err := errors.Join(errs...); err != nil {
		return s, invalid("%v", err)
	}
	c := r.GetCredentials()
	if c.GetSource() != "" && len(c.GetValues()[identity.AccessToken]) == 0 {
		return s, provider.Fail(&provider.Failure{
			Reason: provider.Reason_REASON_UNAUTHORIZED, Message: fmt.Sprintf("the credentials name the source %s, but have no token of it", c.GetSource()),
		})
	}
	var err error
	if s.client, err = a.clients.For(c.GetValues()); err != nil {
		return s, err
	}
	return s, nil
}

// address sets the identifier at which the resource was observed, or else the one by its spec. If
// the owner no longer exists, the spec may determine none.
func (s *subject) address(a *arm) error {
	subscription := string(s.resource.GetCredentials().GetValues()[identity.SubscriptionID])
	specID, err := a.identify(s.resource, strings.TrimSpace(subscription))
	if s.resource.GetId() == "" {
		s.id, s.specID = specID, specID
		return err
	}
	if err == nil {
		s.specID = specID
	}
	if s.id, err = armid.Parse(s.resource.GetId()); err != nil {
		return invalid("%v", err)
	}
	kind := s.resource.GetType()
	if !strings.EqualFold(s.id.Type(), kind) && !(armid.IsResourceGroup(s.id.Type()) && armid.IsResourceGroup(kind)) {
		return invalid("%s is no %s", s.id, kind)
	}
	return s.checkScope(strings.TrimSpace(subscription))
}

// checkScope returns an error for an identifier that differs from that of the spec and is in
// another subscription than the credentials. Users can write the annotation that it comes from.
func (s *subject) checkScope(subscription string) error {
	within := s.id.Subscription()
	if s.id.Equal(s.specID) || subscription == "" || within == "" || strings.EqualFold(within, subscription) {
		return nil
	}
	return invalid("%s is not in subscription %s, which the credentials name", s.id, subscription)
}

// checkIdentity returns an error if the spec determines another identifier than that of the
// resource: a PUT neither renames nor moves.
func (s *subject) checkIdentity() error {
	if s.specID.IsTenant() || s.id.Equal(s.specID) {
		return nil
	}
	return invalid("the resource is %s, and its spec has %s: resources can be neither renamed nor moved", s.id, s.specID)
}

// paths parses the paths of secrets.
func (s *subject) paths() error {
	var errs []error
	for _, secret := range s.resource.GetSecrets() {
		text := secret.GetPath()
		if body.IsOutput(text) {
			parsed, err := body.ParseOutput(text)
			if err != nil {
				errs = append(errs, fmt.Errorf("outputs: %w", err))
			}
			s.outputs = append(s.outputs, output{text, parsed})
			continue
		}
		parsed, err := fieldpath.Parse(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("secretRefs: %w", err))
		}
		if !utf8.Valid(secret.GetValue()) {
			errs = append(errs, fmt.Errorf("secretRefs: the value for %s is not UTF-8", text))
		}
		s.inputs[text] = parsed
	}
	if err := errors.Join(errs...); err != nil {
		return invalid("%v", err)
	}
	return nil
}

// body returns the body to send. It is the spec byte for byte, unless values or a mark are added.
func (s *subject) body() ([]byte, error) {
	spec, err := body.Object(s.resource.GetSpec())
	if err != nil {
		return nil, invalid("spec: %v", err)
	}
	isMarked := s.putMark(spec)
	if len(s.inputs) == 0 && len(s.resource.GetSpec()) > 0 && !isMarked {
		return s.resource.GetSpec(), nil
	}
	for _, secret := range s.resource.GetSecrets() {
		path, ok := s.inputs[secret.GetPath()]
		if !ok {
			continue
		}
		if err := fieldpath.Set(spec, path, string(secret.GetValue())); err != nil {
			return nil, invalid("secretRefs: path %s: %v", path, err)
		}
	}
	return body.Encode(spec)
}

// get reads the resource; nil if it does not exist.
func (s *subject) get(ctx context.Context) (*rest.Response, error) {
	answer, err := s.client.Do(ctx, rest.Request{Method: http.MethodGet, Path: s.id.Path(), Version: s.version})
	switch {
	case err != nil:
		return nil, err
	case answer.IsAbsence(), answer.Status == http.StatusNoContent:
		return nil, nil
	case answer.Status >= 300:
		return nil, provider.Fail(answer.Failure("read " + s.id.String()))
	case !s.isResource(answer.Body):
		return nil, provider.Fail(&provider.Failure{
			Reason: provider.Reason_REASON_TRANSIENT, Message: "read " + s.id.String() + ": the answer is no JSON object",
		})
	}
	return answer, nil
}

func (s *subject) isResource(data []byte) bool {
	object, err := body.Object(data)
	return err == nil && len(object) > 0
}

// observation returns the observation of a resource. It has outputs if the last change is not
// unfinished.
func (s *subject) observation(ctx context.Context, answer *rest.Response) (*v1.Observation, error) {
	seen := s.plain(answer)
	if err := s.compare(seen, answer.Body); err != nil {
		return nil, err
	}
	if v1.IsUnfinished(seen.GetLastChange()) {
		return seen, nil
	}
	values, err := s.ask(ctx)
	if err != nil {
		return nil, err
	}
	seen.Secrets = values
	return seen, nil
}

// plain returns the observation from an answer alone. The UID is the time of creation: ARM has no
// UIDs, and resource providers that store that time do not change it.
func (s *subject) plain(answer *rest.Response) *v1.Observation {
	seen := &v1.Observation{
		Exists: true, Id: s.id.String(), Etag: entityTag(answer.Header.Get("ETag")), Status: s.status(answer.Body), Mark: s.markOf(answer.Body),
	}
	var resource struct {
		ID     any `json:"id"`
		Etag   any `json:"etag"`
		System any `json:"systemData"`
	}
	_ = json.Unmarshal(answer.Body, &resource) // it is an object
	if id, ok := resource.ID.(string); ok && strings.EqualFold(id, seen.Id) {
		seen.Id = id
	}
	if etag, ok := resource.Etag.(string); ok && seen.Etag == "" {
		seen.Etag = entityTag(etag)
	}
	if system, ok := resource.System.(map[string]any); ok {
		text, _ := system["createdAt"].(string)
		seen.Uid = sameUID(s.resource.GetUid(), createdAt(text))
	}
	p := operation.ProvisioningOf(answer.Body)
	if seen.LastChange = p.Change; p.State != "" {
		seen.Facts = []*v1.Fact{s.fact(p)}
	}
	return seen
}

// status returns a resource without the values of secrets at their paths, in case the service
// returns them.
func (s *subject) status(resource []byte) []byte {
	object, err := body.Object(resource)
	if err != nil {
		return nil
	}
	isThere := false
	for _, path := range s.inputs {
		if _, ok := fieldpath.Get(object, path); ok {
			isThere = true
			fieldpath.Remove(object, path)
		}
	}
	if !isThere {
		return resource
	}
	encoded, err := body.Encode(object)
	if err != nil {
		return nil
	}
	return encoded
}

// compare sets the drift of the values that the user wrote. It ignores values of secrets, which
// services do not return.
func (s *subject) compare(seen *v1.Observation, resource []byte) error {
	wanted, err := body.Object(s.resource.GetSpec())
	if err != nil {
		return invalid("spec: %v", err)
	}
	external, err := body.Object(resource)
	if err != nil {
		return err
	}
	for _, path := range s.inputs {
		fieldpath.Remove(wanted, path)
	}
	seen.Drift, seen.Compared = body.Drift(wanted, external), true
	return nil
}

// fact returns the condition of a resource that reports its own state.
func (s *subject) fact(p operation.Provisioning) *v1.Fact {
	f := &v1.Fact{Type: v1.Provisioned, Truth: v1.Truth_TRUTH_FALSE, Reason: word(p.State)}
	switch p.Change {
	case v1.Change_CHANGE_FAILED:
		f.Message = "the last change in Azure ended as " + p.State
		if p.Problem != "" {
			f.Message += ": " + s.secrets.strip(p.Problem)
		}
	case v1.Change_CHANGE_RUNNING, v1.Change_CHANGE_DELETING:
		f.Message = "a change in Azure is under way: " + p.State
	default:
		f.Truth = v1.Truth_TRUTH_TRUE
	}
	return f
}

// word returns a state as a reason: its letters and digits, the first one in upper case.
func word(state string) string {
	letters := slices.DeleteFunc([]rune(state), func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(letters) == 0 || !unicode.IsLetter(letters[0]) {
		return "Unknown"
	}
	letters[0] = unicode.ToUpper(letters[0])
	return string(letters[:min(len(letters), 100)])
}

func invalid(format string, args ...any) error {
	return provider.Fail(&provider.Failure{Reason: provider.Reason_REASON_INVALID, Message: fmt.Sprintf(format, args...)})
}

// fail converts any error to a failure without secrets. It returns a cancellation of the context
// unchanged.
func (s *subject) fail(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	failure, refusal := provider.FailureOf(err), identity.RefusalOf(err)
	switch {
	case failure != nil:
		failure = proto.CloneOf(failure)
	case refusal != nil:
		failure = &provider.Failure{Reason: provider.Reason_REASON_UNAUTHORIZED, Message: refusal.Error()}
	default:
		failure = rest.FailureOfCall("call ARM for "+s.id.String(), err, s.secrets.strip)
	}
	failure.Message, failure.Code = s.secrets.strip(failure.GetMessage()), s.secrets.strip(failure.GetCode())
	return provider.Fail(failure)
}

// failed is fail for a call that changes something: it sets the effect in the failure.
func (s *subject) failed(has provider.Effect, err error) error {
	err = s.fail(err)
	failure := provider.FailureOf(err)
	if failure == nil { // also for a nil error
		return err
	}
	failure.Effect = has
	return provider.Fail(failure)
}
