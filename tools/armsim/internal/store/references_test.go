//go:build !race

// The race detector comes with checks of pointers, which end the process where bbolt follows a
// damaged length.

package store_test

import (
	"fmt"
	"os"
	"testing"
)

// TestDamagedReferences damages the headers of pages byte by byte, where bbolt stores references.
func TestDamagedReferences(t *testing.T) {
	path := filled(t)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for at := 0; at < int(info.Size()); at += os.Getpagesize() {
		for i := range 96 {
			if damage(t, path, fmt.Sprintf("byte %d", at+i), func(b []byte) []byte { b[at+i] ^= 0xff; return b }) {
				found++
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d damages were found", found)
	}
}
