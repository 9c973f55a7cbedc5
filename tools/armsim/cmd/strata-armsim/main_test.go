package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// programVariable makes the test's own program the command.
const programVariable = "STRATA_ARMSIM_IS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

var schemas = filepath.Join("..", "..", "..", "..", "schemas", "crm")

// program is the command as a process.
type program struct {
	*exec.Cmd
	url string
}

func begin(t *testing.T, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{"--schemas", schemas}, args...)...)
	cmd.Env = append(os.Environ(), programVariable+"=1", tokenVariable+"=s3cret")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
		t.Fatalf("it says %q, %v", line, err)
	}
	return &program{cmd, strings.TrimSpace(line)}
}

// call gives the status and body of an answer.
func (p *program) call(ctx context.Context, method, path, body string) (int, string, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.url+path+"?api-version=2019-09-09", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer s3cret")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(data), err
}

// ledger records the last number that the program acknowledged for each resource.
type ledger struct {
	mu    sync.Mutex
	taken map[string]int
	tried map[string]int
}

func (l *ledger) put(ctx context.Context, p *program, worker, n int) bool {
	path := fmt.Sprintf("/subscriptions/S/resourceGroups/G/providers/Microsoft.Crm/persons/p%d-%d", worker, n%40)
	l.mu.Lock()
	l.tried[path] = n
	l.mu.Unlock()
	status, _, err := p.call(ctx, "PUT", path, fmt.Sprintf(`{"properties":{"legalName":"%d","familyName":"x"}}`, n))
	if err != nil || status >= 300 {
		return false
	}
	l.mu.Lock()
	l.taken[path] = n
	l.mu.Unlock()
	return true
}

// TestKilledAtAnyTime kills the program again and again while clients write. Afterwards each
// resource has the value that was acknowledged last, or the one of the write in progress.
func TestKilledAtAnyTime(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	l := &ledger{taken: map[string]int{}, tried: map[string]int{}}
	for round := range 6 {
		p := begin(t, "--state", state)
		checkAll(t, p, l)
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				for n := round * 100_000; l.put(t.Context(), p, worker, n); n++ {
				}
			})
		}
		time.Sleep(time.Duration(50+37*round) * time.Millisecond)
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		_ = p.Wait()
	}
	p := begin(t, "--state", state)
	checkAll(t, p, l)
	if len(l.taken) < 40 {
		t.Errorf("only %d resources were written: nothing is proved", len(l.taken))
	}
}

func checkAll(t *testing.T, p *program, l *ledger) {
	t.Helper()
	for path, n := range l.taken {
		status, body, err := p.call(t.Context(), "GET", path, "")
		is := func(n int) bool { return strings.Contains(body, fmt.Sprintf(`"legalName":"%d"`, n)) }
		if err != nil || status != 200 || !is(n) && !is(l.tried[path]) {
			t.Fatalf("%s was acknowledged as %d: %d %s %v", path, n, status, body, err)
		}
		if is(l.tried[path]) {
			l.taken[path] = l.tried[path]
		}
	}
}

func TestStopsWhenInterrupted(t *testing.T) {
	p := begin(t)
	if status, _, err := p.call(t.Context(), "GET", "/subscriptions/S", ""); status != 200 {
		t.Fatalf("%d, %v", status, err)
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestHowItIsCalled(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good := file("good", `[{"type":"*","duration":"1s","style":"location"}]`)
	for _, row := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{"-h"}, 0, "-schemas folder", "flags are told"},
		{[]string{}, 2, "--schemas names no folder", "nothing to judge by"},
		{[]string{"--schemas", schemas, "more"}, 2, `"more" is no flag`, "words are not taken"},
		{[]string{"--schemas", schemas, "--operations", file("o", `[{"style":"location","strange":1}]`)}, 2, "strange", "a member that is not known"},
		{[]string{"--schemas", schemas, "--operations", good, "--faults", file("f", `{"rules":[{"mode":"strange"}]}`)}, 1, "faults.rules[0]: mode", "no such mode"},
		{[]string{"--schemas", schemas, "--reads", "x"}, 2, "reads", "no number"},
		{[]string{"--schemas", dir}, 1, "<version>/<Provider>.json", "a folder without schemas"},
		{[]string{"--schemas", schemas, "--listen", "127.0.0.1:strange"}, 1, "strange", "no port"},
	} {
		var out, messages bytes.Buffer
		code := run(t.Context(), row.args, &out, &messages)
		if text := out.String() + messages.String(); code != row.code || !strings.Contains(text, row.want) {
			t.Errorf("%q (%s): %d %s", row.args, row.reason, code, text)
		}
	}
}
