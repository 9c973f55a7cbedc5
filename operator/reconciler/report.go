package reconciler

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/operator/outside"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// The conditions of all objects. Only Ready is always there.
const (
	Ready = "Ready"
	// Reconciling and Stalled are those of kstatus.
	Reconciling = "Reconciling"
	Stalled     = "Stalled"
	// FullySent is False where the version that the user wrote cannot say all that the object says.
	FullySent = "FullySent"
	// OriginalVersionKept is False where another version stands for the one that the user wrote.
	OriginalVersionKept = "OriginalVersionKept"
	// Drifted is True where the resource outside is not as the object says, and is not changed.
	Drifted = "Drifted"
)

// Reasons of Ready that others look at.
const (
	Succeeded = "Succeeded"
	Observed  = "Observed"
	Exists    = "Exists"
	Deleting  = "Deleting"
)

var ours = []string{Ready, Reconciling, Stalled, FullySent, OriginalVersionKept, Drifted}

// settle reports how a pass ended, and says when the next one is to be.
func (p *pass) settle(ctx context.Context, c course, stopped error) (time.Duration, error) {
	p.tell()
	var h *halt
	if stopped != nil && !errors.As(stopped, &h) {
		return 0, stopped
	}
	if h != nil && h.state == failing && ctx.Err() != nil { // the operator ends, and that is no failure of the object's
		return 0, ctx.Err()
	}
	memo := p.memory.of(p.key, p.object.GetUID())
	if h == nil || h.state != failing {
		memo.failures = 0
	} else {
		memo.failures++
	}
	if h != nil {
		p.log.V(1).Info("halted", "reason", h.reason, "message", h.message)
	}
	after := p.next(h, memo)
	if h != nil && h.state == failing && memo.failures < forgiven && p.isReady() {
		return after, nil
	}
	if err := p.report(ctx, c, h); err != nil {
		return 0, err
	}
	return after, nil
}

// forgiven is how many failures in a row it takes until an object that was ready is so no more.
const forgiven = 3

// isReady tells whether the stored status says that what is wanted now is there.
func (p *pass) isReady() bool {
	ready := find(conditionsOf(p.object), Ready)
	return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == p.generation
}

// next is when the next pass is to be if nothing happens.
func (p *pass) next(h *halt, memo *memo) time.Duration {
	switch {
	case h == nil, h.after == 0 && h.state != failing:
		return p.Resync - p.Resync/10 + outside.Jitter(p.Resync/5)
	case h.after > 0 && h.state == failing:
		return h.after + outside.Jitter(h.after/10+p.Patience)
	case h.after > 0:
		return h.after
	default:
		return p.pause(memo.failures, h.slow)
	}
}

// report writes the status, if it is not as it should be.
func (p *pass) report(ctx context.Context, c course, h *halt) error {
	before := conditionsOf(p.object)
	conditions := p.conditions(slices.Clone(before), c, h)
	content, err := p.content()
	if err != nil {
		return err
	}
	if err := p.store(ctx, content, conditions); err != nil {
		return err
	}
	p.warn(find(before, Ready), h)
	return nil
}

// content is the status without conditions: what was seen, through the version that the user wrote; as it is stored where
// nothing new was seen.
func (p *pass) content() (map[string]any, error) {
	stored := contentOf(p.object)
	if !p.seen.GetExists() || p.api.Empty() {
		return stored, nil
	}
	memo := p.memory.of(p.key, p.object.GetUID())
	said, now := sum(p.api.Version, p.seen.GetStatus()), fingerprint(stored)
	if memo.said == said && memo.stored == now {
		return stored, nil
	}
	made, err := p.statuses.Hub(outside.Answer{Hub: p.kind.Hub, API: p.api, Said: p.seen.GetStatus(), Stored: stored})
	if err != nil {
		return nil, fmt.Errorf("status of %s: %w", p.key, err)
	}
	memo.said, memo.stored = said, fingerprint(made)
	return made, nil
}

func sum(version string, data []byte) string {
	h := sha256.Sum256(append([]byte(version+"\x00"), data...))
	return hex.EncodeToString(h[:8])
}

func fingerprint(content map[string]any) string {
	data, err := json.Marshal(content) // of a status that was JSON
	if err != nil {
		return ""
	}
	return sum("", data)
}

// conditions are those that an object has to have, of those that it has.
func (p *pass) conditions(all []metav1.Condition, c course, h *halt) []metav1.Condition {
	set := func(kind string, status metav1.ConditionStatus, reason, message string) {
		meta.SetStatusCondition(&all, metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: p.generation})
	}
	kept := ""
	switch {
	case h == nil && c == observing:
		set(Ready, metav1.ConditionTrue, Observed, "")
	case h == nil:
		set(Ready, metav1.ConditionTrue, Succeeded, "")
	default:
		set(Ready, metav1.ConditionFalse, h.reason, h.message)
		if kept = Reconciling; h.state == stalled {
			kept = Stalled
		}
		set(kept, metav1.ConditionTrue, h.reason, h.message)
	}
	for _, kind := range []string{Reconciling, Stalled} {
		if kind != kept {
			meta.RemoveStatusCondition(&all, kind)
		}
	}
	p.limit(&all)
	p.drift(&all, c)
	p.facts(&all)
	return all
}

// limit sets what the version that the user wrote is the reason of. Where nothing was converted, nothing is known anew.
func (p *pass) limit(all *[]metav1.Condition) {
	if p.api.Empty() {
		return
	}
	for _, kind := range []string{FullySent, OriginalVersionKept} {
		if i := slices.IndexFunc(p.limits, func(c metav1.Condition) bool { return c.Type == kind }); i >= 0 {
			condition := p.limits[i]
			condition.ObservedGeneration = p.generation
			meta.SetStatusCondition(all, condition)
		} else {
			meta.RemoveStatusCondition(all, kind)
		}
	}
}

func (p *pass) drift(all *[]metav1.Condition, c course) {
	if p.seen == nil {
		return
	}
	if p.driftKey() == "" {
		meta.RemoveStatusCondition(all, Drifted)
		return
	}
	reason := "NotAccepted"
	if c == observing {
		reason = "ObservedOnly"
	}
	meta.SetStatusCondition(all, metav1.Condition{
		Type: Drifted, Status: metav1.ConditionTrue, Reason: reason, ObservedGeneration: p.generation,
		Message: outside.Bounded("these differ outside: "+strings.Join(p.seen.GetDrift(), ", "), p.values()...),
	})
}

// maxFacts is how many conditions a provider can set.
const maxFacts = 16

var (
	factType   = regexp.MustCompile(`^([a-z0-9.-]{1,253}/)?[A-Za-z][A-Za-z0-9_.-]{0,61}[A-Za-z0-9]$`)
	factReason = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]{0,200}[A-Za-z0-9_])?$`)
)

// facts sets the conditions that the provider tells of, and takes away those that it told of before.
func (p *pass) facts(all *[]metav1.Condition) {
	if p.seen == nil {
		return
	}
	memo := p.memory.of(p.key, p.object.GetUID())
	var told []string
	for _, fact := range p.seen.GetFacts() {
		if len(told) == maxFacts || slices.Contains(ours, fact.GetType()) || !factType.MatchString(fact.GetType()) {
			continue
		}
		condition := metav1.Condition{
			Type: fact.GetType(), Status: metav1.ConditionUnknown, Reason: fact.GetReason(), ObservedGeneration: p.generation,
			Message: outside.Bounded(fact.GetMessage(), p.values()...),
		}
		switch fact.GetTruth() {
		case v1.Truth_TRUTH_TRUE:
			condition.Status = metav1.ConditionTrue
		case v1.Truth_TRUTH_FALSE:
			condition.Status = metav1.ConditionFalse
		}
		if !factReason.MatchString(condition.Reason) {
			condition.Reason = "Reported"
		}
		meta.SetStatusCondition(all, condition)
		told = append(told, condition.Type)
	}
	for _, kind := range memo.facts {
		if !slices.Contains(told, kind) {
			meta.RemoveStatusCondition(all, kind)
		}
	}
	memo.facts = told
}

// store writes the status through the version that is stored. The rest of the object stays as the API server has it.
func (p *pass) store(ctx context.Context, content map[string]any, conditions []metav1.Condition) error {
	status := make(map[string]any, len(content)+1)
	for name, value := range content {
		status[name] = value
	}
	list := make([]any, 0, len(conditions))
	for i := range conditions {
		one, err := k8sruntime.DefaultUnstructuredConverter.ToUnstructured(&conditions[i])
		if err != nil {
			return fmt.Errorf("write conditions: %w", err)
		}
		list = append(list, one)
	}
	status["conditions"] = list
	if stored, _ := p.object.Object["status"].(map[string]any); reflect.DeepEqual(stored, status) {
		return nil
	}
	object := p.blank(p.kind.Hub)
	object.SetNamespace(p.key.Namespace)
	object.SetName(p.key.Name)
	object.SetUID(p.object.GetUID())
	object.SetResourceVersion(p.object.GetResourceVersion())
	object.Object["status"] = status
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), insistence)
	defer cancel()
	if err := p.Client.Status().Update(ctx, object, FieldOwner); err != nil {
		return err
	}
	p.wrote(object)
	return nil
}

// conditionsOf reads the conditions of an object. What is none is left out.
func conditionsOf(object *unstructured.Unstructured) []metav1.Condition {
	list, _, _ := unstructured.NestedFieldNoCopy(object.Object, "status", "conditions")
	elements, _ := list.([]any)
	var all []metav1.Condition
	for _, element := range elements {
		one, ok := element.(map[string]any)
		var condition metav1.Condition
		if ok && k8sruntime.DefaultUnstructuredConverter.FromUnstructured(one, &condition) == nil && condition.Type != "" {
			all = append(all, condition)
		}
	}
	return all
}

// contentOf is the stored status without conditions.
func contentOf(object *unstructured.Unstructured) map[string]any {
	status, _ := object.Object["status"].(map[string]any)
	content := make(map[string]any, len(status))
	for name, value := range status {
		if name != "conditions" {
			content[name] = value
		}
	}
	return content
}

func find(all []metav1.Condition, kind string) *metav1.Condition {
	return meta.FindStatusCondition(all, kind)
}

// tell sends events of what was done.
func (p *pass) tell() {
	for _, h := range p.done {
		p.log.Info(h.message, "reason", h.reason, "id", p.marks.ID)
		p.event(corev1.EventTypeNormal, h.reason, h.message)
	}
	p.done = nil
}

// warn sends an event where an object has come to a halt that somebody should know of, once.
func (p *pass) warn(before *metav1.Condition, h *halt) {
	if h == nil || h.state == waiting || h.state == progressing {
		return
	}
	if before != nil && before.Status == metav1.ConditionFalse && before.Reason == h.reason {
		return
	}
	p.log.Info("halted", "reason", h.reason, "message", h.message)
	p.event(corev1.EventTypeWarning, h.reason, h.message)
}

// maxNote is how long the API server lets an event's note be.
const maxNote = 1000

func (p *pass) event(kind, reason, message string) {
	if p.Events == nil {
		return
	}
	if len(message) > maxNote {
		message = strings.ToValidUTF8(message[:maxNote], "")
	}
	about := &corev1.ObjectReference{
		APIVersion: p.kind.API().GroupVersion().String(), Kind: p.kind.Hub.Kind,
		Namespace: p.key.Namespace, Name: p.key.Name, UID: p.object.GetUID(),
	}
	p.Events.Eventf(about, nil, kind, reason, "Reconcile", "%s", message)
}
