package jsontext

// RoomFor returns the buffer with room for at least n more bytes. It doubles long buffers, so
// that all copies together take no more memory than the final buffer.
func RoomFor(out []byte, n int) []byte {
	const some = 64
	if n += some; cap(out)-len(out) >= n {
		return out
	}
	return append(make([]byte, 0, 2*len(out)+n), out...)
}
