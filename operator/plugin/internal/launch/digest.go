package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// ChecksumError says that a program is not the one that was locked.
type ChecksumError struct{ Path, Want, Got string }

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%s has the SHA-256 %s, but %s is locked: it has been changed", e.Path, e.Got, e.Want)
}

// Digest is the SHA-256 of a program, in hexadecimal digits.
func Digest(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read plugin: %w", err)
	}
	defer file.Close()
	return digest(file)
}

func digest(file *os.File) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("read plugin: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// program is a plugin's file, held open from when it was checked until it runs.
type program struct {
	file *os.File
	path string
}

// largest is how many bytes a locked program may have: it is copied into memory before it is known to be the one that is locked.
const largest = 1 << 30

// check opens a program and compares its digest with the one that is locked, if one is. Where the system can, what is checked
// is a copy that nobody can change, and the copy is what runs.
func check(path, locked string) (*program, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read plugin: %w", err)
	}
	if locked == "" {
		return &program{file, path}, nil
	}
	if sealed, err := seal(file); err == nil {
		file.Close()
		file = sealed
	} else if !errors.Is(err, errors.ErrUnsupported) {
		file.Close()
		return nil, fmt.Errorf("read plugin: %w", err)
	}
	got, err := digest(file)
	if err == nil && got != locked {
		err = &ChecksumError{Path: path, Want: locked, Got: got}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &program{file, path}, nil
}

func (p *program) close() { p.file.Close() }
