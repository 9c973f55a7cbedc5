package plugin

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/serving"
)

// Server collects what a plugin serves.
type Server = serving.Server

// Factory makes an implementation. It is called once for each configuration that the host uses, and
// again after the process was restarted. An implementation that is an io.Closer is closed when the
// process ends normally.
type Factory[T any] func(ctx context.Context, config map[string]string) (T, error)

// Register registers a version of a kind under a name, such as example.com/files. A name without
// a domain gets the domain of the kind, and is an error if the kind has none. Server.Err reports
// errors. The packages of the versions have a Register of their own, which is easier to read.
func Register[T any](s *Server, v *contract.Version[T], name string, open Factory[T]) {
	at := position(reflect.TypeFor[T]().PkgPath())
	terms, err := v.Terms()
	if err != nil {
		s.Fail(fmt.Errorf("%s: register %s: %w", at, name, err))
		return
	}
	s.Add(serving.Registration{
		Served: contract.Served{ID: terms.ID, Name: name},
		Terms:  terms,
		At:     at,
		Open: func(ctx context.Context, config map[string]string) (map[string]contract.Handler, func() error, error) {
			impl, err := open(ctx, config)
			if err != nil || any(impl) == nil {
				return nil, nil, err
			}
			closer, isCloser := any(impl).(io.Closer)
			if !isCloser {
				return v.Handlers(impl), nil, nil
			}
			return v.Handlers(impl), closer.Close, nil
		},
	})
}

// position returns the position of the first caller outside of this package and of the version's
// package.
func position(version string) string {
	callers := make([]uintptr, 16)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, version+".") && !strings.HasPrefix(frame.Function, ours+".") {
			return fmt.Sprintf("%s:%d", frame.File, frame.Line)
		}
		if !more {
			return "somewhere"
		}
	}
}

var ours = reflect.TypeFor[Factory[any]]().PkgPath()
