package crd

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// attempts is how often Attempt calls its function.
const attempts = 10

// Attempt calls a function that reads a CRD and writes it under the resource version that it has
// read. It calls the function again where others have written or created the CRD in between, and
// returns an error if they do so all the time.
func Attempt(write func() error) error {
	for range attempts {
		if err := write(); !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return errors.New("others write the CRD all the time")
}
