package progress

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// clock is a clock that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestPlainLines(t *testing.T) {
	type step struct {
		after            time.Duration
		files, resources int
	}
	tests := []struct {
		reason string
		total  int
		steps  []step
		want   string
	}{
		{"a short run has its last line only", 5, []step{{time.Second, 2, 3}, {time.Second / 2, 3, 4}},
			"strata: 5 files, 7 resources in 1.5s\n"},
		{"at most one line in two seconds", 10, []step{{time.Second, 1, 1}, {time.Second, 1, 1}, {time.Second, 1, 1}, {time.Second, 1, 1}},
			"strata: read: 2 of 10 files, 2 resources, 1 files/s, 8 s left\n" +
				"strata: read: 4 of 10 files, 4 resources, 1 files/s, 6 s left\n" +
				"strata: 4 files, 4 resources in 4s\n"},
		{"a total that is not known gives no time left", 0, []step{{4 * time.Second, 8, 0}},
			"strata: read: 8 files, 2 files/s\nstrata: 8 files in 4s\n"},
		{"nothing done has no rate", 3, []step{{4 * time.Second, 0, 0}}, "strata: read: 0 of 3 files\n"},
		{"more files than announced", 1, []step{{4 * time.Second, 2, 1}},
			"strata: read: 2 of 1 file, 1 resource, 0 files/s\nstrata: 2 files, 1 resource in 4s\n"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var out bytes.Buffer
			c := &clock{at: time.Unix(1, 0)}
			p := start(&out, false, c.now)
			p.Stage("read", tt.total)
			for _, s := range tt.steps {
				c.at = c.at.Add(s.after)
				p.Add(s.files, s.resources)
			}
			p.Done()
			p.Done()
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStages checks that files that are read and then written are not counted twice.
func TestStages(t *testing.T) {
	var out bytes.Buffer
	c := &clock{at: time.Unix(1, 0)}
	p := start(&out, false, c.now)
	p.Stage("read", 4)
	p.Add(4, 9)
	p.Stage("write", 20)
	p.Add(20, 0)
	p.Done()
	if got, want := out.String(), "strata: 4 files, 9 resources in 0s\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCounter checks that reports that overtake each other count once.
func TestCounter(t *testing.T) {
	var out bytes.Buffer
	c := &clock{at: time.Unix(1, 0)}
	p := start(&out, false, c.now)
	count := p.Counter("read")
	for _, done := range []int{1, 3, 2, 3, 4} {
		count(done, 4)
	}
	p.Done()
	if got, want := out.String(), "strata: 4 files in 0s\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	(*Progress)(nil).Counter("read")(1, 2)
}

func TestBar(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, true)
	p.Stage("read", 3)
	for range 3 {
		time.Sleep(110 * time.Millisecond) // the bar's own throttle
		p.Add(1, 2)
	}
	p.Done()
	printed := out.String()
	for _, want := range []string{"read (2 resources)", "2/3", "files/s"} {
		if !strings.Contains(printed, want) {
			t.Errorf("the bar lacks %q:\n%q", want, printed)
		}
	}
	lines := strings.Split(printed, "\r")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "strata: 3 files, 6 resources in ") {
		t.Errorf("the bar is not taken away before %q", last)
	}
}

// TestSpinner checks that on a terminal, a stage that counts nothing shows a spinner, which is
// removed at the end.
func TestSpinner(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, true)
	p.Stage("linking versions", 0)
	for range 2 {
		time.Sleep(110 * time.Millisecond) // the bar's own throttle
		p.show(p.stop)
	}
	p.Done()
	printed := out.String()
	if !strings.Contains(printed, "linking versions") {
		t.Errorf("shown is %q", printed)
	}
	lines := strings.Split(printed, "\r")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" || len(lines) < 3 {
		t.Errorf("%d pictures, and %q is left", len(lines), last)
	}
}

// TestSilence checks that a nil progress does nothing, and that one without stages, or that was
// stopped, prints nothing.
func TestSilence(t *testing.T) {
	var none *Progress
	none.Stage("read", 3)
	none.Add(1, 1)
	none.Done()
	none.Stop()
	var out bytes.Buffer
	New(&out, false).Done()
	failed := New(&out, false)
	failed.Stage("read", 3)
	failed.Add(2, 2)
	failed.Stop()
	failed.Done()
	if out.Len() > 0 {
		t.Errorf("said %q", &out)
	}
}

func TestConcurrentAdd(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, false)
	p.Stage("read", 800)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				p.Add(1, 2)
			}
		})
	}
	all.Wait()
	p.Done()
	if !strings.HasPrefix(out.String(), "strata: 800 files, 1600 resources in ") {
		t.Errorf("got %q", &out)
	}
}

// TestTicks checks that a stage that counts nothing prints how long it has taken, and that nothing
// is printed after the end of the run.
func TestTicks(t *testing.T) {
	var out bytes.Buffer
	c := &clock{at: time.Unix(1, 0)}
	p := start(&out, false, c.now)
	p.Stage("reading schemas", 2)
	p.Add(2, 1)
	p.Stage("linking versions", 0)
	for range 3 {
		c.at = c.at.Add(interval)
		p.show(p.stop)
	}
	p.Done()
	p.show(make(chan struct{}))
	want := "strata: linking versions: 2 s\nstrata: linking versions: 4 s\nstrata: linking versions: 6 s\nstrata: 2 files, 1 resource in 6s\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

// TestTicksEnd checks that the end of a run stops the ticks, and that the next stage starts them
// again.
// TestStageThatGoesOn checks that a stage whose files are all done has no time left, however long
// it goes on.
func TestStageThatGoesOn(t *testing.T) {
	var out bytes.Buffer
	c := &clock{at: time.Unix(1, 0)}
	p := start(&out, false, c.now)
	p.Stage("reading schemas", 2)
	p.Add(2, 1)
	c.at = c.at.Add(2 * interval)
	p.show(p.stop)
	if got, want := out.String(), "strata: reading schemas: 2 of 2 files, 1 resource, 0 files/s\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestTicksEnd(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, false)
	for _, end := range []func(){p.Done, p.Stop, p.Done} {
		p.Stage("linking versions", 0)
		stop := p.stop
		end()
		if p.stop != nil {
			t.Error("ticks go on")
		}
		<-stop
	}
}

// TestWatch checks that each stage is reported as it begins, and that nothing is written.
func TestWatch(t *testing.T) {
	var stages []string
	p := Watch(func(stage string) { stages = append(stages, stage) })
	p.Stage("reading schemas", 2)
	p.Counter("writing files")(1, 2)
	p.Done()
	if diff := cmp.Diff([]string{"reading schemas", "writing files"}, stages); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
}
