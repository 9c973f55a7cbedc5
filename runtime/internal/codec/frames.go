package codec

type frameKind uint8

const (
	// SectionFrame is a section of a root, such as its spec.
	SectionFrame frameKind = iota
	// ObjectFrame is an object.
	ObjectFrame
	memberFrame
	moreFrame
	listFrame
	indexFrame
	dictFrame
	keyFrame
)

// frame is one step of the path to a value. A deep object has many, so that they are small.
type frame struct {
	kind frameKind
	// kept means that the object has entries.
	kept bool
	// repeats means that the object is within a list or a map.
	repeats bool
	// first is the index of an element among those that fit. Of an object it is the index of the
	// frame of the object around.
	first int32
	// second is the index of an element in the source. Of an object it is the offset of its
	// entries.
	second int32
	name   string
}

// Frames is a stack of frames. It grows by blocks, so that a deep object takes no memory for
// copies of the stack. The zero value is empty.
type Frames struct {
	blocks [][]frame
	count  int
}

// frameBlock is the number of frames in a block. Few objects need more than one block.
const frameBlock = 256

func (s *Frames) at(i int) *frame { return &s.blocks[i/frameBlock][i%frameBlock] }

func (s *Frames) push(f frame) {
	if s.count == len(s.blocks)*frameBlock {
		s.blocks = append(s.blocks, make([]frame, frameBlock))
	}
	*s.at(s.count) = f
	s.count++
}

// Forget returns an empty stack with the first block of s, which it clears.
func (s *Frames) Forget() Frames {
	if len(s.blocks) == 0 {
		return Frames{}
	}
	clear(s.blocks[0])
	clear(s.blocks[1:]) // else the array of the blocks holds them
	return Frames{blocks: s.blocks[:1]}
}
