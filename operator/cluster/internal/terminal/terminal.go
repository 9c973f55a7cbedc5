// Package terminal makes texts of clusters and programs safe to print, and draws bars on terminals.
// Packages cli, upgrade and versions call it.
package terminal

import (
	"strconv"
	"strings"
)

// Line replaces characters that control a terminal, line ends among them, by spaces.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// Lines does what [Line] does with each line of a text.
func Lines(text string) string {
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i] = Line(line)
	}
	return strings.Join(all, "\n")
}
