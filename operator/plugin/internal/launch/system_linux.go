package launch

import (
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// executable names the very file that was checked, also when another has been put in its place since.
func (p *program) executable() string { return fmt.Sprintf("/proc/self/fd/%d", p.file.Fd()) }

// bind has the kernel kill the process when the host ends, and makes it the head of a group of its own.
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

// start starts the process from a thread that lives as long as the host: for the kernel, that thread is the parent.
func start(cmd *exec.Cmd) (err error) {
	done := make(chan struct{})
	starts() <- func() {
		defer close(done)
		err = cmd.Start()
	}
	<-done
	return err
}

// killAll kills the process with all that it has started.
func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
