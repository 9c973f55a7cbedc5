package output

import (
	"io/fs"
	"syscall"
)

func stateOf(info fs.FileInfo) fileState {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileState{}
	}
	return fileState{size: s.Size, modified: s.Mtimespec.Nano(), changed: s.Ctimespec.Nano(), device: uint64(s.Dev), inode: s.Ino}
}
