package process

import "syscall"

// endWithParent makes the system end the program when the thread ends that started it.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
