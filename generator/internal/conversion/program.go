package conversion

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/subprocess"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
)

// ProgramPrefix begins the names of programs that convert a group, and the group follows.
const ProgramPrefix = "strata-converter-"

// Limits of what a program may answer.
const (
	maxAnswer  = 16 << 20
	maxMessage = 1 << 10
	// patience is how long a program may take to end.
	patience = 2 * time.Second
)

// Programs run programs that convert kinds with hand-written steps: webhooks, with the argument
// convert. They answer each ConversionReview on their standard input with a line. Programs check
// each answer, and end a program that does not answer in time.
type Programs struct {
	ctx   context.Context
	find  func(group string) []string
	limit time.Duration

	lock sync.Mutex
	all  map[string]*program // by group
}

// NewPrograms returns programs that end when ctx does. Find returns the command line of the program
// for a group, or none. Limit is the time for one answer.
func NewPrograms(ctx context.Context, find func(group string) []string, limit time.Duration) *Programs {
	return &Programs{ctx: ctx, find: find, limit: limit, all: map[string]*program{}}
}

// Close ends the programs.
func (p *Programs) Close() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, one := range p.all {
		if one != nil {
			one.close()
		}
	}
}

// of returns the program of a group; nil if there is none.
func (p *Programs) of(group string) *program {
	if p == nil {
		return nil
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	one, known := p.all[group]
	if !known {
		if command := p.find(group); len(command) > 0 {
			one = &program{ctx: p.ctx, command: command, limit: p.limit}
		}
		p.all[group] = one
	}
	return one
}

// program is a program that converts the objects of a group, one after the other.
type program struct {
	ctx     context.Context
	command []string
	limit   time.Duration

	lock    sync.Mutex
	running *process
	failed  error // it does not run, and is not started again
	count   int
}

// process is a running program.
type process struct {
	stop   context.CancelCauseFunc
	in     io.WriteCloser
	out    *bufio.Reader
	closer io.Closer // of out
	errors *beginning
	wait   func() error
}

// route converts by the program.
func (p *program) route(t *convert.Tracer, of Target, to string) *route {
	wanted := of.Group + "/" + to
	return &route{trace: guessed(t), program: filepath.Base(p.command[0]), convert: func(ctx context.Context, object *tree) (*tree, error) {
		text, err := p.ask(ctx, wanted, object.JSON())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.command[0], err)
		}
		out, err := parsed(string(text))
		if err == nil {
			err = isConverted(object, out, wanted)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: its answer is wrong: %w", p.command[0], err)
		}
		return out, nil
	}}
}

// isConverted returns an error if an answer is not the object in another version.
func isConverted(before, after *tree, api string) error {
	if after.kind != syntax.Object {
		return errors.New("it is not an object")
	}
	same := func(name, want string) error {
		if got := after.member(name); got == nil || got.json != want {
			return fmt.Errorf("%s is not %s", name, want)
		}
		return nil
	}
	if err := errors.Join(same("apiVersion", syntax.Quote(api)), same("kind", before.member("kind").JSON())); err != nil {
		return err
	}
	was, is := described(before), described(after)
	if !was.isEqual(is) {
		return errors.New("metadata differs from that of the object")
	}
	return nil
}

// described returns the metadata of an object without the property bag in its annotations.
func described(object *tree) *tree {
	meta := object.member("metadata")
	if meta == nil {
		return &tree{kind: syntax.Object}
	}
	meta = meta.clone()
	if annotations := meta.member("annotations"); annotations != nil {
		if annotations.remove(runtime.BagAnnotation); len(annotations.members) == 0 {
			meta.remove("annotations")
		}
	}
	return meta
}

type question struct {
	UID     string            `json:"uid"`
	Desired string            `json:"desiredAPIVersion"`
	Objects []json.RawMessage `json:"objects"`
}

type answer struct {
	Response struct {
		UID       string            `json:"uid"`
		Converted []json.RawMessage `json:"convertedObjects"`
		Result    struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"result"`
	} `json:"response"`
}

// ask has the program convert an object.
func (p *program) ask(ctx context.Context, version, object string) (json.RawMessage, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.running == nil && p.failed == nil {
		p.running, p.failed = p.start()
	}
	if p.failed != nil {
		return nil, p.failed
	}
	p.count++
	uid := strconv.Itoa(p.count)
	line, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"request": question{UID: uid, Desired: version, Objects: []json.RawMessage{json.RawMessage(object)}},
	})
	if err != nil {
		return nil, err
	}
	var a answer
	if line, err = p.running.exchange(append(line, '\n'), p.limit); err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err == nil && a.Response.UID != uid {
		err = errors.New("it answers another review")
		if refusal := a.Response.Result; refusal.Status != success {
			err = errors.New(plain(refusal.Message))
		}
	}
	if err != nil {
		p.failed = p.running.end(err)
		return nil, p.failed
	}
	switch r := &a.Response; {
	case r.Result.Status != success:
		return nil, errors.New(plain(r.Result.Message))
	case len(r.Converted) != 1:
		return nil, fmt.Errorf("its answer has %d objects, and not 1", len(r.Converted))
	default:
		return r.Converted[0], nil
	}
}

const success = "Success"

// start starts the program.
func (p *program) start() (*process, error) {
	ctx, stop := context.WithCancelCause(p.ctx)
	c := subprocess.New(ctx, "", p.command[0], p.command[1:]...)
	made := &process{stop: stop, errors: new(beginning), wait: c.Wait}
	c.Stderr = made.errors
	in, err := c.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		if out, err = c.StdoutPipe(); err == nil {
			made.in, made.out, made.closer = in, bufio.NewReaderSize(out, 64<<10), out
			err = c.Start()
		}
	}
	if err != nil {
		stop(nil)
		return nil, fmt.Errorf("it does not start: %w", err)
	}
	context.AfterFunc(ctx, func() { _ = made.closer.Close() }) // which its children may hold open
	return made, nil
}

// exchange writes a line and reads one.
func (p *process) exchange(line []byte, limit time.Duration) ([]byte, error) {
	late := fmt.Errorf("it has not answered within %s", limit)
	timer := time.AfterFunc(limit, func() {
		p.stop(late)
		_ = p.in.Close()
	})
	made, err := p.dialogue(line)
	if !timer.Stop() && err != nil {
		return nil, late
	}
	return made, err
}

// dialogue writes a line and reads one. A program that reads no more lines can have answered, or
// has ended, which is what the caller needs to know.
func (p *process) dialogue(line []byte) ([]byte, error) {
	_, _ = p.in.Write(line)
	var out []byte
	for {
		piece, err := p.out.ReadSlice('\n')
		if len(out)+len(piece) > maxAnswer {
			return nil, fmt.Errorf("its answer is longer than %d bytes", maxAnswer)
		}
		out = append(out, piece...)
		switch {
		case errors.Is(err, io.EOF):
			return nil, errors.New("it has ended without an answer")
		case !errors.Is(err, bufio.ErrBufferFull):
			return out, err
		}
	}
}

// end ends the process after an error, and adds what the program reported.
func (p *process) end(err error) error {
	p.stop(err)
	_ = p.in.Close()
	_ = p.wait()
	if text := p.errors.String(); text != "" {
		return fmt.Errorf("%w: it reports: %s", err, text)
	}
	return err
}

func (p *program) close() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.running == nil || p.failed != nil {
		return
	}
	p.failed = errors.New("it has been closed")
	_ = p.running.in.Close() // which ends it
	timer := time.AfterFunc(patience, func() { p.running.stop(p.failed) })
	defer timer.Stop()
	_ = p.running.wait()
	p.running.stop(p.failed)
}

// beginning keeps the first bytes of an output.
type beginning struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (b *beginning) Write(text []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.text.Write(text[:min(len(text), maxMessage-b.text.Len())])
	return len(text), nil
}

func (b *beginning) String() string {
	b.lock.Lock()
	defer b.lock.Unlock()
	return plain(b.text.String())
}

// plain returns a text of another program in one line that is no longer than a message may be.
func plain(text string) string {
	return plaintext.Line(strings.TrimSpace(text[:min(len(text), maxMessage)]))
}
