package genruntime

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strconv"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/preserve"
)

// CompleteTo converts far to near with convert, and completes near with the hand-written step of a
// whole resource. Far and near are specs, or statuses, of neighbouring versions. Assign calls
// AssignToX of far's resource, through [AssignSpecTo] or [AssignStatusTo]. Opposite calls
// AssignFromX. Either is nil if the user did not write it.
//
// CompleteTo discards what the step derives in these cases, so that near keeps the values that it
// had:
//
//   - no client edited far since [CompleteFrom]; then near becomes exactly what it was before that;
//   - clients edited far, but the step derives the same values as before the edits;
//     where opposite has changed what both versions have, values that no client edited come back;
//   - CompleteFrom never saw far, and bags restored values that the step would change. In addition,
//     opposite is nil, or opposite converts near to the values that far has. Where far lacks what
//     the step converts, the restored values stay too.
//
// Step names near's resource in its version, as in v20140404.Person. Assign works on a deep copy.
// If it fails or panics, near keeps the generated result, and the error is a
// [runtime.AugmentationError].
func CompleteTo[F, N any](step string, far *F, near *N, convert, assign, opposite func(*F, *N) error) error {
	assign, opposite = stepTo(assign), stepFrom(opposite)
	err := convert(far, near)
	seen := takeWhole(near, step)
	switch {
	case seen != nil && seen.Values == wholeSum(far):
		*near = *changed(near, seen.Restore)
		return err
	case assign == nil:
		*near = *changed(near, unedited(seen, near))
		return err
	}
	completed := deepCopy(near)
	failed := complete("AssignTo "+step, completed, func(n *N) error { return assign(far, n) })
	switch {
	case seen == nil:
		completed, failed = keepRestored(far, near, completed, failed, convert, assign, opposite)
	case failed == nil:
		kept, derived := unedited(seen, near), changesBetween(near, completed)
		if seen.Derived == sumOfJSON(derived) {
			*near = *changed(near, kept)
			return err
		}
		completed = changed(completed, kept.without(derived))
	}
	if failed != nil {
		return FirstError(err, failed)
	}
	*near = *completed
	return err
}

// keepRestored returns the result of a step for an object that CompleteFrom has not seen: near,
// completed, or parts of both. Failed is the error of the step.
func keepRestored[F, N any](far *F, near, completed *N, failed error, convert, assign, opposite func(*F, *N) error) (*N, error) {
	restored, derived := restoredValues(far, near, convert), changesBetween(near, completed)
	switch {
	case restored.In == nil || failed == nil && !restored.overlaps(derived):
		return completed, failed
	case opposite == nil || makesWhole(far, func(f *F) error { return opposite(f, near) }):
		return near, nil
	}
	none := deepCopy(near)
	if failed != nil || guarded(func() error { return assign(skeleton(far), none) }) != nil {
		return completed, failed
	}
	return changed(near, derived.except(restored, changesBetween(none, completed))), nil
}

// CompleteFrom is [CompleteTo] in the other direction: it converts near to far with convert, and
// completes far with AssignFromX of far's resource. Back converts far to near. CompleteFrom
// discards what the step derives if bags restored values that the step would change, and opposite
// converts far to near or is nil. It records the resulting values in far's bag, for CompleteTo.
func CompleteFrom[F, N any](step string, far *F, near *N, convert func(*N, *F) error, back, assign, opposite func(*F, *N) error) error {
	assign, opposite = stepFrom(assign), stepTo(opposite)
	err := convert(near, far)
	if assign != nil {
		completed := deepCopy(far)
		failed := complete("AssignFrom "+step, completed, func(f *F) error { return assign(f, near) })
		made := func() bool { return makesWhole(near, func(n *N) error { return opposite(far, n) }) }
		restored := restoredValues(near, far, convert)
		isRestored := failed != nil && restored.In != nil || failed == nil && restored.overlaps(changesBetween(far, completed))
		switch {
		case isRestored && (opposite == nil || made()):
		case failed != nil:
			err = FirstError(err, failed)
		default:
			*far = *completed
		}
	}
	recordWhole(step, far, near, back, opposite)
	return err
}

// restoredValues returns the values of dst that convert took from bags of src.
func restoredValues[S, D any](src *S, dst *D, convert func(*S, *D) error) change {
	bare := withoutBags(src)
	if isSameValue(src, bare) {
		return change{}
	}
	again := new(D)
	_ = convert(bare, again) // it fills again even if a step in it fails
	return changesBetween(withoutBags(again), withoutBags(dst))
}

// makesWhole is [makes] for objects that contain others. Instead of a blank object, assign
// completes one that has only the objects of value.
func makesWhole[T any](value *T, assign func(*T) error) bool {
	again, made := deepCopy(value), skeleton(value)
	if guarded(func() error { return assign(again) }) != nil || !isSameValue(again, value) {
		return false
	}
	return guarded(func() error { return assign(made) }) == nil && agreesWithin(reflect.ValueOf(made), reflect.ValueOf(value))
}

// agreesWithin reports whether value equals made in everything that made has.
func agreesWithin(made, value reflect.Value) bool {
	switch kind := made.Kind(); {
	case made.IsZero():
		return true
	case kind == reflect.Pointer && !value.IsNil():
		return agreesWithin(made.Elem(), value.Elem())
	case kind == reflect.Struct:
		for i := range made.NumField() {
			if made.Type().Field(i).IsExported() && !agreesWithin(made.Field(i), value.Field(i)) {
				return false
			}
		}
		return true
	case kind == reflect.Slice && !isJSON(made) && made.Len() == value.Len():
		for i := range made.Len() {
			if !agreesWithin(made.Index(i), value.Index(i)) {
				return false
			}
		}
		return true
	case kind == reflect.Map && !isBag(made):
		for key, entry := range made.Seq2() {
			if other := value.MapIndex(key); !other.IsValid() || !agreesWithin(entry, other) {
				return false
			}
		}
		return true
	}
	return isSameValue(made.Interface(), value.Interface())
}

// withoutBags returns a deep copy of a spec or status that has no property bags and no original
// version.
func withoutBags[T any](part *T) *T {
	out := deepCopy(part)
	preserve.RemoveBags(out, "")
	if v := reflect.ValueOf(out).Elem().FieldByName(originalVersionField); v.IsValid() {
		v.SetZero()
	}
	return out
}

const originalVersionField = "OriginalVersion"

// wholeRecord describes a spec or status that [CompleteFrom] made. Values is a checksum of it,
// without bags. Derived is a checksum of the changes that the opposite step makes to what far
// converts to. Restore are the changes that make near of that. Generated are the opposite changes,
// apart from bags.
type wholeRecord struct {
	Values    string `json:"values"`
	Derived   string `json:"derived,omitzero"`
	Restore   change `json:"restore,omitzero"`
	Generated change `json:"generated,omitzero"`
}

// unedited returns the changes that bring back the values of near which CompleteFrom's step has
// changed in far, and no client since: near still has what generated code makes of them. Bags stay.
func unedited[N any](seen *wholeRecord, near *N) change {
	edited := changesBetween(near, changed(near, seen.Generated))
	return seen.Restore.only(seen.Generated).without(edited)
}

func recordWhole[F, N any](step string, far *F, near *N, back, opposite func(*F, *N) error) {
	b := bagIn(far)
	if b == nil {
		return
	}
	again := new(N)
	_ = back(far, again) // it fills again even if a step in it fails
	out := &wholeRecord{
		Values: wholeSum(far), Restore: changesBetween(again, near),
		Generated: changesBetween(withoutBags(near), withoutBags(again)),
	}
	if opposite != nil {
		derived := deepCopy(again)
		if complete(step, derived, func(n *N) error { return opposite(far, n) }) == nil {
			out.Derived = changesSum(again, derived)
		}
	}
	Stash(b, bag.RecordPrefix+step, out)
}

func takeWhole(object any, step string) (seen *wholeRecord) {
	if b := bagIn(object); b != nil {
		Recall(b, bag.RecordPrefix+step, &seen)
	}
	return seen
}

// changed returns a copy of part in which c is made. A c without differences changes nothing.
func changed[T any](part *T, c change) *T {
	out := deepCopy(part)
	if c.In != nil {
		c.apply(reflect.ValueOf(out).Elem())
	}
	return out
}

// wholeSum returns a checksum of a spec or status without bags. The order of members of free JSON
// does not count, because the API server sorts them.
func wholeSum[T any](part *T) string {
	bare := withoutBags(part)
	sortFree(reflect.ValueOf(bare))
	return sumOfJSON(bare)
}

func changesSum[T any](from, to *T) string { return sumOfJSON(changesBetween(from, to)) }

func sumOfJSON(value any) string {
	sum := fnv.New64a()
	sum.Write(jsontext.Encode(value))
	return strconv.FormatUint(sum.Sum64(), 36)
}

// changesBetween returns the difference of two specs or statuses, apart from the original version.
func changesBetween[T any](from, to *T) change {
	c, _ := difference(reflect.ValueOf(from).Elem(), reflect.ValueOf(to).Elem())
	if delete(c.In, label.OriginalVersion); len(c.In) == 0 {
		return change{}
	}
	return c
}

// AssignSpecTo returns a step between specs that calls a hand-written method AssignToX of a
// resource. The method gets resources that have only a spec, because programs convert specs without
// their resources. It must not set metadata or a status.
func AssignSpecTo[F, N, A, B any](assign func(src *A, dst *B) error) func(*F, *N) error {
	return func(far *F, near *N) error { return assignPart("Spec", far, near, assign) }
}

// AssignSpecFrom is [AssignSpecTo] for a method AssignFromX.
func AssignSpecFrom[F, N, A, B any](assign func(dst *A, src *B) error) func(*F, *N) error {
	return func(far *F, near *N) error { return assignPart("Spec", near, far, flip(assign)) }
}

// AssignStatusTo is [AssignSpecTo] for statuses.
func AssignStatusTo[F, N, A, B any](assign func(src *A, dst *B) error) func(*F, *N) error {
	return func(far *F, near *N) error { return assignPart("Status", far, near, assign) }
}

// AssignStatusFrom is [AssignStatusTo] for a method AssignFromX.
func AssignStatusFrom[F, N, A, B any](assign func(dst *A, src *B) error) func(*F, *N) error {
	return func(far *F, near *N) error { return assignPart("Status", near, far, flip(assign)) }
}

// assignPart calls a step of resources A and B for src and dst, which are the values of one field
// of the resources.
func assignPart[S, D, A, B any](part string, src *S, dst *D, assign func(src *A, dst *B) error) error {
	from, to := new(A), new(B)
	reflect.ValueOf(from).Elem().FieldByName(part).Set(reflect.ValueOf(src))
	root := reflect.ValueOf(to).Elem()
	root.FieldByName(part).Set(reflect.ValueOf(dst))
	if err := guarded(func() error { return assign(from, to) }); err != nil {
		return fmt.Errorf("for an object with a %s alone: %w", lowerFirst(part), err)
	}
	made, _ := root.FieldByName(part).Interface().(*D)
	if made == nil {
		return &misuseError{"the step removes the " + lowerFirst(part)}
	}
	for i := range root.NumField() {
		if name := root.Type().Field(i).Name; name != part && !root.Field(i).IsZero() {
			return &misuseError{misuse(part, name)}
		}
	}
	*dst = *made
	return nil
}

// misuse describes a field of the resource that a step for one part of it has set.
func misuse(part, field string) string {
	if field == "Spec" || field == "Status" {
		return fmt.Sprintf("the step sets the %s of an object that has a %s alone; derive the %s only if the source has one",
			lowerFirst(field), lowerFirst(part), lowerFirst(field))
	}
	return "the step sets the object's metadata or type, which no conversion may change"
}

func lowerFirst(part string) string {
	if part == "Status" {
		return "status"
	}
	return "spec"
}
