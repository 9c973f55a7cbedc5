package testrun

import (
	"bytes"
	"io"
	"sync"
)

// lines is an output that several commands share. It gets whole lines.
type lines struct {
	mutex sync.Mutex
	out   io.Writer
}

func (l *lines) Write(whole []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.out.Write(whole)
}

// line is the output of one command. It writes complete lines only, and buffers the rest.
type line struct {
	lines *lines
	begun []byte
}

func (l *line) Write(text []byte) (int, error) {
	l.begun = append(l.begun, text...)
	end := bytes.LastIndexByte(l.begun, '\n') + 1
	if end == 0 {
		return len(text), nil
	}
	_, err := l.lines.Write(l.begun[:end])
	l.begun = append(l.begun[:0], l.begun[end:]...)
	return len(text), err
}

// end writes the buffered rest, as a line.
func (l *line) end() error {
	if len(l.begun) == 0 {
		return nil
	}
	_, err := l.Write([]byte("\n"))
	return err
}
