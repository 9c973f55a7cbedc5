package reconciler

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/annotation"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// TestAgrees is a table over the sent body and the body of the resource.
func TestAgrees(t *testing.T) {
	for _, test := range []struct {
		reason, status, sent string
		want                 bool
	}{
		{"the same", `{"a":1,"b":{"c":[1,2]}}`, `{"a":1,"b":{"c":[1,2]}}`, true},
		{"more than was sent", `{"a":1,"b":{"c":1,"d":2},"e":3}`, `{"b":{"c":1}}`, true},
		{"less than was sent", `{"a":1}`, `{"a":1,"b":2}`, false},
		{"another value", `{"a":1}`, `{"a":2}`, false},
		{"another value inside", `{"b":{"c":1}}`, `{"b":{"c":2}}`, false},
		{"a value in place of an object", `{"b":1}`, `{"b":{"c":2}}`, false},
		{"an object in place of a value", `{"b":{"c":2}}`, `{"b":1}`, false},
		{"another list", `{"a":[1,2]}`, `{"a":[1]}`, false},
		{"null in place of nothing", `{}`, `{"a":null}`, true},
		{"nothing was sent", `{"a":1}`, `null`, false},
		{"what was sent cannot be read", `{"a":1}`, `{`, false},
		{"what is there cannot be read", `{`, `{"a":1}`, false},
		{"nothing is said", ``, `{"a":1}`, false},
	} {
		seen := &v1.Observation{Exists: true, Status: []byte(test.status)}
		if got := agrees(seen, []byte(test.sent)); got != test.want {
			t.Errorf("%s: %t", test.reason, got)
		}
		seen.Exists = false
		if agrees(seen, []byte(test.sent)) {
			t.Errorf("%s: what is not there agrees", test.reason)
		}
	}
	for _, test := range []struct {
		reason string
		seen   *v1.Observation
		want   bool
	}{
		{"nothing differs", &v1.Observation{Exists: true, Compared: true}, true},
		{"something differs", &v1.Observation{Exists: true, Compared: true, Drift: []string{"a"}}, false},
		{"nothing is there", &v1.Observation{Compared: true}, false},
	} {
		if got := agrees(test.seen, []byte(`{"a":1}`)); got != test.want {
			t.Errorf("a provider that compares: %s: %t", test.reason, got)
		}
	}
}

// TestBelievedAnswers is a table over creates and the time since they were sent.
func TestBelievedAnswers(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	sent := func(ago time.Duration, accepted bool) *annotation.SentCreate {
		return &annotation.SentCreate{At: now.Add(-ago), Accepted: accepted}
	}
	p := passOf(t, Options{Now: func() time.Time { return now }})
	for _, test := range []struct {
		reason string
		sent   *annotation.SentCreate
		want   bool
	}{
		{"nothing was sent", nil, false},
		{"just now", sent(0, false), true},
		{"almost an hour ago", sent(time.Hour-1, false), true},
		{"an hour ago", sent(time.Hour, false), false},
		{"it was accepted", sent(0, true), true},
		{"it has failed just now", &annotation.SentCreate{At: now, Ended: true}, true},
		{"it has failed a while ago", &annotation.SentCreate{At: now.Add(-lag), Ended: true}, false},
		{"an equal one was cut off before", &annotation.SentCreate{At: now.Add(-lag), Cut: now.Add(1 - time.Hour), Ended: true}, true},
		{"an equal one was cut off an hour before", &annotation.SentCreate{At: now.Add(-lag), Cut: now.Add(-time.Hour), Ended: true}, false},
		{"another one was cut off before", &annotation.SentCreate{At: now.Add(-lag), Cut: now, Omitted: true, Ended: true}, false},
	} {
		if got := p.isBelieved(test.sent); got != test.want {
			t.Errorf("%s: it is believed: %t", test.reason, got)
		}
	}
}

// TestIdentities is a table over the observed identifier and the claimed one.
func TestIdentities(t *testing.T) {
	for _, test := range []struct {
		reason, seen, aim string
		address           annotation.Address
		want              string
	}{
		{"another spelling", "/A/B", "/a/b/", annotation.Address{Name: "b"}, "/A/B"},
		{"another resource", "/A/C", "/a/b", annotation.Address{Name: "b"}, "/a/b"},
		{"the provider says nothing", "", "/a/b", annotation.Address{Name: "b"}, "/a/b"},
		{"the provider cannot identify", "/A/B", "", annotation.Address{Name: "b"}, "/A/B"},
		{"nor say", "", "", annotation.Address{Name: "b"}, "b"},
		{"below a parent", "", "", annotation.Address{Parent: "/a", Name: "b"}, "/a/b"},
		{"below a parent whose identifier ends otherwise", "", "", annotation.Address{Parent: "/a/", Name: "b"}, "/a/b"},
	} {
		p := passOf(t, Options{})
		p.seen, p.aim.ID, p.externalAddress = &v1.Observation{Exists: true, Id: test.seen}, test.aim, test.address
		if got := p.identity(); got != test.want {
			t.Errorf("%s: it is %s, want %s", test.reason, got, test.want)
		}
	}
}

// TestKnownToBeInSync is a table over existing resources that need no call.
func TestKnownToBeInSync(t *testing.T) {
	fact := func(kind string, truth v1.Truth) []*v1.Fact {
		return []*v1.Fact{{Type: "Other"}, {Type: kind, Truth: truth}}
	}
	for _, test := range []struct {
		reason  string
		seen    *v1.Observation
		secrets []*v1.Secret
		want    bool
	}{
		{"nothing differs", &v1.Observation{Compared: true}, nil, true},
		{"something differs", &v1.Observation{Compared: true, Drift: []string{"a"}}, nil, false},
		{"nobody has compared", &v1.Observation{}, nil, false},
		{"secrets cannot be compared", &v1.Observation{Compared: true}, []*v1.Secret{{Path: "out()"}, {Path: "p", Value: []byte("x")}}, false},
		{"outputs are no secrets to send", &v1.Observation{Compared: true}, []*v1.Secret{{Path: "out()"}}, true},
		{"its last change has failed", &v1.Observation{Compared: true, Facts: fact(v1.Provisioned, v1.Truth_TRUTH_FALSE)}, nil, false},
		{"its last change ended well", &v1.Observation{Compared: true, Facts: fact(v1.Provisioned, v1.Truth_TRUTH_TRUE)}, nil, true},
		{"its last change goes on, as a field says", &v1.Observation{Compared: true, LastChange: v1.Change_CHANGE_RUNNING}, nil, true},
		{"its last change has failed, as a field says", &v1.Observation{Compared: true, LastChange: v1.Change_CHANGE_FAILED}, nil, false},
		{"it is being deleted", &v1.Observation{Compared: true, LastChange: v1.Change_CHANGE_DELETING}, nil, false},
		{"its last change ended well, as a field says", &v1.Observation{Compared: true, LastChange: v1.Change_CHANGE_SUCCEEDED, Facts: fact(v1.Provisioned, v1.Truth_TRUTH_FALSE)}, nil, true},
		{"another fact is false", &v1.Observation{Compared: true, Facts: fact("Healthy", v1.Truth_TRUTH_FALSE)}, nil, true},
	} {
		p := passOf(t, Options{})
		p.seen, p.subject = test.seen, &latest.Subject{Resource: &v1.Resource{Secrets: test.secrets}}
		if got := p.isAsWanted(); got != test.want {
			t.Errorf("%s: it is in sync: %t", test.reason, got)
		}
	}
}

// TestOwnResources is a table over claims and existing resources, for objects that are deleted or
// adopt nothing.
func TestOwnResources(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	same := &v1.Observation{Exists: true, Compared: true}
	changed := &v1.Observation{Exists: true, Compared: true, Drift: []string{"a"}}
	marked := func(o *v1.Observation, by string) *v1.Observation {
		return &v1.Observation{Exists: true, Compared: o.Compared, Drift: o.Drift, Mark: by + " default/ada"}
	}
	sent := func(ago time.Duration, accepted bool) *annotation.SentCreate {
		return &annotation.SentCreate{Digest: "d", At: now.Add(-ago), Accepted: accepted}
	}
	for _, test := range []struct {
		reason   string
		recorded annotation.State
		seen     *v1.Observation
		adopt    string
		want     bool
	}{
		{"nothing is claimed", annotation.State{}, same, "", false},
		{"an observer remembers where it is", annotation.State{ID: "/a"}, same, "", false},
		{"the object has made it", annotation.State{Owned: true, ID: "/a"}, changed, "", true},
		{"so, and it bears the mark of another object", annotation.State{Owned: true, ID: "/a"}, marked(same, "v"), "", false},
		{"so, and the user adopts it by that mark", annotation.State{Owned: true, ID: "/a"}, marked(same, "v"), "v", true},
		{"it bears the mark of the object", annotation.State{}, marked(changed, "u"), "", true},
		{"it bears the mark of another object, and is what was sent", annotation.State{Owned: true, Sent: sent(0, false)}, marked(same, "v"), "", false},
		{"a claim, and nothing was sent", annotation.State{Owned: true}, same, "", false},
		{"it is what was sent", annotation.State{Owned: true, Sent: sent(0, false)}, same, "", true},
		{"it is what was sent long ago", annotation.State{Owned: true, Sent: sent(time.Hour, false)}, same, "", false},
		{"it is not what was sent", annotation.State{Owned: true, Sent: sent(0, false)}, changed, "", false},
		{"the create was accepted", annotation.State{Owned: true, Sent: sent(time.Hour-1, true)}, same, "", true},
		{"the create was accepted, and it is not what was sent", annotation.State{Owned: true, Sent: sent(0, true)}, changed, "", false},
		{"the create was accepted, and nothing was heard of it for long", annotation.State{Owned: true, Sent: sent(time.Hour, true)}, same, "", false},
		{"the object has made another one under the identifier", annotation.State{Owned: true, ID: "/a", ResourceUID: "1"}, &v1.Observation{Exists: true, Uid: "2"}, "", false},
		{"so, and the external API does not tell", annotation.State{Owned: true, ID: "/a", ResourceUID: "1"}, changed, "", true},
		{"so, and the object does not know", annotation.State{Owned: true, ID: "/a"}, &v1.Observation{Exists: true, Uid: "2"}, "", true},
		{"another one, which bears the mark of the object", annotation.State{Owned: true, ID: "/a", ResourceUID: "1"}, &v1.Observation{Exists: true, Uid: "2", Mark: "u"}, "", true},
		{"something else was sent, which nobody remembers", annotation.State{Owned: true, Sent: &annotation.SentCreate{Digest: "e", At: now}}, same, "", false},
	} {
		p := passOf(t, Options{Now: func() time.Time { return now }})
		p.object.SetAnnotations(map[string]string{annotation.Adopt: test.adopt})
		p.recorded, p.seen, p.digest, p.subject = test.recorded, test.seen, "d", &latest.Subject{Resource: &v1.Resource{Spec: []byte(`{}`)}}
		got, err := p.isOurs(context.Background())
		if got != test.want || err != nil {
			t.Errorf("%s: it is the object's own: %t (%v)", test.reason, got, err)
		}
	}
}

// TestIdentifyingTags is a table over the marks of a resource.
func TestIdentifyingTags(t *testing.T) {
	for _, test := range []struct {
		reason, mark, adopt        string
		isOurs, isReleased, others bool
	}{
		{"nobody's", "", "true", false, false, false},
		{"that of the object", "u default/ada", "", true, false, false},
		{"that of another object", "v default/bea", "", false, false, true},
		{"adopting anything is not enough", "v default/bea", "true", false, false, true},
		{"adopting another mark is not enough", "v default/bea", "w", false, false, true},
		{"the user names the mark", "v default/bea", "v", false, true, false},
		{"a mark without a name", "v", "v", false, true, false},
		{"no mark is named by nothing", "", "", false, false, false},
	} {
		p := passOf(t, Options{})
		p.object.SetAnnotations(map[string]string{annotation.Adopt: test.adopt})
		p.seen = &v1.Observation{Exists: true, Mark: test.mark}
		if p.isMarked() != test.isOurs || p.isReleased() != test.isReleased || p.isOthers() != test.others {
			t.Errorf("%s: it is the object's %t, released %t, another's %t", test.reason, p.isMarked(), p.isReleased(), p.isOthers())
		}
	}
	object := annotated(nil)
	object.SetNamespace("default")
	if got := markOf(object); got != "u default/ada" {
		t.Errorf("the mark is %q", got)
	}
	object.SetName(strings.Repeat("x", 253))
	if got := markOf(object); len(got) != 256 || !strings.HasPrefix(got, "u default/xxx") {
		t.Errorf("a long mark is %q", got)
	}
}

// TestScopes is a table over the scopes of the credentials of a claim and of the present ones.
func TestScopes(t *testing.T) {
	of := func(tenant, subscription string) annotation.Target {
		return annotation.Target{Scope: map[string]string{"tenant": tenant, "subscription": subscription}}
	}
	for _, test := range []struct {
		reason  string
		was, is annotation.Target
		want    []string
	}{
		{"the same", of("a", "1"), of("A", "1"), nil},
		{"nobody knew", annotation.Target{}, of("a", "1"), nil},
		{"another tenant", of("a", "1"), of("b", "1"), []string{"tenant was a and is b", "; put the credentials back, or do so"}},
		{"another of both", of("a", "1"), of("b", "2"), []string{"subscription was 1 and is 2, tenant was a and is b"}},
	} {
		p := passOf(t, Options{})
		p.recorded.Target, p.aim = test.was, test.is
		err := p.checkScope("do so")
		var h *halt
		if errors.As(err, &h) != (len(test.want) > 0) {
			t.Errorf("%s: it halts with %v", test.reason, err)
			continue
		}
		for _, want := range test.want {
			if h.reason != CredentialsChanged || h.state != stalled || !strings.Contains(h.message, want) {
				t.Errorf("%s: it halts with %+v, without %q", test.reason, h, want)
			}
		}
	}
}
