package armsim

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// controlPrefix begins the paths that are not ARM's.
const controlPrefix = "/_sim/"

// control answers the control surface. It is not authorized, limited, logged or subject to faults:
// a client that reaches the simulator may control it.
func (s *Simulator) control(r *http.Request) answer {
	switch r.Method + " " + r.URL.Path {
	case "GET /_sim/calls":
		return s.showCalls(r)
	case "DELETE /_sim/calls":
		s.ForgetCalls()
		return answer{status: http.StatusNoContent}
	case "GET /_sim/resources":
		all, err := s.Resources()
		return orBroken(map[string]any{"resources": all}, err)
	case "GET /_sim/stats":
		stats, err := s.Stats()
		return orBroken(stats, err)
	case "GET /_sim/faults":
		return ok(http.StatusOK, s.faults.current())
	case "PUT /_sim/faults":
		var f Faults
		return taken(read(r, &f), func() error { return s.SetFaults(f) })
	case "PUT /_sim/operations":
		var rules []OperationRule
		return taken(read(r, &rules), func() error { return s.SetOperations(rules) })
	}
	return fail(http.StatusNotFound, "NotFound", "%s %s is not known; there are GET and DELETE calls, GET resources, GET stats, GET and PUT faults, PUT operations below %s.",
		r.Method, r.URL.Path, controlPrefix)
}

func orBroken(body any, err error) answer {
	if err != nil {
		return broken(err)
	}
	return ok(http.StatusOK, body)
}

// taken answers a change of how the simulator behaves.
func taken(err error, change func() error) answer {
	if err == nil {
		err = change()
	}
	if err != nil {
		return fail(http.StatusBadRequest, "InvalidRequestContent", "%v", err)
	}
	return answer{status: http.StatusNoContent}
}

const controlLimit = 1 << 20

func read(r *http.Request, into any) error {
	data, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, controlLimit))
	if err != nil {
		return err
	}
	return Decode(data, into)
}

// Decode reads [Faults] or rules of operations as the control surface does: members that are not
// known are errors.
func Decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("there is something behind the JSON value")
	}
	return nil
}

// showCalls lists calls. The query can limit their number, and set the number after which the
// list begins.
func (s *Simulator) showCalls(r *http.Request) answer {
	var after uint64
	var limit int
	var errs [2]error
	if v := r.URL.Query().Get("after"); v != "" {
		after, errs[0] = strconv.ParseUint(v, 10, 63)
	}
	if v := r.URL.Query().Get("limit"); v != "" {
		limit, errs[1] = strconv.Atoi(v)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return fail(http.StatusBadRequest, "InvalidQuery", "%v", err)
	}
	return ok(http.StatusOK, map[string]any{"calls": s.calls.list(after, limit)})
}

func (f *faults) current() Faults {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rules
}
