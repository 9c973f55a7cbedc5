package armsim

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/stratakube/strata/tools/armsim/internal/armid"
	"github.com/stratakube/strata/tools/armsim/internal/armschema"
)

// ServeHTTP answers a call as ARM does, or one of the control surface.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, controlPrefix) {
		s.control(r).write(w)
		return
	}
	c := &call{
		Call:   Call{Time: time.Now(), Method: r.Method, Path: brief(r.URL.Path), APIVersion: brief(r.URL.Query().Get("api-version"))},
		header: r.Header, query: r.URL.Query(), base: base(r), fault: s.faults.draw(r.Method, r.URL.Path),
	}
	c.Fault = c.fault.label()
	wait(r, c.fault.delay)
	if c.fault.mode == ResetConnection {
		s.log(c, answer{})
		reset(w)
		return
	}
	a := s.answer(c, r)
	if c.fault.mode == TimeoutAfterCommit {
		a.status = 0
		s.log(c, a)
		wait(r, time.Duration(c.fault.rule.Delay))
		reset(w)
		return
	}
	s.log(c, a)
	s.identify(a, c).write(w)
}

func (s *Simulator) log(c *call, a answer) {
	c.remember()
	c.Status, c.Response, c.Refused, c.Committed = a.status, a.brief(), a.refused, a.committed
	c.Took = Duration(time.Since(c.Time))
	s.calls.add(c.Call)
	if a.refused {
		s.mu.Lock()
		s.refused++
		s.mu.Unlock()
	}
}

// identify adds the headers by which calls are found again.
func (s *Simulator) identify(a answer, c *call) answer {
	id := fmt.Sprintf("%08x-0000-4000-8000-%012x", s.options.Seed&0xffffffff, c.Time.UnixNano()&0xffffffffffff)
	a = a.with("X-Ms-Request-Id", id).with("X-Ms-Correlation-Request-Id", id)
	if client := c.header.Get("X-Ms-Client-Request-Id"); client != "" && strings.EqualFold(c.header.Get("X-Ms-Return-Client-Request-Id"), "true") {
		a = a.with("X-Ms-Client-Request-Id", client)
	}
	return a
}

func base(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func wait(r *http.Request, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	}
}

// answer decides. What needs no state comes first.
func (s *Simulator) answer(c *call, r *http.Request) answer {
	if a, instead := c.fault.instead(s.options.RetryAfter); instead {
		return a
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, s.options.BodyLimit))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return fail(http.StatusRequestEntityTooLarge, "RequestContentTooLarge", "The request content has more than %d bytes.", s.options.BodyLimit)
	} else if err != nil {
		return fail(http.StatusBadRequest, "InvalidRequestContent", "The request content could not be read.")
	}
	c.body = body
	if !s.authorized(r.Header.Get("Authorization")) {
		return fail(http.StatusUnauthorized, "AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing or invalid.").
			with("Www-Authenticate", `Bearer authorization_uri="https://login.invalid/", error="invalid_token"`)
	}
	if c.APIVersion == "" {
		return fail(http.StatusBadRequest, "MissingApiVersionParameter", "The api-version query parameter (?api-version=) is required for all requests.")
	}
	return s.limited(c, r.URL.EscapedPath())
}

func (s *Simulator) authorized(header string) bool {
	if s.options.Anonymous {
		return true
	}
	scheme, token, _ := strings.Cut(header, " ")
	return strings.EqualFold(scheme, "Bearer") && token != "" && (s.options.Token == "" || token == s.options.Token)
}

// limited counts a call against its subscription.
func (s *Simulator) limited(c *call, path string) answer {
	id, what, cancel := asksOperation(path)
	if id == "" {
		target, err := armid.Parse(path)
		if err != nil {
			return fail(http.StatusBadRequest, "InvalidResourceId", "The path is no resource identifier: %v.", err)
		}
		c.target = target
	} else {
		c.target.Subscription = subscriptionOf(path)
	}
	kind := purpose(c.Method)
	left, wait := s.limits.take(strings.ToLower(c.target.Subscription), kind)
	if wait > 0 {
		return throttled(wait).with(remaining(kind, 0))
	}
	if id != "" {
		return s.poll(c, id, what, cancel).with(remaining(kind, left))
	}
	return s.route(c).with(remaining(kind, left))
}

func subscriptionOf(path string) string {
	if segments := strings.Split(path, "/"); len(segments) > 2 && strings.EqualFold(segments[1], "subscriptions") {
		return segments[2]
	}
	return ""
}

// route calls the function for the method and for the kind of the path.
func (s *Simulator) route(c *call) answer {
	switch c.target.Kind {
	case armid.Resource:
		switch c.Method {
		case http.MethodPut:
			return s.put(c)
		case http.MethodPatch:
			return s.patch(c)
		case http.MethodGet, http.MethodHead:
			return s.get(c)
		case http.MethodDelete:
			return s.delete(c)
		}
	case armid.Collection:
		switch c.Method {
		case http.MethodGet:
			return s.list(c)
		case http.MethodPost:
			return s.act(c)
		}
	case armid.Subscription, armid.ResourceGroup:
		return s.container(c)
	case armid.Subscriptions, armid.ResourceGroups, armid.Contents:
		if c.Method == http.MethodGet {
			return s.listAll(c)
		}
	}
	return fail(http.StatusMethodNotAllowed, "MethodNotAllowed", "The method '%s' is not known for the path '%s'.", c.Method, c.target.Path)
}

var sections = map[armid.Scope]string{
	armid.Tenant: "tenant_resourceDefinitions", armid.ManagementGroup: "managementGroup_resourceDefinitions",
	armid.InSubscription: "subscription_resourceDefinitions", armid.InGroup: "resourceDefinitions",
	armid.Extension: "extension_resourceDefinitions",
}

func (s *Simulator) schema(t armid.Target, version string) (*armschema.Schema, error) {
	return s.library.Find(t.Type, version, sections[t.Scope])
}

// unknown returns the error for a type or version without a schema.
func unknown(t armid.Target, version string, err error) answer {
	typ := strings.TrimPrefix(t.Type, t.Namespace+"/")
	if known, ok := errors.AsType[*armschema.UnknownVersionError](err); ok {
		return fail(http.StatusBadRequest, "NoRegisteredProviderFound",
			"No registered resource provider found for location 'simulated' and API version '%s' for type '%s'. The supported api-versions are '%s'.",
			version, typ, strings.Join(known.Known, ", "))
	}
	if _, ok := errors.AsType[*armschema.UnknownTypeError](err); ok {
		return fail(http.StatusNotFound, "InvalidResourceType",
			"The resource type '%s' could not be found in the namespace '%s' for api version '%s'.", typ, t.Namespace, version)
	}
	return broken(err)
}

// broken is an answer to a failure of the simulator itself.
func broken(err error) answer {
	return fail(http.StatusInternalServerError, "SimulatorFailure", "The simulator failed: %v.", err)
}
