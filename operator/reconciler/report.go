package reconciler

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/operator/plugin/member"
	"github.com/stratakube/strata/operator/provider"
)

// endPass reports the end of a pass, and returns when the next one is due. Its error shows no
// secret, since the caller logs it.
func (p *pass) endPass(ctx context.Context, a action, stopped error) (time.Duration, error) {
	after, err := p.reportEnd(ctx, a, stopped)
	return after, p.redacted(err)
}

func (p *pass) reportEnd(ctx context.Context, a action, stopped error) (time.Duration, error) {
	p.tell()
	h, err := p.haltOf(ctx, stopped)
	if err != nil {
		return 0, err
	}
	memo := p.memo()
	if h == nil || h.state != failing {
		memo.failures = 0
	} else {
		memo.failures++
	}
	after := p.next(h, memo)
	if h != nil {
		p.log.V(1).Info("halted", "reason", h.reason, "message", h.message, "objects", h.objects)
		if h.tolerated = p.tolerates(a, h); h.tolerated > 0 {
			after = min(after, h.tolerated)
		}
	}
	if err := p.report(ctx, a, h); err != nil {
		return 0, err
	}
	return after, nil
}

// haltOf returns the halt of a pass; nil for none. An error of the API server becomes a halt. If
// the object has changed or is gone, or the operator ends, haltOf returns the error instead.
func (p *pass) haltOf(ctx context.Context, stopped error) (*halt, error) {
	var h *halt
	switch {
	case stopped == nil:
		return nil, nil
	case errors.As(stopped, &h):
		if h.state == failing && ctx.Err() != nil { // the operator ends, which is not a failure of the object
			return nil, ctx.Err()
		}
		return h, nil
	case ctx.Err() != nil, errors.Is(stopped, errReleased), apierrors.IsConflict(stopped), apierrors.IsNotFound(stopped):
		return nil, stopped
	}
	stopped = p.redacted(stopped)
	p.log.Error(stopped, "the API server failed")
	return &halt{reason: ReasonCluster, message: stopped.Error(), state: failing, unknown: true}, nil
}

// redacted returns an error whose text is bounded and shows no secret of the object, and which
// wraps err.
func (p *pass) redacted(err error) error {
	if err == nil || errors.Is(err, errReleased) {
		return err
	}
	text := provider.Bounded(err.Error(), append(p.values(), p.unsentSecrets()...)...)
	if text == err.Error() {
		return err
	}
	return &redactedError{text, err}
}

// unsentSecrets returns the secrets in the spec if the pass has not yet converted it. The API
// server can repeat them in any answer.
func (p *pass) unsentSecrets() (values [][]byte) {
	if p.subject != nil {
		return nil
	}
	q := p.over(p.kind, p.object)
	if q.convert(context.Background()) != nil {
		return nil
	}
	_, secrets := q.concealed(nil)
	for _, one := range secrets {
		values = append(values, one.GetValue())
	}
	return append(values, q.texts...)
}

// redactedError is an error with another text.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Unwrap() error { return e.err }

// tolerates returns how much longer an object stays Ready although nothing was learned about its
// resource; 0 or less if it does not. The status stores the begin of that time, so that a restart
// does not prolong it.
func (p *pass) tolerates(a action, h *halt) time.Duration {
	isAsked := a == observing || a == managing && p.digest == p.recorded.Applied
	if !h.unknown || p.seen != nil || !isAsked || !p.isReady() {
		return 0
	}
	age := time.Duration(0)
	if known := find(conditionsOf(p.object), Reachable); known != nil && known.Status == metav1.ConditionFalse {
		age = p.Now().Sub(known.LastTransitionTime.Time).Abs() // it may be in the future, by another clock
	}
	return p.Tolerance - age
}

// isReady reports whether the stored status is Ready for the present spec.
func (p *pass) isReady() bool {
	ready := find(conditionsOf(p.object), Ready)
	return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == p.generation
}

// revoke reports that an object is not Ready as soon as an observation shows that. It does so
// before the call that corrects it, which may take long, or fail.
func (p *pass) revoke(ctx context.Context) error {
	ready := find(conditionsOf(p.object), Ready)
	if ready == nil || ready.Status != metav1.ConditionTrue {
		return nil
	}
	switch {
	case p.isLost() && !p.mayTake(): // then the operator does nothing
	case !p.seen.GetExists():
		return p.report(ctx, managing, &halt{reason: Gone, message: "the resource is gone from the external API", state: progressing})
	case p.mustApply():
		return p.report(ctx, managing, &halt{reason: Updating, message: "the resource is not what the object says, and is applied", state: progressing})
	}
	return nil
}

// next returns how long to wait for the next pass if no event occurs.
func (p *pass) next(h *halt, memo *memo) time.Duration {
	switch {
	case h != nil && h.state == progressing && h.after > 0:
		return min(h.after, p.Resync)
	case h != nil && h.after > 0:
		return min(h.after+provider.Jitter(h.after/10+p.Patience), p.Resync)
	case h != nil && h.state == failing:
		return p.pause(memo.failures, h.slow)
	default:
		return p.Resync - provider.Jitter(p.Resync/5)
	}
}

// report writes the status, if it has changed.
func (p *pass) report(ctx context.Context, a action, h *halt) error {
	before := conditionsOf(p.object)
	conditions := p.conditions(slices.Clone(before), a, h)
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

// content returns the status without conditions: the last answer of the external API, converted
// through the version that the user wrote. It is empty if the resource does not exist. Without an
// observation, it is the stored one.
func (p *pass) content() (map[string]any, error) {
	stored := contentOf(p.object)
	switch {
	case p.seen == nil, p.api.Empty():
		return stored, nil
	case !p.seen.GetExists():
		return nil, nil
	}
	memo := p.memo()
	answer, now := sum(p.api.Version, p.seen.GetStatus()), fingerprint(stored)
	if memo.answer == answer && memo.stored == now {
		return stored, nil
	}
	made, err := p.statuses.Hub(provider.Answer{Hub: p.kind.Hub, API: p.api, Status: p.seen.GetStatus()})
	if err != nil {
		return nil, fmt.Errorf("status of %s: %w", p.key, err)
	}
	memo.answer, memo.stored = answer, fingerprint(made)
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

// store writes the status in the version that is stored. The rest of the object does not change.
func (p *pass) store(ctx context.Context, content map[string]any, conditions []metav1.Condition) error {
	list, err := elementsOf(conditions)
	if err != nil {
		return err
	}
	status := map[string]any{member.Conditions: list}
	maps.Copy(status, content)
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
	if err := p.Client.Status().Update(ctx, object, fieldOwner); err != nil {
		return err
	}
	p.wrote(object)
	return nil
}

// elementsOf returns conditions as an object has them.
func elementsOf(conditions []metav1.Condition) ([]any, error) {
	list := make([]any, 0, len(conditions))
	for i := range conditions {
		one, err := k8sruntime.DefaultUnstructuredConverter.ToUnstructured(&conditions[i])
		if err != nil {
			return nil, fmt.Errorf("write conditions: %w", err)
		}
		list = append(list, one)
	}
	return list, nil
}

// conditionsOf reads the conditions of an object. It omits invalid ones.
func conditionsOf(object *unstructured.Unstructured) []metav1.Condition {
	list, _, _ := unstructured.NestedFieldNoCopy(object.Object, "status", member.Conditions)
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

// contentOf returns the stored status without conditions.
func contentOf(object *unstructured.Unstructured) map[string]any {
	status, _ := object.Object["status"].(map[string]any)
	content := make(map[string]any, len(status))
	for name, value := range status {
		if name != member.Conditions {
			content[name] = value
		}
	}
	return content
}

func find(all []metav1.Condition, kind string) *metav1.Condition {
	return meta.FindStatusCondition(all, kind)
}

// tell logs the changes of the pass, and sends events about them.
func (p *pass) tell() {
	for _, h := range p.done {
		p.log.Info(h.message, "reason", h.reason, "id", p.recorded.ID)
		kind := corev1.EventTypeNormal
		if h.isWarning {
			kind = corev1.EventTypeWarning
		}
		p.event(kind, h.reason, h.message)
	}
	p.done = nil
}

// warn sends one event for each new reason of a halt that the user should know.
func (p *pass) warn(before *metav1.Condition, h *halt) {
	if h == nil || h.tolerated > 0 || h.state == waiting || h.state == progressing {
		return
	}
	if before != nil && before.Status == metav1.ConditionFalse && before.Reason == h.reason {
		return
	}
	p.log.Info("halted", "reason", h.reason, "message", h.message, "objects", h.objects)
	p.event(corev1.EventTypeWarning, h.reason, h.message)
}

// maxNote is the maximum length of an event's note, which the API server limits.
const maxNote = 1000

func (p *pass) event(kind, reason, message string) {
	if p.Events == nil {
		return
	}
	about := &corev1.ObjectReference{
		APIVersion: p.kind.API().GroupVersion().String(), Kind: p.kind.Hub.Kind,
		Namespace: p.key.Namespace, Name: p.key.Name, UID: p.object.GetUID(),
	}
	if p.isLast { // the event is about the namespace, since a namespace that is being deleted accepts no events
		about = &corev1.ObjectReference{APIVersion: "v1", Kind: "Namespace", Name: p.key.Namespace}
		message = p.kind.Hub.Kind + " " + p.key.Name + ": " + message
	}
	message = strings.ToValidUTF8(message[:min(len(message), maxNote)], "")
	p.Events.Eventf(about, nil, kind, reason, "Reconcile", "%s", message)
}
