package corpus

import (
	"os"
	"syscall"
)

// room is how much a lab needs.
const room = 1 << 30

// memory returns a folder in memory. It returns an empty string if there is none with enough room,
// or if TMPDIR is set: the process that sets it removes what is in that folder.
func memory() string {
	const dir = "/dev/shm"
	if os.Getenv("TMPDIR") != "" {
		return ""
	}
	var stat syscall.Statfs_t
	if syscall.Statfs(dir, &stat) != nil || stat.Bavail*uint64(stat.Bsize) < room || syscall.Access(dir, 2) != nil {
		return ""
	}
	return dir
}
