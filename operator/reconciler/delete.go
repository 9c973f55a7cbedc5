package reconciler

import (
	"context"
	"errors"
	"fmt"
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

// outlive waits for objects whose resources are part of this one, and would be deleted with it.
func (p *pass) outlive(ctx context.Context) error {
	var left []string
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
				left = append(left, child.Kind+" "+list.Items[i].GetName())
			}
		}
	}
	if len(left) == 0 {
		return nil
	}
	slices.Sort(left)
	names := strings.Join(left[:min(len(left), namedChildren)], ", ")
	if len(left) > namedChildren {
		names += fmt.Sprintf(" and %d more", len(left)-namedChildren)
	}
	return waitFor("HasChildren", "these are part of the resource, and must be deleted first: "+names)
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
func (p *pass) equipForDelete(ctx context.Context) error { return p.address(ctx, nil) }

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
	var h *halt
	switch {
	case err != nil && operation.Aim == mark.ToApply && p.marks.Operation == nil && errors.As(err, &h):
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

// remove deletes the resource, and makes sure that it is gone.
func (p *pass) remove(ctx context.Context) error {
	if p.seen != nil && !p.seen.GetExists() { // which end has learned
		p.happened(Deleted, "the resource is gone outside")
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
	if len(p.done) == 0 {
		p.happened(Detached, "the resource outside is left alone")
	}
	if err := p.intend(ctx, p.marks, p.letGo); err != nil {
		return err
	}
	p.memory.forget(p.key)
	return errReleased
}
