package buildedit

import "fmt"

// Refusal is the error for a place of a file that is not as kubebuilder writes it. That place is
// not changed.
type Refusal struct {
	Line  int // from 1; 0 for the whole file
	Why   string
	Paste string // the lines that the user writes instead
}

// Error returns the place and the reason.
func (r *Refusal) Error() string {
	if r.Line == 0 {
		return r.Why
	}
	return fmt.Sprintf("line %d: %s", r.Line, r.Why)
}
