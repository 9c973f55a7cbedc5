package program

import (
	"errors"
	"os"
	"os/exec"
)

// ErrMissing reports that there is no Chromium on this machine.
var ErrMissing = errors.New("there is no Chromium on this machine: install it, as with apt-get install chromium, or name it in STRATA_CHROMIUM")

// names are those of the program, in the order in which they are tried.
var names = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// Find returns the path of Chromium, or ErrMissing. The variable STRATA_CHROMIUM names one that has
// another name.
func Find() (string, error) {
	if own := os.Getenv("STRATA_CHROMIUM"); own != "" {
		return exec.LookPath(own)
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}
