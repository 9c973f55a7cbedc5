// Command testplugin is the plugin of the tests. Its arguments determine what it serves, and how it
// misbehaves. The type of a resource determines what its providers do.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/stratakube/strata/operator/plugin"
)

func main() {
	serve := flag.String("serve", "provider.v1=example.com/files", "versions and names, separated by commas")
	start := flag.String("start", "", "what happens instead of a good start: "+strings.Join(startNames(), ", "))
	flag.Parse()
	if misbehave, ok := starts[*start]; ok {
		misbehave()
	}
	plugin.Serve(func(s *plugin.Server) {
		for one := range strings.SplitSeq(*serve, ",") {
			version, name, _ := strings.Cut(one, "=")
			register, ok := versions[version]
			if !ok {
				s.Fail(fmt.Errorf("no version %q", version))
				continue
			}
			register(s, name)
		}
	})
}

var starts = map[string]func(){
	"crash":       func() { fmt.Fprintln(os.Stderr, "no disk"); os.Exit(3) },
	"panic":       func() { panic("at once") },
	"garbage":     func() { fmt.Println("hello world"); hang() },
	"print-first": func() { fmt.Println("loading...") },
	"silent":      hang,
	"no-listener": func() { fmt.Println("1|1|unix|" + gone() + "|grpc|"); hang() },
	"deaf":        func() { fmt.Println("1|1|unix|" + deaf() + "|grpc|"); hang() },
	"stubborn":    func() { signal.Ignore(syscall.SIGTERM, os.Interrupt) },
	"stop":        func() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) },
	"leave-child": leaveChild,
	"once":        func() { crashAfterFirst() },
}

func startNames() (names []string) {
	for name := range starts {
		names = append(names, name)
	}
	return names
}

func hang() { time.Sleep(time.Hour) }

func socket() string { return filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "s") }

// gone returns the address of a listener that does not exist.
func gone() string {
	l, err := net.Listen("unix", socket())
	if err != nil {
		panic(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	return socket()
}

// deaf returns the address of a listener that accepts nothing.
func deaf() string {
	if _, err := net.Listen("unix", socket()); err != nil {
		panic(err)
	}
	return socket()
}

// leaveChild starts a process that would outlive this one.
func leaveChild() {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	p, err := os.StartProcess(self, []string{self, "-start=silent"}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr}})
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, "child", p.Pid)
}

// crashAfterFirst exits, unless this is the first process that uses a file.
func crashAfterFirst() {
	mark := os.Getenv("TESTPLUGIN_MARK")
	if _, err := os.Stat(mark); err == nil {
		fmt.Fprintln(os.Stderr, "not again")
		os.Exit(4)
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		panic(err)
	}
}
