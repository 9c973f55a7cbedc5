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
// Folders are slash paths below the output folder. ParamFolder is empty if the
// parameter's type is not below it. Pos is the position of the method's name.
type Method struct {
	Folder, Receiver   string
	Method             string
	ParamFolder, Param string
	Pos                model.Pos
}

// The methods' names begin so: those of the conversion to a type, and of the way back.
const (
	To   = "AssignTo"
	From = "AssignFrom"
)

// ParamName is what the method's parameter is called: dst in conversions to its type, src on the way back.
func (m Method) ParamName() string {
	if strings.HasPrefix(m.Method, To) {
		return "dst"
	}
	return "src"
}
