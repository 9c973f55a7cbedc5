package armsim_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/armsim"
)

// slow returns rules that make all writes of persons take d. A test cannot end such an operation
// early.
func slow(style armsim.Style, d time.Duration) []armsim.OperationRule {
	return []armsim.OperationRule{{Type: "microsoft.crm/persons", Duration: armsim.Duration(d), Style: style}}
}

const moment = time.Minute

func TestStylesOfOperations(t *testing.T) {
	for _, row := range []struct {
		style            armsim.Style
		status           int
		asyncOp, located bool
		reason           string
	}{
		{armsim.AsyncOperation, 201, true, false, "the resource is answered, and a URL tells of the operation"},
		{armsim.Location, 202, false, true, "nothing is answered but a URL that answers later"},
		{armsim.Both, 201, true, true, "both URLs"},
		{armsim.StateOnly, 201, false, false, "the resource alone tells"},
	} {
		t.Run(string(row.style), func(t *testing.T) {
			var c clock
			s := start(t, armsim.Options{Operations: slow(row.style, moment), RetryAfter: 1500 * time.Millisecond, Now: c.now})
			made := s.want(row.status, "", "PUT", ann, v2019, person)
			status, result := made.header.Get("Azure-Asyncoperation"), made.header.Get("Location")
			if (status != "") != row.asyncOp || (result != "") != row.located || (result+status != "") != (made.header.Get("Retry-After") == "2") {
				t.Fatalf("%s: %v", row.reason, made.header)
			}
			if got := s.want(200, "", "GET", ann, v2019, ""); got.in("properties", "provisioningState") != "Creating" {
				t.Errorf("while it is created: %s", got.text)
			}
			s.want(409, "AnotherOperationInProgress", "PUT", ann, v2019, person)
			s.want(409, "AnotherOperationInProgress", "DELETE", ann, v2019, "")
			if status != "" {
				if got := s.want(200, "", "GET", status, "", ""); got.in("status") != "InProgress" || got.header.Get("Retry-After") != "2" {
					t.Errorf("polled: %s", got.text)
				}
			}
			if result != "" {
				s.want(202, "", "GET", result, "", "")
			}
			c.pass(moment)
			if status != "" {
				if got := s.want(200, "", "GET", status, "", ""); got.in("status") != "Succeeded" {
					t.Errorf("polled at the end: %s", got.text)
				}
			}
			if result != "" {
				if got := s.want(200, "", "GET", result, "", ""); got.in("id") != ann {
					t.Errorf("result: %s", got.text)
				}
			}
			if got := s.want(200, "", "GET", ann, v2019, ""); got.in("properties", "provisioningState") != "Succeeded" {
				t.Errorf("at the end: %s", got.text)
			}
			s.want(200, "", "PUT", ann, v2019, person) // no change takes no time
			goes(s, &c, row.style)
		})
	}
}

// goes deletes the resource, slowly.
func goes(s *server, c *clock, style armsim.Style) {
	gone := s.want(202, "", "DELETE", ann, v2019, "")
	if got := s.want(200, "", "GET", ann, v2019, ""); got.in("properties", "provisioningState") != "Deleting" {
		s.Errorf("while it is deleted: %s", got.text)
	}
	s.want(404, "ParentResourceNotFound", "PUT", ann+"x/notes/n", v2015, `{"properties":{"text":"x"}}`)
	s.want(409, "ParentResourceDeleting", "PUT", ann+"/notes/n", v2015, `{"properties":{"text":"x"}}`)
	again := s.want(202, "", "DELETE", ann, v2019, "")
	if again.header.Get("Location") != gone.header.Get("Location") || again.header.Get("Azure-Asyncoperation") != gone.header.Get("Azure-Asyncoperation") {
		s.Errorf("deleted again: %v", again.header)
	}
	c.pass(moment)
	s.want(404, "ResourceNotFound", "GET", ann, v2019, "")
	if style == armsim.Location || style == armsim.Both {
		s.want(204, "", "GET", gone.header.Get("Location"), "", "")
	}
	s.want(204, "", "DELETE", ann, v2019, "")
}

func TestCancel(t *testing.T) {
	s := start(t, armsim.Options{Operations: slow(armsim.AsyncOperation, time.Hour)})
	made := s.want(201, "", "PUT", ann, v2019, person)
	status := made.header.Get("Azure-Asyncoperation")
	cancel := strings.Replace(status, "?", "/cancel?", 1)
	s.want(200, "", "POST", cancel, "", "")
	s.want(409, "OperationNotCancellable", "POST", cancel, "", "")
	if got := s.want(200, "", "GET", status, "", ""); got.in("status") != "Canceled" || got.in("error", "code") != "OperationCanceled" {
		t.Errorf("polled: %s", got.text)
	}
	if got := s.want(200, "", "GET", ann, v2019, ""); got.in("properties", "provisioningState") != "Canceled" {
		t.Errorf("the resource: %s", got.text)
	}
	gone := s.want(202, "", "DELETE", ann, v2019, "")
	s.want(200, "", "POST", strings.Replace(gone.header.Get("Azure-Asyncoperation"), "?", "/cancel?", 1), "", "")
	if got := s.want(200, "", "GET", ann, v2019, ""); got.in("properties", "provisioningState") != "Succeeded" {
		t.Errorf("a cancelled deletion: %s", got.text)
	}
	s.want(404, "OperationNotFound", "GET", strings.Replace(status, "-4000-", "-5000-", 1), "", "")
}

// TestCancelledChangeStays passes the time at which a cancelled operation would have ended: its
// status, the time of its end and its resource stay as they were.
func TestCancelledChangeStays(t *testing.T) {
	var c clock
	s := start(t, armsim.Options{Operations: slow(armsim.AsyncOperation, moment), Now: c.now})
	status := s.want(201, "", "PUT", ann, v2019, person).header.Get("Azure-Asyncoperation")
	cancelled := c.now().UTC().Format(time.RFC3339Nano)
	s.want(200, "", "POST", strings.Replace(status, "?", "/cancel?", 1), "", "")
	c.pass(2 * moment)
	if got := s.want(200, "", "GET", status, "", ""); got.in("status") != "Canceled" || got.in("endTime") != cancelled {
		t.Errorf("it was cancelled at %s: %s", cancelled, got.text)
	}
	if got := s.want(200, "", "GET", ann, v2019, ""); got.in("properties", "provisioningState") != "Canceled" {
		t.Errorf("the resource: %s", got.text)
	}
	if calls := s.sim.Calls(); !slices.ContainsFunc(calls, func(c armsim.Call) bool { return strings.Contains(c.Path, "/cancel") && c.Committed }) {
		t.Errorf("no call says that it cancelled something: %+v", calls)
	}
}

func TestGroupTakesOperationsWithIt(t *testing.T) {
	var c clock
	s := start(t, armsim.Options{Operations: slow(armsim.AsyncOperation, moment), Now: c.now})
	s.want(201, "", "PUT", ann, v2019, person)
	c.pass(moment)
	gone := s.want(202, "", "DELETE", ann, v2019, "")
	s.want(200, "", "DELETE", group, v2019, "")
	s.want(201, "", "PUT", group, v2019, `{"location":"here"}`)
	s.want(201, "", "PUT", ann, v2019, person)
	c.pass(2 * moment)
	if got := s.want(200, "", "GET", ann, v2019, ""); got.in("properties", "provisioningState") != "Succeeded" {
		t.Errorf("an old deletion reaches a new resource: %s", got.text)
	}
	if got := s.want(200, "", "GET", gone.header.Get("Azure-Asyncoperation"), "", ""); got.in("status") != "Succeeded" {
		t.Errorf("the deletion: %s", got.text)
	}
}

func TestFaults(t *testing.T) {
	always := func(f armsim.Fault) armsim.Faults {
		f.Probability, f.Budget, f.Methods, f.Path = 1, 1, []string{"PUT"}, "*/persons/*"
		return armsim.Faults{Rules: []armsim.Fault{f}}
	}
	var c clock
	fresh := func(t *testing.T, f armsim.Fault) *server {
		return start(t, armsim.Options{Faults: always(f), Operations: slow(armsim.AsyncOperation, moment), Now: c.now})
	}
	t.Run("throttle", func(t *testing.T) {
		s := fresh(t, armsim.Fault{Mode: armsim.Throttle, RetryAfter: armsim.Duration(7 * time.Second)})
		if got := s.want(429, "TooManyRequests", "PUT", ann, v2019, person); got.header.Get("Retry-After") != "7" {
			t.Errorf("%v", got.header)
		}
		s.want(404, "ResourceNotFound", "GET", ann, v2019, "")
		s.want(201, "", "PUT", ann, v2019, person)
	})
	t.Run("serverError", func(t *testing.T) {
		s := fresh(t, armsim.Fault{Mode: armsim.ServerError, Status: 503})
		s.want(503, "InternalServerError", "PUT", ann, v2019, person)
		s.want(404, "ResourceNotFound", "GET", ann, v2019, "")
	})
	t.Run("timeoutAfterCommit", func(t *testing.T) {
		s := fresh(t, armsim.Fault{Mode: armsim.TimeoutAfterCommit, Delay: armsim.Duration(100 * time.Millisecond)})
		if got, err := s.try("PUT", ann, v2019, person); err == nil {
			t.Fatalf("it is answered: %d %s", got.status, got.text)
		}
		s.want(200, "", "GET", ann, v2019, "")
		if calls := s.sim.Calls(); calls[0].Status != 0 || !calls[0].Committed || calls[0].Fault != "timeoutAfterCommit" {
			t.Errorf("%+v", calls[0])
		}
	})
	t.Run("resetConnection", func(t *testing.T) {
		s := fresh(t, armsim.Fault{Mode: armsim.ResetConnection})
		if _, err := s.try("PUT", ann, v2019, person); !errors.Is(err, syscall.ECONNRESET) {
			t.Fatalf("got %v", err)
		}
		s.want(404, "ResourceNotFound", "GET", ann, v2019, "")
	})
	t.Run("loseOperation", func(t *testing.T) {
		s := fresh(t, armsim.Fault{Mode: armsim.LoseOperation})
		made := s.want(201, "", "PUT", ann, v2019, person)
		s.want(404, "OperationNotFound", "GET", made.header.Get("Azure-Asyncoperation"), "", "")
		c.pass(moment)
		if got := s.want(200, "", "GET", ann, v2019, ""); got.in("properties", "provisioningState") != "Succeeded" {
			t.Errorf("the resource ends all the same: %s", got.text)
		}
	})
	t.Run("failOperation", func(t *testing.T) {
		s := fresh(t, armsim.Fault{Mode: armsim.FailOperation})
		made := s.want(201, "", "PUT", ann, v2019, person)
		c.pass(moment)
		if got := s.want(200, "", "GET", made.header.Get("Azure-Asyncoperation"), "", ""); got.in("status") != "Failed" || got.in("error", "code") != "OperationFailed" {
			t.Errorf("polled: %s", got.text)
		}
		if got := s.want(200, "", "GET", ann, v2019, ""); got.in("properties", "provisioningState") != "Failed" {
			t.Errorf("the resource: %s", got.text)
		}
		s.want(200, "", "PUT", ann, v2019, person)
	})
	t.Run("slow", func(t *testing.T) {
		s := fresh(t, armsim.Fault{Mode: armsim.Slow, Delay: armsim.Duration(100 * time.Millisecond)})
		began := time.Now()
		if s.want(201, "", "PUT", ann, v2019, person); time.Since(began) < 100*time.Millisecond {
			t.Errorf("it took %v", time.Since(began))
		}
	})
	t.Run("refuse", func(t *testing.T) {
		s := fresh(t, armsim.Fault{Mode: armsim.Refuse, Status: 403})
		s.want(403, "Forbidden", "PUT", ann, v2019, person)
		s.want(404, "ResourceNotFound", "GET", ann, v2019, "")
		s = fresh(t, armsim.Fault{Mode: armsim.Refuse})
		s.want(400, "BadRequest", "PUT", ann, v2019, person)
	})
	t.Run("override", func(t *testing.T) {
		s := fresh(t, armsim.Fault{Mode: armsim.Override, Values: map[string]any{"location": "there", "tags": map[string]any{"a": "1"}}})
		s.want(201, "", "PUT", ann, v2019, person)
		c.pass(moment)
		if got := s.want(200, "", "GET", ann, v2019, ""); got.in("location") != "there" || got.in("tags", "a") != "1" || got.in("properties", "provisioningState") != "Succeeded" {
			t.Errorf("it is stored as %s", got.text)
		}
		s.want(200, "", "PUT", ann, v2019, person) // the budget is spent
		c.pass(moment)
		if got := s.want(200, "", "GET", ann, v2019, ""); got.in("location") != "here" {
			t.Errorf("it is stored as %s", got.text)
		}
	})
}

// TestFaultsThatAreRefused is a table over rules that contradict themselves.
func TestFaultsThatAreRefused(t *testing.T) {
	s := start(t, armsim.Options{})
	for _, test := range []struct{ rule, want string }{
		{`{"mode":"refuse","status":500}`, "500 is no error of a client"},
		{`{"mode":"serverError","status":404}`, "404 is no server error"},
		{`{"mode":"override"}`, "override needs them"},
		{`{"mode":"slow","delay":"1s","values":{"a":1}}`, "no other mode has them"},
	} {
		if got := s.want(400, "InvalidRequestContent", "PUT", "/_sim/faults", "", `{"rules":[`+test.rule+`]}`); !strings.Contains(got.text, test.want) {
			t.Errorf("%s: %s, want %s", test.rule, got.text, test.want)
		}
	}
}

// TestFaultsAreRepeatable means that a seed gives the same faults, and that a budget ends them.
func TestFaultsAreRepeatable(t *testing.T) {
	s := start(t, armsim.Options{})
	run := func(seed string) string {
		s.want(204, "", "PUT", "/_sim/faults", "", `{"seed":`+seed+`,"budget":12,"rules":[{"mode":"throttle","probability":0.3,"methods":["get"]},{"mode":"serverError","probability":0.3}]}`)
		pattern := ""
		for range 60 {
			switch s.do("GET", ann, v2019, "").status {
			case http.StatusTooManyRequests:
				pattern += "t"
			case http.StatusInternalServerError:
				pattern += "e"
			default:
				pattern += "."
			}
		}
		return pattern
	}
	first := run("1")
	if again := run("1"); again != first {
		t.Errorf("one seed gives\n%s\n%s", first, again)
	}
	if other := run("2"); other == first {
		t.Errorf("two seeds give %s", first)
	}
	if n := strings.Count(first, "t") + strings.Count(first, "e"); n != 12 || !strings.HasSuffix(first, "....") {
		t.Errorf("a budget of 12 gives %d faults: %s", n, first)
	}
	if got := s.stats().Faults; got["throttle"]+got["serverError"] != 36 {
		t.Errorf("counted: %v", got)
	}
	got := s.want(400, "InvalidRequestContent", "PUT", "/_sim/faults", "", `{"rules":[{"mode":"strange","probability":2}]}`)
	if !strings.Contains(got.text, "mode") || !strings.Contains(got.text, "probability") {
		t.Errorf("not all is told: %s", got.text)
	}
	s.want(400, "InvalidRequestContent", "PUT", "/_sim/faults", "", `{"strange":1}`)
	s.want(204, "", "PUT", "/_sim/operations", "", `[{"type":"*","duration":"1h","style":"location"}]`)
	s.want(204, "", "PUT", "/_sim/faults", "", `{}`)
	s.want(202, "", "PUT", ann, v2019, person)
}
