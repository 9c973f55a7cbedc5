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

// Annotations that users write.
const (
	// ReconcilePolicy is a [Policy]: what the operator may do with the resource.
	ReconcilePolicy = "strata.dev/reconcile-policy"
	// Adopt is "true" if an existing resource may be adopted. It is [WithCredentials] if that may
	// also be with credentials of another scope than those of the claim.
	Adopt = "strata.dev/adopt"
	// Credentials names the Secret with the credentials for one object.
	Credentials = "strata.dev/credentials"
	// Outputs lists values that the external API returns, and where to store them. It is JSON in
	// the form of spec.outputs or of spec.secretRefs, for kinds without spec.outputs.
	Outputs = "strata.dev/outputs"
)

// Annotations in which the operator stores state.
const (
	// Claim stores which object owns the resource. The operator writes it before the first call
	// that changes anything in the external API.
	Claim = "strata.dev/claim"
	// ID is the identifier in the external API, written once the resource is created or adopted.
	ID = "strata.dev/id"
	// Place is the [Address] for which the resource was claimed, in JSON.
	Place = "strata.dev/place"
	// Operation is the running operation of the external API: JSON of [PendingOperation].
	Operation = "strata.dev/operation"
	// Sent is the request of a create whose outcome is unknown: JSON of [SentCreate].
	Sent = "strata.dev/sent"
	// Applied is the digest of the request that was applied last.
	Applied = "strata.dev/applied"
	// APIVersion is the version of the external API in which the spec was last applied, for columns
	// of kubectl.
	APIVersion = "strata.dev/api-version"
	// OutputSecrets has the names of the Secrets with outputs, separated by commas.
	OutputSecrets = "strata.dev/output-secrets"
	// OutputConfigMaps has the names of the ConfigMaps with outputs, separated by commas.
	OutputConfigMaps = "strata.dev/output-config-maps"
	// OutputsDue is "true" if the resource has changed since the operator last read outputs.
	OutputsDue = "strata.dev/outputs-due"
)

// Finalizer prevents the removal of an object until its resource is deleted or released.
const Finalizer = "strata.dev/outside"

// Policy is what the operator may do with a resource.
type Policy string

// The policies.
const (
	// Manage creates, changes and deletes the resource. It is the default.
	Manage Policy = "manage"
	// Detach is Manage, but leaves the resource alone when the object is deleted.
	Detach Policy = "detach-on-delete"
	// Observe changes nothing in the external API.
	Observe Policy = "observe"
	// skip is the name of Observe in Azure Service Operator.
	skip Policy = "skip"
)

// PolicyOf reads the policy of an object. An unknown one is an error, since a guess could delete a
// resource.
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

// WithCredentials is the value of Adopt that allows other credentials than those of the claim.
const WithCredentials = "credentials"

// MayAdopt reports whether an existing resource may be adopted.
func MayAdopt(object metav1.Object) bool {
	return object.GetAnnotations()[Adopt] == "true" || MayChangeCredentials(object)
}

// MayChangeCredentials reports whether credentials of another scope than those of the claim are
// allowed.
func MayChangeCredentials(object metav1.Object) bool {
	return object.GetAnnotations()[Adopt] == WithCredentials
}

// UserSettings returns the values of the annotations that users write. Two objects with equal
// settings control the operator alike.
func UserSettings(object metav1.Object) [4]string {
	annotations := object.GetAnnotations()
	return [4]string{annotations[ReconcilePolicy], annotations[Adopt], annotations[Credentials], annotations[Outputs]}
}

// State is what the operator stores about an object.
type State struct {
	// Owned reports whether the object owns the resource: created, adopted, or about to be created.
	Owned bool
	// Signed reports whether the operator has signed the claim, so that no client has written it.
	// [Keys.Read] sets it, and [Keys.Sign] signs such a state.
	Signed bool
	// Holder is the process that is about to create the resource. It is set only while there is no
	// ID. A process that continues an unfinished claim writes its own, so that an earlier process
	// can no longer write the claim.
	Holder string
	// Target is the claimed resource. It is empty in claims of earlier releases.
	Target Target
	// Since is the time of the claim. Of two claims to one resource the earlier counts.
	Since time.Time
	// ID is empty until the resource is known to exist.
	ID string
	// ResourceUID distinguishes the resource from one that another client creates later with its
	// identifier. It is empty if the external API has no such value.
	ResourceUID string
	// Gone reports whether an observation found that the resource is gone, and an event has
	// reported that.
	Gone bool
	// Address is the address for which the resource was claimed.
	Address Address
	// Made is when the operator learned that the resource was made; zero if it was adopted, or if
	// an earlier release made it. Reads may miss the resource for a while after that.
	Made time.Time
	// Sent is the create whose outcome is unknown; nil if there is none.
	Sent *SentCreate
	// Unanswered is a change whose result is unknown: it may have created the resource again, or
	// may still do so. It is nil if there is none.
	Unanswered *SentChange
	// Operation is the running operation of the external API; nil for none.
	Operation *PendingOperation
	// Applied is the digest of the spec that was applied last; empty for none.
	Applied string
	// APIVersion is the version of the external API of that call; empty for none.
	APIVersion string
	// OutputsDue reports whether outputs must be read again, whatever was written before.
	OutputsDue bool
}

// Key returns the index key of the claimed resource; empty for none.
func (m State) Key() string {
	if m.Target.Key != "" {
		return m.Target.Key
	}
	return Key(m.ID)
}

// Undated returns the state with no time of creates that are dated later than a time, by a clock
// that was ahead or an edit. Such a create must not become recent when that time comes.
func (m State) Undated(after time.Time) State {
	for sent := m.Sent; sent != nil; sent = sent.Before {
		if sent.At.After(after) || sent.Cut.After(after) {
			undated := *m.Sent
			if undated.At.After(after) {
				undated.At = time.Time{}
			}
			if undated.Cut.After(after) {
				undated.Cut = time.Time{}
			}
			undated.Before = State{Sent: undated.Before}.Undated(after).Sent
			m.Sent = &undated
			return m
		}
	}
	return m
}

// HasMade reports whether the object has a resource, or had one, or whether the external API has
// accepted its create. Otherwise the claim shows only that a create was begun.
func (m State) HasMade() bool {
	for sent := m.Sent; sent != nil; sent = sent.Before {
		if sent.hasMade() {
			return true
		}
	}
	return m.ID != ""
}

// Keys returns all index keys of the claim: of the claimed resource, of the resource that was
// found, and of the address. Providers that cannot identify resources know only the address.
func (m State) Keys() []string {
	var keys []string
	for _, key := range []string{m.Target.Key, Key(m.Target.ID), Key(m.ID), m.Address.Key()} {
		if key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Key returns the index key that all spellings of an identifier share.
func Key(id string) string { return strings.TrimRight(strings.ToLower(id), "/") }

// Target names a resource, which may not exist yet, and the credentials for it.
type Target struct {
	// ID is the full identifier.
	ID string `json:"id,omitempty"`
	// Key is the identifier in the one spelling that all spellings of it share.
	Key string `json:"key,omitempty"`
	// Scope identifies the tenant, subscription or endpoint of the credentials. It contains no
	// secret.
	Scope map[string]string `json:"scope,omitempty"`
	// Credentials is the Secret with the credentials; empty for those of the provider.
	Credentials string `json:"credentials,omitempty"`
}

// Contradicts returns the names that have different values in two scopes, sorted. A name that only
// one scope has is no contradiction.
func (t Target) Contradicts(other Target) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(t.Scope)) {
		if value, has := other.Scope[name]; has && !strings.EqualFold(value, t.Scope[name]) {
			names = append(names, name)
		}
	}
	return names
}

// Inherits returns the target with a larger scope: it adds the names that only the scope of an
// older target has. Equal texts of both share their memory.
func (t Target) Inherits(older Target) Target {
	t.ID, t.Key, t.Credentials = same(t.ID, older.ID), same(t.Key, older.Key), same(t.Credentials, older.Credentials)
	if len(older.Scope) == 0 {
		return t
	}
	scope := maps.Clone(older.Scope)
	maps.Copy(scope, t.Scope)
	t.Scope = sharedScope(scope)
	return t
}

// SentCreate is the request of a create.
type SentCreate struct {
	// Digest is the digest of the request with its secrets.
	Digest string `json:"digest"`
	// Version is the version of the external API, and Body the body without its secrets. A body is
	// left out if it is too large for an annotation, or if its secrets cannot be removed. Spec is
	// then its digest.
	Version string `json:"version,omitempty"`
	Body    string `json:"body,omitempty"`
	Spec    string `json:"spec,omitempty"`
	// At is when the request was sent, or when an accepted create was last known to run. A request
	// that is too old proves nothing.
	At time.Time `json:"at,omitzero"`
	// Accepted reports whether the external API has accepted the create, and works on it.
	Accepted bool `json:"accepted,omitempty"`
	// Ended reports whether the operation of the create has ended, and an observation after that,
	// at At, found no resource. The observation may have missed it. Accepted then reports whether
	// the operation succeeded.
	Ended bool `json:"ended,omitempty"`
	// Lost reports whether the operation of the create is lost, so that nothing has shown its end.
	Lost bool `json:"lost,omitempty"`
	// Left is when the operator gave up following the operation of the create, whose end nothing
	// has shown; zero if it has not.
	Left time.Time `json:"left,omitzero"`
	// Refused reports whether the create had no effect because a resource existed that the
	// preceding observation had missed.
	Refused bool `json:"refused,omitempty"`
	// MissedUID is the UID of the earlier resource of the object, which a read has not found.
	MissedUID string `json:"missedUid,omitempty"`
	// Again reports whether the object had a resource before, or has made one by an earlier create
	// that is not stored any more. A read has not found it.
	Again bool `json:"again,omitempty"`
	// Doubted reports whether a read has found a resource of which only the user can tell if this
	// create made it, and DoubtedUID is its UID. Time does not end that.
	Doubted    bool   `json:"doubted,omitempty"`
	DoubtedUID string `json:"doubtedUid,omitempty"`
	// Omitted reports whether creates of unknown outcome were sent before this one that are not
	// stored.
	Omitted bool `json:"omitted,omitempty"`
	// Cut is when the last create without an answer was sent that is not stored for itself; zero for
	// none. It may still take effect after this one has ended. Unless Omitted is true, its request
	// equals this one.
	Cut time.Time `json:"cut,omitzero"`
	// Before is an earlier create of unknown outcome that may still take effect; nil for none.
	Before *SentCreate `json:"before,omitempty"`
}

// maxSent is the largest number of creates that are stored. Together their bodies fit into an
// annotation.
const maxSent = 4

// hasMade reports whether a resource existed before this create, or the external API has accepted
// the create.
func (s *SentCreate) hasMade() bool { return s.Accepted || s.Again || s.MissedUID != "" }

// Accept returns the create as one that the external API has accepted. Then no resource existed,
// so the user need not decide about an earlier one any more.
func (s *SentCreate) Accept() *SentCreate {
	accepted := *s
	accepted.Accepted, accepted.Doubted, accepted.DoubtedUID = true, false, ""
	return &accepted
}

// MayRun reports whether the external API has accepted the create, and nothing has shown its end.
func (s *SentCreate) MayRun() bool { return s.Accepted && !s.Ended }

// Followed returns when the operator last knew that the create runs, or gave up following it; zero
// if no time is known.
func (s *SentCreate) Followed() time.Time { return later(s.At, s.Left) }

// unanswered returns when this create, or the last one that Cut stands for, was sent without an
// answer; zero if all were answered.
func (s *SentCreate) unanswered() time.Time {
	if s.IsAnswered() {
		return s.Cut
	}
	return later(s.Cut, s.At)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// IsAnswered reports whether the external API has answered the create.
func (s *SentCreate) IsAnswered() bool { return s.Accepted || s.Refused || s.Ended }

// After returns the create with those that were sent before it. Equal requests are stored once, and
// once more if they differ in what is known of their end: an earlier one may still run. If there
// are too many, or their bodies do not fit, the later ones are stored, and Omitted reports that. If
// one that is not stored has made a resource, Again reports that. If it has no answer, Cut of the
// equal one has its time, or of this one if none is equal.
func (s *SentCreate) After(before *SentCreate) *SentCreate {
	after, size := *s, len(s.Body)
	type request struct {
		digest                      string
		isAccepted, isEnded, isOpen bool
	}
	of := func(s *SentCreate) request {
		return request{s.Digest, s.Accepted, s.Ended, s.Lost || !s.IsAnswered() && s.At.IsZero()}
	}
	last, seen := &after, map[request]*SentCreate{of(s): &after}
	for ; before != nil; before = before.Before {
		one := *before
		is := of(&one)
		if one.Before = nil; seen[is] != nil || len(seen) == maxSent || size+len(one.Body) > maxBody {
			stands := cmp.Or(seen[is], &after)
			stands.Omitted = stands.Omitted || one.Omitted || seen[is] == nil
			stands.Cut = later(stands.Cut, one.unanswered())
			after.Again, after.Omitted = after.Again || one.hasMade(), after.Omitted || stands.Omitted
			continue
		}
		seen[is], size = &one, size+len(one.Body)
		last.Before = &one
		last = &one
	}
	last.Before = nil
	return &after
}

// bounded omits creates beyond maxSent, which only a user can have written: the operator compares
// each one with the resource. Omitted reports that, and Again if one of those has made a resource.
func (s *SentCreate) bounded() *SentCreate {
	last := s
	for n := 1; n < maxSent && last != nil; n++ {
		last = last.Before
	}
	if last == nil {
		return s
	}
	for before := last.Before; before != nil; before = before.Before {
		s.Again, s.Omitted = s.Again || before.hasMade(), true
	}
	last.Before = nil
	return s
}

// maxBody is the largest body in an annotation, in bytes. All annotations of an object together
// have at most 256 KiB.
const maxBody = 64 << 10

// NewSentCreate returns the record of a create. If the body is larger than maxBody, the record
// has its digest instead.
func NewSentCreate(digest, version string, body []byte, at time.Time) *SentCreate {
	if len(body) > maxBody {
		return NewSentDigest(digest, version, body, at)
	}
	return &SentCreate{Digest: digest, Version: version, Body: string(body), At: at.UTC()}
}

// NewSentDigest returns the record of a create whose body must not be in an annotation. It has
// the digest of the version and the body instead.
func NewSentDigest(digest, version string, body []byte, at time.Time) *SentCreate {
	return &SentCreate{Digest: digest, Version: version, Spec: specOf(version, body), At: at.UTC()}
}

// Matches reports whether a body equals the one that was sent, both without secrets.
func (s *SentCreate) Matches(version string, body []byte) bool {
	if s.Spec != "" {
		return s.Spec == specOf(version, body)
	}
	return s.Body != "" && s.Version == version && s.Body == string(body)
}

// SentChange is a change of a resource whose result is unknown. If another client has deleted the
// resource, such a change creates a new one, unless it names the entity tag of the old one.
type SentChange struct {
	// Spec is the digest of the version and the body without secrets. It is empty if the record
	// combines several changes that differ.
	Spec string `json:"spec,omitempty"`
	// At is when the change was sent, or was last observed to run. It is zero if the change has
	// ended.
	At time.Time `json:"at,omitzero"`
	// Unended reports whether the operation of the change is lost or followed no longer, so that
	// nothing has shown its end. At is then when the operator learned that.
	Unended bool `json:"overdue,omitempty"`
}

// NewSentChange returns the record of a change.
func NewSentChange(version string, body []byte, at time.Time) *SentChange {
	return &SentChange{Spec: specOf(version, body), At: at.UTC()}
}

// After returns the record of the change combined with that of an earlier one whose result is
// unknown too. Either may be nil.
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
	both.Unended = both.Unended || before.Unended
	return &both
}

// Differs reports whether a version and a body certainly differ from those that were sent. It
// returns false if the digest of these is not known.
func (c *SentChange) Differs(version string, body []byte) bool {
	return c.Spec != "" && c.Spec != specOf(version, body)
}

func specOf(version string, body []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s,%s", len(version), version, body)
	return hex.EncodeToString(h.Sum(nil))
}

// Address is the parent and the name of a resource in the external API.
type Address struct {
	Parent string `json:"parent,omitempty"`
	Name   string `json:"name"`
}

// Key returns the index key that all spellings of the address share; empty for no address.
func (w Address) Key() string {
	if w == (Address{}) {
		return ""
	}
	return strings.ToLower(":" + strings.TrimRight(w.Parent, "/") + "/" + w.Name)
}

// Aim is the purpose of an operation.
type Aim string

// The aims of operations.
const (
	ToApply  Aim = "apply"
	ToDelete Aim = "delete"
)

// PendingOperation is an operation of the external API that can outlive the process that began
// it. It contains no secret.
type PendingOperation struct {
	Handle string `json:"handle"`
	Aim    Aim    `json:"aim"`
	// Digest is the digest of the request that runs, and Spec that of its body without secrets.
	Digest    string `json:"digest,omitempty"`
	Spec      string `json:"spec,omitempty"`
	CanCancel bool   `json:"canCancel,omitempty"`
	// Began is when the operation began; zero in claims of earlier releases.
	Began time.Time `json:"began,omitzero"`
	// Cancelled reports whether the operator has asked to cancel it.
	Cancelled bool `json:"cancelled,omitempty"`
	// ResourceUID and Etag are those of the resource that is being deleted. A resource with
	// another UID was created later.
	ResourceUID string `json:"resourceUid,omitempty"`
	Etag        string `json:"etag,omitempty"`
}

// claim is the content of the annotation Claim.
type claim struct {
	UID      types.UID `json:"uid"`
	Observed bool      `json:"observed,omitempty"`
	Target
	Since       *time.Time `json:"since,omitempty"`
	Made        time.Time  `json:"made,omitzero"`
	Holder      string     `json:"holder,omitempty"`
	ResourceUID string     `json:"resourceUid,omitempty"`
	Gone        bool       `json:"gone,omitempty"`
	// Unanswered is set while a change may make the resource again.
	Unanswered *SentChange `json:"unanswered,omitempty"`
}

// Earlier releases wrote the UID as text, with the prefix observed/ if the policy is Observe, and
// with @ and the holder as a suffix.
const (
	observed = "observed/"
	holding  = "@"
)

// readClaim parses the annotation Claim. It returns an empty claim if the text is invalid.
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

// Read returns the state that the operator stored in an object. It ignores state that was written
// to another object. It also ignores an operation that it cannot decode, since an observation
// shows the result.
func Read(object metav1.Object) State {
	annotations := object.GetAnnotations()
	c := readClaim(annotations[Claim])
	if c.UID == "" || c.UID != object.GetUID() {
		return State{}
	}
	c.Target.Scope = sharedScope(c.Target.Scope)
	m := State{Owned: !c.Observed, Target: c.Target, ID: same(annotations[ID], c.Target.ID), Unanswered: c.Unanswered, Applied: annotations[Applied], APIVersion: annotations[APIVersion], OutputsDue: annotations[OutputsDue] == "true"}
	if c.Since != nil {
		m.Since = *c.Since
	}
	if m.ID == "" {
		m.Holder = c.Holder
		m.Sent = read[SentCreate](annotations[Sent]).bounded()
	} else {
		m.ResourceUID, m.Gone, m.Made = c.ResourceUID, c.Gone, c.Made
	}
	if at := read[Address](annotations[Place]); at != nil {
		m.Address = *at
	}
	if u := read[PendingOperation](annotations[Operation]); u != nil && u.Handle != "" {
		m.Operation = u
	}
	return m
}

// read decodes JSON. It returns nil if the text is empty or invalid.
func read[T any](text string) *T {
	value := new(T)
	if text == "" || json.Unmarshal([]byte(text), value) != nil {
		return nil
	}
	return value
}

// Annotations returns the annotations that store the state. A nil value means that the annotation
// must be absent. All values are nil for an object without a claim.
func (m State) Annotations(uid types.UID) map[string]*string {
	annotations := map[string]*string{Claim: nil, ID: nil, Place: nil, Sent: nil, Operation: nil, Applied: nil, APIVersion: nil, OutputsDue: nil}
	if !m.Owned && m.ID == "" {
		return annotations
	}
	set := func(name, value string) {
		if value != "" {
			annotations[name] = &value
		}
	}
	c := claim{UID: uid, Observed: !m.Owned, Target: m.Target, Unanswered: m.Unanswered}
	if !m.Since.IsZero() {
		c.Since = &m.Since // in its zone: a client may have written one whose year in UTC has no text
	}
	if m.ID == "" {
		c.Holder = m.Holder
	} else {
		c.ResourceUID, c.Gone, c.Made = m.ResourceUID, m.Gone, m.Made
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
	return annotations
}

// text returns the JSON of one of the types of this package. It panics if there is none, which
// cannot happen with these types.
func text(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("%T has no JSON: %v", value, err))
	}
	return string(data)
}
