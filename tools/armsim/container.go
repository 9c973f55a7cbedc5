package armsim

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/stratakube/strata/tools/armsim/internal/armid"
	"github.com/stratakube/strata/tools/armsim/internal/armschema"
)

// The types of containers: of the resource groups and subscriptions that resources belong to. No
// schema of deployments describes them.
const (
	subscriptionType = "Microsoft.Resources/subscriptions"
	groupType        = "Microsoft.Resources/resourceGroups"
)

// exists reports whether a subscription or group is there. Unless the simulator is strict all are,
// but those that were deleted. The state is locked.
func (s *Simulator) exists(path string) bool {
	key := armid.Key(path)
	return s.state.resources[key] != nil || !s.options.Strict && !s.state.removed[key]
}

// container answers calls about a subscription or a resource group.
func (s *Simulator) container(c *call) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.endOperations(); err != nil {
		return broken(err)
	}
	if c.target.Kind == armid.ResourceGroup && !s.exists(c.target.Parent) {
		return fail(http.StatusNotFound, "SubscriptionNotFound", "The subscription '%s' could not be found.", c.target.Subscription)
	}
	c.target.Namespace, c.target.Type = "Microsoft.Resources", subscriptionType
	if c.target.Kind == armid.ResourceGroup {
		c.target.Type = groupType
	}
	there := s.exists(c.target.Path)
	switch {
	case c.Method == http.MethodPut, c.Method == http.MethodPatch && there:
		return s.putContainer(c)
	case c.Method == http.MethodDelete:
		return s.deleteContainer(c, there)
	case !there:
		return containerMissing(c.target)
	case c.Method == http.MethodHead:
		return answer{status: http.StatusNoContent}
	case c.Method == http.MethodGet:
		return showContainer(http.StatusOK, s.containerOf(c.target))
	}
	return fail(http.StatusMethodNotAllowed, "MethodNotAllowed", "The method '%s' is not known for '%s'.", c.Method, c.target.Type)
}

func containerMissing(t armid.Target) answer {
	if t.Kind == armid.Subscription {
		return fail(http.StatusNotFound, "SubscriptionNotFound", "The subscription '%s' could not be found.", t.Name)
	}
	return fail(http.StatusNotFound, "ResourceGroupNotFound", "Resource group '%s' could not be found.", t.Name)
}

// containerOf returns the stored container, or the default for one that was never written.
func (s *Simulator) containerOf(t armid.Target) *Resource {
	if res := s.state.resources[t.Key()]; res != nil {
		return res
	}
	return &Resource{ID: t.Path, Type: t.Type, ETag: etag(0), State: succeeded, Body: json.RawMessage(`{"location":"simulated"}`)}
}

func showContainer(status int, res *Resource) answer {
	value, err := armschema.Decode(res.Body)
	if err != nil {
		return broken(err)
	}
	body, _ := value.(map[string]any)
	body["id"], body["name"], body["type"] = res.ID, res.ID[strings.LastIndex(res.ID, "/")+1:], res.Type
	body["properties"] = map[string]any{"provisioningState": res.State}
	a := ok(status, body).with("Etag", res.ETag)
	a.summary = res.State
	return a
}

// containerMembers are those that a body of a container may have, and whether each is a string.
var containerMembers = map[string]bool{
	"location": true, "managedBy": true, "displayName": true, "id": true, "name": true, "type": true, "etag": true,
	"tags": false, "properties": false,
}

// putContainer stores what does not take long and has no schema.
func (s *Simulator) putContainer(c *call) answer {
	body, a := containerBody(c)
	if body == nil {
		return a
	}
	old := s.state.resources[c.target.Key()]
	if a, ok := meets(c, old); !ok {
		return a
	}
	if old != nil && old.Operation != "" {
		return busy(old, s.options.RetryAfter)
	}
	if c.Method == http.MethodPatch {
		value, err := armschema.Decode(s.containerOf(c.target).Body)
		if err != nil {
			return broken(err)
		}
		stored, _ := value.(map[string]any)
		body = merge(stored, body)
	}
	if location, _ := body["location"].(string); location == "" && c.target.Kind == armid.ResourceGroup {
		return fail(http.StatusBadRequest, "LocationRequired", "The location property is required for this definition.")
	}
	return s.storeContainer(c, old, body)
}

func containerBody(c *call) (map[string]any, answer) {
	value, err := armschema.Decode(c.body)
	body, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return nil, fail(http.StatusBadRequest, "InvalidRequestContent", "The request content was invalid: it is not a JSON object.")
	}
	for name, v := range body {
		isText, known := containerMembers[name]
		_, text := v.(string)
		_, object := v.(map[string]any)
		if !known || isText && !text || !isText && !object {
			a := fail(http.StatusBadRequest, "InvalidRequestContent", "The request content was invalid: Path '%s': this is not known, or of a wrong type.", name)
			a.problem.Target, a.refused = name, true
			return nil, a
		}
	}
	for _, name := range [...]string{"id", "name", "type", "etag", "properties"} {
		delete(body, name)
	}
	return body, answer{}
}

func (s *Simulator) storeContainer(c *call, old *Resource, body map[string]any) answer {
	encoded, err := json.Marshal(body)
	if err != nil {
		return broken(err)
	}
	key, now := c.target.Key(), s.options.Now()
	r, number := s.state.next()
	r.Totals.Puts++
	r.Returned = []string{key}
	res, status := Resource{ID: c.target.Path, Type: c.target.Type, Created: now, Changed: now, ETag: etag(number)}, http.StatusCreated
	switch {
	case old != nil && equal(old.Body, body):
		res, status = *old, http.StatusOK
		r.Totals.Unchanged++
	case old != nil:
		res, status = *old, http.StatusOK
		res.ETag, res.Changed = etag(number), now
		r.Totals.Updates++
	default:
		res.Creates = s.state.created[key] + 1
		r.Created = map[string]int{key: res.Creates}
		r.Totals.Creates++
		if res.Creates > 1 {
			r.Totals.Duplicates++
		}
	}
	res.APIVersion, res.Body, res.State = c.APIVersion, encoded, succeeded
	res.Puts++
	r.Set = []*Resource{&res}
	if err := s.state.commit(r); err != nil {
		return broken(err)
	}
	a := showContainer(status, &res)
	a.committed = true
	return a
}

func (s *Simulator) deleteContainer(c *call, there bool) answer {
	if !there {
		return answer{status: http.StatusNoContent}
	}
	old := s.state.resources[c.target.Key()]
	if a, ok := meets(c, old); !ok {
		return a
	}
	if old != nil && old.Operation != "" {
		if op := s.state.operations[old.Operation]; op != nil {
			return s.announce(answer{status: http.StatusAccepted, summary: deleting}, c, op)
		}
	}
	r, _ := s.state.next()
	r.Totals.Deletes++
	r.Removed = []string{c.target.Key()}
	s.state.remove(r, c.target.Key())
	if err := s.state.commit(r); err != nil {
		return broken(err)
	}
	return answer{status: http.StatusOK, committed: true}
}

// listAll lists subscriptions, the groups of one, or all resources of either.
func (s *Simulator) listAll(c *call) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.endOperations(); err != nil {
		return broken(err)
	}
	if c.target.Subscription != "" && !s.exists("/subscriptions/"+c.target.Subscription) {
		return containerMissing(armid.Target{Kind: armid.Subscription, Name: c.target.Subscription})
	}
	prefix := c.target.Key() + "/"
	direct := func(key string, _ *Resource) bool {
		return strings.HasPrefix(key, prefix) && !strings.Contains(key[len(prefix):], "/")
	}
	if c.target.Kind == armid.Contents {
		prefix = armid.Key(c.target.ScopePath) + "/"
		direct = func(key string, res *Resource) bool {
			return strings.HasPrefix(key, prefix) && strings.Count(res.Type, "/") == 1 && res.Type != groupType && res.Type != subscriptionType
		}
	}
	return s.page(c, direct, summary)
}

// summary is a resource without its properties, which no API version of a list of all types could
// show.
func summary(res *Resource) (map[string]any, error) {
	value, err := armschema.Decode(res.Body)
	if err != nil {
		return nil, err
	}
	stored, _ := value.(map[string]any)
	body := map[string]any{"id": res.ID, "name": res.ID[strings.LastIndex(res.ID, "/")+1:], "type": res.Type}
	for _, name := range [...]string{"location", "tags", "kind", "sku", "identity", "managedBy"} {
		if v, ok := stored[name]; ok {
			body[name] = v
		}
	}
	return body, nil
}
