package corpus

import (
	"os"
	"os/exec"
	"time"
)

// Cost is the cost of a process, including the processes that it started and waited for.
type Cost struct {
	Wall, CPU time.Duration
	Peak      int64 // bytes of memory that the largest of these processes held at once; 0 where that is not known
}

// Measure runs a command and returns its cost, also when it fails.
func Measure(cmd *exec.Cmd) (Cost, error) {
	start := time.Now()
	err := cmd.Run()
	cost := Cost{Wall: time.Since(start)}
	if cmd.ProcessState != nil {
		cost.CPU, cost.Peak = spent(cmd.ProcessState)
	}
	return cost, err
}

func spent(state *os.ProcessState) (time.Duration, int64) {
	return state.UserTime() + state.SystemTime(), peak(state)
}
