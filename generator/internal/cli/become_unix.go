//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// become replaces this process by a program, which has its streams, its terminal and its process
// identifier: each signal reaches the program once, whether it is sent to the process or to all
// processes of a terminal. become returns after an error, and if the context has ended before.
func become(ctx context.Context, program string, args []string) (int, error) {
	signal.Reset(os.Interrupt, syscall.SIGTERM) // from here on they end this process, too
	if ctx.Err() != nil {
		return Failed, ctx.Err()
	}
	return Failed, syscall.Exec(program, append([]string{program}, args...), os.Environ())
}
