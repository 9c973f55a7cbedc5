package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// interval is the least time between two plain lines.
const interval = 2 * time.Second

// Progress counts the files and resources of a run, stage by stage. It may be
// used from several goroutines.
type Progress struct {
	out      io.Writer
	terminal bool
	now      func() time.Time

	mu      sync.Mutex
	began   time.Time // of the run
	said    time.Time // when the last plain line was written
	current stage
	bar     *progressbar.ProgressBar
	total   struct{ files, resources int } // of all stages that ended
}

// stage is one pass over files: reading, writing.
type stage struct {
	name                    string
	began                   time.Time
	files, resources, total int
}

// New writes to out: a bar if it is a terminal, else plain lines.
func New(out io.Writer, terminal bool) *Progress { return start(out, terminal, time.Now) }

func start(out io.Writer, terminal bool, now func() time.Time) *Progress {
	began := now()
	return &Progress{out: out, terminal: terminal, now: now, began: began, said: began}
}

// Stage begins the next stage: what is done ("read", "write"), and to how many
// files; 0 if that is not known.
func (p *Progress) Stage(name string, files int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endStage()
	p.current = stage{name: name, began: p.now(), total: files}
	if p.terminal && files > 0 {
		p.bar = newBar(p.out, p.current)
	}
}

// Add counts files and resources that the stage has done.
func (p *Progress) Add(files, resources int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current.files += files
	p.current.resources += resources
	switch now := p.now(); {
	case p.bar != nil:
		p.bar.Describe(p.current.description())
		_ = p.bar.Add(files) // cannot fail but for the terminal
	case !p.terminal && now.Sub(p.said) >= interval:
		p.said = now
		fmt.Fprintf(p.out, "strata: %s\n", p.current.line(now))
	}
}

// Counter begins a stage at its first call, and counts files up to done of
// total: for work that reports where it is, from several goroutines.
func (p *Progress) Counter(name string) func(done, total int) {
	var mu sync.Mutex
	last := -1
	return func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if last < 0 {
			p.Stage(name, total)
			last = 0
		}
		if done > last {
			p.Add(done-last, 0)
			last = done
		}
	}
}

// Done ends the run: it takes the bar away and says in a last line what was
// done. Nothing is said of a run without stages, nor a second time.
func (p *Progress) Done() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endStage()
	if p.total.files+p.total.resources > 0 {
		took := p.now().Sub(p.began).Round(10 * time.Millisecond)
		fmt.Fprintf(p.out, "strata: %s in %s\n", counts(p.total.files, p.total.resources), took)
	}
	p.total.files, p.total.resources = 0, 0
}

// Stop ends a run that failed: it takes the bar away and says nothing.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endStage()
	p.total.files, p.total.resources = 0, 0
}

func (p *Progress) endStage() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
	p.total.files = max(p.total.files, p.current.files)
	p.total.resources = max(p.total.resources, p.current.resources)
	p.current = stage{}
}

func newBar(out io.Writer, s stage) *progressbar.ProgressBar {
	return progressbar.NewOptions(s.total,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription(s.description()),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("files"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)
}

func (s stage) description() string {
	if s.resources == 0 {
		return s.name
	}
	return fmt.Sprintf("%s (%s)", s.name, plural(s.resources, "resource"))
}

// line is the state of a stage in words: files, resources, rate, time left.
func (s stage) line(now time.Time) string {
	took := now.Sub(s.began).Seconds()
	parts := []string{fmt.Sprintf("%s: %s", s.name, plural(s.files, "file"))}
	if s.total > 0 {
		parts[0] = fmt.Sprintf("%s: %d of %s", s.name, s.files, plural(s.total, "file"))
	}
	if s.resources > 0 {
		parts = append(parts, plural(s.resources, "resource"))
	}
	if rate := float64(s.files) / took; s.files > 0 && took > 0 {
		parts = append(parts, fmt.Sprintf("%.0f files/s", rate))
		if left := float64(s.total-s.files) / rate; s.total > 0 {
			parts = append(parts, fmt.Sprintf("%.0f s left", max(0, left)))
		}
	}
	return strings.Join(parts, ", ")
}

func counts(files, resources int) string {
	if resources == 0 {
		return plural(files, "file")
	}
	return plural(files, "file") + ", " + plural(resources, "resource")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
