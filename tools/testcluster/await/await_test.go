package await_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stratakube/strata/tools/testcluster/await"
)

var errNotYet = errors.New("not yet")

func TestSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		err := await.Success(t.Context(), time.Second, func() error {
			if tries++; tries < 5 {
				return errNotYet
			}
			return nil
		})
		if err != nil || tries != 5 {
			t.Errorf("after %d tries: %v", tries, err)
		}
	})
}

func TestPatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		err := await.Success(t.Context(), time.Minute, func() error { return errNotYet })
		if took := time.Since(begun); !errors.Is(err, errNotYet) || err.Error() != "not within 1m0s: not yet" || took != time.Minute {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		given := errors.New("given up")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Hour, func() { cancel(given) })
		err := await.Success(ctx, 0, func() error { return errNotYet })
		if !errors.Is(err, given) || !errors.Is(err, errNotYet) {
			t.Errorf("error = %v, want the cause and the last error", err)
		}
	})
}

func TestFinal(t *testing.T) {
	tries := 0
	err := await.Success(t.Context(), time.Minute, func() error {
		tries++
		return await.Final(errNotYet)
	})
	if err != errNotYet || tries != 1 {
		t.Errorf("after %d tries: %v", tries, err)
	}
}
