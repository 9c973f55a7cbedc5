//go:build unix

package targets_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/modules"
)

// late starts a process that continues to write for a second after SIGTERM.
const late = `(trap 'ending=10' TERM
i=0; while [ $i -lt 200 ] && [ "${ending:-1}" != 0 ]; do
	i=$((i + 1)); ending=${ending:+$((ending - 1))}; mkdir -p "$GOMODCACHE/late"; touch "$GOMODCACHE/ready"; sleep 0.1
done) &
until [ -e "$GOMODCACHE/ready" ]; do sleep 0.1; done
exec sleep 60`

// TestCIStartsWithEmptyCaches runs the script of CI with a go command that notes where its caches
// are, fills them as the real one does, and then passes, fails, or waits for a signal.
func TestCIStartsWithEmptyCaches(t *testing.T) {
	tests := []struct {
		reason string
		ends   string // how the go command ends
		signal os.Signal
		code   int
	}{
		{"that passes", "exit 0", nil, 0},
		{"that fails", "exit 3", nil, 3},
		{"that is interrupted", "sleep 60", os.Interrupt, 130},
		{"that is told to end", "sleep 60", syscall.SIGTERM, 143},
		{"whose commands take time to end", late, syscall.SIGTERM, 143},
	}
	for _, test := range tests {
		t.Run("a run "+test.reason, func(t *testing.T) {
			t.Parallel()
			bin, temp := t.TempDir(), t.TempDir()
			cmd := starts(t, ci(t), bin, temp, test.ends)
			if test.signal != nil {
				if err := cmd.Process.Signal(test.signal); err != nil {
					t.Fatal(err)
				}
			}
			if code := exitCode(t, cmd.Wait()); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			checkCaches(t, bin)
			if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
				t.Errorf("%v is left (error %v)", left, err)
			}
		})
	}
}

// starts runs the script of CI with a go command in bin that notes where its caches are, fills them
// and ends in the given way. It returns once the caches have been filled.
func starts(t *testing.T, run, bin, temp, ends string) *exec.Cmd {
	t.Helper()
	script(t, bin, `case "$1 $2" in
'env GOCACHE') echo /shared/builds; exit ;;
'env GOFLAGS') echo -mod=readonly; exit ;;
version*) exit ;;
esac
env > '`+bin+`/noted'
find "$GOMODCACHE" "$XDG_CACHE_HOME" > '`+bin+`/found' 2>/dev/null
mktemp -d "$TMPDIR/left.XXXXXX" >/dev/null || exit # as a test that is interrupted does
mkdir -p "$GOMODCACHE/example.com" && touch '`+bin+`/ready'
`+ends)
	cmd := exec.Command("bash", run)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "TMPDIR="+temp, "GOMODCACHE=/mine", "XDG_CACHE_HOME=/mine", "KUBEBUILDER_ASSETS=/mine")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the signals of a terminal reach all of a group
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, filepath.Join(bin, "ready"))
	return cmd
}

// TestCIRunsOfClone starts runs of one clone. They have the same folder one after the other, empty
// even where the earlier one was killed, and different ones beside each other, even where the
// script has been replaced meanwhile.
func TestCIRunsOfClone(t *testing.T) {
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("needs flock: every run has a folder of a new name without it")
	}
	text, err := os.ReadFile(ci(t))
	if err != nil {
		t.Fatal(err)
	}
	run, temp := filepath.Join(t.TempDir(), ".ci", "run"), t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Dir(run), 0o777), os.WriteFile(run, text, 0o777)); err != nil {
		t.Fatal(err)
	}
	var folders []string
	begin := func(ends string) *exec.Cmd {
		bin := t.TempDir()
		cmd := starts(t, run, bin, temp, ends)
		checkCaches(t, bin)
		folders = append(folders, noted(t, bin, "GOMODCACHE"))
		checkSockets(t, temp, noted(t, bin, "TMPDIR"))
		return cmd
	}
	killed := begin("echo $$ > '" + temp + "/pid'; exec sleep 60")
	if err := errors.Join(os.WriteFile(run+".new", text, 0o777), os.Rename(run+".new", run)); err != nil { // as git does
		t.Fatal(err)
	}
	beside := begin("exit 0")
	if code := exitCode(t, beside.Wait()); code != 0 {
		t.Errorf("exit code %d of a run beside another one", code)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	exitCode(t, killed.Wait())
	end(t, filepath.Join(temp, "pid"))
	if code := exitCode(t, begin("exit 0").Wait()); code != 0 {
		t.Errorf("exit code %d of a run after one that was killed", code)
	}
	if folders[0] != folders[2] || folders[0] == folders[1] {
		t.Errorf("the folders are %q: want the first and the last to be the same", folders)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%v is left (error %v)", left, err)
	}
}

// end kills the process whose id the file has, and removes the file.
func end(t *testing.T, file string) {
	t.Helper()
	waitFor(t, file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Kill(id, syscall.SIGKILL), os.Remove(file)); err != nil {
		t.Fatal(err)
	}
}

// noted returns a variable that the go command in bin has noted.
func noted(t *testing.T, bin, variable string) string {
	t.Helper()
	all, err := os.ReadFile(filepath.Join(bin, "noted"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(all)) {
		if value, found := strings.CutPrefix(line, variable+"="); found {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("no %s was noted", variable)
	return ""
}

// checkSockets requires that the temporary folder of a run is below temp. If temp is in memory,
// it must have room for the longest path of a socket that tests create there.
func checkSockets(t *testing.T, temp, folder string) {
	t.Helper()
	const most = 103 // bytes, on every system
	below, found := strings.CutPrefix(folder, temp+"/")
	path := "/dev/shm/" + below + "/strata-1234567890/plugin-dir1234567890/plugin1234567890"
	if !found || len(path) > most {
		t.Errorf("temporary files are in %s, want a folder below %s; sockets are like %s, of %d bytes, want at most %d", folder, temp, path, len(path), most)
	}
}

// checkCaches requires that the caches are not those of the user, and are empty.
func checkCaches(t *testing.T, bin string) {
	t.Helper()
	noted, err := os.ReadFile(filepath.Join(bin, "noted"))
	if err != nil {
		t.Fatal(err)
	}
	for _, unwanted := range []string{"=/mine\n", "KUBEBUILDER_ASSETS="} {
		if strings.Contains(string(noted), unwanted) {
			t.Errorf("the environment has %q", unwanted)
		}
	}
	for _, wanted := range []string{"GOCACHE=/shared/builds\n", "GOFLAGS=-mod=readonly -modcacherw\n"} {
		if !strings.Contains(string(noted), wanted) {
			t.Errorf("the environment lacks %q", wanted)
		}
	}
	if found, err := os.ReadFile(filepath.Join(bin, "found")); err != nil || len(found) > 0 {
		t.Errorf("the caches hold %q (error %v)", found, err)
	}
}

func ci(t *testing.T) string {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(w.Root, ".ci", "run")
}

// script writes a go command.
func script(t *testing.T, dir, body string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+body+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
}

func waitFor(t *testing.T, file string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
	}
	t.Fatalf("%s did not come", file)
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit == nil {
		return 0
	}
	return exit.ExitCode()
}
