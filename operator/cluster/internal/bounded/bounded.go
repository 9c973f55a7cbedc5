// Package bounded reads files that users name, of any size. Packages cli, pack and upgrade call it.
package bounded

import (
	"fmt"
	"io"
	"os"
)

// ReadFile returns the content of a file. It is an error if the file has more than longest bytes.
func ReadFile(name string, longest int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, longest+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > longest {
		return nil, fmt.Errorf("it is longer than %d bytes", longest)
	}
	return text, nil
}
