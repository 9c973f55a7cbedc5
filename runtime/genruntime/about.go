package genruntime

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
)

// About returns the first of errs that is not nil. If a hand-written step failed, About sets the
// object's name in the error, and reports the failure to the observer.
func About(object interface {
	metav1.Object
	runtime.Original
}, errs ...error) error {
	err := FirstError(errs...)
	if err == nil {
		return nil
	}
	var failed *runtime.AugmentationError
	if errors.As(err, &failed) {
		failed.Object = object.GetName()
		if ns := object.GetNamespace(); ns != "" {
			failed.Object = ns + "/" + failed.Object
		}
		runtime.Report(runtime.Event{What: runtime.AugmentationFailed, Kind: *object.OriginalGVK(), Namespace: object.GetNamespace(), Name: object.GetName(), Step: failed.Step, Err: failed.Err})
	}
	return err
}
