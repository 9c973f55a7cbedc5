package augmentation

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Method is a method of a hand-written file that completes a step:
//
//	func (src *Receiver) AssignToX(dst *X) error
//	func (dst *Receiver) AssignFromX(src *X) error
//
// Folders are slash paths below the output folder. ParamFolder is empty if the parameter's type is
// not below it. Pos is the position of the method's name.
type Method struct {
	Folder, Receiver   string
	Method             string
	ParamFolder, Param string
	Pos                model.Pos
}

// The prefixes of the methods' names: for the conversion to a type, and for the one from it.
const (
	To   = "AssignTo"
	From = "AssignFrom"
)

// ParamName returns the name of the method's parameter: dst in conversions to its type, and src in
// those from it.
func (m Method) ParamName() string {
	if strings.HasPrefix(m.Method, To) {
		return "dst"
	}
	return "src"
}
