package codec

import (
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// TestForgottenFramesHoldNoObject fills several blocks with names within one text. The text must be
// collected, although the stack is reused.
func TestForgottenFramesHoldNoObject(t *testing.T) {
	text := []byte(strings.Repeat("x", 1<<16))
	reference := weak.Make(&text[0])
	var frames Frames
	for i := range 4 * frameBlock {
		frames.push(frame{kind: memberFrame, name: jsontext.Borrow(text[i : i+1])})
	}
	frames = frames.Forget()
	text = nil
	for range 3 {
		runtime.GC()
	}
	if reference.Value() != nil {
		t.Error("forgotten frames hold the text of an object")
	}
	frames.push(frame{kind: memberFrame})
	if frames.count != 1 || frames.at(0).name != "" {
		t.Errorf("a reused stack begins with %+v", frames.at(0))
	}
}
