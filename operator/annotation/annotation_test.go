package annotation_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/operator/annotation"
)

func TestRoundTrip(t *testing.T) {
	const uid = types.UID("11111111-2222-3333-4444-555555555555")
	target := annotation.Target{ID: "/X", Key: "/x", Scope: map[string]string{"tenant": "t"}, Credentials: "secret"}
	since := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	for _, test := range []struct {
		reason string
		state  annotation.State
		on     types.UID
		want   annotation.State
	}{
		{"nothing is remembered of a new object", annotation.State{}, uid, annotation.State{}},
		{"a claim without an identifier is a create that was begun", annotation.State{Owned: true, Address: annotation.Address{Name: "ada"}}, uid,
			annotation.State{Owned: true, Address: annotation.Address{Name: "ada"}}},
		{"it tells who has begun", annotation.State{Owned: true, Holder: "one"}, uid, annotation.State{Owned: true, Holder: "one"}},
		{"who has begun does not matter when it is done", annotation.State{Owned: true, Holder: "one", ID: "/x"}, uid, annotation.State{Owned: true, ID: "/x"}},
		{
			"all of it comes back",
			annotation.State{Owned: true, ID: "/x", ResourceUID: "r", Address: annotation.Address{Parent: "/p", Name: "ada"}, Applied: "d", APIVersion: "2018-08-08", Operation: &annotation.PendingOperation{Handle: "h", Aim: annotation.ToApply, CanCancel: true, ResourceUID: "r", Etag: "e"}},
			uid,
			annotation.State{Owned: true, ID: "/x", ResourceUID: "r", Address: annotation.Address{Parent: "/p", Name: "ada"}, Applied: "d", APIVersion: "2018-08-08", Operation: &annotation.PendingOperation{Handle: "h", Aim: annotation.ToApply, CanCancel: true, ResourceUID: "r", Etag: "e"}},
		},
		{
			"a claim names the resource, the credentials and what was sent",
			annotation.State{Owned: true, Holder: "one", Target: target, Since: since, Sent: &annotation.SentCreate{Digest: "d", Version: "1", Body: `{"a":1}`}}, uid,
			annotation.State{Owned: true, Holder: "one", Target: target, Since: since, Sent: &annotation.SentCreate{Digest: "d", Version: "1", Body: `{"a":1}`}},
		},
		{
			"what was sent matters no more when it is made",
			annotation.State{Owned: true, Target: target, ID: "/X", Sent: &annotation.SentCreate{Digest: "d"}}, uid, annotation.State{Owned: true, Target: target, ID: "/X"},
		},
		{"what is observed only is not held", annotation.State{ID: "/x"}, uid, annotation.State{ID: "/x"}},
		{"a copy of the manifest is another object, and owns nothing", annotation.State{Owned: true, ID: "/x", Applied: "d"}, "another", annotation.State{}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			object := &metav1.ObjectMeta{UID: test.on, Annotations: map[string]string{}}
			for name, value := range test.state.Annotations(uid) {
				if value != nil {
					object.Annotations[name] = *value
				}
			}
			if diff := cmp.Diff(test.want, annotation.Read(object)); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClaimsOfEarlierReleases reads claims that exist in clusters.
func TestClaimsOfEarlierReleases(t *testing.T) {
	for _, test := range []struct {
		reason      string
		annotations map[string]string
		want        annotation.State
	}{
		{"a create that was begun", map[string]string{annotation.Claim: "u@one"}, annotation.State{Owned: true, Holder: "one"}},
		{"a resource that was made", map[string]string{annotation.Claim: "u", annotation.ID: "/X"}, annotation.State{Owned: true, ID: "/X"}},
		{"one that is looked at only", map[string]string{annotation.Claim: "observed/u", annotation.ID: "/X"}, annotation.State{ID: "/X"}},
		{"that of another object", map[string]string{annotation.Claim: "v", annotation.ID: "/X"}, annotation.State{}},
		{"no claim at all", map[string]string{annotation.ID: "/X"}, annotation.State{}},
		{"JSON that is none", map[string]string{annotation.Claim: "{", annotation.ID: "/X"}, annotation.State{}},
	} {
		if diff := cmp.Diff(test.want, annotation.Read(&metav1.ObjectMeta{UID: "u", Annotations: test.annotations})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
	if keys := (annotation.State{ID: "/A/", Target: annotation.Target{ID: "/A", Key: "/a"}, Address: annotation.Address{Parent: "/P/", Name: "N"}}).Keys(); !slices.Equal(keys, []string{"/a", ":/p/n"}) {
		t.Errorf("it is indexed by %q", keys)
	}
	if key := (annotation.State{Owned: true, ID: "/Subscriptions/S/"}).Key(); key != "/subscriptions/s" {
		t.Errorf("it is indexed by %q", key)
	}
}

func TestContradictions(t *testing.T) {
	of := func(pairs ...string) annotation.Target {
		target := annotation.Target{Scope: map[string]string{}}
		for i := 0; i < len(pairs); i += 2 {
			target.Scope[pairs[i]] = pairs[i+1]
		}
		return target
	}
	a := of("tenant", "A", "subscription", "S", "endpoint", "e")
	for _, test := range []struct {
		reason string
		other  annotation.Target
		want   int
	}{
		{"the same in another case", of("tenant", "a", "subscription", "s", "endpoint", "e"), 0},
		{"another tenant and another subscription", of("tenant", "B", "subscription", "T", "endpoint", "e"), 2},
		{"nobody knows the tenant", of("endpoint", "e"), 0},
		{"more is known", of("tenant", "A", "client", "c"), 0},
	} {
		if got := a.Contradicts(test.other); len(got) != test.want {
			t.Errorf("%s: they contradict each other in %v", test.reason, got)
		}
	}
}

// TestLargeBodyIsNotRemembered checks that annotations stay within the limits of the API server.
func TestLargeBodyIsNotRemembered(t *testing.T) {
	if s := annotation.NewSentCreate("d", "1", make([]byte, 64<<10+1), time.Now()); s.Body != "" || s.Digest != "d" {
		t.Errorf("%d bytes are remembered", len(s.Body))
	}
	if s := annotation.NewSentCreate("d", "1", make([]byte, 64<<10), time.Now()); len(s.Body) != 64<<10 {
		t.Errorf("%d bytes are remembered", len(s.Body))
	}
}

func TestOperationThatCannotBeReadIsNone(t *testing.T) {
	object := &metav1.ObjectMeta{UID: "u", Annotations: map[string]string{annotation.Claim: "u", annotation.Operation: "{", annotation.Place: "["}}
	if got := annotation.Read(object); got.Operation != nil || !got.Owned {
		t.Errorf("it is read as %+v", got)
	}
}

func TestPolicies(t *testing.T) {
	for _, test := range []struct {
		reason, note string
		want         annotation.Policy
		fails        bool
	}{
		{"manage is what happens where nobody says anything", "", annotation.Manage, false},
		{"detaching is asked for", "detach-on-delete", annotation.Detach, false},
		{"so is observing", "observe", annotation.Observe, false},
		{"which Azure Service Operator calls skip", "skip", annotation.Observe, false},
		{"a slip must not delete anything", "detach", annotation.Observe, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := annotation.PolicyOf(&metav1.ObjectMeta{Annotations: map[string]string{annotation.ReconcilePolicy: test.note}})
			if got != test.want || (err != nil) != test.fails {
				t.Errorf("the policy is %s (%v), want %s", got, err, test.want)
			}
		})
	}
}

// TestCreatesBeforeCreates checks that each create is stored once, and that the later ones are
// stored first.
func TestCreatesBeforeCreates(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	large := []byte(strings.Repeat("x", 40<<10))
	for _, test := range []struct {
		reason string
		sent   []*annotation.SentCreate // in order
		want   string
	}{
		{"one", []*annotation.SentCreate{annotation.NewSentCreate("a", "1", []byte("{}"), at)}, "a"},
		{"two", []*annotation.SentCreate{annotation.NewSentCreate("a", "1", []byte("{}"), at), annotation.NewSentCreate("b", "1", []byte("{}"), at)}, "b a"},
		{"one twice", []*annotation.SentCreate{annotation.NewSentCreate("a", "1", nil, at), annotation.NewSentCreate("b", "1", nil, at), annotation.NewSentCreate("a", "1", nil, at)}, "a b"},
		{"too many", []*annotation.SentCreate{
			annotation.NewSentCreate("a", "1", nil, at), annotation.NewSentCreate("b", "1", nil, at), annotation.NewSentCreate("c", "1", nil, at), annotation.NewSentCreate("d", "1", nil, at), annotation.NewSentCreate("e", "1", nil, at),
		}, "e d c b"},
		{"one that does not fit", []*annotation.SentCreate{annotation.NewSentCreate("a", "1", []byte("{}"), at), annotation.NewSentCreate("b", "1", large, at), annotation.NewSentCreate("c", "1", large, at)}, "c a"},
	} {
		var all *annotation.SentCreate
		for _, one := range test.sent {
			all = one.After(all)
		}
		var got []string
		for ; all != nil; all = all.Before {
			got = append(got, all.Digest)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %v, want %s", test.reason, got, test.want)
		}
	}
}

// TestReadOmitsCreatesBeyondLimit covers a chain of creates that a user has written. The
// operator never writes more than four.
func TestReadOmitsCreatesBeyondLimit(t *testing.T) {
	for n := 1; n < 8; n++ {
		var chain *annotation.SentCreate
		for i := range n {
			chain = &annotation.SentCreate{Digest: strconv.Itoa(i), Accepted: i == 0, Before: chain}
		}
		object := &metav1.ObjectMeta{UID: "u"}
		annotations := map[string]string{}
		for name, value := range (annotation.State{Owned: true, Sent: chain}).Annotations("u") {
			if value != nil {
				annotations[name] = *value
			}
		}
		object.SetAnnotations(annotations)
		m, stored := annotation.Read(object), 0
		for sent := m.Sent; sent != nil; sent = sent.Before {
			stored++
		}
		if stored != min(n, 4) || m.Sent.Digest != strconv.Itoa(n-1) || m.Sent.Again != (n > 4) || !m.HasMade() {
			t.Errorf("of %d creates it reads %d: %+v", n, stored, m.Sent)
		}
	}
}

// TestAcceptedCreateIsNotForgotten adds creates after an accepted one. The stored ones report
// that the object has made a resource, even if the accepted one is not stored any more.
func TestAcceptedCreateIsNotForgotten(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	large := []byte(strings.Repeat("x", 40<<10))
	for _, test := range []struct {
		reason string
		body   []byte
		later  []string
	}{
		{"another request", nil, []string{"b"}},
		{"the same request", nil, []string{"a"}},
		{"the same request twice", nil, []string{"a", "a"}},
		{"the same request after another one", nil, []string{"b", "a"}},
		{"too many", nil, []string{"b", "c", "d", "e", "f"}},
		{"a body that does not fit", large, []string{"b"}},
	} {
		for reason, state := range map[string]annotation.SentCreate{
			"accepted": {Accepted: true, Ended: true}, "an earlier resource": {Again: true}, "a missed resource": {MissedUID: "7"}, "unknown": {},
		} {
			first := annotation.NewSentCreate("a", "1", test.body, at)
			first.Accepted, first.Ended, first.Again, first.MissedUID = state.Accepted, state.Ended, state.Again, state.MissedUID
			all := first
			for _, digest := range test.later {
				all = annotation.NewSentCreate(digest, "1", test.body, at).After(all)
			}
			stored := annotation.State{Owned: true, Sent: all}
			again := annotation.Read(&metav1.ObjectMeta{UID: "u", Annotations: texts(stored.Annotations("u"))})
			if want := reason != "unknown"; again.HasMade() != want {
				t.Errorf("%s, %s: it has made the resource %t, want %t", test.reason, reason, !want, want)
			}
			if all.Accepted {
				t.Errorf("%s, %s: the last create counts as accepted", test.reason, reason)
			}
		}
	}
}

// texts returns the annotations that are not nil.
func texts(annotations map[string]*string) map[string]string {
	out := map[string]string{}
	for name, value := range annotations {
		if value != nil {
			out[name] = *value
		}
	}
	return out
}

// TestEqualCreateHidesNoneThatMayRun sends a request again whose earlier create may still take
// effect. The later one has an end, and the earlier one is stored beside it.
func TestEqualCreateHidesNoneThatMayRun(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for reason, mayRun := range map[string]func(*annotation.SentCreate){
		"it was accepted":       func(s *annotation.SentCreate) { s.Accepted = true },
		"its operation is lost": func(s *annotation.SentCreate) { s.Lost = true },
		"it has no time":        func(s *annotation.SentCreate) { s.At = time.Time{} },
	} {
		first, next := annotation.NewSentCreate("a", "1", nil, at), annotation.NewSentCreate("a", "1", nil, at)
		mayRun(first)
		next.Accepted, next.Ended = true, true
		all := next.After(first)
		if all.Before == nil || all.Before.Accepted != first.Accepted || all.Before.Lost != first.Lost || all.Before.At != first.At {
			t.Errorf("%s: it is not stored: %+v", reason, all)
		}
		if all := first.After(all); all.Before == nil || all.Before.Before != nil {
			t.Errorf("%s: it is stored more than once", reason)
		}
	}
}

// TestCutIsThatOfEqualRequest sends requests again that were cut off. The equal one that is stored
// has the time of those that are not. A create that is omitted has no equal one.
func TestCutIsThatOfEqualRequest(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	sent := func(digest string, second int) *annotation.SentCreate {
		return annotation.NewSentCreate(digest, "1", nil, at.Add(time.Duration(second)*time.Second))
	}
	failed := func(s *annotation.SentCreate) *annotation.SentCreate {
		s.Ended = true
		return s
	}
	for _, test := range []struct {
		reason string
		all    *annotation.SentCreate
		want   string
	}{
		{"the last one", sent("a", 3).After(sent("a", 2).After(sent("a", 1))), "a 2"},
		{"one before it, when it was cut off too", failed(sent("b", 4)).After(sent("a", 3).After(sent("a", 2))), "b 0; a 2"},
		{"the same request, and it was answered", sent("a", 3).After(failed(sent("a", 2).After(sent("a", 1)))), "a 0; a 1 ended"},
		{"too many", sent("e", 5).After(sent("d", 4).After(sent("c", 3).After(sent("b", 2).After(sent("a", 1))))), "e 1 omitted; d 0; c 0; b 0"},
		{"one that stands for omitted ones", sent("e", 6).After(sent("e", 5).After(sent("d", 4).After(sent("c", 3).After(sent("b", 2).After(sent("a", 1)))))), "e 5 omitted; d 0; c 0; b 0"},
	} {
		var got []string
		for one := test.all; one != nil; one = one.Before {
			text := fmt.Sprint(one.Digest, " ", max(0, int(one.Cut.Sub(at).Seconds())))
			if one.Omitted {
				text += " omitted"
			}
			if one.Ended && one.Digest == "a" {
				text += " ended"
			}
			got = append(got, text)
		}
		if all := strings.Join(got, "; "); all != test.want {
			t.Errorf("%s: it is %s, want %s", test.reason, all, test.want)
		}
	}
}

// TestUndatedCut has a create stand for one that is dated ahead.
func TestUndatedCut(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m := annotation.State{Sent: &annotation.SentCreate{At: at, Before: &annotation.SentCreate{At: at, Cut: at.Add(2)}}}
	if got := m.Undated(at.Add(1)).Sent; got.At != at || !got.Before.Cut.IsZero() || got.Before.At != at {
		t.Errorf("it is %+v before %+v", got, got.Before)
	}
	if got := m.Undated(at.Add(2)).Sent; got.Before.Cut != at.Add(2) {
		t.Errorf("it is %+v before %+v", got, got.Before)
	}
}

// TestChangesOfUnknownResult combines two changes. What may still take effect of either one
// remains: the later time, and that nothing has shown an end.
func TestChangesOfUnknownResult(t *testing.T) {
	early := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	one, other := annotation.SentChange{Spec: "a", At: early, Unended: true}, annotation.SentChange{Spec: "b", At: early.Add(time.Hour)}
	for _, pair := range [][2]annotation.SentChange{{one, other}, {other, one}} {
		if both := pair[0].After(&pair[1]); both.Spec != "" || !both.Unended || both.At != other.At {
			t.Errorf("%+v after %+v is %+v", pair[0], pair[1], both)
		}
	}
	same := annotation.SentChange{Spec: "a"}
	if both := same.After(&one); both.Spec != "a" {
		t.Errorf("two equal changes are %+v", both)
	}
	if both := (*annotation.SentChange)(nil).After(&one); both != &one {
		t.Errorf("none after %+v is %+v", one, both)
	}
}

// TestSignatureCoversEachText edits the texts of a signed claim one by one, and gives them to an
// object with another UID. The claim is signed no more.
func TestSignatureCoversEachText(t *testing.T) {
	keys, err := annotation.NewKeys(map[string][]byte{"one": bytes.Repeat([]byte{1}, annotation.MinKey)})
	if err != nil {
		t.Fatal(err)
	}
	state := annotation.State{
		Owned: true, Signed: true, Target: annotation.Target{ID: "/persons/ada"}, Address: annotation.Address{Name: "ada"},
		Sent: &annotation.SentCreate{Digest: "d", Version: "1", Body: "{}"},
	}
	for _, id := range []string{"", "/persons/ada"} { // an identifier replaces a create
		state.ID = id
		annotations := state.Annotations("uid")
		keys.Sign(state, "uid", annotations)
		of := func(uid string, annotations map[string]string) metav1.Object {
			return &metav1.ObjectMeta{UID: types.UID(uid), Annotations: annotations}
		}
		if !keys.Read(of("uid", texts(annotations))).Signed {
			t.Fatalf("%q: the claim is not signed: %v", id, texts(annotations))
		}
		for _, name := range []string{annotation.Claim, annotation.ID, annotation.Place, annotation.Sent} {
			edited := texts(annotations)
			if edited[name] += " "; name == annotation.ID {
				edited[name] = "/persons/byron"
			}
			if keys.Read(of("uid", edited)).Signed {
				t.Errorf("%q: %s is edited, and the claim is signed", id, name)
			}
		}
		other := texts(annotations)
		other[annotation.Claim] = strings.Replace(other[annotation.Claim], `"uid":"uid"`, `"uid":"other"`, 1)
		if m := keys.Read(of("other", other)); !m.Owned || m.Signed {
			t.Errorf("%q: the claim is copied to another object: %+v", id, m)
		}
	}
}
