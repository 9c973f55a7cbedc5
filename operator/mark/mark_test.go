package mark_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/operator/mark"
)

func TestMarksComeBack(t *testing.T) {
	const uid = types.UID("11111111-2222-3333-4444-555555555555")
	target := mark.Target{ID: "/X", Key: "/x", Scope: map[string]string{"tenant": "t"}, Credentials: "secret"}
	since := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	for _, test := range []struct {
		reason string
		marks  mark.Marks
		on     types.UID
		want   mark.Marks
	}{
		{"nothing is remembered of a new object", mark.Marks{}, uid, mark.Marks{}},
		{"a claim without an identifier is a create that was begun", mark.Marks{Held: true, Place: mark.Where{Name: "ada"}}, uid,
			mark.Marks{Held: true, Place: mark.Where{Name: "ada"}}},
		{"it tells who has begun", mark.Marks{Held: true, Holder: "one"}, uid, mark.Marks{Held: true, Holder: "one"}},
		{"who has begun does not matter when it is done", mark.Marks{Held: true, Holder: "one", ID: "/x"}, uid, mark.Marks{Held: true, ID: "/x"}},
		{
			"all of it comes back",
			mark.Marks{Held: true, ID: "/x", ResourceUID: "r", Place: mark.Where{Parent: "/p", Name: "ada"}, Applied: "d", APIVersion: "2018-08-08", Operation: &mark.Underway{Handle: "h", Aim: mark.ToApply, CanCancel: true, ResourceUID: "r", Etag: "e"}},
			uid,
			mark.Marks{Held: true, ID: "/x", ResourceUID: "r", Place: mark.Where{Parent: "/p", Name: "ada"}, Applied: "d", APIVersion: "2018-08-08", Operation: &mark.Underway{Handle: "h", Aim: mark.ToApply, CanCancel: true, ResourceUID: "r", Etag: "e"}},
		},
		{
			"a claim names the resource, the credentials and what was sent",
			mark.Marks{Held: true, Holder: "one", Target: target, Since: since, Sent: &mark.Sending{Digest: "d", Version: "1", Body: `{"a":1}`}}, uid,
			mark.Marks{Held: true, Holder: "one", Target: target, Since: since, Sent: &mark.Sending{Digest: "d", Version: "1", Body: `{"a":1}`}},
		},
		{
			"what was sent matters no more when it is made",
			mark.Marks{Held: true, Target: target, ID: "/X", Sent: &mark.Sending{Digest: "d"}}, uid, mark.Marks{Held: true, Target: target, ID: "/X"},
		},
		{"what is observed only is not held", mark.Marks{ID: "/x"}, uid, mark.Marks{ID: "/x"}},
		{"a copy of the manifest is another object, and owns nothing", mark.Marks{Held: true, ID: "/x", Applied: "d"}, "another", mark.Marks{}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			object := &metav1.ObjectMeta{UID: test.on, Annotations: map[string]string{}}
			for name, value := range test.marks.Notes(uid) {
				if value != nil {
					object.Annotations[name] = *value
				}
			}
			if diff := cmp.Diff(test.want, mark.Read(object)); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClaimsOfEarlierReleases reads what stands in clusters.
func TestClaimsOfEarlierReleases(t *testing.T) {
	for _, test := range []struct {
		reason string
		notes  map[string]string
		want   mark.Marks
	}{
		{"a create that was begun", map[string]string{mark.Claim: "u@one"}, mark.Marks{Held: true, Holder: "one"}},
		{"a resource that was made", map[string]string{mark.Claim: "u", mark.ID: "/X"}, mark.Marks{Held: true, ID: "/X"}},
		{"one that is looked at only", map[string]string{mark.Claim: "observed/u", mark.ID: "/X"}, mark.Marks{ID: "/X"}},
		{"that of another object", map[string]string{mark.Claim: "v", mark.ID: "/X"}, mark.Marks{}},
		{"no claim at all", map[string]string{mark.ID: "/X"}, mark.Marks{}},
		{"JSON that is none", map[string]string{mark.Claim: "{", mark.ID: "/X"}, mark.Marks{}},
	} {
		if diff := cmp.Diff(test.want, mark.Read(&metav1.ObjectMeta{UID: "u", Annotations: test.notes})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
	if keys := (mark.Marks{ID: "/A/", Target: mark.Target{ID: "/A", Key: "/a"}, Place: mark.Where{Parent: "/P/", Name: "N"}}).Keys(); !slices.Equal(keys, []string{"/a", ":/p/n"}) {
		t.Errorf("it is indexed by %q", keys)
	}
	if key := (mark.Marks{Held: true, ID: "/Subscriptions/S/"}).Key(); key != "/subscriptions/s" {
		t.Errorf("it is indexed by %q", key)
	}
}

func TestContradictions(t *testing.T) {
	of := func(pairs ...string) mark.Target {
		target := mark.Target{Scope: map[string]string{}}
		for i := 0; i < len(pairs); i += 2 {
			target.Scope[pairs[i]] = pairs[i+1]
		}
		return target
	}
	a := of("tenant", "A", "subscription", "S", "endpoint", "e")
	for _, test := range []struct {
		reason string
		other  mark.Target
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

// TestALargeBodyIsNotRemembered keeps annotations within what the API server takes.
func TestALargeBodyIsNotRemembered(t *testing.T) {
	if s := mark.Sends("d", "1", make([]byte, 64<<10+1), time.Now()); s.Body != "" || s.Digest != "d" {
		t.Errorf("%d bytes are remembered", len(s.Body))
	}
	if s := mark.Sends("d", "1", make([]byte, 64<<10), time.Now()); len(s.Body) != 64<<10 {
		t.Errorf("%d bytes are remembered", len(s.Body))
	}
}

func TestAnOperationThatCannotBeReadIsNone(t *testing.T) {
	object := &metav1.ObjectMeta{UID: "u", Annotations: map[string]string{mark.Claim: "u", mark.Operation: "{", mark.Place: "["}}
	if got := mark.Read(object); got.Operation != nil || !got.Held {
		t.Errorf("it is read as %+v", got)
	}
}

func TestPolicies(t *testing.T) {
	for _, test := range []struct {
		reason, note string
		want         mark.Policy
		fails        bool
	}{
		{"manage is what happens where nobody says anything", "", mark.Manage, false},
		{"detaching is asked for", "detach-on-delete", mark.Detach, false},
		{"so is observing", "observe", mark.Observe, false},
		{"which Azure Service Operator calls skip", "skip", mark.Observe, false},
		{"a slip must not delete anything", "detach", mark.Observe, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := mark.PolicyOf(&metav1.ObjectMeta{Annotations: map[string]string{mark.ReconcilePolicy: test.note}})
			if got != test.want || (err != nil) != test.fails {
				t.Errorf("the policy is %s (%v), want %s", got, err, test.want)
			}
		})
	}
}

// TestCreatesBeforeCreates remembers each create once, as many as fit, the later ones first.
func TestCreatesBeforeCreates(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	large := []byte(strings.Repeat("x", 40<<10))
	for _, test := range []struct {
		reason string
		sent   []*mark.Sending // in order
		want   string
	}{
		{"one", []*mark.Sending{mark.Sends("a", "1", []byte("{}"), at)}, "a"},
		{"two", []*mark.Sending{mark.Sends("a", "1", []byte("{}"), at), mark.Sends("b", "1", []byte("{}"), at)}, "b a"},
		{"one twice", []*mark.Sending{mark.Sends("a", "1", nil, at), mark.Sends("b", "1", nil, at), mark.Sends("a", "1", nil, at)}, "a b"},
		{"too many", []*mark.Sending{
			mark.Sends("a", "1", nil, at), mark.Sends("b", "1", nil, at), mark.Sends("c", "1", nil, at), mark.Sends("d", "1", nil, at), mark.Sends("e", "1", nil, at),
		}, "e d c b"},
		{"one that does not fit", []*mark.Sending{mark.Sends("a", "1", []byte("{}"), at), mark.Sends("b", "1", large, at), mark.Sends("c", "1", large, at)}, "c a"},
	} {
		var all *mark.Sending
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
