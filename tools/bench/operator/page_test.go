package operator

import (
	"strings"
	"testing"
	"time"
)

// TestPageOfPair says whether the goal is reached, and has both beside each other.
func TestPageOfPair(t *testing.T) {
	figures := func(ready time.Duration) Figures {
		return Figures{
			Resources: 100, Created: time.Second, Ready: ready, Looked: ready / 10,
			First: Pass{Reconciles: 100, Writes: map[string]int{"PATCH": 200, "PUT status": 100}, Events: 100, Reviews: 1500, CPU: ready / 2, Memory: int64(ready)},
		}
	}
	for _, test := range []struct {
		ready time.Duration
		want  []string
	}{
		{11 * time.Second, []string{"peer: reached", "| all ready after | 11.0 s | 10.0 s | 1.10 |\n", "| writes a resource | 3.00 | 3.00 | |\n", "| reviews a resource | 15.00 | 15.00 | |\n"}},
		{13 * time.Second, []string{"peer: missed", "| all ready after | 13.0 s | 10.0 s | 1.30 |\n", "| CPU, with plugins | 6.5 s | 5.0 s | 1.30 |\n"}},
	} {
		p := Pair{figures(test.ready), figures(10 * time.Second)}
		page := p.Page()
		for _, want := range test.want {
			if !strings.Contains(page, want) {
				t.Errorf("%q is not in the page:\n%s", want, page)
			}
		}
		if got, want := p.Ratios()["ready, times a bare controller"], test.ready.Seconds()/10; got != want {
			t.Errorf("the ratio is %g, want %g", got, want)
		}
	}
}
