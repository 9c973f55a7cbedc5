package genruntime

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
)

// About names the object in the error of its conversion, and reports it to the observer, if a
// hand-written step failed. It returns the first error that is not nil.
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
