package mark

import (
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Annotations that people write.
const (
	// ReconcilePolicy is how far the operator goes: a [Policy].
	ReconcilePolicy = "strata.dev/reconcile-policy"
	// Adopt is "true" where a resource that is there already may be taken over.
	Adopt = "strata.dev/adopt"
	// Credentials names the Secret with the credentials for one object.
	Credentials = "strata.dev/credentials"
	// Outputs are values that the outside API gives out, and where they are to be put: a list as spec.secretRefs is, in JSON, for
	// kinds that have none.
	Outputs = "strata.dev/outputs"
)

// Annotations that the operator writes for itself.
const (
	// Claim says whose resource it is. It is written before the first call that changes anything outside.
	Claim = "strata.dev/claim"
	// ID is the identifier outside, written when the resource has been made or taken over.
	ID = "strata.dev/id"
	// Place is where outside the resource was claimed.
	Place = "strata.dev/place"
	// Operation is a change that goes on outside: JSON of [Operation].
	Operation = "strata.dev/operation"
	// Applied is a digest of what was applied last.
	Applied = "strata.dev/applied"
	// OutputSecrets are the names of the Secrets that outputs were written to, with commas between.
	OutputSecrets = "strata.dev/output-secrets"
)

// Finalizer keeps an object until its resource is gone, or let go.
const Finalizer = "strata.dev/outside"

// Policy is how far the operator goes.
type Policy string

// The policies.
const (
	// Manage makes, changes and deletes the resource. It is the policy where none is named.
	Manage Policy = "manage"
	// Detach is Manage, but leaves the resource alone when the object is deleted.
	Detach Policy = "detach-on-delete"
	// Observe changes nothing outside.
	Observe Policy = "observe"
)

// PolicyOf reads the policy of an object. One that is not known is an error: guessing could delete something.
func PolicyOf(object metav1.Object) (Policy, error) {
	switch p := Policy(object.GetAnnotations()[ReconcilePolicy]); p {
	case "":
		return Manage, nil
	case Manage, Detach, Observe:
		return p, nil
	default:
		return Observe, fmt.Errorf("annotation %s is %q, and not one of %s, %s and %s", ReconcilePolicy, p, Manage, Detach, Observe)
	}
}

// MayAdopt tells whether a resource that is there already may be taken over.
func MayAdopt(object metav1.Object) bool { return object.GetAnnotations()[Adopt] == "true" }

// Steering is what people say by annotations. Two objects with the same steer the operator alike.
func Steering(object metav1.Object) [4]string {
	notes := object.GetAnnotations()
	return [4]string{notes[ReconcilePolicy], notes[Adopt], notes[Credentials], notes[Outputs]}
}

// Marks are what the operator remembers of an object.
type Marks struct {
	// Held says that the resource is the object's own: made by it, taken over, or about to be made.
	Held bool
	// Holder is the process that is about to make the resource. It is told only while there is no ID: a process that takes over
	// an unfinished claim writes it anew, so that nobody who came before can take the claim back.
	Holder string
	// ID is empty while nobody knows whether the resource has been made.
	ID string
	// Place is where it was claimed.
	Place Where
	// Operation goes on outside; nil for none.
	Operation *Underway
	// Applied is the digest of what was applied last; empty for nothing.
	Applied string
}

// Where is a place outside.
type Where struct {
	Parent string `json:"parent,omitempty"`
	Name   string `json:"name"`
}

// Aim is what an operation is to bring about.
type Aim string

// The aims of operations.
const (
	ToApply  Aim = "apply"
	ToDelete Aim = "delete"
)

// Underway is an operation that outlives processes. It holds no secret.
type Underway struct {
	Handle string `json:"handle"`
	Aim    Aim    `json:"aim"`
	// Digest is that of what is being applied.
	Digest    string `json:"digest,omitempty"`
	CanCancel bool   `json:"canCancel,omitempty"`
	// Cancelled says that its end was asked for.
	Cancelled bool `json:"cancelled,omitempty"`
}

// observed stands before the UID of objects that have only looked at their resource.
const observed = "observed/"

// holding stands between the UID and the holder.
const holding = "@"

// Read reads what the operator remembers of an object. Marks that were written to another object are none, and so is an
// operation that cannot be read: what became of it can be observed.
func Read(object metav1.Object) Marks {
	notes := object.GetAnnotations()
	claim, isObserved := strings.CutPrefix(notes[Claim], observed)
	uid, holder, _ := strings.Cut(claim, holding)
	if uid == "" || types.UID(uid) != object.GetUID() {
		return Marks{}
	}
	m := Marks{Held: !isObserved, ID: notes[ID], Applied: notes[Applied]}
	if m.ID == "" {
		m.Holder = holder
	}
	_ = json.Unmarshal([]byte(notes[Place]), &m.Place)
	var u Underway
	if text := notes[Operation]; text != "" && json.Unmarshal([]byte(text), &u) == nil && u.Handle != "" {
		m.Operation = &u
	}
	return m
}

// Notes are the annotations that say it, nil for one that is to be absent. For marks of nothing, all are.
func (m Marks) Notes(uid types.UID) map[string]*string {
	notes := map[string]*string{Claim: nil, ID: nil, Place: nil, Operation: nil, Applied: nil}
	if !m.Held && m.ID == "" {
		return notes
	}
	claim := string(uid)
	switch {
	case !m.Held:
		claim = observed + claim
	case m.ID == "" && m.Holder != "":
		claim += holding + m.Holder
	}
	notes[Claim] = &claim
	set := func(name, value string) {
		if value != "" {
			notes[name] = &value
		}
	}
	set(ID, m.ID)
	set(Applied, m.Applied)
	if m.Place != (Where{}) {
		set(Place, text(m.Place))
	}
	if m.Operation != nil {
		set(Operation, text(m.Operation))
	}
	return notes
}

// text is the JSON of one of our own types, which always has one.
func text(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("%T has no JSON: %v", value, err))
	}
	return string(data)
}
