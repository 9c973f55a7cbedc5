// Command program registers generated types, and prints what that cost.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
)

// cost is what the process has used.
type cost struct {
	CPU  time.Duration // user and system, since the process began
	Heap uint64        // bytes after a collection of garbage
}

func main() {
	s := k8sruntime.NewScheme()
	if err := registered(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	used := cost{CPU: cpu()}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	used.Heap = m.HeapAlloc
	if err := json.NewEncoder(os.Stdout).Encode(used); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(served)
}

// served is what the webhook converts with, if the program has one.
var served any

func registered(s *k8sruntime.Scheme) error {
	for _, f := range add {
		if err := f(s); err != nil {
			return err
		}
	}
	if engine == nil {
		return nil
	}
	var err error
	served, err = engine(s)
	return err
}

func cpu() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
