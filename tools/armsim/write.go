package armsim

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/stratakube/strata/tools/armsim/internal/armid"
	"github.com/stratakube/strata/tools/armsim/internal/armschema"
)

func (s *Simulator) put(c *call) answer {
	schema, err := s.schema(c.target, c.APIVersion)
	if err != nil {
		return unknown(c.target, c.APIVersion, err)
	}
	body, a := bodyOf(c, schema)
	if body == nil {
		return a
	}
	if a, ok := judge(schema, body); !ok {
		return a
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.endOperations(); err != nil {
		return broken(err)
	}
	if a, ok := s.mayWrite(c); !ok {
		return a
	}
	if s.state.resources[c.target.Key()] == nil { // one that is there may have its name of another version, or in other letter case
		if a, ok := judgeName(schema, c.target); !ok {
			return a
		}
	}
	if body, err = override(body, c.fault.values); err != nil {
		return broken(err)
	}
	return s.store(c, schema, body)
}

// override returns a body in which the values of faults replace others, with numbers as Decode
// reads them.
func override(body map[string]any, all []map[string]any) (map[string]any, error) {
	if len(all) == 0 {
		return body, nil
	}
	for _, values := range all {
		body = merge(body, values)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	value, err := armschema.Decode(data)
	body, _ = value.(map[string]any)
	return body, err
}

// bodyOf decodes the body of a PUT, without the members that clients repeat from a GET. If the
// body cannot be accepted, it returns nil and the answer.
func bodyOf(c *call, schema *armschema.Schema) (map[string]any, answer) {
	value, err := armschema.Decode(c.body)
	body, isObject := value.(map[string]any)
	switch {
	case err != nil:
		return nil, fail(http.StatusBadRequest, "InvalidRequestContent", "The request content was invalid and could not be deserialized: %v.", err)
	case !isObject:
		return nil, fail(http.StatusBadRequest, "InvalidRequestContent", "The request content was invalid: it is not an object.")
	}
	for name, want := range map[string]string{"id": c.target.Path, "name": c.target.Name, "type": c.target.Type} {
		got, there := body[name]
		if !there || schema.Names(name) {
			continue
		}
		if text, _ := got.(string); !strings.EqualFold(text, want) {
			a := fail(http.StatusBadRequest, "InvalidRequestContent", "The request content was invalid: Path '%s': it is not '%s', which is the value in the request's path.", name, want)
			a.problem.Target = name
			return nil, a
		}
		delete(body, name)
	}
	dropEcho(schema, body)
	return body, answer{}
}

// dropEcho removes what only services write, unless the schema knows it.
func dropEcho(schema *armschema.Schema, body map[string]any) {
	for _, name := range [...]string{"etag", "systemData"} {
		if !schema.Names(name) {
			delete(body, name)
		}
	}
	if properties, ok := body["properties"].(map[string]any); ok && !schema.Names("properties", "provisioningState") {
		delete(properties, "provisioningState")
	}
}

// mostProblems is how many problems of a body are reported.
const mostProblems = 50

func judge(schema *armschema.Schema, body map[string]any) (answer, bool) {
	found := schema.Validate(body)
	if len(found) == 0 {
		return answer{}, true
	}
	a := fail(http.StatusBadRequest, "InvalidRequestContent", "The request content was invalid for %s in API version %s: Path '%s': %s.",
		schema.Type, schema.Version, found[0].Path, found[0].Message)
	a.problem.Target, a.refused = found[0].Path, true
	for _, p := range found[:min(len(found), mostProblems)] {
		a.problem.Details = append(a.problem.Details, problem{Code: "InvalidRequestContent", Message: p.Message, Target: p.Path})
	}
	return a, false
}

// judgeName refuses a name that the schema does not allow. Schemas describe the last name, or with
// the names of parents.
func judgeName(schema *armschema.Schema, t armid.Target) (answer, bool) {
	found := schema.ValidateName(t.Name, strings.Join(t.Names(), "/"))
	if len(found) == 0 {
		return answer{}, true
	}
	a := fail(http.StatusBadRequest, "InvalidResourceName", "The name '%s' is invalid for %s in API version %s: %s.",
		t.Name, schema.Type, schema.Version, found[0].Message)
	a.problem.Target, a.refused = "name", true
	return a, false
}

// mayWrite checks the parent, the preconditions and other writes before a write. The caller holds
// the lock of the state.
func (s *Simulator) mayWrite(c *call) (answer, bool) {
	if a, ok := s.hasParent(c.target); !ok {
		return a, false
	}
	old := s.state.resources[c.target.Key()]
	if a, ok := meets(c, old); !ok {
		return a, false
	}
	if old != nil && old.Operation != "" {
		return busy(old, s.options.RetryAfter), false
	}
	return answer{}, true
}

func busy(res *Resource, retryAfter time.Duration) answer {
	return fail(http.StatusConflict, "AnotherOperationInProgress", "Another operation runs on the resource '%s': it is %s.", res.ID, res.State).after(retryAfter)
}

// meets judges the preconditions of a call.
func meets(c *call, old *Resource) (answer, bool) {
	refuse := func(why string) (answer, bool) {
		return fail(http.StatusPreconditionFailed, "PreconditionFailed", "The precondition of the request is not met: %s.", why), false
	}
	if want := c.header.Get("If-Match"); want != "" {
		switch {
		case old == nil:
			return refuse("there is no such resource")
		case want != "*" && !lists(want, old.ETag):
			return refuse("the resource's etag is " + old.ETag)
		}
	}
	if not := c.header.Get("If-None-Match"); not != "" && old != nil && (not == "*" || lists(not, old.ETag)) {
		return refuse("there is such a resource")
	}
	return answer{}, true
}

// lists reports whether a header names an etag. Clients leave out quotes.
func lists(header, etag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
		if one == etag || `"`+one+`"` == etag {
			return true
		}
	}
	return false
}

// hasParent reports whether the parent of a target exists.
func (s *Simulator) hasParent(t armid.Target) (answer, bool) {
	if t.Subscription != "" && !s.exists("/subscriptions/"+t.Subscription) {
		return fail(http.StatusNotFound, "SubscriptionNotFound", "The subscription '%s' could not be found.", t.Subscription), false
	}
	if t.Group != "" && !s.exists(t.Group) {
		return fail(http.StatusNotFound, "ResourceGroupNotFound", "Resource group '%s' could not be found.", t.Group[strings.LastIndex(t.Group, "/")+1:]), false
	}
	for parent := t; ; {
		above := parent.Parent
		if above == "" || !strings.Contains(strings.ToLower(above), "/providers/") {
			return answer{}, true
		}
		next, err := armid.Parse(escapePath(above))
		if err != nil || next.Kind != armid.Resource {
			return answer{}, true
		}
		if parent = next; !s.has(parent.Type) {
			continue // no client can PUT it, so it exists
		}
		res := s.state.resources[parent.Key()]
		switch {
		case res == nil:
			return fail(http.StatusNotFound, "ParentResourceNotFound",
				"Can not perform requested operation on nested resource. Parent resource '%s' not found.", parent.Path), false
		case res.State == deleting:
			return fail(http.StatusConflict, "ParentResourceDeleting", "The parent resource '%s' is being deleted.", parent.Path).after(s.options.RetryAfter), false
		}
		return answer{}, true
	}
}

var pathEscaper = strings.NewReplacer("%", "%25", " ", "%20")

func escapePath(path string) string { return pathEscaper.Replace(path) }

// store creates or updates. The state is locked, and all is checked.
func (s *Simulator) store(c *call, schema *armschema.Schema, body map[string]any) answer {
	encoded, err := json.Marshal(body)
	if err != nil {
		return broken(err)
	}
	key := c.target.Key()
	old := s.state.resources[key]
	r, number := s.state.next()
	r.Totals.Puts++
	if old != nil && old.State == succeeded && equal(old.Body, body) {
		return s.leaveUnchanged(c, r, old, schema)
	}
	now := s.options.Now()
	res := Resource{ID: c.target.Path, Type: schema.Type, Created: now}
	kind, status := creating, http.StatusCreated
	if old != nil {
		res = *old
		kind, status = updating, http.StatusOK
		r.Totals.Updates++
	} else {
		res.Creates = s.state.created[key] + 1
		r.Created = map[string]int{key: res.Creates}
		r.Totals.Creates++
		if res.Creates > 1 {
			r.Totals.Duplicates++
		}
	}
	res.APIVersion, res.Body, res.ETag, res.Changed, res.State = c.APIVersion, encoded, etag(number), now, succeeded
	res.Puts++
	op := s.begin(c, kind, number)
	if op != nil {
		res.State, res.Operation = kind, op.ID
		r.Operations = append(r.Operations, op)
	}
	r.Set = append(r.Set, &res)
	if err := s.state.commit(r); err != nil {
		return broken(err)
	}
	if op != nil {
		s.watch(op)
	}
	return s.stored(c, &res, schema, op, status)
}

func (s *Simulator) leaveUnchanged(c *call, r *record, old *Resource, schema *armschema.Schema) answer {
	r.Totals.Unchanged++
	res := *old
	res.APIVersion = c.APIVersion
	res.Puts++
	r.Set = append(r.Set, &res)
	if err := s.state.commit(r); err != nil {
		return broken(err)
	}
	return s.stored(c, &res, schema, nil, http.StatusOK)
}

func (s *Simulator) stored(c *call, res *Resource, schema *armschema.Schema, op *operation, status int) answer {
	a := s.show(status, res, schema)
	if op != nil && op.Style == Location {
		a = answer{status: http.StatusAccepted, summary: a.summary}
	}
	a.committed = true
	return s.announce(a, c, op)
}

func equal(stored json.RawMessage, body map[string]any) bool {
	value, err := armschema.Decode(stored)
	return err == nil && reflect.DeepEqual(value, any(body))
}

// patch merges a body into the stored resource, by RFC 7396.
func (s *Simulator) patch(c *call) answer {
	schema, err := s.schema(c.target, c.APIVersion)
	if err != nil {
		return unknown(c.target, c.APIVersion, err)
	}
	change, a := bodyOf(c, schema)
	if change == nil {
		return a
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.endOperations(); err != nil {
		return broken(err)
	}
	old := s.state.resources[c.target.Key()]
	if old == nil {
		return notFound(c.target)
	}
	value, err := armschema.Decode(old.Body)
	if err != nil {
		return broken(err)
	}
	stored, _ := value.(map[string]any)
	// What another version has written, and this one does not know, stays and is not judged by it.
	if a, ok := judge(schema, merge(schema.Known(stored), change)); !ok {
		return a
	}
	if a, ok := s.mayWrite(c); !ok {
		return a
	}
	return s.store(c, schema, merge(stored, change))
}

func merge(into, change map[string]any) map[string]any {
	result := make(map[string]any, len(into))
	for name, v := range into {
		result[name] = v
	}
	for name, v := range change {
		inner, isObject := v.(map[string]any)
		old, _ := result[name].(map[string]any)
		switch {
		case v == nil:
			delete(result, name)
		case isObject:
			result[name] = merge(old, inner)
		default:
			result[name] = v
		}
	}
	return result
}

func (s *Simulator) delete(c *call) answer {
	if _, err := s.schema(c.target, c.APIVersion); err != nil {
		return unknown(c.target, c.APIVersion, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.endOperations(); err != nil {
		return broken(err)
	}
	old := s.state.resources[c.target.Key()]
	if a, ok := meets(c, old); !ok {
		return a
	}
	if old == nil {
		return answer{status: http.StatusNoContent}
	}
	if old.Operation != "" {
		if op := s.state.operations[old.Operation]; op != nil && op.Kind == deleting {
			return s.announce(answer{status: http.StatusAccepted, summary: deleting}, c, op)
		}
		return busy(old, s.options.RetryAfter)
	}
	return s.remove(c, old)
}

func (s *Simulator) remove(c *call, old *Resource) answer {
	r, number := s.state.next()
	r.Totals.Deletes++
	op := s.begin(c, deleting, number)
	a := answer{status: http.StatusOK, committed: true}
	if op == nil {
		s.state.remove(r, c.target.Key())
	} else {
		res := *old
		res.State, res.Operation = deleting, op.ID
		r.Set, r.Operations = append(r.Set, &res), append(r.Operations, op)
		a.status, a.summary = http.StatusAccepted, deleting
	}
	if err := s.state.commit(r); err != nil {
		return broken(err)
	}
	if op != nil {
		s.watch(op)
	}
	return s.announce(a, c, op)
}
