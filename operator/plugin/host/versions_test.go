package host_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/credentials"
	credentialsv2 "github.com/stratakube/strata/operator/plugin/credentials/v2"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v2"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/plugin/provider"
	providerv1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	providerv2 "github.com/stratakube/strata/operator/plugin/provider/v2"
)

func TestVersionOneStandsInForTwo(t *testing.T) {
	p := get(t, open(t, "-serve=provider.v1=example.com/files"), files)
	out, err := p.Apply(t.Context(), &providerv2.ApplyRequest{Subject: &providerv2.Subject{
		Resource: &providerv1.Resource{ApiVersion: "2019-08-01", Place: &providerv1.Place{Name: "a", Parent: "/groups/g"}},
		Owners:   []*providerv2.Owner{{Id: "/groups/g"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if out.GetOperation() != nil || out.GetObservation().GetId() != "/groups/g/a" {
		t.Errorf("got %v, want a resource and no operation", out)
	}
	polled, err := p.Poll(t.Context(), &providerv2.OperationRequest{Operation: &providerv2.Operation{Handle: "of a newer plugin"}})
	if err != nil || polled.GetOperation() != nil || !polled.GetObservation().GetExists() {
		t.Errorf("polling gives %v, %v, want that the resource is observed", polled, err)
	}
	if _, err := p.Cancel(t.Context(), &providerv2.OperationRequest{}); err != nil {
		t.Error(err)
	}
	if _, err := p.Delete(t.Context(), &providerv2.Subject{}); err != nil {
		t.Error(err)
	}
	_, err = observe(t.Context(), p, "fail no reason")
	if f := providerv2.FailureOf(err); f != nil {
		t.Errorf("a plugin of version 1 cannot say %v", f)
	}
	contains(t, err, "no reason", "provider example.com/files v1: Observe")
}

func TestNewestOfPluginIsUsed(t *testing.T) {
	p := get(t, open(t, "-serve=provider.v1=example.com/files,provider.v2=example.com/files"), files)
	out, err := p.Apply(t.Context(), &providerv2.ApplyRequest{Subject: &providerv2.Subject{Resource: resource("slow")}})
	if err != nil || !out.GetOperation().GetCanCancel() {
		t.Fatalf("got %v, %v, want an operation, which only version 2 has", out, err)
	}
	operation, polls := out.GetOperation(), 0
	for operation != nil {
		polled, err := p.Poll(t.Context(), &providerv2.OperationRequest{Operation: operation})
		if err != nil {
			t.Fatal(err)
		}
		operation, polls = polled.GetOperation(), polls+1
	}
	if polls != 3 {
		t.Errorf("the operation took %d polls, want 3", polls)
	}
	_, err = apply(t.Context(), p, "throttled enough")
	f := providerv2.FailureOf(err)
	if f.GetReason() != providerv2.Reason_REASON_THROTTLED || f.GetRetryAfter().GetSeconds() != 7 || f.GetCode() != "TooManyRequests" {
		t.Errorf("failure = %v, want what the plugin said", f)
	}
	contains(t, err, "enough")
}

func TestNamesThatAreNotThere(t *testing.T) {
	h := open(t, "-serve=provider.v1=example.com/files,provider.v1=blobs")
	if _, err := host.Get(t.Context(), h, provider.Latest, "blobs", nil); err != nil {
		t.Errorf("a name without a domain is ours: %v", err)
	}
	_, err := host.Get(t.Context(), h, provider.Latest, "example.com/none", nil)
	if !errors.Is(err, contract.ErrNotServed) {
		t.Errorf("error = %v, want ErrNotServed", err)
	}
	contains(t, err, "find provider example.com/none: not found: there are example.com/files, strata.dev/blobs")
	_, err = host.Get(t.Context(), h, credentials.Latest, "example.com/files", nil)
	contains(t, err, "find credentials example.com/files: not found: there is none of this kind")
	_, err = host.Get(t.Context(), h, provider.Latest, "Example.com/x/y", nil)
	contains(t, err, "is not the name of a plugin")
}

func TestUnsafeAdapters(t *testing.T) {
	h := open(t, "-serve=credentials.v1=example.com/old,credentials.v2=example.com/new")
	if _, err := credentials.Get(t.Context(), h, "example.com/new", nil); err != nil {
		t.Error(err)
	}
	_, err := credentials.Get(t.Context(), h, "example.com/old", nil)
	var refused *contract.NotAdaptableError
	if !errors.As(err, &refused) {
		t.Fatalf("error = %v, want a NotAdaptableError", err)
	}
	contains(t, err, "find credentials example.com/old: it has credentials.v1, and credentials.v1 cannot stand in for credentials.v2, because it does not learn for whom it answers")
}

// TestOlderHosts uses plugins of a later release, and checks that the host ignores kinds and
// versions that it does not know.
func TestOlderHosts(t *testing.T) {
	h := open(t, "-serve=provider.v1=example.com/both,provider.v2=example.com/both,provider.v2=example.com/new")
	if _, err := host.Get(t.Context(), h, providerv1.Version, "example.com/both", nil); err != nil {
		t.Error(err)
	}
	_, err := host.Get(t.Context(), h, providerv1.Version, "example.com/new", nil)
	contains(t, err, "not found: it has only v2, and this host knows no more than provider.v1")
	rows, err := h.List(t.Context(), providerv1.Version, v2.Version)
	if err != nil || len(rows) != 2 || rows[0].Native != 1 || rows[1].Native != 0 || rows[1].Err == nil {
		t.Fatalf("got %+v, %v", rows, err)
	}
	contains(t, rows[1].Err, "not found: it has only v2, and this host knows no more than provider.v1")
}

func TestEachNameIsListedOnce(t *testing.T) {
	h := open(t, "-serve=provider.v2=b,provider.v1=a,provider.v1=b,credentials.v1=a")
	rows, err := h.List(t.Context(), credentials.Latest, provider.Latest)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Kind, Name string
		Native     int
		IsAdapted  bool
		IsRefused  bool
	}
	var got []row
	for _, r := range rows {
		got = append(got, row{r.Kind, r.Name, r.Native, r.IsAdapted(), r.Err != nil})
	}
	want := []row{{"credentials", "strata.dev/a", 0, false, true}, {"provider", "strata.dev/a", 1, true, false}, {"provider", "strata.dev/b", 2, false, false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	contains(t, rows[0].Err, "credentials.v1 cannot stand in for credentials.v2")
}

func TestDuplicates(t *testing.T) {
	_, err := host.Get(t.Context(), open(t, "-serve=provider.v1=a,provider.v1=strata.dev/a"), provider.Latest, "a", nil)
	contains(t, err, "exit status 2: this plugin cannot serve: ", "provider.go:", "provider strata.dev/a v1 is registered already, at ")

	two := plugintest.Open(t, options(plugin("-serve=provider.v1=a"), plugin("-serve=provider.v2=a")))
	_, err = host.Get(t.Context(), two, provider.Latest, "a", nil)
	contains(t, err, "provider strata.dev/a is served by two plugins: "+built.program()+" and "+built.program())

	locked := options(plugin(), plugin())
	for i := range locked.Plugins {
		locked.Plugins[i].Serves = []contract.Served{{ID: contract.ID{Kind: "provider", Number: 1}, Name: "example.com/a"}}
	}
	_, err = host.Open(locked)
	contains(t, err, "served by two plugins")
}

// TestOneInstancePerConfiguration checks that configurations are not mixed up.
func TestOneInstancePerConfiguration(t *testing.T) {
	h := open(t)
	a := plugintest.Get(t, h, provider.Latest, files, map[string]string{"who": "a"})
	b := plugintest.Get(t, h, provider.Latest, files, map[string]string{"who": "b"})
	again := plugintest.Get(t, h, provider.Latest, files, map[string]string{"who": "a"})
	if again != a || a == b {
		t.Error("the same configuration is another instance, or another the same")
	}
	for want, p := range map[string]provider.Provider{"a": a, "b": b} {
		if o, err := observe(t.Context(), p, ""); err != nil || !strings.Contains(string(o.GetStatus()), `"config":"`+want+`"`) {
			t.Errorf("got %s, %v, want configuration %s", o.GetStatus(), err, want)
		}
	}
	wrong := plugintest.Get(t, h, provider.Latest, files, map[string]string{"fail": "no such account"})
	_, err := observe(t.Context(), wrong, "")
	contains(t, err, "open: no such account")
}

func TestTokenOfVersionTwo(t *testing.T) {
	s := plugintest.Get(t, open(t, "-serve=credentials.v2=a"), credentials.Latest, "a", nil)
	out, err := s.Token(t.Context(), &credentialsv2.TokenRequest{Namespace: "blue"})
	if err != nil || out.GetToken() != "token of blue" {
		t.Errorf("got %v, %v", out, err)
	}
}
