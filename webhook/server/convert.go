package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"syscall"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
)

// convertCommand is the first argument of the command that converts without a server.
const convertCommand = "convert"

// Exit codes of a conversion that a signal interrupts, as shells report them.
const (
	exitInterrupted = 128 + int(syscall.SIGINT)
	exitTerminated  = 128 + int(syscall.SIGTERM)
)

// converting is the command that converts the reviews on its input.
type converting struct {
	flags    *flags
	versions bool
}

func newConverting(path string) *converting {
	c := &converting{flags: blankFlags(path)}
	c.flags.ofReviews()
	c.flags.set.BoolVar(&c.versions, "versions", false, "print the kinds and versions that this program converts, and its build, and read nothing")
	return c
}

// command runs the command, and returns its exit code.
func (c *converting) command(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, add []func(*k8sruntime.Scheme) error) int {
	f := c.flags
	switch err := c.parse(args); {
	case errors.Is(err, flag.ErrHelp):
		c.help(stdout)
		return exitDone
	case err != nil:
		fmt.Fprintf(stderr, "%s %s: error: %v\n%s: hint: %s --help lists all flags\n", f.name, convertCommand, err, f.name, convertCommand)
		return exitMisused
	}
	err := c.run(ctx, stdin, stdout, add)
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(stderr, "%s %s: error: %v\n", f.name, convertCommand, err)
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return exitFailed
	case strings.HasPrefix(cause.Error(), syscall.SIGTERM.String()):
		return exitTerminated
	}
	return exitInterrupted
}

func (c *converting) parse(args []string) error {
	if err := c.flags.set.Parse(args); err != nil {
		return err
	}
	if c.flags.set.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", c.flags.set.Arg(0))
	}
	return c.flags.checkReviews()
}

func (c *converting) help(w io.Writer) {
	name := c.flags.name + " " + convertCommand
	fmt.Fprintf(w, "%s converts without a server, a certificate or a cluster. It reads ConversionReviews of\n"+
		"apiextensions.k8s.io/v1 on standard input, one on each line, and answers each with one line.\n\nUsage:\n  %s [flags]\n\nFlags:\n", name, name)
	c.flags.list(w)
}

func (c *converting) run(ctx context.Context, stdin io.Reader, stdout io.Writer, add []func(*k8sruntime.Scheme) error) error {
	scheme := k8sruntime.NewScheme()
	if err := runtime.AddToScheme(scheme, add...); err != nil {
		return fmt.Errorf("register types: %w", err)
	}
	e, err := webhook.EngineOf(scheme)
	if err != nil {
		return err
	}
	if c.versions {
		_, err := stdout.Write(versionsOf(e))
		return err
	}
	limits := c.flags.options.Limits
	return answerLines(ctx, webhook.New(e, webhook.Options{Limits: limits}), int(limits.BodyBytes), stdin, stdout)
}

// answerLines answers each line of in with a line, in order, until in or ctx ends. An empty line
// has no answer. A line that has no review, or is longer than limit, is answered by a failure
// without a uid.
func answerLines(ctx context.Context, h *webhook.Handler, limit int, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lines := make(chan line)
	go readLines(ctx, in, limit, lines)
	for {
		var next line
		var open bool
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case next, open = <-lines:
		}
		switch {
		case !open:
			return context.Cause(ctx) // readLines ends with ctx, too
		case next.err != nil:
			return fmt.Errorf("read a review: %w", next.err)
		}
		answer, err := next.answer(ctx, h)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(answer, '\n')); err != nil {
			return fmt.Errorf("write an answer: %w", err)
		}
	}
}

// line is one line of the input, or the error of reading it.
type line struct {
	text   []byte
	isLong bool // text is cut
	limit  int
	err    error
}

// readLines sends the lines of in that are not empty, and closes the channel at the end of in. It
// keeps no more than limit bytes of a line, and reads no further than one line ahead.
func readLines(ctx context.Context, in io.Reader, limit int, to chan<- line) {
	defer close(to)
	buffered := bufio.NewReaderSize(in, 64<<10)
	for {
		next, err := readLine(buffered, limit)
		if len(bytes.TrimSpace(next.text)) > 0 || next.isLong || next.err != nil {
			select {
			case to <- next:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads a line. It returns io.EOF with the last one.
func readLine(in *bufio.Reader, limit int) (line, error) {
	next := line{limit: limit}
	for {
		piece, err := in.ReadSlice('\n')
		if room := limit + 1 - len(next.text); len(piece) > room {
			next.isLong, piece = true, piece[:room]
		}
		next.text = append(next.text, piece...)
		switch {
		case err == nil, errors.Is(err, io.EOF):
			return next, err
		case !errors.Is(err, bufio.ErrBufferFull):
			next.err = err
			return next, err
		}
	}
}

// answer answers a review. It returns an error only if ctx has ended.
func (l line) answer(ctx context.Context, h *webhook.Handler) ([]byte, error) {
	if l.isLong {
		return failure(fmt.Errorf("the review is longer than %d bytes: raise --max-body-bytes", l.limit)), nil
	}
	answer, err := h.Review(ctx, bytes.TrimSuffix(l.text, []byte{'\n'}))
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return failure(err), nil
	}
	return bytes.TrimSuffix(answer, []byte{'\n'}), nil
}

// failure returns the answer to a line that has no review.
func failure(err error) []byte {
	answer := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"response": map[string]any{"uid": "", "convertedObjects": []any{}, "result": map[string]any{"status": "Failure", "message": err.Error()}},
	}
	text, _ := json.Marshal(answer) // it has only texts
	return text
}

// engineVersions is what a program can convert, as /versions and --versions report it.
type engineVersions struct {
	Format int           `json:"format"`
	Build  build         `json:"build"`
	Kinds  []kindVersion `json:"kinds"`
}

// kindVersion is a kind with its versions; of kinds that Strata has generated, hub is the storage
// version.
type kindVersion struct {
	Group    string   `json:"group"`
	Kind     string   `json:"kind"`
	Hub      string   `json:"hub"`
	Versions []string `json:"versions"`
}

// versionsFormat is the number of the format. A change that readers must know of raises it.
const versionsFormat = 1

// versionsOf returns the report about an engine as JSON, with a newline at the end.
func versionsOf(e engine.Engine) []byte {
	report := engineVersions{Format: versionsFormat, Build: readBuild(), Kinds: []kindVersion{}}
	for _, k := range e.Kinds() {
		report.Kinds = append(report.Kinds, kindVersion{Group: k.Group, Kind: k.Kind, Hub: k.Hub, Versions: k.Versions})
	}
	text, _ := json.Marshal(report) // it has only texts and numbers
	return append(text, '\n')
}
