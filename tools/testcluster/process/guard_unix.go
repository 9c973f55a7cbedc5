//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// guard removes the folder, and repeats that until it is gone: a program that is ending may still
// write to it. It signals the group only if the folder exists, because an owner that closes
// the group removes it.
const guard = `trap '' TERM
cat
[ -e "$1" ] || exit 0
kill -TERM 0
while rm -rf "$1"; sleep 1; [ -e "$1" ]; do :; done`

func (g *Group) startGuard() error {
	cmd := exec.Command("/bin/sh", "-c", guard, "strata-guard", g.Dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.guard, g.pipe = cmd, pipe
	return nil
}

func (g *Group) adopt(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.guard.Process.Pid}
	endWithParent(cmd.SysProcAttr)
}
