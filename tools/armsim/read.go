package armsim

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stratakube/strata/tools/armsim/internal/armid"
	"github.com/stratakube/strata/tools/armsim/internal/armschema"
)

func notFound(t armid.Target) answer {
	return fail(http.StatusNotFound, "ResourceNotFound", "The Resource '%s/%s' was not found.", t.Type, t.Name)
}

func (s *Simulator) has(typ string) bool {
	_, ok := s.library.Has(typ)
	return ok
}

func (s *Simulator) get(c *call) answer {
	schema, err := s.schema(c.target, c.APIVersion)
	if err != nil {
		return unknown(c.target, c.APIVersion, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.endOperations(); err != nil {
		return broken(err)
	}
	res := s.state.resources[c.target.Key()]
	switch not := c.header.Get("If-None-Match"); {
	case res == nil:
		if a, ok := s.hasParent(c.target); !ok && a.problem.Code != "ParentResourceDeleting" {
			return a
		}
		return notFound(c.target)
	case c.Method == http.MethodHead:
		return answer{status: http.StatusNoContent}
	case not != "" && lists(not, res.ETag):
		return answer{status: http.StatusNotModified}.with("Etag", res.ETag)
	}
	return s.show(http.StatusOK, res, schema)
}

// show is a resource as an API version shows it.
func (s *Simulator) show(status int, res *Resource, schema *armschema.Schema) answer {
	body, err := shape(res, schema)
	if err != nil {
		return broken(err)
	}
	a := ok(status, body).with("Etag", res.ETag)
	a.summary = res.State
	return a
}

func shape(res *Resource, schema *armschema.Schema) (map[string]any, error) {
	value, err := armschema.Decode(res.Body)
	if err != nil {
		return nil, err
	}
	stored, _ := value.(map[string]any)
	body := schema.Known(stored)
	if body["properties"] == nil {
		body["properties"] = map[string]any{}
	}
	if properties, ok := body["properties"].(map[string]any); ok {
		properties["provisioningState"] = res.State
	}
	body["id"], body["name"], body["type"], body["etag"] = res.ID, res.ID[strings.LastIndex(res.ID, "/")+1:], res.Type, res.ETag
	if !schema.Names("systemData") {
		body["systemData"] = map[string]any{
			"createdAt": res.Created.UTC().Format(time.RFC3339Nano), "lastModifiedAt": res.Changed.UTC().Format(time.RFC3339Nano),
		}
	}
	return body, nil
}

// list returns a collection: the direct children of its scope, and for a subscription also the
// resources of its groups.
func (s *Simulator) list(c *call) answer {
	schema, err := s.schema(c.target, c.APIVersion)
	if err != nil {
		return unknown(c.target, c.APIVersion, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.endOperations(); err != nil {
		return broken(err)
	}
	if a, ok := s.hasParent(c.target); !ok {
		return a
	}
	direct := c.target.Key() + "/"
	wide := c.target.Scope == armid.InSubscription && c.target.ParentType == ""
	return s.page(c, func(key string, res *Resource) bool {
		if strings.HasPrefix(key, direct) && !strings.Contains(key[len(direct):], "/") {
			return true
		}
		return wide && strings.EqualFold(res.Type, c.target.Type) && strings.HasPrefix(key, armid.Key(c.target.ScopePath)+"/")
	}, func(res *Resource) (map[string]any, error) { return shape(res, schema) })
}

// page lists resources by their ids, a page at a time.
func (s *Simulator) page(c *call, want func(string, *Resource) bool, show func(*Resource) (map[string]any, error)) answer {
	after, size := "", s.options.PageSize
	if tokens := c.query["$skiptoken"]; len(tokens) > 0 {
		after = tokens[0]
	}
	if tops := c.query["$top"]; len(tops) > 0 {
		if n, err := strconv.Atoi(tops[0]); err == nil && n > 0 {
			size = min(size, n)
		}
	}
	var keys []string
	for key, res := range s.state.resources {
		if key > after && want(key, res) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	body := map[string]any{}
	if len(keys) > size {
		keys = keys[:size]
		query := url.Values{"api-version": {c.APIVersion}, "$skiptoken": {keys[size-1]}}
		if tops := c.query["$top"]; len(tops) > 0 {
			query.Set("$top", tops[0])
		}
		body["nextLink"] = c.base + escapePath(c.target.Path) + "?" + query.Encode()
	}
	value := make([]any, 0, len(keys))
	for _, key := range keys {
		one, err := show(s.state.resources[key])
		if err != nil {
			return broken(err)
		}
		value = append(value, one)
	}
	body["value"] = value
	a := ok(http.StatusOK, body)
	a.summary = strconv.Itoa(len(value)) + " resources"
	return a
}
