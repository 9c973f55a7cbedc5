package reconciler

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPathsAreThoseOfUsers(t *testing.T) {
	for _, test := range []struct {
		reason       string
		stored, want []string
	}{
		{"what the stored version has", []string{"location", "properties.phones[2].prefix"}, []string{"location", "properties.phones[2].prefix"}},
		{"what it has not", []string{"$propertyBag.sku", "properties.$propertyBag.firstName"}, []string{"sku", "properties.firstName"}},
		{"a later property of that name", []string{"properties.$propertyBag.name@v20140404preview.2"}, []string{"properties.name of v20140404preview"}},
		{"a value of the wrong type", []string{"properties.$propertyBag.age@v20180808!raw", "$propertyBag.tags@v20180808!elements!raw"}, []string{"properties.age of v20180808", "tags of v20180808"}},
		{"something in a bag in a bag", []string{"$propertyBag.a@v20140404.b[1].$propertyBag.c"}, []string{"a.b[1].c of v20140404"}},
		{"additional members", []string{"$propertyBag.$additionalProperties.mine"}, []string{"mine"}},
		{"all additional members", []string{"tags.$propertyBag.$additionalProperties", "$propertyBag.$additionalProperties"}, []string{"tags", "spec"}},
		{"a property twice", []string{"$propertyBag.a@v20140404", "$propertyBag.a@v20140404.2"}, []string{"a of v20140404"}},
		{"a sign that is part of a name", []string{"tags.me@home", "tags.$price"}, []string{"tags.me@home", "tags.$price"}},
	} {
		if diff := cmp.Diff(test.want, specPaths(test.stored)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestTimeOfPathsIsLinear has a position for each element of a long list. It takes the least
// processor time of several runs. The ratio is 8 for linear work, and 64 for quadratic work.
func TestTimeOfPathsIsLinear(t *testing.T) {
	least := func(n int) time.Duration {
		stored := make([]string, n)
		for i := range stored {
			stored[i] = fmt.Sprintf("properties.phones[%06d].prefix", i)
		}
		best := time.Hour
		for range 5 {
			start := processorTime(t)
			if got := len(specPaths(stored)); got != n {
				t.Fatalf("%d places, want %d", got, n)
			}
			best = min(best, processorTime(t)-start)
		}
		return best
	}
	if few, many := least(4000), least(32000); many > 30*few {
		t.Errorf("%v for 4000 places, and %v for 32000", few, many)
	}
}

// processorTime returns the processor time of the process.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
