package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// used returns the CPU time of this process and another, as Linux counts it.
func used(pid string) (time.Duration, error) {
	own, err := scheduled("self")
	if err != nil {
		return 0, err
	}
	other, err := scheduled(pid)
	return own + other, err
}

// scheduled returns the run time of all threads of a process, in nanoseconds.
func scheduled(pid string) (time.Duration, error) {
	threads, err := os.ReadDir("/proc/" + pid + "/task")
	if err != nil {
		return 0, fmt.Errorf("count CPU time: %w", err)
	}
	var sum time.Duration
	for _, thread := range threads {
		text, err := os.ReadFile("/proc/" + pid + "/task/" + thread.Name() + "/schedstat")
		if err != nil {
			return 0, fmt.Errorf("count CPU time: %w", err)
		}
		var ran time.Duration
		if _, err := fmt.Fscan(strings.NewReader(string(text)), &ran); err != nil {
			return 0, fmt.Errorf("count CPU time: %w", err)
		}
		sum += ran
	}
	return sum, nil
}
