package armsim

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stratakube/strata/tools/armsim/internal/armid"
)

// operation is a long-running write. It ends when a client reads it after its time.
type operation struct {
	ID         string    `json:"id"`
	Kind       string    `json:"kind"` // creating, updating, deleting or acting
	Action     string    `json:"action,omitempty"`
	Resource   string    `json:"resource"`
	APIVersion string    `json:"apiVersion"`
	Style      Style     `json:"style"`
	Path       string    `json:"path"` // below which it is polled
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"`
	Status     string    `json:"status"`
	Lost       bool      `json:"lost,omitempty"`
	Fails      bool      `json:"fails,omitempty"`
	Error      *problem  `json:"error,omitempty"`
}

func (op operation) ended(status string, why *problem) *operation {
	op.Status, op.Error = status, why
	return &op
}

// kept is the maximum number of stored operations. Those that ended first are removed first.
const kept = 20_000

// begin returns the operation of a write, or nil for a write that ends at once.
func (s *Simulator) begin(c *call, kind string, number uint64) *operation {
	rule := s.operationRule(c.Method, c.target.Type)
	if rule == nil {
		return nil
	}
	return s.beginAs(c, rule, kind, number)
}

// beginAs returns a new operation that lasts as long as the rule requires.
func (s *Simulator) beginAs(c *call, rule *OperationRule, kind string, number uint64) *operation {
	now := s.options.Now()
	at := "/providers/" + c.target.Namespace
	if c.target.Subscription != "" {
		at = "/subscriptions/" + c.target.Subscription + at
	}
	return &operation{
		ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", s.options.Seed&0xffffffff, number), Kind: kind,
		Resource: c.target.Path, APIVersion: c.APIVersion, Style: rule.Style, Path: at + "/locations/simulated",
		Start: now, End: now.Add(time.Duration(rule.Duration)), Status: running,
		Lost: c.fault.loses, Fails: c.fault.fails,
	}
}

func (s *Simulator) operationRule(method, typ string) *OperationRule {
	s.ruling.Lock()
	defer s.ruling.Unlock()
	for i := range s.rules {
		if r := &s.rules[i]; r.matches(method, typ) {
			if r.Duration == 0 || r.Fraction > 0 && s.draws.Float64() >= r.Fraction {
				return nil
			}
			return r
		}
	}
	return nil
}

// endOperations ends the operations that are due. The state is locked.
func (s *Simulator) endOperations() error {
	now := s.options.Now()
	if len(s.pending) == 0 || now.Before(s.pending[0].End) {
		return nil
	}
	for len(s.pending) > 0 && !now.Before(s.pending[0].End) {
		op := s.state.operations[s.pending[0].ID]
		if op != nil && op.Status == running {
			if err := s.end(op); err != nil {
				return err
			}
		}
		s.pending = s.pending[1:]
	}
	return nil
}

// watch adds an operation to those that settle ends.
func (s *Simulator) watch(op *operation) {
	i, _ := slices.BinarySearchFunc(s.pending, op, func(a, b *operation) int {
		return cmp.Or(a.End.Compare(b.End), cmp.Compare(a.ID, b.ID))
	})
	s.pending = slices.Insert(s.pending, i, op)
}

func (s *Simulator) end(op *operation) error {
	r, _ := s.state.next()
	if op.Fails {
		why := &problem{Code: "OperationFailed", Message: "the operation failed, as the simulator was configured"}
		r.Operations = append(r.Operations, op.ended(failed, why))
		s.leave(r, op, failed)
		return s.state.commit(r)
	}
	r.Operations = append(r.Operations, op.ended(succeeded, nil))
	if op.Kind == deleting {
		s.state.remove(r, armid.Key(op.Resource))
	} else {
		s.leave(r, op, succeeded)
	}
	s.forget(r)
	return s.state.commit(r)
}

// leave sets the state that a resource has after its operation.
func (s *Simulator) leave(r *record, op *operation, status string) {
	old := s.state.resources[armid.Key(op.Resource)]
	if old == nil || old.Operation != op.ID {
		return
	}
	res := *old
	res.Operation, res.State = "", status
	r.Set = append(r.Set, &res)
}

// forget drops the oldest operations that have ended, once there are many.
func (s *Simulator) forget(r *record) {
	if len(s.state.operations) <= kept {
		return
	}
	var ended []*operation
	for _, op := range s.state.operations {
		if op.Status != running {
			ended = append(ended, op)
		}
	}
	slices.SortFunc(ended, func(a, b *operation) int { return cmp.Or(a.End.Compare(b.End), cmp.Compare(a.ID, b.ID)) })
	for _, op := range ended[:min(len(ended), kept/2)] {
		r.Forgotten = append(r.Forgotten, op.ID)
	}
}

// announce adds to an answer the headers by which the client polls the operation.
func (s *Simulator) announce(a answer, c *call, op *operation) answer {
	if op == nil || op.Style == StateOnly {
		return a
	}
	at := c.base + op.Path
	query := "/" + op.ID + "?api-version=" + c.APIVersion
	if op.Style != Location {
		a = a.with("Azure-Asyncoperation", at+"/operationStatuses"+query)
	}
	if op.Style != AsyncOperation {
		a = a.with("Location", at+"/operationResults"+query)
	}
	return a.after(s.options.RetryAfter)
}

// asksOperation reports whether a path is one that announce returned, and which kind it is.
func asksOperation(path string) (id, what string, cancel bool) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	if n := len(segments); n > 2 && strings.EqualFold(segments[n-1], "cancel") {
		segments, cancel = segments[:n-1], true
	}
	n := len(segments)
	if n < 6 || !strings.EqualFold(segments[n-4], "locations") {
		return "", "", false
	}
	switch what := strings.ToLower(segments[n-2]); what {
	case "operationstatuses", "operationresults":
		return segments[n-1], what, cancel
	}
	return "", "", false
}

func (s *Simulator) poll(c *call, id, what string, cancel bool) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.endOperations(); err != nil {
		return broken(err)
	}
	op := s.state.operations[id]
	switch {
	case op == nil || op.Lost:
		return fail(http.StatusNotFound, "OperationNotFound", "The operation '%s' was not found.", id)
	case cancel && c.Method == http.MethodPost:
		return s.cancel(op)
	case c.Method != http.MethodGet || cancel:
		return fail(http.StatusMethodNotAllowed, "MethodNotAllowed", "An operation is read by GET and cancelled by POST.")
	case what == "operationresults":
		return s.result(op)
	}
	return s.status(op)
}

func (s *Simulator) status(op *operation) answer {
	body := map[string]any{"id": op.Path + "/operationStatuses/" + op.ID, "name": op.ID, "resourceId": op.Resource, "status": op.Status, "startTime": op.Start.UTC().Format(time.RFC3339Nano)}
	if op.Error != nil {
		body["error"] = op.Error
	}
	a := ok(http.StatusOK, body)
	a.summary = op.Status
	if op.Status == running {
		return a.after(s.options.RetryAfter)
	}
	body["endTime"] = op.End.UTC().Format(time.RFC3339Nano)
	if op.Kind == acting && op.Status == succeeded {
		target, err := armid.Parse(escapePath(op.Resource))
		if err != nil {
			return broken(err)
		}
		body["properties"] = s.resultOf(target, op.Action)
		a = ok(http.StatusOK, body)
		a.summary = op.Status
	}
	return a
}

// result returns the response that the write would have had without a long-running operation.
func (s *Simulator) result(op *operation) answer {
	switch {
	case op.Status == running:
		a := answer{status: http.StatusAccepted, summary: op.Status}
		return a.after(s.options.RetryAfter)
	case op.Status != succeeded:
		return answer{status: http.StatusConflict, problem: op.Error}
	case op.Kind == deleting:
		return answer{status: http.StatusNoContent, summary: op.Status}
	}
	res := s.state.resources[armid.Key(op.Resource)]
	if res == nil {
		return fail(http.StatusNotFound, "ResourceNotFound", "The Resource '%s' was not found.", op.Resource)
	}
	target, err := armid.Parse(escapePath(res.ID))
	if err != nil {
		return broken(err)
	}
	if op.Kind == acting {
		return ok(http.StatusOK, s.resultOf(target, op.Action))
	}
	schema, err := s.schema(target, op.APIVersion)
	if err != nil {
		return unknown(target, op.APIVersion, err)
	}
	return s.show(http.StatusOK, res, schema)
}

// cancel ends an operation before its time. A resource that was being deleted stays.
func (s *Simulator) cancel(op *operation) answer {
	if op.Status != running {
		return fail(http.StatusConflict, "OperationNotCancellable", "The operation has ended: %s.", op.Status)
	}
	r, _ := s.state.next()
	stopped := op.ended(canceled, &problem{Code: "OperationCanceled", Message: "the operation was cancelled by a client"})
	stopped.End = s.options.Now()
	r.Operations = append(r.Operations, stopped)
	left := canceled
	if op.Kind == deleting {
		left = succeeded
	}
	s.leave(r, op, left)
	if err := s.state.commit(r); err != nil {
		return broken(err)
	}
	return answer{status: http.StatusOK, committed: true, summary: canceled}
}
