package armsim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strings"

	"github.com/stratakube/strata/tools/armsim/internal/armid"
)

// The actions that the simulator knows.
const (
	listKeys              = "listKeys"
	listConnectionStrings = "listConnectionStrings"
	cancelDeployment      = "cancel"
)

// deploymentType is the one type whose change a client may cancel.
const deploymentType = "Microsoft.Resources/deployments"

// act answers POST of an action on a resource.
func (s *Simulator) act(c *call) answer {
	name := c.target.Type[strings.LastIndex(c.target.Type, "/")+1:]
	parent, err := armid.Parse(escapePath(c.target.Parent))
	if err != nil || parent.Kind != armid.Resource || !isAction(parent.Type, name) {
		return fail(http.StatusNotFound, "InvalidAction", "The action '%s' is not known.", name)
	}
	if _, err := s.schema(parent, c.APIVersion); err != nil {
		return unknown(parent, c.APIVersion, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.endOperations(); err != nil {
		return broken(err)
	}
	switch old := s.state.resources[parent.Key()]; {
	case old == nil:
		return notFound(parent)
	case strings.EqualFold(name, cancelDeployment):
		return s.cancelChange(old)
	}
	return s.answerAction(c, parent, name)
}

func isAction(typ, name string) bool {
	switch {
	case strings.EqualFold(name, listKeys), strings.EqualFold(name, listConnectionStrings):
		return true
	}
	return strings.EqualFold(name, cancelDeployment) && strings.EqualFold(typ, deploymentType)
}

// answerAction answers an action at once, or with an operation that has its result. The state is
// locked.
func (s *Simulator) answerAction(c *call, parent armid.Target, name string) answer {
	rule := s.operationRule(c.Method, c.target.Type)
	if rule == nil {
		return ok(http.StatusOK, s.resultOf(parent, name))
	}
	r, number := s.state.next()
	c.target.Path, c.target.Namespace = parent.Path, parent.Namespace
	op := s.beginAs(c, rule, acting, number)
	op.Action = name
	r.Operations = append(r.Operations, op)
	if err := s.state.commit(r); err != nil {
		return broken(err)
	}
	s.watch(op)
	return s.announce(answer{status: http.StatusAccepted, summary: acting}, c, op)
}

// cancelChange cancels the operation that runs on a deployment. The state is locked.
func (s *Simulator) cancelChange(old *Resource) answer {
	op := s.state.operations[old.Operation]
	if op == nil || op.Kind == deleting {
		return fail(http.StatusConflict, "DeploymentCannotBeCancelled", "The deployment '%s' cannot be cancelled: it is %s.", old.ID, old.State)
	}
	a := s.cancel(op)
	if a.status == http.StatusOK {
		a.status = http.StatusNoContent
	}
	return a
}

// resultOf is the answer of an action that lists. Keys depend on the id of the resource and the
// seed.
func (s *Simulator) resultOf(t armid.Target, action string) map[string]any {
	secret := func(name string) string {
		mac := hmac.New(sha256.New, binary.BigEndian.AppendUint64(nil, s.options.Seed))
		mac.Write([]byte(name + " " + t.Key()))
		return base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	first, second := secret("first"), secret("second")
	if strings.EqualFold(action, listConnectionStrings) {
		return map[string]any{"connectionStrings": []any{
			map[string]any{"connectionString": connectionString(t, first), "description": "Primary"},
			map[string]any{"connectionString": connectionString(t, second), "description": "Secondary"},
		}}
	}
	all := map[string]any{"keys": []any{
		map[string]any{"keyName": "key1", "value": first, "permissions": "FULL"},
		map[string]any{"keyName": "key2", "value": second, "permissions": "FULL"},
	}}
	for _, suffix := range [...]string{"Key", "MasterKey", "ReadonlyMasterKey"} {
		all["primary"+suffix], all["secondary"+suffix] = first, second
	}
	all["primaryReadonlyMasterKey"], all["secondaryReadonlyMasterKey"] = secret("first readonly"), secret("second readonly")
	all["key1"], all["key2"] = first, second
	all["primaryConnectionString"], all["secondaryConnectionString"] = connectionString(t, first), connectionString(t, second)
	if isRule(t) {
		all["keyName"] = t.Name
	}
	return all
}

// isRule reports whether a resource is an authorization rule of Service Bus, or of a service that
// is like it.
func isRule(t armid.Target) bool {
	return strings.HasSuffix(strings.ToLower(t.Type), "/authorizationrules")
}

// connectionString is a key in the form in which the clients of a service take it.
func connectionString(t armid.Target, key string) string {
	switch {
	case isRule(t):
		names := t.Names() // the namespace, a queue or topic that the rule may be of, the rule
		text := "Endpoint=sb://" + names[0] + ".servicebus.windows.net/;SharedAccessKeyName=" + t.Name + ";SharedAccessKey=" + key
		if len(names) > 2 {
			text += ";EntityPath=" + names[1]
		}
		return text
	case strings.EqualFold(t.Type, "Microsoft.Storage/storageAccounts"):
		return "DefaultEndpointsProtocol=https;AccountName=" + t.Name + ";AccountKey=" + key + ";EndpointSuffix=core.windows.net"
	}
	return "Endpoint=https://" + t.Name + ".simulated.invalid/;AccessKey=" + key
}
