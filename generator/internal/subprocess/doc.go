// Package subprocess runs programs that end, with all their children, soon after a context does.
package subprocess
