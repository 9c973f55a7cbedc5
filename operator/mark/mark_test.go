package mark_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/operator/mark"
)

func TestMarksComeBack(t *testing.T) {
	const uid = types.UID("11111111-2222-3333-4444-555555555555")
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
			mark.Marks{Held: true, ID: "/x", Place: mark.Where{Parent: "/p", Name: "ada"}, Applied: "d", Operation: &mark.Underway{Handle: "h", Aim: mark.ToApply, CanCancel: true}},
			uid,
			mark.Marks{Held: true, ID: "/x", Place: mark.Where{Parent: "/p", Name: "ada"}, Applied: "d", Operation: &mark.Underway{Handle: "h", Aim: mark.ToApply, CanCancel: true}},
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
