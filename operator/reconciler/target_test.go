package reconciler

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/plugin"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
)

// teller is a provider that returns given identities.
type teller struct {
	v2.Provider
	is    *v2.Identity
	err   error
	asked string // the identifier in the request
}

func (t *teller) Identify(_ context.Context, in *v2.Subject) (*v2.Identity, error) {
	t.asked = in.GetResource().GetId()
	return t.is, t.err
}

// asks returns a pass whose provider is a teller.
func asks(t *testing.T, to *teller, o Options) *pass {
	t.Helper()
	h := plugintest.InMemory(t, func(s *plugin.Server) {
		v2.Register(s, "example.com/teller", func(context.Context, map[string]string) (v2.Provider, error) { return to, nil })
	})
	p := passOf(t, o)
	var err error
	if p.provider, err = provider.Open(h, []provider.Entry{{Name: "example.com/teller"}}, provider.Options{}).For(p.kind.Type); err != nil {
		t.Fatal(err)
	}
	p.subject = &v2.Subject{Resource: &v1.Resource{Type: p.kind.Type}}
	return p
}

// TestTargets is a table over how providers identify a resource.
func TestTargets(t *testing.T) {
	scope := map[string]string{"tenant": "t"}
	for _, test := range []struct {
		reason  string
		is      *v2.Identity
		address annotation.Address
		want    annotation.Target
	}{
		{"with a key of their own", &v2.Identity{Id: "/A/b", Key: "b of a", Scope: scope}, annotation.Address{Name: "b"}, annotation.Target{ID: "/A/b", Key: "b of a", Scope: scope, Credentials: "mine"}},
		{"without a key", &v2.Identity{Id: "/A/b/"}, annotation.Address{Name: "b"}, annotation.Target{ID: "/A/b/", Key: "/a/b", Credentials: "mine"}},
		{"not at all", &v2.Identity{}, annotation.Address{Name: "Ada"}, annotation.Target{Key: "microsoft.crm/persons:/ada", Credentials: "mine"}},
		{"not at all, below a parent", &v2.Identity{}, annotation.Address{Parent: "/A/", Name: "Ada"}, annotation.Target{Key: "microsoft.crm/persons:/a/ada", Credentials: "mine"}},
		{"not at all, and with a key", &v2.Identity{Key: "k"}, annotation.Address{Name: "Ada"}, annotation.Target{Key: "microsoft.crm/persons:/ada", Credentials: "mine"}},
	} {
		p := asks(t, &teller{is: test.is}, Options{})
		p.externalAddress, p.secret = test.address, "mine"
		err := p.target(t.Context(), "")
		if diff := cmp.Diff(test.want, p.aim); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", test.reason, err, diff)
		}
	}
	p := asks(t, &teller{err: errors.New("no")}, Options{})
	if h := haltOf(t, p.target(t.Context(), "")); h.reason != provider.ReasonTransient {
		t.Errorf("it halts with %+v", h)
	}
}

// TestWhichResourceIsAskedFor is a table over the claimed resource and the subject of calls.
func TestWhichResourceIsAskedFor(t *testing.T) {
	ownedBy := func(id, target string) annotation.State {
		return annotation.State{Owned: target != "", ID: id, Target: annotation.Target{ID: target, Key: annotation.Key(target)}}
	}
	for _, test := range []struct {
		reason   string
		do       func(*pass, context.Context) error
		recorded annotation.State
		is       string
		asked    string
		about    string // "-" for a halt
	}{
		{"nothing is claimed", (*pass).identify, annotation.State{}, "/a", "", ""},
		{"it is claimed, and not made", (*pass).identify, ownedBy("", "/a"), "/a", "", ""},
		{"it was made", (*pass).identify, ownedBy("/A", "/a"), "/a", "", "/A"},
		{"the claim is to another one", (*pass).identify, ownedBy("/b", "/b"), "/a", "", "-"},
		{"the annotation is of another one", (*pass).identify, ownedBy("/b", "/a"), "/a", "", "-"},
		{"a claim of earlier", (*pass).identify, annotation.State{Owned: true, ID: "/a"}, "/a", "", "/a"},
		{"a claim of earlier to another one", (*pass).identify, annotation.State{Owned: true, ID: "/b"}, "/a", "", "-"},
		{"a provider that cannot identify", (*pass).identify, annotation.State{Owned: true, ID: "/b"}, "", "", "/b"},
		{"it was looked at", (*pass).seek, annotation.State{ID: "/A"}, "/a", "", "/A"},
		{"another one was looked at", (*pass).seek, annotation.State{ID: "/b"}, "/a", "", ""},
		{"something was looked at, of a provider that cannot identify", (*pass).seek, annotation.State{ID: "/b"}, "", "", "/b"},
		{"to delete it", (*pass).identifyToDelete, ownedBy("/A", "/a"), "/a", "/a", "/a"},
		{"to delete it by a claim of earlier", (*pass).identifyToDelete, annotation.State{Owned: true, ID: "/b"}, "/b", "/b", "/b"},
		{"to delete what was not made", (*pass).identifyToDelete, ownedBy("", "/a"), "/a", "/a", "/a"},
	} {
		to := &teller{is: &v2.Identity{Id: test.is}}
		p := asks(t, to, Options{})
		p.recorded, p.subject.Resource.Id = test.recorded, "before"
		err := test.do(p, t.Context())
		if to.asked != test.asked {
			t.Errorf("%s: the provider was asked about %q, want %q", test.reason, to.asked, test.asked)
		}
		if test.about == "-" {
			if h := haltOf(t, err); h.reason != PlaceChanged || h.state != stalled {
				t.Errorf("%s: it halts with %+v", test.reason, h)
			}
			continue
		}
		if got := p.subject.GetResource().GetId(); err != nil || got != test.about && (got != "before" || test.about != "") {
			t.Errorf("%s: calls are about %q (%v), want %q", test.reason, got, err, test.about)
		}
	}
}

// TestNeedForCredentials is a table over objects of operators that serve several tenants.
func TestNeedForCredentials(t *testing.T) {
	now := metav1.Now()
	for _, test := range []struct {
		reason              string
		required            bool
		secret, namespace   string
		anonymous, isEnding bool
		waits               bool
	}{
		{"an object of a namespace", true, "", "default", false, false, true},
		{"one that is deleted, and its namespace is not", true, "", "default", false, true, true},
		{"one with a Secret", true, "mine", "default", false, false, false},
		{"one of an API that wants no credentials", true, "", "default", true, false, false},
		{"one of the cluster", true, "", "", false, false, false},
		{"one of an operator with one tenant", false, "", "default", false, false, false},
	} {
		p := asks(t, &teller{is: &v2.Identity{Id: "/a", Anonymous: test.anonymous}}, Options{RequireCredentials: test.required, Live: &reader{}})
		p.secret, p.key.Namespace = test.secret, test.namespace
		if test.isEnding {
			p.object.SetDeletionTimestamp(&now)
		}
		err := p.target(t.Context(), "")
		var h *halt
		if waits := errors.As(err, &h); waits != test.waits || waits && (h.reason != provider.ReasonSecretMissing || h.state != waiting) || !waits && err != nil {
			t.Errorf("%s: it ends with %v", test.reason, err)
		}
	}
	for _, test := range []struct {
		reason string
		live   *reader
		want   string // of the error; empty if the resource remains in the external API
	}{
		{"nobody knows the namespace", &reader{err: errors.New("no")}, "no"},
		{"the namespace stays", &reader{namespace: &corev1.Namespace{}}, provider.ReasonSecretMissing},
		{"the namespace is being deleted", &reader{namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now}}}, ""},
	} {
		p := asks(t, &teller{is: &v2.Identity{Id: "/a"}}, Options{RequireCredentials: true, Live: test.live})
		p.recorded = annotation.State{Owned: true, ID: "/a"}
		p.object.SetDeletionTimestamp(&now)
		err := p.target(t.Context(), "")
		if (err == nil) != (test.want == "") || err != nil && !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: it ends with %v, want %q", test.reason, err, test.want)
		}
		if left := strings.HasPrefix(p.left, "/a is left in the external API: the namespace is being deleted"); left != (test.want == "") || p.isLast != left {
			t.Errorf("%s: it is left: %q", test.reason, p.left)
		}
	}
}
