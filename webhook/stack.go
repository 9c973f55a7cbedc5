package webhook

// stackRoom is the size of stack that growStack provides. Most objects need less than 8 KiB. The
// runtime allocates stacks of up to 16 KiB fast, and the HTTP server uses 2 KiB of that.
const stackRoom = 12 << 10

// growStack makes the stack of the calling goroutine large enough for a conversion. HTTP/2 servers
// start a goroutine with a small stack for each request. The runtime grows a stack by copying it,
// and updates each frame of it. That is slow in the middle of a conversion, which has many frames.
//
// The argument must be false. The frame of growStack has the size of the room, although only a call
// that never happens uses the room. So no call clears it.
//
//go:noinline
func growStack(never bool) {
	if never {
		var room [stackRoom]byte
		touch(&room)
	}
}

//go:noinline
func touch(room *[stackRoom]byte) { room[len(room)-1]++ }
