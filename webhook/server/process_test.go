package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// process is the built command.
type process struct {
	command             *exec.Cmd
	conversions, probes string
	lines               chan string
}

// launch starts the command, and reads its addresses from the log.
func launch(t *testing.T, binary string, args ...string) *process {
	t.Helper()
	p := &process{command: exec.Command(binary, append(args, "--address=127.0.0.1:0", "--metrics-address=off", "--probe-address=127.0.0.1:0")...), lines: make(chan string, 1000)}
	stderr, err := p.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.command.Process.Kill() })
	go func() {
		defer close(p.lines)
		for scanner := bufio.NewScanner(stderr); scanner.Scan(); {
			p.lines <- scanner.Text()
		}
	}()
	for line := range p.lines {
		var serving struct{ Msg, Conversions, Probes string }
		if json.Unmarshal([]byte(line), &serving) == nil && serving.Msg == "serving" {
			p.conversions, p.probes = "https://"+serving.Conversions+"/convert", "http://"+serving.Probes
			return p
		}
	}
	t.Fatal("the command ended before it served")
	return nil
}

func (p *process) isReady() bool {
	response, err := http.Get(p.probes + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// load sends reviews from several clients until stop, each after the answer to the one before. Some
// are large, so that they are running when the signal comes.
func load(f files, url string, stop <-chan struct{}) (answered, lost *atomic.Int64, wait func()) {
	answered, lost = new(atomic.Int64), new(atomic.Int64)
	var all sync.WaitGroup
	many := make([]string, 2000)
	for i := range many {
		many[i] = person
	}
	for i := range 8 {
		all.Go(func() {
			client := f.client(i%2 == 0)
			defer client.CloseIdleConnections()
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				objects := many[:1]
				if n%20 == 19 {
					objects = many
				}
				response, answer, err := post(client, url, strings.NewReader(reviewOf(objects...)))
				if err != nil || response.StatusCode != http.StatusOK || !isSuccess(answer, len(objects)) {
					fmt.Printf("lost: %v %.200s\n", err, answer)
					lost.Add(1)
					continue
				}
				answered.Add(1)
			}
		})
	}
	return answered, lost, all.Wait
}

// TestNoReviewIsLostOnSIGTERM stops a built server under load. Clients stop some time after the
// server is no longer ready, as a load balancer stops sending. None of their reviews may fail, and
// the command exits with 0.
func TestNoReviewIsLostOnSIGTERM(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds a command")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "strata-webhook")
	if out, err := exec.Command("go", "build", "-o", binary, "./testdata/program").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f := write(t, dir)
	p := launch(t, binary, "--cert-file", f.cert, "--key-file", f.key, "--lame-duck=3s")
	eventually(t, "ready", p.isReady)
	stop := make(chan struct{})
	answered, lost, wait := load(f, p.conversions, stop)
	eventually(t, "load", func() bool { return answered.Load() > 500 })
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "not ready", func() bool { return !p.isReady() })
	before := answered.Load()
	eventually(t, "still serving", func() bool { return answered.Load() > before+100 })
	close(stop)
	wait()
	for range p.lines {
	}
	if err := p.command.Wait(); err != nil {
		t.Errorf("the command ended with %v", err)
	}
	if lost.Load() > 0 {
		t.Errorf("%d reviews were lost, of %d", lost.Load(), answered.Load())
	}
}

// TestUnfinishedReviewsAreAnswered ends the server while it reads a review that is half sent. The
// gauge shows when the server has begun to read it.
func TestUnfinishedReviewsAreAnswered(t *testing.T) {
	f, options := withFiles(t)
	options.MetricsAddress = "127.0.0.1:0"
	r := start(t, options)
	r.waitReady(t)
	client := f.client(true)
	defer client.CloseIdleConnections()
	body := reviewOf(person)
	half := make(chan struct{})
	slow := &pausing{text: body, at: len(body) / 2, paused: half, on: make(chan struct{})}
	answered := make(chan []byte, 1)
	go func() {
		_, answer, err := post(client, r.conversions, slow)
		if err != nil {
			t.Error(err)
		}
		answered <- answer
	}()
	<-half
	eventually(t, "under way", func() bool {
		_, metrics := get(t, r.metrics)
		return strings.Contains(metrics, "strata_conversion_reviews_in_flight 1")
	})
	r.stop()
	eventually(t, "not listening", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		request, _ := http.NewRequestWithContext(ctx, http.MethodPost, r.conversions, strings.NewReader(body))
		other := f.client(false)
		defer other.CloseIdleConnections()
		response, err := other.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		return err != nil
	})
	close(slow.on)
	if answer := <-answered; !isSuccess(answer, 1) {
		t.Errorf("the answer is %q", answer)
	}
	if err := <-r.done; err != nil {
		t.Error(err)
	}
	r.done <- nil
}

// pausing is a body that stops at a position until it may continue.
type pausing struct {
	text   string
	at     int
	read   int
	paused chan struct{}
	on     chan struct{}
}

func (p *pausing) Read(into []byte) (int, error) {
	if p.read < p.at {
		n := copy(into, p.text[p.read:p.at])
		p.read += n
		return n, nil
	}
	if p.paused != nil {
		close(p.paused)
		p.paused = nil
	}
	<-p.on
	if p.read == len(p.text) {
		return 0, io.EOF
	}
	n := copy(into, p.text[p.read:])
	p.read += n
	return n, nil
}
