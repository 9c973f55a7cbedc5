package provider_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/types/known/timestamppb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/operator/api/crm/v20180808"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin"
	"github.com/stratakube/strata/operator/plugin/contract"
	credentials "github.com/stratakube/strata/operator/plugin/credentials/v2"
	"github.com/stratakube/strata/operator/plugin/effect"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/runtime"
)

func ptr[T any](v T) *T { return &v }

func TestBody(t *testing.T) {
	for _, test := range []struct {
		reason string
		spec   *v20180808.PersonSpec
		want   string
		names  provider.Names
	}{
		{"what is Strata's own is left out", &v20180808.PersonSpec{
			Location: ptr("westeurope"), AzureName: ptr("ada"), Owner: &runtime.Owner{Name: ptr("crm")},
			ConfigMapRefs: []runtime.ConfigMapRef{{Path: ptr("properties.legalName"), Name: ptr("names"), Key: ptr("ada")}},
			Outputs:       &runtime.Outputs{ConfigMaps: []runtime.Output{{Name: ptr("m"), Key: ptr("k"), From: ptr("id")}}},
		}, `{"location":"westeurope"}`, nil},
		{"empty is empty, and absent is absent", &v20180808.PersonSpec{Location: ptr(""), Tags: map[string]string{}}, `{"location":"","tags":{}}`, nil},
		{"signs of HTML stay as they are", &v20180808.PersonSpec{Location: ptr("<&>")}, `{"location":"<&>"}`, nil},
		{"nothing is an empty body", &v20180808.PersonSpec{}, `{}`, nil},
		{
			"what has another name here has its own name outside, also where that is one of Strata's",
			&v20180808.PersonSpec{Location: ptr("w"), Owner: &runtime.Owner{Name: ptr("crm")}, Tags: map[string]string{"a": "b"}}, `{"owner":"w","tags":{"a":"b"}}`,
			provider.Names{"location": "owner"},
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := provider.Body(test.spec, test.names)
			if err != nil || string(got) != test.want {
				t.Errorf("the body is %s (%v), want %s", got, err, test.want)
			}
		})
	}
}

func TestPathsInExternalAPI(t *testing.T) {
	names := provider.Names{"vendorOwner": "owner", "properties": "props"}
	for path, want := range map[string]string{
		"vendorOwner": "owner", "properties.password": "props.password", "properties[0]": "props[0]", "location.properties": "location.properties",
		"listKeys().key": "listKeys().key",
	} {
		if got := names.Path(path); got != want {
			t.Errorf("%s is %s outside, want %s", path, got, want)
		}
	}
}

// renamed is a person of a version whose members have other names in the external API.
type renamed struct {
	v20180808.Person `json:",inline"`
}

func (r *renamed) ExternalNames() map[string]string {
	return map[string]string{"location": "conditions"}
}

func TestStatusWithOtherNamesInExternalAPI(t *testing.T) {
	s := scheme(t)
	api := schema.GroupVersionKind{Group: "crm.example.com", Version: "v20180809", Kind: "Person"}
	s.AddKnownTypeWithName(api, &renamed{})
	got, err := provider.Statuses{Scheme: s}.Hub(provider.Answer{
		Hub: api.GroupKind().WithVersion("v20190909storage"), API: api, Status: []byte(`{"conditions":"w","tags":{"a":"b"}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"location": "w", "tags": map[string]any{"a": "b"}}, got); diff != "" {
		t.Errorf("the status (-want +got):\n%s", diff)
	}
}

func TestDigestsTellChangesApart(t *testing.T) {
	of := provider.Digest("2018-08-08", []byte(`{}`), []string{"a/1", "b/1"})
	if of != provider.Digest("2018-08-08", []byte(`{}`), []string{"b/1", "a/1"}) {
		t.Error("the order of Secrets matters")
	}
	for _, other := range []string{
		provider.Digest("2019-09-09", []byte(`{}`), []string{"a/1", "b/1"}),
		provider.Digest("2018-08-08", []byte(`{"a":1}`), []string{"a/1", "b/1"}),
		provider.Digest("2018-08-08", []byte(`{}`), []string{"a/1", "b/2"}),
		provider.Digest("2018-08-08", []byte(`{}`), []string{"a/1"}),
	} {
		if other == of {
			t.Error("a change has the same digest")
		}
	}
}

func TestBounded(t *testing.T) {
	got := provider.Bounded("the password hunter2 is wrong, ok", []byte("hunter2"), []byte("ok"))
	if got != "the password *** is wrong, ok" {
		t.Errorf("it is %q", got)
	}
	for reason, row := range map[string]struct{ message, want string }{
		"of two values the longer one goes first": {"hunter2 and hunter22", "*** and ***"},
		"as it stands in JSON":                    {`{"password":"a\"b\nc"}`, `{"password":"***"}`},
		"as it stands in JSON for HTML":           {`"x\u003cyz" and "x<yz"`, `"***" and "***"`},
	} {
		if got := provider.Bounded(row.message, []byte("hunter2"), []byte("hunter22"), []byte("a\"b\nc"), []byte("x<yz")); got != row.want {
			t.Errorf("%s: it is %q, want %q", reason, got, row.want)
		}
	}
	if got := provider.Bounded(strings.Repeat("é", 5000)); len(got) > 1100 || !strings.HasSuffix(got, " ...") {
		t.Errorf("it has %d bytes", len(got))
	}
}

func TestParseProviders(t *testing.T) {
	const head = "apiVersion: strata.dev/v1alpha1\nkind: Providers\n"
	for _, test := range []struct {
		reason, text string
		wrong        []string
	}{
		{"a name is enough", head + "providers: [{name: strata.dev/arm}]", nil},
		{"all that there is", head + "providers: [{name: strata.dev/arm, types: ['Microsoft.*'], config: {a: b}, rate: {perSecond: 2.5, burst: 5}}]", nil},
		{"it is something else", "apiVersion: v1\nkind: List", []string{"it is v1 List", "providers is empty"}},
		{"a slip is not passed over", head + "providers: [{name: a, typs: [b]}]", []string{`unknown field "typs"`}},
		{"all that is wrong is told", head + "providers: [{types: ['[']}, {name: b, rate: {burst: 2}}, {name: c, rate: {perSecond: -1}}]",
			[]string{"providers[0].name is missing", `providers[0].types[0]: "[" is no pattern`, "providers[1].rate.burst", "providers[2].rate is below zero"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			_, err := provider.Parse([]byte(test.text))
			if (err != nil) != (len(test.wrong) > 0) {
				t.Fatalf("the error is %v", err)
			}
			for _, want := range test.wrong {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v, and lacks %q", err, want)
				}
			}
		})
	}
}

func TestFirstEntryThatMatchesWins(t *testing.T) {
	h := plugintest.InMemory(t, (&fakeprovider.Cloud{}).Register)
	p := provider.Open(h, []provider.Entry{{Name: "a", Types: []string{"Microsoft.Batch/*"}}, {Name: "b", Types: []string{"microsoft.*"}}}, provider.Options{})
	for external, want := range map[string]string{
		"Microsoft.Batch/batchAccounts": "a", "Microsoft.Batch/batchAccounts/pools": "a", "MICROSOFT.crm/persons": "b", "Sendgrid.Email/accounts": "",
	} {
		got, err := p.For(external)
		if want == "" {
			if f := provider.FailureOf(err); err == nil || f.Reason != provider.ReasonUnavailable {
				t.Errorf("%s has %v (%v)", external, got, err)
			}
		} else if err != nil || got.Name() != want {
			t.Errorf("%s has %v (%v), want %s", external, got, err, want)
		}
	}
}

func TestMeaningOfFailures(t *testing.T) {
	for _, test := range []struct {
		reason string
		err    error
		want   string
		stuck  bool
		effect v2.Effect
	}{
		{"nobody knows what became of a call that was cut off", &host.InterruptedError{Plugin: "p", Why: errors.New("killed")}, provider.ReasonUnknown, false, effect.Possible},
		{"nor of one that took too long", fmt.Errorf("call: %w", context.DeadlineExceeded), provider.ReasonUnknown, false, effect.Possible},
		{"nor of one that the caller gave up", fmt.Errorf("call: %w", context.Canceled), provider.ReasonUnknown, false, effect.Possible},
		{"nor of one during which the host stopped", fmt.Errorf("call: %w", host.ErrStopped), provider.ReasonUnavailable, false, effect.Possible},
		{"nor of one in which the plugin panicked", &contract.PanicError{Message: "nil"}, provider.ReasonTransient, false, effect.Possible},
		{"a plugin that does not start was not called", &host.StartError{Plugin: "p", Why: errors.New("no file")}, provider.ReasonUnavailable, false, effect.None},
		{"nor was one in a crash loop", &host.CrashLoopError{Plugin: "p", Ends: 5, Last: errors.New("exit 1")}, provider.ReasonUnavailable, false, effect.None},
		{"nor one that is not there", fmt.Errorf("find: %w", contract.ErrNotServed), provider.ReasonUnavailable, false, effect.None},
		{"nor one that must not be adapted", &contract.NotAdaptableError{Reason: "unsafe"}, provider.ReasonUnavailable, false, effect.None},
		{"nor one that cannot be found", &provider.UnavailableError{Why: context.DeadlineExceeded}, provider.ReasonUnavailable, false, effect.None},
		{"nor one that is paused", &provider.PausedError{Provider: "p", Until: time.Now().Add(time.Second)}, provider.ReasonThrottled, false, effect.None},
		{"a spec that is too large has to change", &contract.SizeError{What: "request", Size: 2, Limit: 1}, provider.ReasonInvalid, true, effect.None},
		{"an answer that is too large comes after the call", &contract.SizeError{What: "answer", Size: 2, Limit: 1}, provider.ReasonTransient, false, effect.Possible},
		{"an error that says nothing may pass", errors.New("what?"), provider.ReasonTransient, false, effect.Possible},
		{"nobody knows what a refused call changed, unless the provider says so", fakeprovider.Fail(v2.Reason_REASON_INVALID, "no", 0), provider.ReasonInvalid, true, effect.Possible},
		{"nor a call that was throttled", fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "no", 0), provider.ReasonThrottled, false, effect.Possible},
		{"nor one whose parent is missing", fakeprovider.Fail(v2.Reason_REASON_NOT_FOUND, "no", 0), provider.ReasonMissing, false, effect.Possible},
		{"nor one without rights", fakeprovider.Fail(v2.Reason_REASON_UNAUTHORIZED, "no", 0), provider.ReasonUnauthorized, false, effect.Possible},
		{"nor one that may only create", fakeprovider.Fail(v2.Reason_REASON_CONFLICT, "no", 0), provider.ReasonConflict, false, effect.Possible},
		{"what may pass may have been done", fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "no", 0), provider.ReasonTransient, false, effect.Possible},
		{"reasons of newer providers may pass", fakeprovider.Fail(v2.Reason(99), "no", 0), provider.ReasonTransient, false, effect.Possible},
		{"a provider that knows better is believed", fakeprovider.FailAfter(effect.Certain, v2.Reason_REASON_INVALID, "no"), provider.ReasonInvalid, true, effect.Certain},
		{"also that nothing happened", fakeprovider.FailAfter(effect.None, v2.Reason_REASON_TRANSIENT, "no"), provider.ReasonTransient, false, effect.None},
		{"as a refusal before anything was sent", fakeprovider.FailAfter(effect.None, v2.Reason_REASON_INVALID, "no"), provider.ReasonInvalid, true, effect.None},
	} {
		t.Run(test.reason, func(t *testing.T) {
			f := provider.FailureOf(test.err)
			if f.Reason != test.want || f.Stuck != test.stuck || f.Effect != test.effect {
				t.Errorf("it means %+v", f)
			}
		})
	}
	if f := provider.FailureOf(fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "later", 100*time.Hour)); f.After > 5*time.Minute {
		t.Errorf("a provider can stop us for %v", f.After)
	}
}

// TestOnlyThrottledCallsPause is a table over calls that pause after a throttled one.
func TestOnlyThrottledCallsPause(t *testing.T) {
	about := func(id, parent, token, subscription string) *v2.Subject {
		return &v2.Subject{Resource: &v1.Resource{
			Id: id, Place: &v1.Place{Name: "ada", Parent: parent},
			Credentials: &v1.Credentials{Values: map[string][]byte{"AZURE_ACCESS_TOKEN": []byte(token), "AZURE_SUBSCRIPTION_ID": []byte(subscription)}},
		}}
	}
	client := func(client, token string) *v2.Subject {
		s := about("/subscriptions/s/resourceGroups/g", "", token, "")
		s.Resource.Credentials.Values["AZURE_CLIENT_ID"] = []byte(client)
		return s
	}
	for _, test := range []struct {
		reason string
		other  *v2.Subject
		paused bool
	}{
		{"the same resource", about("/subscriptions/s/resourceGroups/g", "", "t", ""), true},
		{"another resource there", about("", "/Subscriptions/S/resourceGroups/h", "t", ""), true},
		{"other credentials", about("/subscriptions/s/resourceGroups/g", "", "u", ""), false},
		{"another subscription", about("/subscriptions/s2/resourceGroups/g", "", "t", ""), false},
		{"another subscription of other credentials", about("", "", "t", "s2"), false},
		{"no credentials", &v2.Subject{}, false},
		{"another token of the same client", client("c", "u"), true},
		{"the same token of another client", client("d", "t"), false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			cloud, registry := &fakeprovider.Cloud{}, prometheus.NewRegistry()
			counts, err := provider.NewCounts(registry)
			if err != nil {
				t.Fatal(err)
			}
			p, err := provider.Open(plugintest.InMemory(t, cloud.Register), []provider.Entry{{Name: fakeprovider.Name}}, provider.Options{Counts: counts}).For("x")
			if err != nil {
				t.Fatal(err)
			}
			cloud.Before(func(fakeprovider.Call) error {
				return fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "later", time.Hour)
			})
			first := about("/subscriptions/s/resourceGroups/g", "", "t", "")
			if test.other.GetResource().GetCredentials().GetValues()["AZURE_CLIENT_ID"] != nil {
				first = client("c", "t")
			}
			if _, err = p.Observe(t.Context(), first); err == nil {
				t.Fatal("it is not throttled")
			}
			cloud.Before(nil)
			_, err = p.Observe(t.Context(), test.other)
			if n := len(cloud.Calls("")); (n == 1) != test.paused || (err != nil) != test.paused {
				t.Errorf("there were %d calls, and the error is %v", n, err)
			}
			if test.paused {
				f := provider.FailureOf(err)
				if f.Reason != provider.ReasonThrottled || f.After < 3*time.Minute || f.After > provider.MaxPause || !strings.Contains(f.Message, "in subscription s: ") {
					t.Errorf("the pause is %+v", f)
				}
			}
			all, err := registry.Gather()
			if err != nil {
				t.Fatal(err)
			}
			isPaused := false
			for _, family := range all {
				if family.GetName() == "strata_operator_paused_until_seconds" {
					isPaused = family.GetMetric()[0].GetGauge().GetValue() > float64(time.Now().Add(time.Minute).Unix())
				}
			}
			if !isPaused {
				t.Errorf("the metrics %v do not tell of a pause", all)
			}
		})
	}
}

// TestTokensRotateWithinPause changes the token of a Secret while calls with it are paused, and
// uses another Secret beside it.
func TestTokensRotateWithinPause(t *testing.T) {
	cloud := &fakeprovider.Cloud{}
	p, err := provider.Open(plugintest.InMemory(t, cloud.Register), []provider.Entry{{Name: fakeprovider.Name}}, provider.Options{}).For("x")
	if err != nil {
		t.Fatal(err)
	}
	call := func(secret, token string) error {
		_, err := p.With(client.ObjectKey{Namespace: "n", Name: secret}).Observe(t.Context(), &v2.Subject{Resource: &v1.Resource{
			Id: "/subscriptions/s", Credentials: &v1.Credentials{Values: map[string][]byte{"AZURE_ACCESS_TOKEN": []byte(token), "AZURE_ACCESS_TOKEN_EXPIRES": []byte(token)}},
		}})
		return err
	}
	cloud.Before(func(fakeprovider.Call) error {
		return fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "later", time.Hour)
	})
	if call("a", "1") == nil {
		t.Fatal("it is not throttled")
	}
	cloud.Before(nil)
	if err := call("a", "2"); err == nil {
		t.Error("another token ends the pause")
	}
	if err := call("b", "1"); err != nil {
		t.Errorf("another Secret is paused, too: %v", err)
	}
	if n := len(cloud.Calls("")); n != 2 {
		t.Errorf("there were %d calls", n)
	}
}

// TestProofsRotateWithinPause changes the credential of a client while its calls are paused. The
// client of another Secret is a different one, since the author of that Secret may only claim to
// be the client.
func TestProofsRotateWithinPause(t *testing.T) {
	for _, test := range []struct {
		reason               string
		secret, client, with string
		paused               bool
	}{
		{"the same", "a", "c", "1", true},
		{"another proof", "a", "c", "2", true},
		{"another client", "a", "d", "1", false},
		{"the same in another Secret", "b", "c", "1", true},
		{"another proof in another Secret", "b", "c", "2", false},
		{"another proof in no Secret", "", "c", "2", false},
	} {
		for _, key := range []string{"AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE"} {
			t.Run(test.reason+", "+key, func(t *testing.T) {
				cloud := &fakeprovider.Cloud{}
				p, err := provider.Open(plugintest.InMemory(t, cloud.Register), []provider.Entry{{Name: fakeprovider.Name}}, provider.Options{}).For("x")
				if err != nil {
					t.Fatal(err)
				}
				call := func(secret, client, with string) error {
					from := types.NamespacedName{Namespace: "n", Name: secret}
					if secret == "" {
						from = types.NamespacedName{}
					}
					_, err := p.With(from).Observe(t.Context(), &v2.Subject{Resource: &v1.Resource{
						Id: "/subscriptions/s", Credentials: &v1.Credentials{Values: map[string][]byte{"AZURE_CLIENT_ID": []byte(client), key: []byte(with)}},
					}})
					return err
				}
				cloud.Before(func(fakeprovider.Call) error {
					return fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "later", time.Hour)
				})
				if call("a", "c", "1") == nil {
					t.Fatal("it is not throttled")
				}
				cloud.Before(nil)
				if err := call(test.secret, test.client, test.with); (err != nil) != test.paused {
					t.Errorf("it is paused: %v", err)
				}
			})
		}
	}
}

func scheme(t *testing.T) *k8sruntime.Scheme {
	t.Helper()
	s := k8sruntime.NewScheme()
	if err := errors.Join(api.AddToScheme(s), corev1.AddToScheme(s)); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStatuses(t *testing.T) {
	hub := schema.GroupVersionKind{Group: "crm.example.com", Version: "v20190909storage", Kind: "Person"}
	for _, test := range []struct {
		reason, version, status string
		want                    map[string]any
	}{
		{"nothing is said", "v20180808", "", map[string]any{}},
		{
			"what the version knows becomes what the hub knows", "v20180808", `{"location":"w","properties":{"mailingAddress":{"city":"London"}},"id":"/x"}`,
			map[string]any{"location": "w", "properties": map[string]any{"mailingAddress": map[string]any{"city": "London"}}, "id": "/x"},
		},
		{
			"what only the version knows is kept for it", "v20110101", `{"properties":{"firstName":"Ada"}}`,
			map[string]any{"properties": map[string]any{"knownAs": "Ada", "legalName": "Ada", "$propertyBag": map[string]any{"firstName": "Ada"}}},
		},
		{
			"a value of the wrong type is kept for its version", "v20180808", `{"location":7,"properties":{"legalName":"A"}}`,
			map[string]any{"properties": map[string]any{"legalName": "A"}, "$propertyBag": map[string]any{"location@v20180808!raw": int64(7)}},
		},
		{
			"how the API names the resource", "v20110101", `{"id":"/p/ada","name":"ada","type":"Microsoft.Crm/persons"}`,
			map[string]any{"id": "/p/ada", "name": "ada", "type": "Microsoft.Crm/persons"},
		},
		{
			"a name that is no text is kept for its version", "v20180808", `{"id":7}`,
			map[string]any{"$propertyBag": map[string]any{"id@v20180808!raw": int64(7)}},
		},
		{"what is Strata's own is not the outside's to say", "v20180808", `{"conditions":[{"type":"Ready"}],"propertyBag":"{}"}`, map[string]any{}},
		{
			"nor are hidden values of other versions", "v20180808",
			`{"location":"w","propertyBag":"{\"status\":{\"in\":{\"properties\":{\"bag\":{\"firstName\":\"Eve\"}}}}}","$propertyBag":{"firstName":"Eve"},"properties":{"legalName":"Ada","$propertyBag":{"firstName":"Eve"},"propertyBag":"Eve"}}`,
			map[string]any{"location": "w", "properties": map[string]any{"legalName": "Ada"}},
		},
		{
			"nor beside a value of the wrong type", "v20180808",
			`{"location":7,"propertyBag":"{\"status\":{\"in\":{\"properties\":{\"bag\":{\"firstName\":\"Eve\"}}}}}","properties":{"legalName":"Ada"}}`,
			map[string]any{"properties": map[string]any{"legalName": "Ada"}, "$propertyBag": map[string]any{"location@v20180808!raw": int64(7)}},
		},
		{"null is nothing", "v20180808", `null`, map[string]any{}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := provider.Statuses{Scheme: scheme(t)}.Hub(provider.Answer{
				Hub: hub, API: hub.GroupKind().WithVersion(test.version), Status: []byte(test.status),
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("the status (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := (provider.Statuses{Scheme: scheme(t)}).Hub(provider.Answer{Hub: hub, API: hub.GroupKind().WithVersion("v20180808"), Status: []byte(`[`)}); err == nil {
		t.Error("what is no JSON is no status")
	}
}

type source struct{ asked *[]*credentials.TokenRequest }

func (s source) Token(_ context.Context, in *credentials.TokenRequest) (*credentials.TokenResponse, error) {
	*s.asked = append(*s.asked, in)
	return &credentials.TokenResponse{Token: "t-" + in.GetNamespace(), Expires: timestamppb.New(time.Now().Add(time.Hour))}, nil
}

func TestCredentials(t *testing.T) {
	var asked []*credentials.TokenRequest
	h := plugintest.InMemory(t, func(s *plugin.Server) {
		credentials.Register(s, "example.com/tokens", func(context.Context, map[string]string) (credentials.Source, error) { return source{&asked}, nil })
	})
	secret := func(namespace, name string, data map[string][]byte) client.Object {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: data}
	}
	c := &provider.Credentials{Host: h, Reader: fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(
		secret("a", "strata-credentials", map[string][]byte{"AZURE_TENANT_ID": []byte("t")}),
		secret("a", "mine", map[string][]byte{"source": []byte("example.com/tokens"), "scopes": []byte("one two"), "AZURE_SUBSCRIPTION_ID": []byte("s")}),
	).Build()}
	for _, test := range []struct {
		reason, namespace, named string
		want                     []string
		fails                    bool
	}{
		{"those of the namespace", "a", "", []string{"AZURE_TENANT_ID"}, false},
		{"none, which means the plugin's own", "b", "", nil, false},
		{"those that are named and are not there are waited for", "b", "mine", nil, true},
		{"a source is asked", "a", "mine", []string{"AZURE_ACCESS_TOKEN", "AZURE_ACCESS_TOKEN_EXPIRES", "AZURE_SUBSCRIPTION_ID"}, false},
		{"and not again while the token is good", "a", "mine", []string{"AZURE_ACCESS_TOKEN", "AZURE_ACCESS_TOKEN_EXPIRES", "AZURE_SUBSCRIPTION_ID"}, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := c.For(t.Context(), client.ObjectKey{Namespace: test.namespace, Name: "ada"}, test.named)
			if (err != nil) != test.fails {
				t.Fatal(err)
			}
			if got == nil && test.want != nil || got != nil && len(got.GetValues()) != len(test.want) {
				t.Errorf("the credentials are %v", got)
			}
			for _, key := range test.want {
				if len(got.GetValues()[key]) == 0 {
					t.Errorf("there is no %s", key)
				}
			}
		})
	}
	if len(asked) != 1 || cmp.Diff([]string{"one", "two"}, asked[0].GetScopes()) != "" || asked[0].GetName() != "ada" {
		t.Errorf("the source was asked %v", asked)
	}
}
