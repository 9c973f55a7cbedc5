package augmentation

import "github.com/stratakube/strata/generator/internal/model"

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
