package runtime

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// TestUnquoted holds that texts are what the standard library reads, whichever escapes they have.
func TestUnquoted(t *testing.T) {
	pieces := []string{"a", "plain text", `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0041`, `\ud83d\ude42`, `\ud800`, "é", "🙂", "\xff", " "}
	for range 20_000 {
		quoted := `"`
		for range rand.IntN(5) {
			quoted += pieces[rand.IntN(len(pieces))]
		}
		quoted += `"`
		var want string
		if err := json.Unmarshal([]byte(quoted), &want); err != nil {
			t.Fatalf("%s: %v", quoted, err)
		}
		if got := string(unquoted([]byte(quoted))); got != want {
			t.Errorf("%s is %q, want %q", quoted, got, want)
		}
	}
	for _, none := range []string{"", `"`, `"\"`} {
		if got := unquoted([]byte(none)); got != nil {
			t.Errorf("%s is %q", none, got)
		}
	}
}
