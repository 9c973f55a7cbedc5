package launch

import (
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// executable returns the path of the very file that was checked, even if another file has replaced
// it.
func (p *program) executable() string { return fmt.Sprintf("/proc/self/fd/%d", p.file.Fd()) }

// bind makes the kernel kill the process when the host ends, and gives it its own process group.
func bind(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

var starts = sync.OnceValue(func() chan func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// start starts the process from a thread that lives as long as the host: for the kernel, that
// thread is the parent.
func start(cmd *exec.Cmd) (err error) {
	done := make(chan struct{})
	starts() <- func() {
		defer close(done)
		err = cmd.Start()
	}
	<-done
	return err
}

// killAll kills the process and its children.
func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
