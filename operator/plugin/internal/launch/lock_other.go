//go:build !unix

package launch

import "os"

// tryLock locks nothing on this system, so that folders of killed hosts are not removed.
func tryLock(*os.File) bool { return false }
