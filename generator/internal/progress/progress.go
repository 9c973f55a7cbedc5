package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// interval is the least time between two plain lines, and spin that between two frames of a
// spinner.
const (
	interval = 2 * time.Second
	spin     = 200 * time.Millisecond
)

// Progress counts the files and resources of a run, stage by stage. It is safe for concurrent use.
type Progress struct {
	out      io.Writer
	terminal bool
	now      func() time.Time

	mu       sync.Mutex
	began    time.Time // of the run
	lastLine time.Time // when the last plain line was written
	current  stage
	bar      *progressbar.ProgressBar
	total    struct{ files, resources int } // of all stages that ended
	ticks    bool                           // whether stages that count nothing are shown too
	stop     chan struct{}                  // ends the ticks; nil if there are none
	begins   func(stage string)             // called for each stage; may be nil
}

// stage is one pass over the files or resources of a run, or a step that counts nothing.
type stage struct {
	name                    string
	began                   time.Time
	files, resources, total int
}

// New returns a Progress that writes to out: a bar if it is a terminal, or else plain lines.
func New(out io.Writer, terminal bool) *Progress {
	p := start(out, terminal, time.Now)
	p.ticks = true
	return p
}

// Watch returns a Progress that writes nothing, and calls begins for each stage.
func Watch(begins func(stage string)) *Progress {
	p := start(io.Discard, false, time.Now)
	p.begins = begins
	return p
}

func start(out io.Writer, terminal bool, now func() time.Time) *Progress {
	began := now()
	return &Progress{out: out, terminal: terminal, now: now, began: began, lastLine: began}
}

// Stage begins the next stage. It has a name ("reading schemas", "linking versions") and a number
// of files, which is 0 if it is not known, or if the stage counts nothing.
func (p *Progress) Stage(name string, files int) {
	if p == nil {
		return
	}
	p.begin(name, files)
	if p.begins != nil {
		p.begins(name)
	}
}

func (p *Progress) begin(name string, files int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endStage()
	p.current = stage{name: name, began: p.now(), total: files}
	switch {
	case p.terminal && files > 0:
		p.bar = newBar(p.out, p.current)
	case p.terminal:
		p.bar = newSpinner(p.out, p.current)
	}
	if p.ticks && p.stop == nil {
		p.stop = make(chan struct{})
		go p.tick(p.stop)
	}
}

// tick updates the display of a stage that counts nothing, until it is stopped.
func (p *Progress) tick(stop chan struct{}) {
	every := interval
	if p.terminal {
		every = spin
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			p.show(stop)
		}
	}
}

// show updates the display of the stage, unless the ticks have been stopped.
func (p *Progress) show(stop chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != stop || p.current.name == "" {
		return
	}
	switch now := p.now(); {
	case p.bar != nil:
		_ = p.bar.RenderBlank() // can only fail for the terminal
	case !p.terminal && now.Sub(p.lastLine) >= interval && now.Sub(p.current.began) >= time.Second:
		p.line(now)
	}
}

// line writes a plain line.
func (p *Progress) line(now time.Time) {
	p.lastLine = now
	fmt.Fprintf(p.out, "strata: %s\n", p.current.line(now))
}

// endTicks stops the ticks.
func (p *Progress) endTicks() {
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
}

// Add adds files and resources that the stage has completed.
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
		_ = p.bar.Add(files) // can only fail for the terminal
	case !p.terminal && now.Sub(p.lastLine) >= interval:
		p.line(now)
	}
}

// Counter begins a stage at its first call, and counts files up to done of total. It is for work
// that reports its own position, from several goroutines.
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

// Done ends the run. It removes the bar and prints a last line with totals. It prints nothing for a
// run without stages, nor a second time.
func (p *Progress) Done() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endTicks()
	p.endStage()
	if p.total.files+p.total.resources > 0 {
		took := p.now().Sub(p.began).Round(10 * time.Millisecond)
		fmt.Fprintf(p.out, "strata: %s in %s\n", counts(p.total.files, p.total.resources), took)
	}
	p.total.files, p.total.resources = 0, 0
}

// Stop ends a run that failed: it removes the bar and prints nothing.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endTicks()
	p.endStage()
	p.total.files, p.total.resources = 0, 0
}

func (p *Progress) endStage() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
	if p.current.resources > 0 || p.total.resources == 0 { // files that were read count, and not those written from them
		p.total.files = max(p.total.files, p.current.files)
	}
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

// newSpinner returns the bar of a stage that counts nothing.
func newSpinner(out io.Writer, s stage) *progressbar.ProgressBar {
	return progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription(s.description()),
		progressbar.OptionSpinnerType(9),
		progressbar.OptionSetSpinnerChangeInterval(0), // otherwise it would go on by itself
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	)
}

func (s stage) description() string {
	if s.resources == 0 {
		return s.name
	}
	return fmt.Sprintf("%s (%s)", s.name, plural(s.resources, "resource"))
}

// line returns the state of a stage in words: files, resources, rate and time left. For a stage
// that counts nothing, it returns how long it has taken.
func (s stage) line(now time.Time) string {
	took := now.Sub(s.began).Seconds()
	if s.total == 0 && s.files == 0 {
		return fmt.Sprintf("%s: %.0f s", s.name, took)
	}
	parts := []string{fmt.Sprintf("%s: %s", s.name, plural(s.files, "file"))}
	if s.total > 0 {
		parts[0] = fmt.Sprintf("%s: %d of %s", s.name, s.files, plural(s.total, "file"))
	}
	if s.resources > 0 {
		parts = append(parts, plural(s.resources, "resource"))
	}
	if rate := float64(s.files) / took; s.files > 0 && took > 0 {
		parts = append(parts, fmt.Sprintf("%.0f files/s", rate))
		if left := float64(s.total-s.files) / rate; s.total > s.files {
			parts = append(parts, fmt.Sprintf("%.0f s left", max(1, left)))
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
