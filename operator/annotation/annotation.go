package annotation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Annotations that people write.
const (
	// ReconcilePolicy is how far the operator goes: a [Policy].
	ReconcilePolicy = "strata.dev/reconcile-policy"
	// Adopt is "true" where a resource that is there already may be adopted, and [WithCredentials] where that may be with
	// credentials of another scope than those of the claim, too.
	Adopt = "strata.dev/adopt"
	// Credentials names the Secret with the credentials for one object.
	Credentials = "strata.dev/credentials"
	// Outputs are values that the external API gives out, and where they are to be put: in JSON, what spec.outputs is, or a list as
	// spec.secretRefs is. It is for kinds without spec.outputs.
	Outputs = "strata.dev/outputs"
)

// Annotations that the operator writes for itself.
const (
	// Claim says whose resource it is. It is written before the first call that changes anything outside.
	Claim = "strata.dev/claim"
	// ID is the identifier outside, written when the resource has been made or adopted.
	ID = "strata.dev/id"
	// Place is where outside the resource was claimed.
	Place = "strata.dev/place"
	// Operation is a change that goes on outside: JSON of [PendingOperation].
	Operation = "strata.dev/operation"
	// Sent is what a create was sent whose outcome nobody knows: JSON of [SentCreate].
	Sent = "strata.dev/sent"
	// Applied is a digest of what was applied last.
	Applied = "strata.dev/applied"
	// APIVersion is the version in which the external API was called to apply what was applied last. It is for columns of kubectl.
	APIVersion = "strata.dev/api-version"
	// OutputSecrets are the names of the Secrets that outputs were written to, with commas between.
	OutputSecrets = "strata.dev/output-secrets"
	// OutputConfigMaps are those of ConfigMaps.
	OutputConfigMaps = "strata.dev/output-config-maps"
	// OutputsDue is "true" where the resource has changed since the external API was last asked for outputs.
	OutputsDue = "strata.dev/outputs-due"
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
	// skip is what Azure Service Operator calls Observe.
	skip Policy = "skip"
)

// PolicyOf reads the policy of an object. One that is not known is an error: guessing could delete something.
func PolicyOf(object metav1.Object) (Policy, error) {
	switch p := Policy(object.GetAnnotations()[ReconcilePolicy]); p {
	case "":
		return Manage, nil
	case Manage, Detach, Observe:
		return p, nil
	case skip:
		return Observe, nil
	default:
		return Observe, fmt.Errorf("annotation %s is %q, and not one of %s, %s and %s", ReconcilePolicy, p, Manage, Detach, Observe)
	}
}

// WithCredentials is the value of Adopt that lets other credentials than those of the claim be used.
const WithCredentials = "credentials"

// MayAdopt reports whether a resource that is there already may be adopted.
func MayAdopt(object metav1.Object) bool {
	return object.GetAnnotations()[Adopt] == "true" || MayChangeCredentials(object)
}

// MayChangeCredentials reports whether credentials of another scope than those of the claim may be used.
func MayChangeCredentials(object metav1.Object) bool {
	return object.GetAnnotations()[Adopt] == WithCredentials
}

// UserSettings returns the values of the annotations that users write. Two objects with equal
// settings control the operator alike.
func UserSettings(object metav1.Object) [4]string {
	notes := object.GetAnnotations()
	return [4]string{notes[ReconcilePolicy], notes[Adopt], notes[Credentials], notes[Outputs]}
}

// State is what the operator remembers of an object.
type State struct {
	// Owned says that the resource is the object's own: made by it, adopted, or about to be made.
	Owned bool
	// Holder is the process that is about to make the resource. It is set only while there is no ID: a process that takes over
	// an unfinished claim writes it anew, so that no process which came before can take the claim back.
	Holder string
	// Target is which resource the claim is to. It is empty in claims of earlier releases.
	Target Target
	// Since is when the object got its claim. Of two claims to one resource the earlier counts.
	Since time.Time
	// ID is empty while nobody knows whether the resource has been made.
	ID string
	// ResourceUID tells the resource from one that another client makes later under its identifier. It is empty where the
	// external API has no such value.
	ResourceUID string
	// Address is where it was claimed.
	Address Address
	// Sent is what was sent to make the resource, as long as the outcome is unknown; nil otherwise.
	Sent *SentCreate
	// Unanswered is a change that may have made the resource again, or may do so yet; nil for none.
	Unanswered *SentChange
	// Operation goes on outside; nil for none.
	Operation *PendingOperation
	// Applied is the digest of what was applied last; empty for nothing.
	Applied string
	// APIVersion is the version in which the external API was called for that; empty where it was not called.
	APIVersion string
	// OutputsDue reports whether the external API is to be asked for outputs, whatever was written before.
	OutputsDue bool
}

// Key returns what the claimed resource is indexed by; empty where there is none.
func (m State) Key() string {
	if m.Target.Key != "" {
		return m.Target.Key
	}
	return Key(m.ID)
}

// Keys returns all that the claim is indexed by: the claimed resource, the resource that was found, and the place. Providers that
// cannot identify resources know the place only.
func (m State) Keys() []string {
	var keys []string
	for _, key := range []string{m.Target.Key, Key(m.Target.ID), Key(m.ID), m.Address.Key()} {
		if key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Key spells an identifier as all spellings of it are indexed.
func Key(id string) string { return strings.TrimRight(strings.ToLower(id), "/") }

// Target is a resource, whether or not it exists, and the credentials that it is reached with.
type Target struct {
	// ID is the full identifier.
	ID string `json:"id,omitempty"`
	// Key is the identifier in the one spelling that all spellings of it share.
	Key string `json:"key,omitempty"`
	// Scope is what the credentials belong to, as the tenant. It holds no secret.
	Scope map[string]string `json:"scope,omitempty"`
	// Credentials is the Secret with the credentials; empty for those of the provider.
	Credentials string `json:"credentials,omitempty"`
}

// Contradicts returns the names in which two scopes have another value each, sorted. What only one of them knows is no
// contradiction.
func (t Target) Contradicts(other Target) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(t.Scope)) {
		if value, has := other.Scope[name]; has && !strings.EqualFold(value, t.Scope[name]) {
			names = append(names, name)
		}
	}
	return names
}

// Inherits returns the target with what an older one to the same resource knows of the scope, and this one does not.
func (t Target) Inherits(older Target) Target {
	if len(older.Scope) == 0 {
		return t
	}
	scope := maps.Clone(older.Scope)
	maps.Copy(scope, t.Scope)
	t.Scope = scope
	return t
}

// SentCreate is what a create was sent.
type SentCreate struct {
	// Digest is that of what was sent, with its secrets.
	Digest string `json:"digest"`
	// Version is that of the external API, and Body what was sent but for secrets. A body that is too large for an annotation,
	// or has secrets that cannot be taken out of it, is left out; Spec is its digest.
	Version string `json:"version,omitempty"`
	Body    string `json:"body,omitempty"`
	Spec    string `json:"spec,omitempty"`
	// At is when it was sent; of a create that was accepted, when it was last known to go on. After a while it proves nothing
	// any more.
	At time.Time `json:"at,omitzero"`
	// Accepted says that the external API has accepted the create, and works on it.
	Accepted bool `json:"accepted,omitempty"`
	// Refused says that the create had no effect, since the resource is there after a look has missed it, or another one is.
	Refused bool `json:"refused,omitempty"`
	// MissedUID is the UID of the resource that the object had before, and that a look has not found.
	MissedUID string `json:"missedUid,omitempty"`
	// Before is another create of unknown outcome, which was sent before this one and may still take effect; nil for none.
	Before *SentCreate `json:"before,omitempty"`
}

// maxSendings is how many creates are remembered; together their bodies fit into an annotation.
const maxSendings = 4

// After returns the create with others that were sent before it. What was sent is remembered once; of too many creates, or of bodies
// that do not fit, the later ones count.
func (s *SentCreate) After(before *SentCreate) *SentCreate {
	after, size := *s, len(s.Body)
	last, seen := &after, map[string]bool{s.Digest: true}
	for ; before != nil && len(seen) < maxSendings; before = before.Before {
		one := *before
		if one.Before = nil; seen[one.Digest] || size+len(one.Body) > maxBody {
			continue
		}
		seen[one.Digest], size = true, size+len(one.Body)
		last.Before = &one
		last = &one
	}
	last.Before = nil
	return &after
}

// maxBody is how many bytes of a body an annotation holds. All annotations of an object together have 256 KiB.
const maxBody = 64 << 10

// NewSentCreate returns what is remembered of a create.
func NewSentCreate(digest, version string, body []byte, at time.Time) *SentCreate {
	if len(body) > maxBody {
		return NewSentDigest(digest, version, body, at)
	}
	return &SentCreate{Digest: digest, Version: version, Body: string(body), At: at.UTC()}
}

// NewSentDigest returns what is remembered of a create whose body must not stand in an annotation: its digest.
func NewSentDigest(digest, version string, body []byte, at time.Time) *SentCreate {
	return &SentCreate{Digest: digest, Version: version, Spec: specOf(version, body), At: at.UTC()}
}

// Matches reports whether a body is what was sent, but for secrets that were taken out of it.
func (s *SentCreate) Matches(version string, body []byte) bool {
	if s.Spec != "" {
		return s.Spec == specOf(version, body)
	}
	return s.Body != "" && s.Version == version && s.Body == string(body)
}

// SentChange is a change of a resource without a known result. If another client has removed the
// resource, such a change makes a new one, unless it names the entity tag of the one before.
type SentChange struct {
	// Spec is a digest of what was sent, without secrets. It is empty where several changes differ.
	Spec string `json:"spec,omitempty"`
	// At is when it was sent, or was last known to go on. It is zero if the change has ended.
	At time.Time `json:"at,omitzero"`
}

// NewSentChange returns what is remembered of a change.
func NewSentChange(version string, body []byte, at time.Time) *SentChange {
	return &SentChange{Spec: specOf(version, body), At: at.UTC()}
}

// After returns the change together with one that was sent before it, and of which nothing is known
// either.
func (c *SentChange) After(before *SentChange) *SentChange {
	if before == nil || c == nil {
		return cmp.Or(c, before)
	}
	both := *c
	if both.Spec != before.Spec {
		both.Spec = ""
	}
	if before.At.After(both.At) {
		both.At = before.At
	}
	return &both
}

// Differs reports whether a body is certainly not what was sent.
func (c *SentChange) Differs(version string, body []byte) bool {
	return c.Spec != "" && c.Spec != specOf(version, body)
}

func specOf(version string, body []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s,%s", len(version), version, body)
	return hex.EncodeToString(h.Sum(nil))
}

// Address is a place outside.
type Address struct {
	Parent string `json:"parent,omitempty"`
	Name   string `json:"name"`
}

// Key spells a place as all spellings of it are indexed. It is empty for no place.
func (w Address) Key() string {
	if w == (Address{}) {
		return ""
	}
	return strings.ToLower(":" + strings.TrimRight(w.Parent, "/") + "/" + w.Name)
}

// Aim is what an operation is to bring about.
type Aim string

// The aims of operations.
const (
	ToApply  Aim = "apply"
	ToDelete Aim = "delete"
)

// PendingOperation is an operation that outlives processes. It holds no secret.
type PendingOperation struct {
	Handle string `json:"handle"`
	Aim    Aim    `json:"aim"`
	// Digest is that of what is being applied, and Spec that of its body without secrets.
	Digest    string `json:"digest,omitempty"`
	Spec      string `json:"spec,omitempty"`
	CanCancel bool   `json:"canCancel,omitempty"`
	// Cancelled says that its end was asked for.
	Cancelled bool `json:"cancelled,omitempty"`
	// ResourceUID and Etag are those of the resource that is being deleted. What has others was made anew.
	ResourceUID string `json:"resourceUid,omitempty"`
	Etag        string `json:"etag,omitempty"`
}

// claim is the annotation of that name.
type claim struct {
	UID      types.UID `json:"uid"`
	Observed bool      `json:"observed,omitempty"`
	Target
	Since       *time.Time `json:"since,omitempty"`
	Holder      string     `json:"holder,omitempty"`
	ResourceUID string     `json:"resourceUid,omitempty"`
	// Unanswered is set while a change may make the resource again.
	Unanswered *SentChange `json:"unanswered,omitempty"`
}

// Earlier releases wrote the UID, after observed/ for objects that only look, and before @ with the holder.
const (
	observed = "observed/"
	holding  = "@"
)

// readClaim reads the annotation. What cannot be read is the claim of nobody.
func readClaim(text string) (c claim) {
	if strings.HasPrefix(text, "{") {
		if json.Unmarshal([]byte(text), &c) != nil {
			return claim{}
		}
		return c
	}
	text, c.Observed = strings.CutPrefix(text, observed)
	uid, holder, _ := strings.Cut(text, holding)
	c.UID, c.Holder = types.UID(uid), holder
	return c
}

// Read reads the state that the operator stored in an object. State that was written to another
// object is ignored, and so is an
// operation that cannot be read: what became of it can be observed.
func Read(object metav1.Object) State {
	notes := object.GetAnnotations()
	c := readClaim(notes[Claim])
	if c.UID == "" || c.UID != object.GetUID() {
		return State{}
	}
	m := State{Owned: !c.Observed, Target: c.Target, ID: notes[ID], Unanswered: c.Unanswered, Applied: notes[Applied], APIVersion: notes[APIVersion], OutputsDue: notes[OutputsDue] == "true"}
	if c.Since != nil {
		m.Since = *c.Since
	}
	if m.ID == "" {
		m.Holder = c.Holder
		m.Sent = read[SentCreate](notes[Sent])
	} else {
		m.ResourceUID = c.ResourceUID
	}
	if at := read[Address](notes[Place]); at != nil {
		m.Address = *at
	}
	if u := read[PendingOperation](notes[Operation]); u != nil && u.Handle != "" {
		m.Operation = u
	}
	return m
}

// read reads JSON; nil where there is none.
func read[T any](text string) *T {
	value := new(T)
	if text == "" || json.Unmarshal([]byte(text), value) != nil {
		return nil
	}
	return value
}

// Annotations returns the annotations that store the state; nil for one that must be absent. For an
// object without a claim all are nil.
func (m State) Annotations(uid types.UID) map[string]*string {
	notes := map[string]*string{Claim: nil, ID: nil, Place: nil, Sent: nil, Operation: nil, Applied: nil, APIVersion: nil, OutputsDue: nil}
	if !m.Owned && m.ID == "" {
		return notes
	}
	set := func(name, value string) {
		if value != "" {
			notes[name] = &value
		}
	}
	c := claim{UID: uid, Observed: !m.Owned, Target: m.Target, Unanswered: m.Unanswered}
	if !m.Since.IsZero() {
		since := m.Since.UTC()
		c.Since = &since
	}
	if m.ID == "" {
		c.Holder = m.Holder
	} else {
		c.ResourceUID = m.ResourceUID
	}
	set(Claim, text(c))
	set(ID, m.ID)
	set(Applied, m.Applied)
	set(APIVersion, m.APIVersion)
	if m.OutputsDue {
		set(OutputsDue, "true")
	}
	if m.Address != (Address{}) {
		set(Place, text(m.Address))
	}
	if m.Sent != nil && m.ID == "" {
		set(Sent, text(m.Sent))
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
