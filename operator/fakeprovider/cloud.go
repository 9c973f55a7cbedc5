// Package fakeprovider is an external API in memory, with a provider for it, for tests of
// operators. It stores the resources that it receives, fails if a test requests it, and counts
// every call. So a test can find resources that were created twice.
package fakeprovider

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/stratakube/strata/operator/plugin"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// Name is that of the provider.
const Name = "strata.dev/fakeprovider"

// Cloud is an external API. Its zero value is empty and ready.
type Cloud struct {
	mu        sync.Mutex
	resources map[string]*Resource
	calls     []Call
	creates   map[string]int
	pending   map[string]*operation
	before    func(Call) error
	after     func(Call) error
	polls     int
	pollAfter time.Duration
	cancels   bool
	root      string
	secured   bool
	poor      bool
	quiet     bool
	withheld  []string
	meanwhile map[string]func()
	isMarked  bool
	nameless  bool
	untagged  bool
	tagged    bool
	respelled bool
	silent    bool
	foretells bool
	rotates   bool
	shows     bool
	alters    func(body []byte) []byte
	permits   bool
	faults    []string
	stale     int
	stamps    int
}

// Resource is a resource of the external API.
type Resource struct {
	Type, Version string
	Body          []byte
	Secrets       map[string]string
	// Facts are what the provider reports of it as conditions.
	Facts []*v1.Fact
	// LastChange is how far its last change has come. If it is not set, Facts report it as those of
	// providers of version 1 do.
	LastChange v1.Change
	// Mark is the mark of the operator, if the API has marks.
	Mark string
	// IsOwn reports whether the operator has made the resource, and not another client.
	IsOwn bool
	// uid and etag are numbers that the API uses once: for a resource, and for a change of one.
	uid, etag int
}

// Call is one call of the provider.
type Call struct {
	Verb, ID   string
	Version    string
	CreateOnly bool
	// Token is the access token that came with the call.
	Token string
	// Outputs is how many values the call asks for.
	Outputs int
	// Body is what an Apply was sent.
	Body string
}

type operation struct {
	creates   string // the identifier of the resource that it creates; empty for none
	goesOn    bool   // the last poll was answered, and reported that it goes on
	polls     int
	finish    func()
	cancelled bool
}

// Register registers the provider with a server.
func (c *Cloud) Register(s *plugin.Server) {
	v2.Register(s, Name, func(context.Context, map[string]string) (v2.Provider, error) { return provider{c}, nil })
}

// Root changes the configuration of the provider: resources without a parent are below root, unless
// their credentials name a subscription.
func (c *Cloud) Root(root string) { c.set(func() { c.root = root }) }

// Secured makes the API require credentials, by default the provider's own.
func (c *Cloud) Secured() { c.set(func() { c.secured = true }) }

// Poor limits the provider to what version 1 can do: it neither identifies nor compares.
func (c *Cloud) Poor() { c.set(func() { c.poor = true }) }

// Rich ends the limits of Poor.
func (c *Cloud) Rich() { c.set(func() { c.poor = false }) }

// Quiet makes changes answer without an observation, at once or at the end of their operations.
func (c *Cloud) Quiet() { c.set(func() { c.quiet = true }) }

// Loud ends Quiet.
func (c *Cloud) Loud() { c.set(func() { c.quiet = false }) }

// Withhold makes the API return no value for outputs of some paths.
func (c *Cloud) Withhold(paths ...string) { c.set(func() { c.withheld = paths }) }

// Nameless makes a resource equal to one that is created later with its identifier: there are
// neither UIDs nor entity tags.
func (c *Cloud) Nameless() { c.set(func() { c.nameless = true }) }

// Untagged makes resources have no entity tag, as most types of ARM. UIDs distinguish resources.
func (c *Cloud) Untagged() { c.set(func() { c.untagged = true }) }

// Tagged makes resources have no UID: only entity tags distinguish them.
func (c *Cloud) Tagged() { c.set(func() { c.tagged = true }) }

// Respelled makes reads spell UIDs otherwise than answers to changes, as APIs do whose times of
// creation have fractions of a second in some answers only.
func (c *Cloud) Respelled() { c.set(func() { c.respelled = true }) }

// Silent makes the provider one of version 2 that was built before the field last_change. Only
// Facts report how far the last change has come.
func (c *Cloud) Silent() { c.set(func() { c.silent = true }) }

// Foretells makes operations that go on come with an observation of where the resource will be, as
// those of strata-arm do. It does not prove that the resource exists.
func (c *Cloud) Foretells() { c.set(func() { c.foretells = true }) }

// Stale makes the next observations find nothing, as reads do that lag behind writes.
func (c *Cloud) Stale(looks int) { c.set(func() { c.stale = looks }) }

// Marked makes the API store the mark of the object that is applied.
func (c *Cloud) Marked() { c.set(func() { c.isMarked = true }) }

// Before calls f before each call does anything, and fails with its error; nil for none.
func (c *Cloud) Before(f func(Call) error) { c.set(func() { c.before = f }) }

// After calls f after each call has taken effect. An error hides that it has.
func (c *Cloud) After(f func(Call) error) { c.set(func() { c.after = f }) }

// PollsAfter sets after how long operations ask to be polled.
func (c *Cloud) PollsAfter(while time.Duration) { c.set(func() { c.pollAfter = while }) }

// Meanwhile calls f after each call of a method and before its answer, as another client; nil for
// none.
func (c *Cloud) Meanwhile(method string, f func()) {
	c.set(func() { c.meanwhile = map[string]func(){method: f} })
}

// others calls the function of Meanwhile for a method.
func (c *Cloud) others(method string) {
	c.mu.Lock()
	f := c.meanwhile[method]
	c.mu.Unlock()
	if f != nil {
		f()
	}
}

// Slow sets how many polls changes take; 0 for none.
func (c *Cloud) Slow(polls int, canCancel bool) {
	c.set(func() { c.polls, c.cancels = polls, canCancel })
}

// Finish makes the operations that go on end at their next poll.
func (c *Cloud) Finish() {
	c.set(func() {
		for _, o := range c.pending {
			o.polls = 1
		}
	})
}

// Complete makes the operations that go on take effect at once. Their next poll reports the end.
func (c *Cloud) Complete() {
	c.set(func() {
		for _, o := range c.pending {
			o.finish()
			o.finish, o.polls = func() {}, 1
		}
	})
}

// Rotates makes each poll of an operation that goes on return another handle. The API does not know
// the one before any more.
func (c *Cloud) Rotates(rotates bool) { c.set(func() { c.rotates = rotates }) }

// Shows makes resources visible as soon as an operation that applies them has begun, as those of
// ARM are.
func (c *Cloud) Shows(shows bool) { c.set(func() { c.shows = shows }) }

// Permit lets the operator change and delete resources of other clients, as an adoption does.
func (c *Cloud) Permit(permits bool) { c.set(func() { c.permits = permits }) }

// Faults returns what the operator did that it must never do: it changed or deleted a resource that
// another client had made, or created one again while polls reported that its create goes on.
func (c *Cloud) Faults() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.faults)
}

// touches records a fault if the resource that a call changes or deletes is that of another client.
func (c *Cloud) touches(method, id string) {
	if is := c.resources[id]; is != nil && !is.IsOwn && !c.permits {
		c.faults = append(c.faults, method+" of another client's resource "+id)
	}
}

// repeats records a fault if a create is sent while an operation creates the resource.
func (c *Cloud) repeats(id string) {
	for handle, o := range c.pending {
		if o.creates == id && o.goesOn {
			c.faults = append(c.faults, "a create while "+handle+" goes on")
		}
	}
}

// Alters makes the API store another body than it is sent, as services do that normalize values;
// nil for none.
func (c *Cloud) Alters(stored func(body []byte) []byte) { c.set(func() { c.alters = stored }) }

// Lose makes the operations that go on take effect at once. The API does not know them any more.
func (c *Cloud) Lose() {
	c.set(func() {
		for handle, o := range c.pending {
			o.finish()
			delete(c.pending, handle)
		}
	})
}

func (c *Cloud) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// Calls returns the calls of a method, or of all methods if it is empty.
func (c *Cloud) Calls(method string) []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.calls), func(one Call) bool { return method != "" && one.Verb != method })
}

// Forget forgets the calls.
func (c *Cloud) Forget() { c.set(func() { c.calls = nil }) }

// Get returns a copy of a resource; nil for none.
func (c *Cloud) Get(id string) *Resource {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.resources[id]
	if r == nil {
		return nil
	}
	copied := *r
	return &copied
}

// Put creates or changes a resource, as another client.
func (c *Cloud) Put(id string, r Resource) {
	c.set(func() {
		if r.etag == 0 { // else it is one that Get returned, as it was
			c.stamp(id, &r)
		}
		if c.resources == nil {
			c.resources = map[string]*Resource{}
		}
		c.resources[id] = &r
	})
}

// stamp sets a new entity tag, and for a new resource a UID.
func (c *Cloud) stamp(id string, r *Resource) {
	c.stamps++
	if r.uid, r.etag = c.stamps, c.stamps; c.resources[id] != nil {
		r.uid = c.resources[id].uid
	}
}

// Remove deletes a resource, as another client.
func (c *Cloud) Remove(id string) { c.set(func() { delete(c.resources, id) }) }

// Creates returns how often a resource was created.
func (c *Cloud) Creates(id string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.creates[id]
}

// Duplicates returns the resources that were created more than once, and how often.
func (c *Cloud) Duplicates() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	twice := map[string]int{}
	for id, n := range c.creates {
		if n > 1 {
			twice[id] = n
		}
	}
	return twice
}

// IDs returns the identifiers of all resources, sorted.
func (c *Cloud) IDs() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []string
	for id := range c.resources {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// ID returns the identifier of a resource.
func ID(parent, external, name string) string {
	if parent == "" {
		return "/" + external + "/" + name
	}
	return parent + "/" + external[strings.LastIndexByte(external, '/')+1:] + "/" + name
}

// Fail returns an error of the external API.
func Fail(reason v2.Reason, message string, after time.Duration) error {
	f := &v2.Failure{Reason: reason, Message: message}
	if after > 0 {
		f.RetryAfter = durationpb.New(after)
	}
	return v2.Fail(f)
}

// FailAfter returns an error of the external API that reports whether the call had an effect.
func FailAfter(has v2.Effect, reason v2.Reason, message string) error {
	return v2.Fail(&v2.Failure{Reason: reason, Message: message, Effect: has})
}

// provider is the API as operators call it.
type provider struct{ *Cloud }

// address returns the identifier of a resource.
func (c *Cloud) address(r *v1.Resource) string {
	if id := r.GetId(); id != "" {
		return id
	}
	id := ID(r.GetPlace().GetParent(), r.GetType(), r.GetPlace().GetName())
	if r.GetPlace().GetParent() != "" {
		return id
	}
	if subscription := string(r.GetCredentials().GetValues()["AZURE_SUBSCRIPTION_ID"]); subscription != "" {
		return "/subscriptions/" + subscription + id
	}
	return c.root + id
}

// Identify returns which resource is meant.
func (p provider) Identify(_ context.Context, in *v2.Subject) (*v2.Identity, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.poor {
		return &v2.Identity{}, nil
	}
	r := in.GetResource()
	id, kind := p.address(r), r.GetType()[strings.LastIndexByte(r.GetType(), '/')+1:]
	if strings.Contains(id, "..") || !strings.Contains(id, "/"+kind+"/") {
		return nil, Fail(v2.Reason_REASON_INVALID, id+" is no "+r.GetType(), 0)
	}
	out := &v2.Identity{Id: id, Key: strings.ToLower(id), Scope: map[string]string{}, Anonymous: !p.secured}
	for name, key := range map[string]string{"tenant": "AZURE_TENANT_ID", "subscription": "AZURE_SUBSCRIPTION_ID"} {
		if value := r.GetCredentials().GetValues()[key]; len(value) > 0 {
			out.Scope[name] = string(value)
		}
	}
	return out, nil
}

func (c *Cloud) begin(method string, in *v2.Subject, createOnly bool) (Call, error) {
	r := in.GetResource()
	call := Call{
		Verb: method, ID: c.address(r), Version: r.GetApiVersion(),
		CreateOnly: createOnly, Body: string(r.GetSpec()), Token: string(r.GetCredentials().GetValues()["AZURE_ACCESS_TOKEN"]),
	}
	for _, s := range r.GetSecrets() {
		if strings.Contains(s.GetPath(), "()") {
			call.Outputs++
		}
	}
	c.calls = append(c.calls, call)
	if c.before == nil {
		return call, nil
	}
	return call, c.before(call)
}

func (c *Cloud) end(call Call) error {
	if c.after == nil {
		return nil
	}
	return c.after(call)
}

// Observe reads a resource.
func (p provider) Observe(_ context.Context, in *v2.Subject) (*v1.ObserveResponse, error) {
	defer p.others("Observe")
	p.mu.Lock()
	defer p.mu.Unlock()
	call, err := p.begin("Observe", in, false)
	if err != nil {
		return nil, err
	}
	if p.stale > 0 {
		p.stale--
		return &v1.ObserveResponse{Observation: &v1.Observation{}}, p.end(call)
	}
	seen := p.observation(call.ID, in)
	if p.respelled && seen.GetUid() != "" && seen.GetUid() != in.GetResource().GetUid() {
		seen.Uid += fraction
	}
	return &v1.ObserveResponse{Observation: seen}, p.end(call)
}

// fraction is what reads add to UIDs that are respelled.
const fraction = ".0"

func (c *Cloud) observation(id string, in *v2.Subject) *v1.Observation {
	r := c.resources[id]
	if r == nil {
		return &v1.Observation{}
	}
	out := &v1.Observation{Exists: true, Id: id, Status: r.Body, Facts: r.Facts, Mark: r.Mark, LastChange: r.LastChange}
	if !c.silent {
		out.LastChange = v1.LastChange(out)
	}
	if !c.nameless && !c.untagged {
		out.Etag = fmt.Sprint(r.etag)
	}
	if !c.nameless && !c.poor && !c.tagged {
		out.Uid = fmt.Sprint(r.uid)
	}
	if known := in.GetResource().GetUid(); strings.TrimSuffix(known, fraction) == out.Uid {
		out.Uid = known
	}
	if spec := in.GetResource().GetSpec(); spec != nil && !c.poor {
		out.Compared, out.Drift = true, differ(spec, r.Body)
	}
	for _, s := range in.GetResource().GetSecrets() {
		if strings.Contains(s.GetPath(), "()") {
			given := &v1.Secret{Path: s.GetPath(), Value: []byte("key of " + id)}
			if slices.Contains(c.withheld, s.GetPath()) {
				given.Value = nil
			}
			out.Secrets = append(out.Secrets, given)
		}
	}
	return out
}

// differ returns the members, also those of properties, in which a resource differs.
func differ(want, is []byte) (paths []string) {
	var a, b map[string]any
	if json.Unmarshal(want, &a) != nil || json.Unmarshal(is, &b) != nil {
		return []string{"properties"}
	}
	for name, value := range a {
		if inner, ok := value.(map[string]any); ok {
			other, _ := b[name].(map[string]any)
			for member, v := range inner {
				if !reflect.DeepEqual(v, other[member]) {
					paths = append(paths, name+"."+member)
				}
			}
		} else if !reflect.DeepEqual(value, b[name]) {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	return paths
}

// Apply creates or changes a resource. An entity tag in the request must be that of the resource.
func (p provider) Apply(_ context.Context, in *v2.ApplyRequest) (*v2.Outcome, error) {
	defer p.others("Apply")
	p.mu.Lock()
	defer p.mu.Unlock()
	call, err := p.begin("Apply", in.GetSubject(), in.GetCreateOnly())
	if err != nil {
		return nil, err
	}
	if in.GetCreateOnly() && p.resources[call.ID] != nil {
		return nil, FailAfter(v2.Effect_EFFECT_NONE, v2.Reason_REASON_CONFLICT, call.ID+" exists")
	}
	r := in.GetSubject().GetResource()
	if etag := r.GetEtag(); etag != "" && (p.resources[call.ID] == nil || fmt.Sprint(p.resources[call.ID].etag) != etag) {
		return nil, FailAfter(v2.Effect_EFFECT_NONE, v2.Reason_REASON_CONFLICT, call.ID+" was changed meanwhile")
	}
	made := &Resource{Type: r.GetType(), Version: r.GetApiVersion(), Body: slices.Clone(r.GetSpec()), Secrets: map[string]string{}}
	for _, s := range r.GetSecrets() {
		made.Secrets[s.GetPath()] = string(s.GetValue())
	}
	if in.GetCreateOnly() {
		p.repeats(call.ID)
	}
	if p.alters != nil {
		made.Body = p.alters(made.Body)
	}
	if p.isMarked {
		made.Mark = in.GetSubject().GetMark()
	}
	finish := func() {
		p.touches("Apply", call.ID)
		p.put(call.ID, made)
	}
	if p.shows && p.polls > 0 {
		finish()
		finish = func() {}
	}
	return p.change(call, in.GetSubject(), finish)
}

func (c *Cloud) put(id string, made *Resource) {
	if c.resources == nil {
		c.resources = map[string]*Resource{}
	}
	if is := c.resources[id]; is != nil {
		made.IsOwn = is.IsOwn
	} else {
		if c.creates == nil {
			c.creates = map[string]int{}
		}
		c.creates[id]++
		made.IsOwn = true
	}
	c.stamp(id, made)
	c.resources[id] = made
}

// change applies a change, at once or after polls.
func (c *Cloud) change(call Call, in *v2.Subject, do func()) (*v2.Outcome, error) {
	if c.polls == 0 {
		do()
		if c.quiet {
			return &v2.Outcome{}, c.end(call)
		}
		return &v2.Outcome{Observation: c.observation(call.ID, in)}, c.end(call)
	}
	if c.pending == nil {
		c.pending = map[string]*operation{}
	}
	handle := fmt.Sprintf("%s %s %d", call.Verb, call.ID, len(c.calls))
	c.pending[handle] = &operation{polls: c.polls, finish: do}
	if call.CreateOnly && c.resources[call.ID] == nil {
		c.pending[handle].creates = call.ID
	}
	return c.unfinished(call, handle), c.end(call)
}

// unfinished returns the outcome of a change that goes on.
func (c *Cloud) unfinished(call Call, handle string) *v2.Outcome {
	outcome := &v2.Outcome{Operation: c.operation(handle)}
	if c.foretells {
		outcome.Observation = &v1.Observation{Exists: true, Id: call.ID, LastChange: v1.Change_CHANGE_RUNNING}
	}
	return outcome
}

func (c *Cloud) operation(handle string) *v2.Operation {
	return &v2.Operation{Handle: handle, Message: "at work", PollAfter: durationpb.New(max(c.pollAfter, 50*time.Millisecond)), CanCancel: c.cancels}
}

// Delete removes a resource.
func (p provider) Delete(_ context.Context, in *v2.Subject) (*v2.Outcome, error) {
	defer p.others("Delete")
	p.mu.Lock()
	defer p.mu.Unlock()
	call, err := p.begin("Delete", in, false)
	if err != nil {
		return nil, err
	}
	return p.change(call, in, func() {
		p.touches("Delete", call.ID)
		delete(p.resources, call.ID)
	})
}

// Poll returns the state of an operation.
func (p provider) Poll(_ context.Context, in *v2.OperationRequest) (*v2.Outcome, error) {
	defer p.others("Poll")
	p.mu.Lock()
	defer p.mu.Unlock()
	call, err := p.begin("Poll", in.GetSubject(), false)
	handle := in.GetOperation().GetHandle()
	o := p.pending[handle]
	if o != nil {
		o.goesOn = err == nil
	}
	switch {
	case err != nil:
		return nil, err
	case o == nil:
		return nil, Fail(v2.Reason_REASON_NOT_FOUND, "no operation "+handle, 0)
	case o.cancelled:
		delete(p.pending, handle)
		return nil, Fail(v2.Reason_REASON_CONFLICT, "the operation was cancelled", 0)
	case o.polls > 1:
		o.polls--
		if p.rotates {
			delete(p.pending, handle)
			handle = fmt.Sprintf("%s %s %d", call.Verb, call.ID, len(p.calls))
			p.pending[handle] = o
		}
		return p.unfinished(call, handle), nil
	}
	delete(p.pending, handle)
	o.finish()
	if p.quiet {
		return &v2.Outcome{}, p.end(call)
	}
	return &v2.Outcome{Observation: p.observation(call.ID, in.GetSubject())}, p.end(call)
}

// Cancel cancels an operation.
func (p provider) Cancel(_ context.Context, in *v2.OperationRequest) (*v2.CancelResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.begin("Cancel", in.GetSubject(), false); err != nil {
		return nil, err
	}
	if o := p.pending[in.GetOperation().GetHandle()]; o != nil {
		o.cancelled = true
	}
	return &v2.CancelResponse{}, nil
}
