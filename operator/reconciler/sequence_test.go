package reconciler_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// sequence is a random sequence of what can happen to one object and its resource.
type sequence struct {
	*world
	random    *rand.Rand
	sent      []*annotation.SentCreate // creates that were cut off, and may take effect yet
	isForeign bool                     // what is there was made by another client
	told      []string
}

// steps are what can happen. Each is told of when the sequence fails.
var steps = map[string]func(*sequence){
	"a pass":      func(s *sequence) { s.step() },
	"a restart":   func(s *sequence) { s.restart() },
	"time passes": func(s *sequence) { s.later += time.Duration(s.random.IntN(90)) * time.Second },
	"an edit": func(s *sequence) {
		s.edit("Person", "ada", func(u *unstructured.Unstructured) {
			u.Object["spec"].(map[string]any)["location"] = fmt.Sprint("region", s.random.IntN(3))
		})
	},
	"a call without an effect fails":      func(s *sequence) { s.failsWith(effect.None) },
	"a call is cut off before its effect": func(s *sequence) { s.failsWith(effect.Possible) },
	"a call is cut off after its effect":  func(s *sequence) { s.failsWith(effect.Certain) },
	"an answer is lost, and the process ends": func(s *sequence) {
		s.cloud.After(func(c fakeprovider.Call) error {
			if c.Verb == "Apply" || c.Verb == "Delete" {
				s.writes = func(func() error) error { return errForbidden }
			}
			return nil
		})
		s.step()
		s.cloud.After(nil)
		s.writes = nil
		s.restart()
	},
	"a look lags": func(s *sequence) { s.cloud.Stale(1); s.step(); s.cloud.Stale(0) },
	"a cut create takes effect": func(s *sequence) {
		if len(s.sent) == 0 || s.cloud.Get(ada) != nil {
			return
		}
		one := s.sent[s.random.IntN(len(s.sent))]
		s.sent = nil
		s.cloud.Put(ada, fakeprovider.Resource{Version: one.Version, Body: []byte(one.Body)})
	},
	"another client makes it": func(s *sequence) {
		if m := s.marks("Person", "ada"); s.cloud.Get(ada) == nil && m.ID == "" && m.Operation == nil { // what goes on is refused to others
			s.cloud.Put(ada, byron)
			s.isForeign, s.sent = true, nil
		}
	},
	"another client removes it": func(s *sequence) {
		s.cloud.Remove(ada)
		s.isForeign = false
	},
	"another client changes it": func(s *sequence) {
		if r := s.cloud.Get(ada); r != nil && !s.isForeign && s.marks("Person", "ada").ID != "" {
			s.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body })
		}
	},
	"operations": func(s *sequence) { s.cloud.Slow(s.random.IntN(3), s.random.IntN(2) == 0) },
}

// step is a pass, whose errors are of the API server.
func (s *sequence) step() {
	if s.isGone("Person", "ada") {
		return
	}
	_, _ = s.try("Person", "ada")
	if !s.isGone("Person", "ada") && s.marks("Person", "ada").ID != "" {
		s.sent = nil // a create that has gone well since shows that they had no effect
	}
}

func (s *sequence) failsWith(has v2.Effect) {
	reasons := []v2.Reason{v2.Reason_REASON_TRANSIENT, v2.Reason_REASON_THROTTLED, v2.Reason_REASON_CONFLICT, v2.Reason_REASON_UNAUTHORIZED}
	methods := []string{"Apply", "Apply", "Apply", "Observe", "Poll", "Delete"}
	method := methods[s.random.IntN(len(methods))]
	s.failsOnce(method, has, reasons[s.random.IntN(len(reasons))])
	before := s.cloud.Get(ada)
	s.step()
	s.cloud.Before(nil)
	s.cloud.After(nil)
	if s.isGone("Person", "ada") {
		return
	}
	if m := s.marks("Person", "ada"); has == effect.Possible && method == "Apply" && before == nil && s.cloud.Get(ada) == nil && m.Sent != nil && m.Operation == nil {
		s.sent = append(s.sent, m.Sent)
	}
}

// isWell fails the test if another client's resource was touched.
func (s *sequence) isWell() {
	s.Helper()
	if s.isForeign {
		s.isByron(ada)
	}
}

// TestRandomSequences draws sequences. In the end the resource is as the object says, or another client's and untouched; and the object's
// deletion leaves nothing but that. One sequence in some thousand has more faults than a claim can survive: that another client removes
// what an operation changes, the answer to its end is lost, and the look after that lags.
func TestRandomSequences(t *testing.T) {
	names := sortedKeys(steps)
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := &sequence{world: newWorld(t), random: rand.New(rand.NewPCG(seed, 1))}
			if seed%3 == 1 {
				s.cloud.Nameless()
			}
			s.object("Person", "ada", person())
			for range 25 {
				name := names[s.random.IntN(len(names))]
				s.told = append(s.told, name)
				steps[name](s)
				if s.isWell(); t.Failed() {
					t.Fatalf("after %q", s.told)
				}
			}
			s.cloud.Slow(0, false)
			s.ends(seed%2 == 0)
			if t.Failed() {
				t.Fatalf("after %q", s.told)
			}
		})
	}
}

// ends lets the sequence come to its end, at once by a deletion or not.
func (s *sequence) ends(atOnce bool) {
	for range 12 {
		if atOnce {
			break
		}
		s.later += 20 * time.Second
		s.step()
	}
	if c := s.condition("Person", "ada", reconciler.Ready); !atOnce && c.Status != "True" && c.Reason != reconciler.Exists {
		s.Errorf("it is %+v", c)
	}
	s.delete("Person", "ada")
	s.step()
	if len(s.sent) > 0 && !s.isGone("Person", "ada") {
		steps["a cut create takes effect"](s)
	}
	for range 40 {
		s.later += 20 * time.Second
		s.step()
	}
	s.isWell()
	if !s.isGone("Person", "ada") {
		s.Errorf("it is still there: %+v", s.condition("Person", "ada", reconciler.Ready))
	}
	if r := s.cloud.Get(ada); r != nil && !s.isForeign {
		s.Errorf("outside is %s: %s", r.Body, s.reported())
	}
}

func sortedKeys(of map[string]func(*sequence)) []string { return slices.Sorted(maps.Keys(of)) }
