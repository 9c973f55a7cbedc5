package apiserver_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/testcluster/process"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestClusterListensOnLoopbackOnly reads the listening sockets of the servers from the kernel:
// one port of 127.0.0.1, and sockets in the cluster's folder.
func TestClusterListensOnLoopbackOnly(t *testing.T) {
	c := shared.Of(t)
	host, err := url.Parse(c.Config.Host)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(host.Port())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(c.Kubeconfig)
	want := []string{dir + "/etcd.sock", "peer.sock", fmt.Sprintf("tcp 0100007F:%04X", number)}
	slices.Sort(want)
	if diff := cmp.Diff(want, listening(t, c.Processes())); diff != "" {
		t.Error(diff)
	}
}

// listening is what processes listen on: addresses in the kernel's own notation, and paths of
// sockets.
func listening(t *testing.T, processes []process.Process) []string {
	t.Helper()
	sockets := map[string]bool{}
	for _, p := range processes {
		for _, inode := range inodes(t, p.PID) {
			sockets[inode] = true
		}
	}
	var all []string
	for _, table := range []struct {
		file                          string
		state, listen, inode, address int
	}{
		{"tcp", 3, 0x0A, 9, 1}, {"tcp6", 3, 0x0A, 9, 1}, {"udp", 3, 0x07, 9, 1}, {"udp6", 3, 0x07, 9, 1},
		{"unix", 3, 0x10000, 6, 7}, // its flags, of which this one says that it accepts connections
	} {
		for _, row := range rows(t, table.file) {
			state, err := strconv.ParseInt(row[table.state], 16, 64)
			if err != nil || int(state) != table.listen || !sockets[row[table.inode]] {
				continue
			}
			if table.file != "unix" {
				row[table.address] = table.file + " " + row[table.address]
			}
			all = append(all, strings.Join(row[table.address:table.address+1], ""))
		}
	}
	slices.Sort(all)
	return all
}

func rows(t *testing.T, table string) [][]string {
	t.Helper()
	text, err := os.ReadFile("/proc/net/" + table)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		if fields := strings.Fields(line); len(fields) > 7 {
			all = append(all, fields)
		}
	}
	return all
}

// inodes are those of the sockets that a process has open.
func inodes(t *testing.T, pid int) []string {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(links) == 0 {
		t.Fatalf("process %d has no files open (%v)", pid, err)
	}
	var all []string
	for _, link := range links {
		to, _ := os.Readlink(link)
		if inode, isSocket := strings.CutPrefix(to, "socket:["); isSocket {
			all = append(all, strings.TrimSuffix(inode, "]"))
		}
	}
	return all
}
