//go:build !unix

package supervisor

import "os/exec"

func detach(*exec.Cmd) {}
