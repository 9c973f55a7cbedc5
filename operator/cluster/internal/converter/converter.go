package converter

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of what a program may answer.
const (
	maxAnswer   = 64 << 20
	maxVersions = 4 << 20
	maxMessage  = 1 << 10
	// maxLot is the size of the objects that are sent at once.
	maxLot = 8 << 20
	// patience is how long a program may take to end.
	patience = 5 * time.Second
)

// Kind is a kind that a program converts.
type Kind struct {
	Group    string   `json:"group"`
	Kind     string   `json:"kind"`
	Hub      string   `json:"hub"`
	Versions []string `json:"versions"`
}

// Versions is what a program converts, and its build.
type Versions struct {
	Format int            `json:"format"`
	Build  map[string]any `json:"build"`
	Kinds  []Kind         `json:"kinds"`
}

// Of returns the versions of a kind that a program converts; nil if it does not convert the kind.
func (v *Versions) Of(group, kind string) []string {
	for _, k := range v.Kinds {
		if k.Group == group && k.Kind == kind {
			return k.Versions
		}
	}
	return nil
}

// versionsFormat is the format that this package reads.
const versionsFormat = 1

// Command is a program with its arguments, and how long it may take for one answer.
type Command struct {
	Args  []string
	Limit time.Duration
}

// Ask runs a command with the flag --versions, and returns what it converts.
func (of Command) Ask(ctx context.Context) (*Versions, error) {
	command := of.Args
	ctx, cancel := context.WithTimeoutCause(ctx, of.Limit, late(of.Limit))
	defer cancel()
	c := exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], "--versions")...)
	c.WaitDelay = patience
	out, failed := &tail{limit: maxVersions}, &tail{limit: maxMessage}
	c.Stdout, c.Stderr = out, failed
	if err := c.Run(); err != nil {
		if context.Cause(ctx) != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("ask %s for its versions: %w%s", command[0], err, failed.quote())
	}
	v, err := Parse(out.text)
	if err != nil {
		return nil, fmt.Errorf("ask %s for its versions: %w", command[0], err)
	}
	return v, nil
}

// Parse reads what a program or a replica of a webhook converts.
func Parse(text []byte) (*Versions, error) {
	var v Versions
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	if v.Format != versionsFormat {
		return nil, fmt.Errorf("the format is %d, and this program reads %d", v.Format, versionsFormat)
	}
	return &v, nil
}

// Process is a running program. It serves one caller at a time.
type Process struct {
	command *exec.Cmd
	limit   time.Duration // of one answer
	late    atomic.Bool   // it has not answered in time
	in      io.WriteCloser
	out     *bufio.Reader
	pipe    io.Closer // of out
	failed  *tail
	count   int
	ending  sync.Once
}

// Start starts a command. It ends when ctx does.
func (of Command) Start(ctx context.Context) (*Process, error) {
	command := of.Args
	p := &Process{limit: of.Limit, command: exec.CommandContext(ctx, command[0], command[1:]...), failed: &tail{limit: maxMessage}}
	p.command.Stderr = p.failed
	p.command.WaitDelay = patience
	in, err := p.command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	p.in, p.out, p.pipe = in, bufio.NewReaderSize(out, 64<<10), out
	return p, nil
}

// Close ends the program, and waits for its last output.
func (p *Process) Close() {
	p.ending.Do(func() {
		_ = p.in.Close()
		timer := time.AfterFunc(patience, func() { _ = p.command.Process.Kill() })
		defer timer.Stop()
		_ = p.command.Wait()
	})
}

// Result is a converted object, or why it does not convert.
type Result struct {
	Object json.RawMessage
	Err    error
}

// Convert converts objects to a version of their group. It returns an error if the program fails;
// an object that does not convert has an error of its own, and the others convert.
func (p *Process) Convert(to string, objects []json.RawMessage) ([]Result, error) {
	results := make([]Result, 0, len(objects))
	for len(objects) > 0 {
		n, size := 0, 0
		for n < len(objects) && (n == 0 || size+len(objects[n]) <= maxLot) {
			size += len(objects[n])
			n++
		}
		lot, err := p.lot(to, objects[:n])
		if err != nil {
			return nil, err
		}
		results, objects = append(results, lot...), objects[n:]
	}
	return results, nil
}

// lot converts objects by one review, or by one for each if that review fails.
func (p *Process) lot(to string, objects []json.RawMessage) ([]Result, error) {
	converted, refused, err := p.review(to, objects)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(objects))
	for i := range objects {
		switch {
		case refused == nil:
			results[i].Object = converted[i]
		case len(objects) == 1:
			results[i].Err = refused
		default:
			one, err := p.lot(to, objects[i:i+1])
			if err != nil {
				return nil, err
			}
			results[i] = one[0]
		}
	}
	return results, nil
}

type request struct {
	UID     string            `json:"uid"`
	Desired string            `json:"desiredAPIVersion"`
	Objects []json.RawMessage `json:"objects"`
}

type response struct {
	Response struct {
		UID       string
		Converted []json.RawMessage `json:"convertedObjects"`
		Result    struct{ Status, Message string }
	}
}

// review sends one review. refused is the message of one that fails.
func (p *Process) review(to string, objects []json.RawMessage) (converted []json.RawMessage, refused, err error) {
	p.count++
	uid := fmt.Sprint(p.count)
	text, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": request{UID: uid, Desired: to, Objects: objects},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("write a review: %w", err)
	}
	timer := time.AfterFunc(p.limit, func() {
		p.late.Store(true)
		_ = p.command.Process.Kill()
		_ = p.in.Close()
		_ = p.pipe.Close() // which a process that it started may hold open
	})
	defer timer.Stop()
	// The program reads a review before it answers, so that neither waits for the other.
	if _, err := p.in.Write(append(text, '\n')); err != nil {
		return nil, nil, p.ended("write a review", err)
	}
	line, err := readLine(p.out)
	if err != nil {
		return nil, nil, p.ended("read an answer", err)
	}
	var answer response
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, nil, p.ended("read an answer", err)
	}
	r := &answer.Response
	switch {
	case r.Result.Status != "Success":
		return nil, errors.New(clean(r.Result.Message)), nil
	case r.UID != uid:
		return nil, nil, p.ended("read an answer", errors.New("it is to another review"))
	case len(r.Converted) != len(objects):
		return nil, nil, p.ended("read an answer", fmt.Errorf("it has %d objects, want %d", len(r.Converted), len(objects)))
	}
	return r.Converted, nil, nil
}

// ended ends the program after an error, and adds what it reported.
func (p *Process) ended(what string, err error) error {
	p.Close()
	if p.late.Load() {
		err = late(p.limit)
	}
	return fmt.Errorf("%s of %s: %w%s", what, p.command.Path, err, p.failed.quote())
}

// late returns the error of a program that does not answer in time.
func late(limit time.Duration) error { return fmt.Errorf("no answer within %s", limit) }

func readLine(from *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := from.ReadSlice('\n')
		if len(line)+len(piece) > maxAnswer {
			return nil, fmt.Errorf("it is longer than %d bytes", maxAnswer)
		}
		line = append(line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// tail keeps the first bytes of an output.
type tail struct {
	text  []byte
	limit int
}

func (t *tail) Write(text []byte) (int, error) {
	t.text = append(t.text, text[:min(len(text), t.limit-len(t.text))]...)
	return len(text), nil
}

// quote returns what was written, as the end of a message.
func (t *tail) quote() string {
	if text := clean(string(bytes.TrimSpace(t.text))); text != "" {
		return ": it reports: " + text
	}
	return ""
}

// clean bounds a text of another program, and removes what terminals interpret.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text[:min(len(text), maxMessage)], "?"))
}
