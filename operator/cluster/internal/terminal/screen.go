package terminal

import (
	"os"
	"runtime"
	"strings"

	"golang.org/x/term"
)

// Screen describes a terminal.
type Screen struct {
	// Columns is the number of characters of a line; zero if there is no terminal.
	Columns int
	// Plain reports that the terminal can show ASCII only.
	Plain bool
}

// Of returns the screen of a file that may be a terminal.
func Of(file *os.File) Screen {
	if !term.IsTerminal(int(file.Fd())) || os.Getenv("TERM") == "dumb" {
		return Screen{}
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return Screen{}
	}
	return Screen{Columns: columns, Plain: runtime.GOOS != "windows" && !isUTF8(os.Getenv)}
}

// isUTF8 reports whether the locale of an environment encodes characters as UTF-8.
func isUTF8(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(env(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// The least and the greatest length of the longest bar.
const (
	minBar = 8
	maxBar = 40
)

// eighths are the parts of a character with which a bar can end.
var eighths = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// Bar draws a number as a bar, where most is drawn over the whole room, or over the greatest
// length. A number above zero has a visible bar. The bar is empty if the room is too small for
// bars.
func (s Screen) Bar(n, most, room int) string {
	if n <= 0 || room < minBar {
		return ""
	}
	length := max(1, 8*min(room, maxBar)*n/most)
	if s.Plain {
		return strings.Repeat("#", (length+7)/8)
	}
	return strings.Repeat("█", length/8) + eighths[length%8]
}
