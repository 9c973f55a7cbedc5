package arm_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/operator/arm"
	"github.com/stratakube/strata/operator/arm/internal/armtest"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

const (
	group = "/subscriptions/s/resourceGroups/g"
	id    = group + "/providers/Microsoft.Crm/persons/anna"
	at    = id + "?api-version=2015-05-05"
	op    = "/subscriptions/s/providers/Microsoft.Crm/operations/1?api-version=2015-05-05"
)

// subject is a person whose spec has the age forty.
func subject(changes ...func(*v1.Resource)) *provider.Subject {
	r := &v1.Resource{
		Object: &v1.Object{Namespace: "n", Name: "anna"},
		Type:   "Microsoft.Crm/persons", ApiVersion: "2015-05-05",
		Place: &v1.Place{Name: "anna", Parent: group},
		Spec:  []byte(`{"properties": {"age": 40}}`),
	}
	for _, change := range changes {
		change(r)
	}
	return &provider.Subject{Resource: r}
}

// fresh returns a provider without state of earlier calls, as after a restart.
func fresh(t testing.TB, url string) provider.Provider {
	h := plugintest.InMemory(t, arm.Register)
	return plugintest.Get(t, h, provider.Version, arm.Name, map[string]string{"cloud": "custom", "endpoint": url, "credentials": "none"})
}

// tell returns the result of a call as one line.
func tell(out *provider.Outcome, err error) string {
	if f := provider.FailureOf(err); f != nil {
		line := fmt.Sprintf("%s %s", strings.TrimPrefix(f.GetReason().String(), "REASON_"), f.GetCode())
		if f.GetRetryAfter() != nil {
			line += fmt.Sprintf(" after %s", f.GetRetryAfter().AsDuration())
		}
		return line
	}
	if err != nil {
		return "error " + err.Error()
	}
	o := out.GetOperation()
	if o == nil {
		return fmt.Sprintf("done %t %s", out.GetObservation().GetExists(), out.GetObservation().GetStatus())
	}
	line := fmt.Sprintf("%d%% %s", o.GetPercent(), o.GetMessage())
	if o.GetPollAfter() != nil {
		line += fmt.Sprintf(" after %s", o.GetPollAfter().AsDuration())
	}
	return line
}

type row struct {
	reason string
	change func(*v1.Resource)
	script []armtest.Exchange
	want   []string // of the first call, and of each poll until the end
}

// follow begins a change and polls it to its end. Each call uses a new provider, like that of
// another process.
func (r row) follow(t *testing.T, begin func(provider.Provider, *provider.Subject) (*provider.Outcome, error)) {
	t.Helper()
	server := armtest.Start(t, r.script...)
	about := subject()
	if r.change != nil {
		about = subject(r.change)
	}
	out, err := begin(fresh(t, server.URL), about)
	got := []string{tell(out, err)}
	for err == nil && out.GetOperation() != nil && len(got) < 20 {
		out, err = fresh(t, server.URL).Poll(t.Context(), &provider.OperationRequest{Subject: about, Operation: out.GetOperation()})
		got = append(got, tell(out, err))
	}
	if diff := cmp.Diff(r.want, got); diff != "" {
		t.Errorf("%s: -want +got\n%s", r.reason, diff)
	}
}

const (
	done      = `{"id":"` + id + `","properties":{"age":40,"provisioningState":"Succeeded"}}`
	going     = `{"id":"` + id + `","properties":{"age":40,"provisioningState":"Updating"}}`
	bad       = `{"id":"` + id + `","properties":{"age":40,"provisioningState":"Failed"}}`
	stays     = `{"id":"` + id + `","properties":{"age":40,"provisioningState":"Disconnected"}}`
	strange   = `{"id":"` + id + `","properties":{"age":40,"provisioningState":"Dequeued2"}}`
	missing   = `{"error":{"code":"ResourceNotFound","message":"there is none"}}`
	spec      = `{"properties": {"age": 40}}`
	operation = "Azure-AsyncOperation: {url}" + op
)

func TestApply(t *testing.T) {
	tests := []row{
		{"a PUT that is done at once, with the very bytes of the spec", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 200, Body: done, Sent: spec, Wants: "If-Match:\nIf-None-Match:\nContent-Type: application/json\nAuthorization:"},
		}, []string{"done true " + done}},
		{"an entity tag that is known must still be that of the resource", func(r *v1.Resource) { r.Etag = `W/"7"` }, []armtest.Exchange{
			{Call: "PUT " + at, Status: 412, Body: `{"error":{"code":"PreconditionFailed","message":"changed"}}`, Wants: `If-Match: W/"7"`},
		}, []string{"CONFLICT PreconditionFailed"}},
		{"an operation with a status; the resource is read at its end", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: going, Header: operation + "\nRetry-After: 3"},
			{Call: "GET " + op, Status: 200, Body: `{"status":"InProgress","percentComplete":40}`, Header: "Retry-After: 2"},
			{Call: "GET " + op, Status: 202, Body: ``},
			{Call: "GET " + op, Status: 200, Body: `{"status":"Succeeded"}`},
			{Call: "GET " + at, Status: 200, Body: done},
		}, []string{"0% accepted after 3s", "40% InProgress after 2s", "0% ", "done true " + done}},
		{"an operation with a status that moves to another URL", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 202, Header: operation},
			{Call: "GET " + op, Status: 202, Body: `{"status":"Running"}`, Header: "Azure-AsyncOperation: /operations/2"},
			{Call: "GET /operations/2", Status: 200, Body: `{"status":"succeeded"}`},
			{Call: "GET " + at, Status: 200, Body: done},
		}, []string{"0% accepted", "0% Running", "done true " + done}},
		{"an operation that fails for what the spec says", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: going, Header: operation},
			{Call: "GET " + op, Status: 200, Body: `{"status":"Failed","error":{"code":"SkuNotAvailable","message":"no"}}`},
		}, []string{"0% accepted", "INVALID SkuNotAvailable"}},
		{"an operation that fails for what passes", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: going, Header: operation},
			{Call: "GET " + op, Status: 200, Body: `{"status":"Failed","error":{"code":"InternalServerError"}}`},
		}, []string{"0% accepted", "TRANSIENT InternalServerError"}},
		{"an operation that another client cancelled", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: going, Header: operation},
			{Call: "GET " + op, Status: 200, Body: `{"status":"Canceled"}`},
		}, []string{"0% accepted", "TRANSIENT Canceled"}},
		{"a location: 202 goes on", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 202, Header: "Location: {url}" + op},
			{Call: "GET " + op, Status: 202, Header: "Retry-After: 1"},
			{Call: "GET " + op, Status: 200, Body: done},
			{Call: "GET " + at, Status: 200, Body: done},
		}, []string{"0% accepted", "0% accepted after 1s", "done true " + done}},
		{"a location that ends in an error", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 202, Header: "Location: {url}" + op},
			{Call: "GET " + op, Status: 400, Body: `{"error":{"code":"BadAge","message":"no"}}`},
		}, []string{"0% accepted", "INVALID BadAge"}},
		{"a location with 201 is where the resource is, and no operation", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Header: "Location: {url}/elsewhere", Body: done},
		}, []string{"done true " + done}},
		{"the resource's own state", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: going},
			{Call: "GET " + at, Status: 200, Body: going, Header: "Retry-After: 5"},
			{Call: "GET " + at, Status: 200, Body: done},
		}, []string{"0% Updating", "0% Updating after 5s", "done true " + done}},
		{"the resource's own state, a bad one", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: going},
			{Call: "GET " + at, Status: 200, Body: bad},
		}, []string{"0% Updating", "TRANSIENT Failed"}},
		{"the resource's own state, an end that ARM does not define", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: going},
			{Call: "GET " + at, Status: 200, Body: stays},
		}, []string{"0% Updating", "done true " + stays}},
		{"the resource's own state, one that nobody knows", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: strange},
			{Call: "GET " + at, Status: 200, Body: done},
		}, []string{"0% Dequeued2", "done true " + done}},
		{"202 without a header: the resource tells, and may not be there yet", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 202},
			{Call: "GET " + at, Status: 404, Body: missing},
			{Call: "GET " + at, Status: 200, Body: done},
		}, []string{"0% accepted", "0% the resource is not there", "done true " + done}},
		{"an operation that ARM has lost: the resource tells", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: going, Header: operation},
			{Call: "GET " + op, Status: 404},
			{Call: "GET " + at, Status: 200, Body: going},
			{Call: "GET " + at, Status: 200, Body: done},
		}, []string{"0% accepted", "0% Updating", "done true " + done}},
		{"an operation that is lost with its resource is begun anew, after a while", nil, append([]armtest.Exchange{
			{Call: "PUT " + at, Status: 202, Header: operation},
			{Call: "GET " + op, Status: 404},
		}, slow(10, armtest.Exchange{Call: "GET " + at, Status: 404, Body: missing})...), append([]string{"0% accepted"}, append(
			slow(9, "0% the resource is not there"), "TRANSIENT OperationLost")...)},
		{"throttling and errors of a look leave the operation as it was", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: going, Header: operation},
			{Call: "GET " + op, Status: 429, Header: "Retry-After: 7"},
			{Call: "GET " + op, Status: 503},
			{Call: "GET " + op, Status: 200, Body: `{"status":"Succeeded"}`},
			{Call: "GET " + at, Status: 200, Body: done},
		}, []string{
			"0% accepted", "0% look at the operation: ARM answers 429 Too Many Requests after 7s",
			"0% look at the operation: ARM answers 503 Service Unavailable", "done true " + done,
		}},
		{"credentials that are refused while it goes on", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: going, Header: operation},
			{Call: "GET " + op, Status: 403, Body: `{"error":{"code":"AuthorizationFailed"}}`},
		}, []string{"0% accepted", "UNAUTHORIZED AuthorizationFailed"}},
		{"an operation of another host is not followed: the token would go there", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 201, Body: going, Header: "Azure-AsyncOperation: https://example.com/op"},
			{Call: "GET " + at, Status: 200, Body: done},
		}, []string{"0% Updating", "done true " + done}},
		{"throttling, in seconds", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 429, Header: "Retry-After: 17", Body: `{"error":{"code":"TooManyRequests"}}`},
		}, []string{"THROTTLED TooManyRequests after 17s"}},
		{"throttling, until a time by ARM's own clock", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 429, Header: "Date: Mon, 01 Jan 2024 00:00:00 GMT\nRetry-After: Mon, 01 Jan 2024 00:01:30 GMT"},
		}, []string{"THROTTLED  after 1m30s"}},
		{"throttling, in milliseconds", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 429, Header: "retry-after-ms: 250\nRetry-After: 9"},
		}, []string{"THROTTLED  after 250ms"}},
		{"a conflict", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 409, Header: "Retry-After: 4", Body: `{"error":{"code":"AnotherOperationInProgress"}}`},
		}, []string{"CONFLICT AnotherOperationInProgress after 4s"}},
		{"an error of the server is told at once: the host tries again", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 500, Body: `<html>`},
		}, []string{"TRANSIENT "}},
		{"a parent that is not there", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 404, Body: `{"error":{"code":"ResourceGroupNotFound"}}`},
		}, []string{"NOT_FOUND ResourceGroupNotFound"}},
		{"a bad spec", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 400, Body: `{"error":{"code":"BadRequest"}}`},
		}, []string{"INVALID BadRequest"}},
		{"a bad spec, as others say it", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 422, Body: `{"code":"Unprocessable"}`},
		}, []string{"INVALID Unprocessable"}},
		{"credentials that may not", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 403, Body: `{"error":{"code":"AuthorizationFailed"}}`},
		}, []string{"UNAUTHORIZED AuthorizationFailed"}},
		{"an API version that the cloud does not have is not absence", nil, []armtest.Exchange{
			{Call: "PUT " + at, Status: 404, Body: `{"error":{"code":"InvalidResourceType"}}`},
		}, []string{"INVALID InvalidResourceType"}},
		{"a secret at its path", func(r *v1.Resource) {
			r.Secrets = []*v1.Secret{{Path: "properties.login.password", Value: []byte(`p"1<2`)}, {Path: `tags["a.b"]`, Value: []byte("t")}}
		}, []armtest.Exchange{
			{Call: "PUT " + at, Status: 200, Body: done, Sent: `{"properties":{"age":40,"login":{"password":"p\"1<2"}},"tags":{"a.b":"t"}}`},
		}, []string{"done true " + done}},
		{"a resource does not move", func(r *v1.Resource) { r.Id = id; r.Place.Name = "berta" }, nil, []string{"INVALID "}},
		{"a name that would be another address", func(r *v1.Resource) { r.Place.Name = ".." }, nil, []string{"INVALID "}},
		{"a path of a secret that is none", func(r *v1.Resource) { r.Secrets = []*v1.Secret{{Path: "a..b"}} }, nil, []string{"INVALID "}},
		{"a spec that is no object", func(r *v1.Resource) { r.Spec = []byte("[]") }, nil, []string{"INVALID "}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			test.follow(t, func(p provider.Provider, about *provider.Subject) (*provider.Outcome, error) {
				return p.Apply(t.Context(), &provider.ApplyRequest{Subject: about})
			})
		})
	}
}

// slow returns the same value several times.
func slow[T any](times int, what T) (many []T) {
	for range times {
		many = append(many, what)
	}
	return many
}

func TestCreate(t *testing.T) {
	tests := []row{
		{"nothing is there, and nobody else may put something there meanwhile", func(r *v1.Resource) { r.Etag = "old" }, []armtest.Exchange{
			{Call: "GET " + at, Status: 404, Body: missing},
			{Call: "PUT " + at, Status: 201, Body: done, Wants: "If-None-Match: *\nIf-Match:"},
		}, []string{"done true " + done}},
		{"something is there", nil, []armtest.Exchange{{Call: "GET " + at, Status: 200, Body: done}}, []string{"CONFLICT ResourceExists"}},
		{"another client was faster", nil, []armtest.Exchange{
			{Call: "GET " + at, Status: 404, Body: missing},
			{Call: "PUT " + at, Status: 412, Body: `{"error":{"code":"PreconditionFailed"}}`},
		}, []string{"CONFLICT PreconditionFailed"}},
		{"nothing is put where nobody knows whether something is there", nil, []armtest.Exchange{{Call: "GET " + at, Status: 503}}, []string{"TRANSIENT "}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			test.follow(t, func(p provider.Provider, about *provider.Subject) (*provider.Outcome, error) {
				return p.Apply(t.Context(), &provider.ApplyRequest{Subject: about, CreateOnly: true})
			})
		})
	}
}

func TestDelete(t *testing.T) {
	tests := []row{
		{"gone at once", nil, []armtest.Exchange{{Call: "DELETE " + at, Status: 200, Wants: "If-Match:"}}, []string{"done false "}},
		{"gone before", nil, []armtest.Exchange{{Call: "DELETE " + at, Status: 204}}, []string{"done false "}},
		{"not there", nil, []armtest.Exchange{{Call: "DELETE " + at, Status: 404, Body: missing}}, []string{"done false "}},
		{"credentials of another tenant do not see the subscription, which is no absence", nil, []armtest.Exchange{
			{Call: "DELETE " + at, Status: 404, Body: `{"error":{"code":"SubscriptionNotFound"}}`},
		}, []string{"NOT_FOUND SubscriptionNotFound"}},
		{"an operation", nil, []armtest.Exchange{
			{Call: "DELETE " + at, Status: 202, Header: operation + "\nLocation: {url}/other"},
			{Call: "GET " + op, Status: 200, Body: `{"status":"Deleting"}`},
			{Call: "GET " + op, Status: 200, Body: `{"status":"Succeeded"}`},
		}, []string{"0% accepted", "0% Deleting", "done false "}},
		{"a location", nil, []armtest.Exchange{
			{Call: "DELETE " + at, Status: 202, Header: "Location: {url}" + op},
			{Call: "GET " + op, Status: 202},
			{Call: "GET " + op, Status: 204},
		}, []string{"0% accepted", "0% accepted", "done false "}},
		{"neither: the resource tells by its absence", nil, []armtest.Exchange{
			{Call: "DELETE " + at, Status: 202},
			{Call: "GET " + at, Status: 200, Body: strings.Replace(going, "Updating", "Deleting", 1)},
			{Call: "GET " + at, Status: 404, Body: missing},
		}, []string{"0% accepted", "0% Deleting", "done false "}},
		{"a lost operation that has done its work", nil, []armtest.Exchange{
			{Call: "DELETE " + at, Status: 202, Header: "Location: {url}" + op},
			{Call: "GET " + op, Status: 404},
			{Call: "GET " + at, Status: 404, Body: missing},
		}, []string{"0% accepted", "done false "}},
		{"a lock", nil, []armtest.Exchange{
			{Call: "DELETE " + at, Status: 409, Body: `{"error":{"code":"ScopeLocked"}}`},
		}, []string{"CONFLICT ScopeLocked"}},
		{"an owner that is gone cannot say where it was; its identifier does", func(r *v1.Resource) { r.Id = id; r.Place.Parent = "" }, []armtest.Exchange{
			{Call: "DELETE " + at, Status: 200},
		}, []string{"done false "}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			test.follow(t, func(p provider.Provider, about *provider.Subject) (*provider.Outcome, error) {
				return p.Delete(t.Context(), about)
			})
		})
	}
}

func TestObserve(t *testing.T) {
	tests := []struct {
		reason string
		change func(*v1.Resource)
		script []armtest.Exchange
		want   string
	}{
		{"as it should be", nil, []armtest.Exchange{{Call: "GET " + at, Status: 200, Body: done, Header: `ETag: "3"`}},
			`exists etag "3" compared Provisioned=TRUE Succeeded status ` + done},
		{"not there", nil, []armtest.Exchange{{Call: "GET " + at, Status: 404, Body: missing}}, "absent compared status "},
		{"without its resource group it is not there either", nil, []armtest.Exchange{
			{Call: "GET " + at, Status: 404, Body: `{"error":{"code":"ResourceGroupNotFound"}}`},
		}, "absent compared status "},
		{"changed outside; the tag in the body", nil, []armtest.Exchange{{Call: "GET " + at, Status: 200, Body: `{"etag":"9","properties":{"age":41,"provisioningState":"Failed"}}`}},
			`exists etag 9 compared drift properties.age Provisioned=FALSE Failed status {"etag":"9","properties":{"age":41,"provisioningState":"Failed"}}`},
		{"what a secret put there is no drift, and not in the status", func(r *v1.Resource) {
			r.Spec = []byte(`{"properties":{"age":40,"pin":"old"}}`)
			r.Secrets = []*v1.Secret{{Path: "properties.pin", Value: []byte("new")}}
		}, []armtest.Exchange{{Call: "GET " + at, Status: 200, Body: `{"properties":{"age":40,"pin":"1234"}}`}}, `exists compared status {"properties":{"age":40}}`},
		{"outputs, each action asked once", func(r *v1.Resource) {
			r.Secrets = []*v1.Secret{{Path: "listKeys().keys[0].value"}, {Path: "listKeys().port"}}
		}, []armtest.Exchange{
			{Call: "GET " + at, Status: 200, Body: `{"properties":{"age":40}}`},
			{Call: "POST " + id + "/listKeys?api-version=2015-05-05", Status: 200, Body: `{"keys":[{"value":"k1"}],"port":8080}`},
		}, `exists compared status {"properties":{"age":40}} listKeys().keys[0].value=k1 listKeys().port=8080`},
		{"an action that takes long, whose Location has the result", listsKeys, []armtest.Exchange{
			{Call: "GET " + at, Status: 200, Body: done},
			{Call: "POST " + id + "/listKeys?api-version=2015-05-05", Status: 202, Header: "Azure-AsyncOperation: {url}/ops/1\nLocation: {url}/ops/2\nretry-after-ms: 100"},
			{Call: "GET /ops/2", Status: 202, Header: "Location: {url}/ops/3\nretry-after-ms: 100"},
			{Call: "GET /ops/3", Status: 503, Header: "retry-after-ms: 100"},
			{Call: "GET /ops/3", Status: 200, Body: `{"k":"v1"}`},
		}, "exists compared Provisioned=TRUE Succeeded status " + done + " listKeys().k=v1"},
		{"an action that takes long, whose status has the result", listsKeys, []armtest.Exchange{
			{Call: "GET " + at, Status: 200, Body: done},
			{Call: "POST " + id + "/listKeys?api-version=2015-05-05", Status: 202, Header: "Azure-AsyncOperation: {url}/ops/1\nretry-after-ms: 100"},
			{Call: "GET /ops/1", Status: 200, Header: "retry-after-ms: 100", Body: `{"status":"InProgress"}`},
			{Call: "GET /ops/1", Status: 200, Body: `{"status":"Succeeded","properties":{"k":"v1"}}`},
		}, "exists compared Provisioned=TRUE Succeeded status " + done + " listKeys().k=v1"},
		{"an action that fails in the end", listsKeys, []armtest.Exchange{
			{Call: "GET " + at, Status: 200, Body: done},
			{Call: "POST " + id + "/listKeys?api-version=2015-05-05", Status: 202, Header: "Azure-AsyncOperation: {url}/ops/1\nretry-after-ms: 100"},
			{Call: "GET /ops/1", Status: 200, Body: `{"status":"Failed","error":{"code":"Bad","message":"no keys"}}`},
		}, "INVALID listKeys of " + id + ": it ended as Failed: Bad: no keys"},
		{"an action whose operation ARM forgets", listsKeys, []armtest.Exchange{
			{Call: "GET " + at, Status: 200, Body: done},
			{Call: "POST " + id + "/listKeys?api-version=2015-05-05", Status: 202, Header: "Location: {url}/ops/1\nretry-after-ms: 100"},
			{Call: "GET /ops/1", Status: 404, Body: `{"error":{"code":"OperationNotFound"}}`},
		}, "TRANSIENT listKeys of " + id + ": ARM has forgotten its operation"},
		{"an action that is accepted, without a place of its result", listsKeys, []armtest.Exchange{
			{Call: "GET " + at, Status: 200, Body: done},
			{Call: "POST " + id + "/listKeys?api-version=2015-05-05", Status: 202, Header: "Location: https://elsewhere.example.com/"},
		}, "TRANSIENT listKeys of " + id + ": ARM accepts it and returns no address of its result"},
		{"a resource in the making has no outputs yet", func(r *v1.Resource) {
			r.Secrets = []*v1.Secret{{Path: "listKeys().k"}}
		}, []armtest.Exchange{{Call: "GET " + at, Status: 200, Body: going}}, "exists compared Provisioned=FALSE Updating status " + going},
		{"an output that the answer lacks", func(r *v1.Resource) { r.Secrets = []*v1.Secret{{Path: "listKeys().k"}} }, []armtest.Exchange{
			{Call: "GET " + at, Status: 200, Body: done},
			{Call: "POST " + id + "/listKeys?api-version=2015-05-05", Status: 200, Body: `{"keys":"hidden"}`},
		}, "INVALID outputs: listKeys answers without k"},
		{"only what lists may be called", func(r *v1.Resource) { r.Secrets = []*v1.Secret{{Path: "regenerateKey().k"}} }, nil,
			`INVALID outputs: path "regenerateKey().k": "regenerateKey" is no action that lists, as listKeys`},
		{"errors hold no secrets, even if ARM repeats them", func(r *v1.Resource) {
			r.Secrets = []*v1.Secret{{Path: "p", Value: []byte("hunter2")}}
		}, []armtest.Exchange{{Call: "GET " + at, Status: 400, Body: `{"error":{"code":"Bad","message":"not hunter2"}}`}},
			"INVALID read " + id + ": ARM answers 400 Bad: not (secret)"},
		{"nor do long ones, which are shortened", func(r *v1.Resource) {
			r.Secrets = []*v1.Secret{{Path: "p", Value: []byte(strings.Repeat("hunter2", 500))}}
		}, []armtest.Exchange{{Call: "GET " + at, Status: 400, Body: `{"error":{"code":"Bad","message":"not ` + strings.Repeat("hunter2", 500) + ` at all ` + strings.Repeat("ä", 1500) + `"}}`}},
			"INVALID read " + id + ": ARM answers 400 Bad: not (secret) at all " + strings.Repeat("ä", (2000-len("read "+id+": ARM answers 400 Bad: not (secret) at all "))/2) + "..."},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			server := armtest.Start(t, test.script...)
			about := subject()
			if test.change != nil {
				about = subject(test.change)
			}
			seen, err := fresh(t, server.URL).Observe(t.Context(), about)
			if got := see(seen.GetObservation(), err); got != test.want {
				t.Errorf("%s: got\n%s\nwant\n%s", test.reason, got, test.want)
			}
		})
	}
}

func listsKeys(r *v1.Resource) { r.Secrets = []*v1.Secret{{Path: "listKeys().k"}} }

// TestActionsGoOn tests an action that takes longer than one observation: the next observation
// continues it.
func TestActionsGoOn(t *testing.T) {
	server := armtest.Start(t,
		armtest.Exchange{Call: "GET " + at, Status: 200, Body: done},
		armtest.Exchange{Call: "POST " + id + "/listKeys?api-version=2015-05-05", Status: 202, Header: "Location: {url}/ops/1\nRetry-After: 60"},
		armtest.Exchange{Call: "GET " + at, Status: 200, Body: done},
		armtest.Exchange{Call: "GET /ops/1", Status: 200, Body: `{"k":"v1"}`},
		armtest.Exchange{Call: "GET " + at, Status: 200, Body: done},
		armtest.Exchange{Call: "POST " + id + "/listKeys?api-version=2015-05-05", Status: 200, Body: `{"k":"v2"}`},
	)
	p := fresh(t, server.URL)
	_, err := p.Observe(t.Context(), subject(listsKeys))
	failure := provider.FailureOf(err)
	if failure.GetReason() != provider.Reason_REASON_TRANSIENT || failure.GetCode() != "ActionInProgress" || failure.GetRetryAfter().AsDuration() != time.Minute {
		t.Fatalf("got %v, want a failure that passes, after a minute", err)
	}
	for _, want := range []string{"v1", "v2"} {
		seen, err := p.Observe(t.Context(), subject(listsKeys))
		if err != nil || string(seen.GetObservation().GetSecrets()[0].GetValue()) != want {
			t.Errorf("got %v, %v, want %s", seen, err, want)
		}
	}
}

// see returns an observation as one line.
func see(o *v1.Observation, err error) string {
	if f := provider.FailureOf(err); f != nil {
		return strings.TrimPrefix(f.GetReason().String(), "REASON_") + " " + f.GetMessage()
	}
	if err != nil {
		return err.Error()
	}
	words := []string{"absent"}
	if o.GetExists() {
		words[0] = "exists"
	}
	if o.GetEtag() != "" {
		words = append(words, "etag "+o.GetEtag())
	}
	if o.GetCompared() {
		words = append(words, "compared")
	}
	if len(o.GetDrift()) > 0 {
		words = append(words, "drift "+strings.Join(o.GetDrift(), ","))
	}
	for _, fact := range o.GetFacts() {
		words = append(words, fmt.Sprintf("%s=%s %s", fact.GetType(), strings.TrimPrefix(fact.GetTruth().String(), "TRUTH_"), fact.GetReason()))
	}
	words = append(words, "status "+string(o.GetStatus()))
	for _, secret := range o.GetSecrets() {
		words = append(words, secret.GetPath()+"="+string(secret.GetValue()))
	}
	return strings.Join(words, " ")
}

func TestHandlesThatWereChanged(t *testing.T) {
	server := armtest.Start(t)
	tests := []struct{ reason, handle, want string }{
		{"the token must not go to another host", `{"v":1,"method":"PUT","style":"status","url":"https://example.com/op"}`, "is not one of the endpoint"},
		{"nor to another port of this one", `{"v":1,"method":"PUT","style":"location","url":"http://127.0.0.1:1/op"}`, "is not one of the endpoint"},
		{"nor is another subscription looked at", `{"v":1,"method":"PUT","style":"status","url":"/subscriptions/t/x"}`, "names another subscription"},
		{"a method that begins no operation", `{"v":1,"method":"GET","style":"resource"}`, "neither PUT nor DELETE"},
		{"a style of later", `{"v":1,"method":"PUT","style":"dream"}`, `style "dream" is not known`},
		{"a version of later", `{"v":2}`, "version 2"},
		{"anything", `what?`, "no JSON of ours"},
	}
	for _, test := range tests {
		_, err := fresh(t, server.URL).Poll(t.Context(), &provider.OperationRequest{Subject: subject(), Operation: &provider.Operation{Handle: test.handle}})
		if f := provider.FailureOf(err); f.GetReason() != provider.Reason_REASON_INVALID || !strings.Contains(f.GetMessage(), test.want) {
			t.Errorf("%s: got %v, want %s", test.reason, err, test.want)
		}
	}
}

func TestCancel(t *testing.T) {
	deployment := func(r *v1.Resource) { r.Type = "Microsoft.Resources/deployments" }
	path := group + "/providers/Microsoft.Resources/deployments/anna"
	server := armtest.Start(t,
		armtest.Exchange{Call: "PUT " + path + "?api-version=2015-05-05", Status: 201, Body: going},
		armtest.Exchange{Call: "POST " + path + "/cancel?api-version=2015-05-05", Status: 204},
		armtest.Exchange{Call: "POST " + path + "/cancel?api-version=2015-05-05", Status: 409}, // it has ended by itself
		armtest.Exchange{Call: "POST " + path + "/cancel?api-version=2015-05-05", Status: 403},
	)
	p := fresh(t, server.URL)
	out, err := p.Apply(t.Context(), &provider.ApplyRequest{Subject: subject(deployment)})
	if err != nil || !out.GetOperation().GetCanCancel() {
		t.Fatalf("got %v, %v, want an operation that can be cancelled", out, err)
	}
	for range 2 {
		if _, err := p.Cancel(t.Context(), &provider.OperationRequest{Subject: subject(deployment), Operation: out.GetOperation()}); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.Cancel(t.Context(), &provider.OperationRequest{Subject: subject(deployment), Operation: out.GetOperation()}); provider.FailureOf(err).GetReason() != provider.Reason_REASON_UNAUTHORIZED {
		t.Errorf("got %v, want a refusal", err)
	}
	if _, err := p.Cancel(t.Context(), &provider.OperationRequest{Subject: subject()}); provider.FailureOf(err) == nil {
		t.Errorf("got %v, want a refusal for a type that cannot be cancelled", err)
	}
}

// TestNoAnswer covers an ARM that does not exist, or does not answer in time.
func TestNoAnswer(t *testing.T) {
	server := armtest.Start(t)
	server.Close()
	_, err := fresh(t, server.URL).Observe(t.Context(), subject())
	if f := provider.FailureOf(err); f.GetReason() != provider.Reason_REASON_TRANSIENT {
		t.Errorf("got %v, want a transient failure", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if _, err := fresh(t, server.URL).Observe(ctx, subject()); err == nil {
		t.Error("a call whose time is over went well")
	}
}

// TestTokensThatNoHeaderCarries covers tokens with bytes that no header allows. The provider
// refuses the credentials at once, with the position of the byte and nothing of the token. It
// makes no call.
func TestTokensThatNoHeaderCarries(t *testing.T) {
	server := armtest.Start(t)
	for token, at := range map[string]string{"hunter2\x01b": "byte 8 of", "hunter\x7f2": "byte 7 of", "hunter 2": "byte 7 of", "hunter\r\n2": "byte 7 of", "hunterü2": "byte 7 of", "hunter\xff2": "byte 7 of"} {
		_, err := fresh(t, server.URL).Observe(t.Context(), subject(func(r *v1.Resource) {
			r.Credentials = &v1.Credentials{Values: map[string][]byte{"AZURE_ACCESS_TOKEN": []byte(token)}}
		}))
		f := provider.FailureOf(err)
		if f.GetReason() != provider.Reason_REASON_UNAUTHORIZED || !strings.Contains(f.GetMessage(), at) || strings.Contains(f.GetMessage(), "hunter") {
			t.Errorf("%q gives %s: %s", token, f.GetReason(), f.GetMessage())
		}
	}
	server = armtest.Start(t, armtest.Exchange{Call: "GET /subscriptions/s/resourceGroups/g/providers/Microsoft.Crm/persons/anna?api-version=2015-05-05", Status: 404, Wants: "Authorization: Bearer a.b-c_d~e+f/g=="})
	_, err := fresh(t, server.URL).Observe(t.Context(), subject(func(r *v1.Resource) {
		r.Credentials = &v1.Credentials{Values: map[string][]byte{"AZURE_ACCESS_TOKEN": []byte("a.b-c_d~e+f/g==\n")}}
	}))
	if err != nil {
		t.Errorf("a token and a line end after it give %v", err)
	}
}

func TestConfiguration(t *testing.T) {
	tests := []struct {
		reason string
		config map[string]string
		want   []string
	}{
		{"all that is wrong at once", map[string]string{"cloud": "mars", "credentials": "some", "parent": "x", "endpont": "y"},
			[]string{`there is no "endpont"`, `cloud "mars"`, `credentials "some"`, `identifier "x" does not begin`}},
		{"a custom cloud has no endpoint by itself", map[string]string{"cloud": "custom"}, []string{"cloud custom needs an endpoint"}},
		{"tokens do not go over http to others", map[string]string{"cloud": "custom", "endpoint": "http://example.com"}, []string{"http is for 127.0.0.1"}},
		{"nor are they asked for there", map[string]string{"authority": "http://127.0.0.1"}, []string{"want https"}},
		{"the endpoint is a host, not a query", map[string]string{"endpoint": "https://h?x"}, []string{"want a URL as https://host"}},
	}
	for _, test := range tests {
		_, err := arm.Open(t.Context(), test.config)
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", test.reason, err, want)
			}
		}
	}
	for _, config := range []map[string]string{nil, {"cloud": "public"}, {"cloud": "usgovernment"}, {"cloud": "china"}, {"cloud": "custom", "endpoint": "https://h"}} {
		if _, err := arm.Open(t.Context(), config); err != nil {
			t.Errorf("%v: %v", config, err)
		}
	}
}

// TestPlaces covers resources without an identifier or a parent.
func TestPlaces(t *testing.T) {
	const version = "?api-version=2015-05-05"
	tests := []struct {
		reason string
		config map[string]string
		change func(*v1.Resource)
		want   string // the address, or the error
	}{
		{"the configuration's parent", map[string]string{"parent": group}, nil, id},
		{"without one, the tenant", nil, nil, "/providers/Microsoft.Crm/persons/anna"},
		{"a slash is the tenant, whatever the configuration says", map[string]string{"parent": group}, func(r *v1.Resource) { r.Place.Parent = "/" },
			"/providers/Microsoft.Crm/persons/anna"},
		{"a management group is in the tenant", map[string]string{"parent": group}, func(r *v1.Resource) { r.Type = "Microsoft.Management/managementGroups" },
			"/providers/Microsoft.Management/managementGroups/anna"},
		{"a resource group, in the subscription of its credentials", map[string]string{"subscription": "t"}, func(r *v1.Resource) {
			r.Type = "Microsoft.Resources/resourceGroups"
			r.Credentials = &v1.Credentials{Values: map[string][]byte{"AZURE_ACCESS_TOKEN": []byte("x"), "AZURE_SUBSCRIPTION_ID": []byte("u")}}
		}, "/subscriptions/u/resourceGroups/anna"},
		{"a resource group, in the configuration's subscription", map[string]string{"subscription": "t"}, func(r *v1.Resource) { r.Type = "Microsoft.Resources/resourceGroups" },
			"/subscriptions/t/resourceGroups/anna"},
		{"a resource group, in the subscription of the configuration's parent", map[string]string{"parent": group}, func(r *v1.Resource) { r.Type = "Microsoft.Resources/resourceGroups" },
			"/subscriptions/s/resourceGroups/anna"},
		{"a resource group and no subscription", nil, func(r *v1.Resource) { r.Type = "Microsoft.Resources/resourceGroups" }, "a resource group without an owner; hint:"},
		{"a child and no owner", map[string]string{"parent": group}, func(r *v1.Resource) { r.Type = "Microsoft.Crm/persons/notes" },
			"belongs to a parent of type Microsoft.Crm/persons, and " + group + " is of type Microsoft.Resources/resourceGroups; hint: set the parent in spec.owner"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			isAddress := strings.HasPrefix(test.want, "/")
			var script []armtest.Exchange
			if isAddress {
				script = []armtest.Exchange{{Call: "GET " + test.want + version, Status: 404, Body: missing}}
			}
			server := armtest.Start(t, script...)
			config := map[string]string{"cloud": "custom", "endpoint": server.URL, "credentials": "none"}
			maps.Copy(config, test.config)
			p := plugintest.Get(t, plugintest.InMemory(t, arm.Register), provider.Version, arm.Name, config)
			about := subject(func(r *v1.Resource) { r.Place.Parent = "" })
			if test.change != nil {
				test.change(about.GetResource())
			}
			_, err := p.Observe(t.Context(), about)
			if isAddress && err != nil || !isAddress && !strings.Contains(provider.FailureOf(err).GetMessage(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestLastChange checks the last change of a resource for each of its states, and during
// operations of the provider.
func TestLastChange(t *testing.T) {
	for state, want := range map[string]v1.Change{
		done: v1.Change_CHANGE_SUCCEEDED, going: v1.Change_CHANGE_RUNNING, bad: v1.Change_CHANGE_FAILED, stays: v1.Change_CHANGE_FAILED,
		`{"id":"` + id + `"}`: v1.Change_CHANGE_UNSPECIFIED,
	} {
		server := armtest.Start(t, armtest.Exchange{Call: "GET " + at, Status: 200, Body: state})
		out, err := fresh(t, server.URL).Observe(t.Context(), subject())
		if got := out.GetObservation().GetLastChange(); err != nil || got != want {
			t.Errorf("%s: the last change is %v (%v), want %v", state, got, err, want)
		}
	}
	server := armtest.Start(t, armtest.Exchange{Call: "PUT " + at, Status: 202, Header: operation}, armtest.Exchange{Call: "DELETE " + at, Status: 202, Header: operation})
	p := fresh(t, server.URL)
	applied, err := p.Apply(t.Context(), &provider.ApplyRequest{Subject: subject()})
	if got := applied.GetObservation().GetLastChange(); err != nil || got != v1.Change_CHANGE_RUNNING {
		t.Errorf("after a PUT the last change is %v (%v)", got, err)
	}
	deleted, err := p.Delete(t.Context(), subject())
	if got := deleted.GetObservation().GetLastChange(); err != nil || got != v1.Change_CHANGE_DELETING {
		t.Errorf("after a DELETE the last change is %v (%v)", got, err)
	}
}
