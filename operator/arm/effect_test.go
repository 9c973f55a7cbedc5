package arm_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/arm"
	"github.com/stratakube/strata/operator/plugin/effect"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// hijack takes over the connection of a request, writes a text, and closes it.
func hijack(t *testing.T, w http.ResponseWriter, text string) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = connection.Write([]byte(text))
	_ = connection.Close()
}

// TestEffects is a table over the faults of a server or a network during a PUT, and the effect of
// the PUT.
func TestEffects(t *testing.T) {
	for _, test := range []struct {
		reason string
		answer func(http.ResponseWriter)
		change func(*v1.Resource)
		want   provider.Effect
	}{
		{"the connection is cut before an answer", func(w http.ResponseWriter) { hijack(t, w, "") }, nil, effect.Possible},
		{"the connection is cut within an answer that tells of success", func(w http.ResponseWriter) {
			hijack(t, w, "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{")
		}, nil, effect.Certain},
		{"the connection is cut within an answer that tells of a refusal, which the pipeline reads itself", func(w http.ResponseWriter) {
			hijack(t, w, "HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\n{")
		}, nil, effect.Possible},
		{"the answer is not HTTP", func(w http.ResponseWriter) { hijack(t, w, "hello\r\n\r\n") }, nil, effect.Possible},
		{"the answer is larger than may be read", func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(strings.Repeat(" ", 8<<20+1)))
		}, nil, effect.Certain},
		{"no answer comes in time", func(http.ResponseWriter) { time.Sleep(600 * time.Millisecond) }, nil, effect.Possible},
		{"a gateway answers", func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, nil, effect.Possible},
		{"it is throttled", func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) }, nil, effect.None},
		{"it is refused", func(w http.ResponseWriter) { w.WriteHeader(http.StatusConflict) }, nil, effect.None},
		{"the change was accepted and has failed since", func(w http.ResponseWriter) { _, _ = w.Write([]byte(bad)) }, nil, effect.Certain},
		{"an output that is wanted is not given", func(w http.ResponseWriter) { _, _ = w.Write([]byte(done)) },
			func(r *v1.Resource) { r.Secrets = []*v1.Secret{{Path: "listKeys().none"}} }, effect.Certain},
		{"the spec is no JSON, and nothing is sent", nil, func(r *v1.Resource) { r.Spec = []byte("{") }, effect.None},
		{"the place is none", nil, func(r *v1.Resource) { r.Place.Name = ".." }, effect.None},
		{"there are no credentials", nil, func(r *v1.Resource) {
			r.Credentials = &v1.Credentials{Values: map[string][]byte{"AZURE_TENANT_ID": []byte("t")}}
		}, effect.None},
	} {
		t.Run(test.reason, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case test.answer == nil:
					t.Errorf("%s was called", r.URL)
				case r.Method == http.MethodPut:
					test.answer(w)
				default:
					_, _ = w.Write([]byte(done))
				}
			}))
			defer server.Close()
			about := subject()
			if test.change != nil {
				test.change(about.GetResource())
			}
			patience := 400 * time.Millisecond
			if test.want == effect.Certain { // an answer ends the call, even on a slow machine
				patience = time.Minute
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := fresh(t, server.URL).Apply(ctx, &provider.ApplyRequest{Subject: about})
			got := effect.Possible // the effect of an error without one, such as an expired deadline
			if f := provider.FailureOf(err); f != nil {
				got = f.GetEffect()
			}
			if err == nil || got != test.want {
				t.Errorf("the effect is %s (%v), want %s", got, err, test.want)
			}
		})
	}
}

// TestEffectsOfServersThatAreNotThere covers connections that cannot be made.
func TestEffectsOfServersThatAreNotThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	deaf, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections, but does not use TLS
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	go func() {
		for {
			connection, err := deaf.Accept()
			if err != nil {
				return
			}
			_, _ = connection.Write([]byte("hello\r\n"))
			_ = connection.Close()
		}
	}()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	token := func(r *v1.Resource) {
		r.Credentials = &v1.Credentials{Values: map[string][]byte{"AZURE_ACCESS_TOKEN": []byte("token")}}
	}
	for reason, url := range map[string]string{
		"nobody listens":                "http://127.0.0.1:" + strconv.Itoa(port),
		"there is no such name":         "https://nobody.invalid",
		"the server does not speak TLS": "https://" + deaf.Addr().String(),
	} {
		_, err := fresh(t, url).Apply(t.Context(), &provider.ApplyRequest{Subject: subject(token)})
		if f := provider.FailureOf(err); f.GetEffect() != effect.None || f.GetReason() != provider.Reason_REASON_TRANSIENT {
			t.Errorf("%s: got %v", reason, err)
		}
	}
}

// TestIdentify is a table over the identified resource and the scope of its credentials.
func TestIdentify(t *testing.T) {
	in := func(values map[string]string) func(*v1.Resource) {
		return func(r *v1.Resource) {
			r.Credentials = &v1.Credentials{Values: map[string][]byte{}}
			for name, value := range values {
				r.Credentials.Values[name] = []byte(value)
			}
		}
	}
	both := func(a, b func(*v1.Resource)) func(*v1.Resource) { return func(r *v1.Resource) { a(r); b(r) } }
	at := func(id string) func(*v1.Resource) { return func(r *v1.Resource) { r.Id = id } }
	group := func(r *v1.Resource) { r.Type, r.Place = "Microsoft.Resources/resourceGroups", &v1.Place{Name: "G"} }
	for _, test := range []struct {
		reason string
		change func(*v1.Resource)
		id     string
		scope  string
		fails  string
	}{
		{"a resource that nobody has looked at", nil, id, "", ""},
		{"its key does not heed case", func(r *v1.Resource) { r.Place.Name = "ANNA" }, strings.Replace(id, "anna", "ANNA", 1), "", ""},
		{"one that was observed is where it was", at(id), id, "", ""},
		{"the subscription of the credentials has resource groups", both(group, in(map[string]string{"AZURE_SUBSCRIPTION_ID": "S2", "AZURE_TENANT_ID": "T"})),
			"/subscriptions/S2/resourceGroups/G", "tenant=t subscription=s2", ""},
		{"the tenant of a token is its own", in(map[string]string{"AZURE_ACCESS_TOKEN": "e30.eyJ0aWQiOiJUMSJ9.x"}), id, "tenant=t1", ""},
		{"a token that says nothing has none", in(map[string]string{"AZURE_ACCESS_TOKEN": "opaque"}), id, "", ""},
		{"an identifier of another type", at("/subscriptions/s/resourceGroups/g/providers/Microsoft.Crm/parties/anna"), "", "", "is no Microsoft.Crm/persons"},
		{"an identifier that climbs", at("/subscriptions/s/resourceGroups/g/providers/Microsoft.Crm/persons/.."), "", "", "no name"},
		{"an identifier with a query", at(id + "?x=y"), "", "", "which no name may"},
		{"an identifier outside of the subscription of the credentials", both(at("/subscriptions/other/resourceGroups/g/providers/Microsoft.Crm/persons/anna"),
			in(map[string]string{"AZURE_SUBSCRIPTION_ID": "s"})), "", "", "is not in subscription s"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			about := subject()
			if test.change != nil {
				test.change(about.GetResource())
			}
			got, err := fresh(t, "http://127.0.0.1:1").Identify(t.Context(), about)
			if test.fails != "" {
				if f := provider.FailureOf(err); f.GetReason() != provider.Reason_REASON_INVALID || !strings.Contains(f.GetMessage(), test.fails) {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			want := map[string]string{"endpoint": "127.0.0.1:1"}
			for pair := range strings.FieldsSeq(test.scope) {
				name, value, _ := strings.Cut(pair, "=")
				want[name] = value
			}
			isSame := len(got.GetScope()) == len(want)
			for name, value := range want {
				isSame = isSame && got.GetScope()[name] == value
			}
			if err != nil || got.GetId() != test.id || got.GetKey() != strings.ToLower(test.id) || !isSame {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// TestAnonymous is a table over configurations and credentials. Only a configuration without
// credentials lets a resource without a Secret be called where Secrets are required.
func TestAnonymous(t *testing.T) {
	const none, usual = "none", "default"
	for _, test := range []struct {
		config string
		values map[string][]byte
		want   bool
	}{
		{none, nil, true},
		{none, map[string][]byte{"AZURE_ACCESS_TOKEN": []byte("t")}, false},
		{usual, nil, false},
		{usual, map[string][]byte{"AZURE_ACCESS_TOKEN": []byte("t")}, false},
	} {
		h := plugintest.InMemory(t, arm.Register)
		p := plugintest.Get(t, h, provider.Version, arm.Name, map[string]string{"cloud": "custom", "endpoint": "http://127.0.0.1:1", "credentials": test.config})
		about := subject(func(r *v1.Resource) { r.Credentials = &v1.Credentials{Values: test.values} })
		if got, err := p.Identify(t.Context(), about); err != nil || got.GetAnonymous() != test.want {
			t.Errorf("credentials: %s and %d values: got %v, %v, want %t", test.config, len(test.values), got, err, test.want)
		}
	}
}
