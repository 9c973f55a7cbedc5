package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// ChecksumError reports that a program is not the one that was locked.
type ChecksumError struct{ Path, Want, Got string }

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%s has the SHA-256 %s, but %s is locked: it has been changed", e.Path, e.Got, e.Want)
}

// Digest returns the SHA-256 of a program, in hexadecimal.
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

// program is a plugin's file, open from its check until it runs.
type program struct {
	file *os.File
	path string
}

// largest is the largest size of a locked program in bytes. The program is copied into memory
// before its digest is known.
const largest = 1 << 30

// check opens a program and compares its digest with the locked one, if there is one. If the system
// supports that, it checks and runs a copy in memory that cannot be changed.
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
