package serving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// Registration is one version of one kind under one name.
type Registration struct {
	contract.Served
	Terms *contract.Terms
	Open  Open
	At    string // its position in the source
}

// Open makes an instance. closer ends it, and may be nil.
type Open func(ctx context.Context, config map[string]string) (handlers map[string]contract.Handler, closer func() error, err error)

// Server collects what a plugin serves.
type Server struct {
	registrations map[contract.Served]Registration
	wrong         []error
}

// Add adds a registration. Err reports all errors at once.
func (s *Server) Add(r Registration) {
	name, err := r.Terms.Name(r.Name)
	if err != nil {
		s.Fail(fmt.Errorf("%s: register %s: %w", r.At, r.ID, err))
		return
	}
	r.Name = name
	if first, ok := s.registrations[r.Served]; ok {
		s.Fail(fmt.Errorf("%s: %s is registered already, at %s", r.At, r.Served, first.At))
		return
	}
	if s.registrations == nil {
		s.registrations = map[contract.Served]Registration{}
	}
	s.registrations[r.Served] = r
}

// Fail records an error.
func (s *Server) Fail(err error) { s.wrong = append(s.wrong, err) }

// Err returns all errors of the registrations.
func (s *Server) Err() error {
	if len(s.registrations) == 0 && len(s.wrong) == 0 {
		return errors.New("the plugin registers nothing")
	}
	return errors.Join(s.wrong...)
}

// Served lists what is registered, sorted.
func (s *Server) Served() []contract.Served {
	var all []contract.Served
	for served := range s.registrations {
		all = append(all, served)
	}
	slices.SortFunc(all, compare)
	return all
}

func compare(a, b contract.Served) int {
	if c := strings.Compare(a.Kind, b.Kind); c != 0 {
		return c
	}
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	return a.Number - b.Number
}
