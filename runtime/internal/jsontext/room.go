package jsontext

// RoomFor makes room for n more bytes, and some, in a buffer. Long buffers grow to twice their
// size, so that growing them takes no more memory than they do.
func RoomFor(out []byte, n int) []byte {
	const some = 64
	if n += some; cap(out)-len(out) >= n {
		return out
	}
	return append(make([]byte, 0, 2*len(out)+n), out...)
}
