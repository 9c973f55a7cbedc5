package reconciler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/mark"
	"github.com/stratakube/strata/operator/outside"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// errReleased ends the last pass over an object: there is nothing left to report on.
var errReleased = errors.New("the object was released")

// outlive waits for objects whose resources are part of this one, and would be deleted with it: those that name it as their
// owner, and those whose resource, or whose owner by its identifier, lies below the identifier of this one.
func (p *pass) outlive(ctx context.Context) error {
	left := map[string]bool{}
	for _, child := range p.kind.Children {
		k := p.Kinds.Of(child)
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(k.Hub.GroupVersion().WithKind(k.Hub.Kind + "List"))
		err := p.Client.List(ctx, list, client.InNamespace(p.key.Namespace), client.MatchingFields{ByOwner: p.key.Name}, client.UnsafeDisableDeepCopy)
		if err != nil {
			return fmt.Errorf("look for objects of kind %s: %w", child.Kind, err)
		}
		for i := range list.Items {
			if text(&list.Items[i], "spec", "owner", "armId") == "" {
				left[p.called(&list.Items[i])] = true
			}
		}
	}
	isBelow, err := p.below(ctx, left)
	if err != nil || len(left) == 0 {
		return err
	}
	all := slices.Sorted(maps.Keys(left))
	names := strings.Join(all[:min(len(all), namedChildren)], ", ")
	if len(all) > namedChildren {
		names += fmt.Sprintf(" and %d more", len(all)-namedChildren)
	}
	h := &halt{reason: "HasChildren", message: "these are part of the resource, and must be deleted first: " + names, state: waiting}
	if isBelow { // whose end no watch tells of
		h.after = yielding
	}
	return h
}

// below adds the objects whose identifiers lie below that of this one, and reports whether there are any.
func (p *pass) below(ctx context.Context, left map[string]bool) (bool, error) {
	id, _ := p.claimed()
	isAny := false
	for _, k := range p.Kinds.All() {
		list, err := p.indexed(ctx, k, ByAncestor, mark.Key(id))
		if err != nil {
			return false, err
		}
		for i := range list {
			if list[i].GetUID() != p.object.GetUID() {
				left[p.called(&list[i])], isAny = true, true
			}
		}
	}
	return isAny, nil
}

// called is what an object is called for the user of this one.
func (p *pass) called(object *unstructured.Unstructured) string {
	if object.GetNamespace() == p.key.Namespace {
		return object.GetKind() + " " + object.GetName()
	}
	return name(object)
}

const namedChildren = 5

// convertForDelete is convert for what is to go: a body is of little use, and must not be in the way.
func (p *pass) convertForDelete(ctx context.Context) error {
	if err := p.convert(ctx); err != nil {
		p.log.V(1).Info("deleting without a body", "reason", err.Error())
		p.body = nil
	}
	if p.api.Empty() {
		p.api = p.kind.API()
	}
	return nil
}

// locateForDelete is where the resource was claimed, whatever the spec says now, and whether or not its owner is there.
func (p *pass) locateForDelete(ctx context.Context) error {
	if p.marks.Place == (mark.Where{}) {
		return p.locate(ctx)
	}
	_ = p.locate(ctx) // for the owners
	p.place = p.marks.Place
	return nil
}

// equipForDelete is equip without secrets of the spec, which may have been deleted already.
func (p *pass) equipForDelete(ctx context.Context) error {
	err := p.address(ctx, nil)
	var h *halt
	if errors.As(err, &h) && h.reason == outside.ReasonSecretMissing {
		h.message += fmt.Sprintf("; to delete the object and leave its resource outside, annotate it with %s=%s", mark.ReconcilePolicy, mark.Detach)
	}
	return err
}

// end waits for the operation that was begun, and asks for its end if it was to make something.
func (p *pass) end(ctx context.Context) error {
	operation := p.marks.Operation
	if operation == nil {
		return nil
	}
	if operation.Aim == mark.ToApply && operation.CanCancel && !operation.Cancelled {
		if err := p.cancel(ctx); err != nil {
			return err
		}
	}
	outcome, err := p.poll(ctx)
	switch {
	case err != nil && operation.Aim == mark.ToApply && p.marks.Operation == nil:
		return nil // what was to be made has failed, and what there is of it is deleted
	case err != nil:
		return err
	case outcome.GetOperation() != nil:
		return p.again(ctx, outcome.GetOperation())
	}
	if err := p.drop(ctx); err != nil || operation.Aim != mark.ToDelete {
		return err
	}
	return p.look(ctx)
}

func (p *pass) cancel(ctx context.Context) error {
	err := p.provider.Cancel(ctx, &latest.OperationRequest{Subject: p.subject, Operation: &latest.Operation{Handle: p.marks.Operation.Handle, CanCancel: true}})
	if err != nil && outside.FailureOf(err).Reason == outside.ReasonUnavailable {
		return p.failed(err)
	}
	if err != nil {
		p.log.Info("the operation was not cancelled", "reason", outside.Bounded(err.Error(), p.values()...))
	}
	marks, underway := p.marks, *p.marks.Operation
	underway.Cancelled = true
	marks.Operation = &underway
	return p.remember(ctx, marks)
}

// remove deletes the resource, if the claim proves that it is the object's own, and makes sure that it is gone.
func (p *pass) remove(ctx context.Context) error {
	if err := p.look(ctx); err != nil { // unless end has learned
		return err
	}
	if !p.seen.GetExists() {
		p.happened(Deleted, "the resource is gone outside")
		return nil
	}
	isOurs, err := p.isOurs(ctx)
	if err != nil {
		return err
	}
	if !isOurs {
		p.left = p.identity() + " is left outside: it is not what this object has made, or tried to make"
		return nil
	}
	p.seen = nil
	outcome, err := p.provider.Delete(ctx, p.subject)
	if err != nil {
		return p.failed(err)
	}
	if operation := outcome.GetOperation(); operation != nil {
		return p.begin(ctx, operation, mark.ToDelete, false)
	}
	if err := p.look(ctx); err != nil {
		return err
	}
	if p.seen.GetExists() {
		return &halt{reason: Deleting, message: "the resource was deleted, and is still there", state: failing}
	}
	p.happened(Deleted, "the resource is gone outside")
	return nil
}

// release lets the object go.
func (p *pass) release(ctx context.Context) error {
	switch {
	case p.left != "":
		p.done = append(p.done, happening{reason: NotDeleted, message: p.left, isWarning: true})
	case len(p.done) == 0:
		p.happened(Detached, "the resource outside is left alone")
	}
	if err := p.intend(ctx, p.marks, p.letGo); err != nil {
		return err
	}
	p.Claims.drop(p.memory.forget(p.key))
	return errReleased
}
