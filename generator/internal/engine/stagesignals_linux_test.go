package engine_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// interrupted is a command that is at work for long, and the stage in which it is.
type interrupted struct {
	name  string
	args  []string
	stage string // of which a line of progress is printed; empty if the signal comes while the command works on schemas
	write func(t *testing.T, dir string)
}

// huge writes a schema that takes much longer to work on than atWork.
func huge(t *testing.T, dir string) {
	shape{n: 1, members: func(int, int) map[string]any { return wideOf(120_000) }}.write(t, dir)
}

// slowGit writes a git that unpacks nothing, and starts a program that does not end.
func slowGit(t *testing.T, dir string) {
	shop(t, dir, 1)
	write(t, dir, "bin/git", "#!/bin/sh\ncase $1 in archive) sleep 1000 & wait;; *) echo "+dir+";; esac\n")
	if err := os.Chmod(filepath.Join(dir, "bin/git"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// project writes a project with hand-written conversions.
func project(t *testing.T, dir string) {
	copyTree(t, "testdata/kubebuilder", dir)
	databaseModule(t, dir)
}

// TestStagesEndOnSignals starts the real command, waits until it works or prints the progress of
// a stage, and sends a signal. The command ends in time with a message. It has written nothing,
// and leaves neither a process nor a temporary file.
func TestStagesEndOnSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("short: works on large schemas")
	}
	tests := []interrupted{
		{"generate", []string{"generate"}, "", huge},
		{"lenient", []string{"generate", "--lenient"}, "", huge},
		{"check", []string{"check"}, "", huge},
		{"show", []string{"show"}, "", huge},
		{"diff", []string{"diff", "HEAD", "HEAD"}, "unpacking schemas", slowGit},
		{"import", []string{"import", "--cases", "100000000"}, "comparing readings", project},
	}
	for i, tt := range tests {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			if !isLong() && (i > 0 || signal == syscall.SIGTERM) {
				continue // since each takes seconds
			}
			t.Run(tt.name+" "+signal.String(), func(t *testing.T) {
				var took time.Duration
				for range 3 {
					if took = tt.end(t, signal); took < 1500*time.Millisecond {
						return
					}
				}
				t.Errorf("it ended %s after the signal", took)
			})
		}
	}
}

// end returns how long the command took to end after a signal.
func (tt interrupted) end(t *testing.T, signal os.Signal) time.Duration {
	t.Helper()
	dir, temp := t.TempDir(), t.TempDir()
	tt.write(t, dir)
	before, err := contents(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(executable(t), append(tt.args, "--config", filepath.Join(dir, "strata.yaml"))...)
	c.Args[0], c.Dir = "strata", dir // testscript makes the command of the name
	c.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "TMPDIR="+temp, "GOCACHE="+goFolder(t, "GOCACHE"), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "GOWORK=off", "GOFLAGS=-mod=mod -trimpath")
	errs, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	var sent time.Time
	send := func() error { sent = time.Now(); return c.Process.Signal(signal) }
	var printed string
	if tt.stage == "" {
		awaitWork(t, c.Process.Pid)
		if err := send(); err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(errs)
		if err != nil {
			t.Fatal(err)
		}
		printed = string(all)
	} else {
		printed = signalAt(t, errs, "strata: "+tt.stage, send)
	}
	_ = c.Wait() // the exit code says more
	took := time.Since(sent)
	if code := c.ProcessState.ExitCode(); code != interruptCode(signal) || !strings.HasSuffix(printed, "strata: error: interrupted\n") {
		t.Errorf("exit code %d, %s", code, printed)
	}
	if after, err := contents(dir); err != nil || len(differing(before, after)) > 0 {
		t.Errorf("written: %q, %v", differing(before, after), err)
	}
	if left := remaining(t, temp); left != "" {
		t.Errorf("left is %s", left)
	}
	return took
}

// atWork is the processor time, in clock ticks of 10 ms, after which a command that has read
// schemas is at work on them.
const atWork = 30

// awaitWork waits until a process has read more than a mebibyte, as of a schema, and has used
// atWork since. Before main runs, a process ends at a signal without a message.
func awaitWork(t *testing.T, pid int) {
	t.Helper()
	end := time.Now().Add(2 * time.Minute)
	for started := -1; ; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the command does not work on schemas")
		}
		used := ticks(t, pid)
		if started < 0 && hasRead(t, pid) > 1<<20 {
			started = used
		}
		if started >= 0 && used-started >= atWork {
			return
		}
	}
}

// ticks returns the processor time of a process, in clock ticks.
func ticks(t *testing.T, pid int) int {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	if fields[0] == "Z" {
		t.Fatal("the command ended before the signal")
	}
	user, kernel := 0, 0
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &kernel); err != nil {
		t.Fatal(err)
	}
	return user + kernel
}

// hasRead returns how many bytes a process has read.
func hasRead(t *testing.T, pid int) (bytes int) {
	t.Helper()
	file, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(file), "rchar: %d", &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes
}

func executable(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// signalAt reads what a command prints, and sends a signal once a line has the given beginning. It
// returns all that is printed.
func signalAt(t *testing.T, errs io.Reader, beginning string, send func() error) string {
	t.Helper()
	var printed strings.Builder
	sent := false
	for lines := bufio.NewScanner(errs); lines.Scan(); {
		fmt.Fprintln(&printed, lines.Text())
		if !sent && strings.HasPrefix(lines.Text(), beginning) {
			sent = true
			if err := send(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !sent {
		t.Fatalf("there is no line that begins with %q: %s", beginning, printed.String())
	}
	return printed.String()
}

// remaining names the files in a folder for temporary files, and the processes that have it as
// that. Killed processes take a moment to end.
func remaining(t *testing.T, temp string) string {
	t.Helper()
	left := ""
	for range 100 {
		entries, err := os.ReadDir(temp)
		if err != nil {
			t.Fatal(err)
		}
		if left = strings.Join(processesWith(t, "TMPDIR="+temp), ", "); left == "" && len(entries) == 0 {
			return ""
		}
		for _, e := range entries {
			left += " " + e.Name()
		}
		if !strings.Contains(left, "process") {
			return left
		}
		time.Sleep(100 * time.Millisecond)
	}
	return left
}

// processesWith are the processes that have a variable in their environment.
func processesWith(t *testing.T, variable string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err == nil && bytes.Contains(body, []byte(variable)) {
			out = append(out, "process "+filepath.Base(filepath.Dir(file)))
		}
	}
	return out
}
