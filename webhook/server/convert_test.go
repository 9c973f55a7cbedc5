package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/internal/hotel"
	"github.com/stratakube/strata/webhook/server"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
)

// converted runs the command convert on an input.
func converted(t *testing.T, input io.Reader, args ...string) (code int, answers []string, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = server.Convert(t.Context(), args, input, &out, &err, example.AddToScheme)
	text := strings.TrimSuffix(out.String(), "\n")
	if text == "" {
		return code, nil, err.String()
	}
	return code, strings.Split(text, "\n"), err.String()
}

// TestConvert checks that each line has one answer, in order, whatever the lines before it had.
func TestConvert(t *testing.T) {
	spaced := strings.ReplaceAll(reviewOf(person), ":", " :\t")
	for _, test := range []struct {
		reason, line string
		want         []string // what the answer contains; nil for no answer
	}{
		{"a review", reviewOf(person), []string{`"status":"Success"`, `"uid":"u"`, `"apiVersion":"crm.example.com/v20190909"`}},
		{"two objects", reviewOf(person, person), []string{`"status":"Success"`}},
		{"nothing", "", nil},
		{"only spaces", "  \t\r", nil},
		{"spaces within", spaced, []string{`"status":"Success"`}},
		{"the end of lines of Windows", reviewOf(person) + "\r", []string{`"status":"Success"`}},
		{"no JSON", "convert this", []string{`"status":"Failure"`, `"uid":""`}},
		{"not a review", `{"kind":"Pod"}`, []string{`"status":"Failure"`, `"uid":""`}},
		{"an object that is none", reviewOf("1"), []string{`"status":"Failure"`, `"uid":"u"`, "it is not an object"}},
		{"an unknown kind", reviewOf(`{"apiVersion":"a.b/v1","kind":"C"}`), []string{`"status":"Failure"`, `"uid":"u"`}},
		{"a review that is cut", reviewOf(person)[:150], []string{`"status":"Failure"`}},
		{"two reviews", reviewOf(person) + reviewOf(person), []string{`"status":"Failure"`}},
		{"a line that is too long", reviewOf(`{"a":"` + strings.Repeat("a", 300_000) + `"}`), []string{`"status":"Failure"`, "longer than 100000 bytes: raise --max-body-bytes"}},
		{"an object that is too large", reviewOf(`{"a":"` + strings.Repeat("a", 60_000) + `"}`), []string{`"status":"Failure"`, `"uid":"u"`, "50000"}},
		{"again a review", reviewOf(person), []string{`"status":"Success"`}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			input := test.line + "\n" + reviewOf(person) // the last line has no end
			code, answers, stderr := converted(t, strings.NewReader(input), "--max-body-bytes=100000", "--max-object-bytes=50000")
			if code != 0 || stderr != "" {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			want := 2
			if test.want == nil {
				want = 1
			}
			if len(answers) != want {
				t.Fatalf("%d answers: %.300q", len(answers), answers)
			}
			for _, part := range test.want {
				if !strings.Contains(answers[0], part) {
					t.Errorf("the answer lacks %s: %.300s", part, answers[0])
				}
			}
			for _, answer := range answers {
				if !json.Valid([]byte(answer)) {
					t.Errorf("the answer is no JSON: %.300s", answer)
				}
			}
			if last := answers[len(answers)-1]; !isSuccess([]byte(last), 1) {
				t.Errorf("the review after it: %.300s", last)
			}
		})
	}
}

// TestConvertAnswersBeforeNextReview checks that a program can wait for the answer to one review
// before it writes the next.
func TestConvertAnswersBeforeNextReview(t *testing.T) {
	reviews, write := io.Pipe()
	read, answers := io.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- server.Convert(t.Context(), nil, reviews, answers, io.Discard, example.AddToScheme) }()
	lines := bufio.NewReader(read)
	for range 3 {
		if _, err := io.WriteString(write, reviewOf(person)+"\n"); err != nil {
			t.Fatal(err)
		}
		if answer, err := lines.ReadBytes('\n'); err != nil || !isSuccess(answer, 1) {
			t.Fatalf("%.300s, %v", answer, err)
		}
	}
	_ = write.Close()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestConvertMemory checks that a line without an end takes no more memory than its limit allows.
func TestConvertMemory(t *testing.T) {
	endless := io.LimitReader(zeros{}, 64<<20)
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			endless = io.LimitReader(zeros{}, 64<<20)
			if code := server.Convert(b.Context(), []string{"--max-body-bytes=100000", "--max-object-bytes=1000"}, endless, io.Discard, io.Discard, hotel.AddToScheme); code != 0 {
				b.Fatalf("exit code %d", code)
			}
		}
	})
	if got := result.AllocedBytesPerOp(); got > 8<<20 {
		t.Errorf("64 MiB in one line take %d bytes of memory", got)
	}
}

// zeros is a text of the digit 0 without an end.
type zeros struct{}

func (zeros) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = '0'
	}
	return len(into), nil
}

// TestConvertIsInterrupted checks that the command ends while it waits for a review.
func TestConvertIsInterrupted(t *testing.T) {
	input, write := io.Pipe()
	defer func() { _ = write.Close() }()
	for cause, want := range map[error]int{errors.New("interrupt signal received"): 130, errors.New(syscall.SIGTERM.String() + " signal received"): 143} {
		ctx, stop := context.WithCancelCause(t.Context())
		stop(cause)
		var stderr bytes.Buffer
		if code := server.Convert(ctx, nil, input, io.Discard, &stderr, example.AddToScheme); code != want || !strings.Contains(stderr.String(), cause.Error()) {
			t.Errorf("%s: exit code %d, want %d: %s", cause, code, want, &stderr)
		}
	}
}

// TestConvertIsInterruptedBetweenReviews checks that the command reports an interrupt that ends its
// input. Else a program would take the answers for all.
func TestConvertIsInterruptedBetweenReviews(t *testing.T) {
	for range 20 {
		ctx, stop := context.WithCancelCause(t.Context())
		answers := interrupting{stop}
		reviews := strings.NewReader(reviewOf(person) + "\n" + reviewOf(person) + "\n")
		if code := server.Convert(ctx, nil, reviews, answers, io.Discard, example.AddToScheme); code != 130 {
			t.Fatalf("exit code %d after one answer of two", code)
		}
	}
}

// interrupting interrupts the command while it writes an answer.
type interrupting struct{ stop context.CancelCauseFunc }

func (i interrupting) Write(answer []byte) (int, error) {
	i.stop(errors.New("interrupt signal received"))
	time.Sleep(time.Millisecond) // the reader of lines ends
	return len(answer), nil
}

// TestConvertIsMisused checks flags, types that cannot be registered, and an input that fails.
func TestConvertIsMisused(t *testing.T) {
	for _, test := range []struct {
		reason string
		args   []string
		input  io.Reader
		add    func(*k8sruntime.Scheme) error
		code   int
		output string
	}{
		{"a flag of the server", []string{"--cert-file=a"}, strings.NewReader(""), example.AddToScheme, 2, "flag provided but not defined"},
		{"an argument", []string{"a"}, strings.NewReader(""), example.AddToScheme, 2, `unexpected argument "a"`},
		{"a limit of zero", []string{"--max-depth=0"}, strings.NewReader(""), example.AddToScheme, 2, "must be above zero"},
		{"limits that contradict each other", []string{"--max-in-flight-bytes=5"}, strings.NewReader(""), example.AddToScheme, 2, "raise --max-in-flight-bytes"},
		{"types that cannot be registered", nil, strings.NewReader(""), func(*k8sruntime.Scheme) error { return errors.New("no way") }, 1, "register types: no way"},
		{"an input that fails", nil, failing{}, example.AddToScheme, 1, "read a review: it broke"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := server.Convert(t.Context(), test.args, test.input, &stdout, &stderr, test.add)
			if code != test.code || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "strata-webhook convert: error: ") || !strings.Contains(stderr.String(), test.output) {
				t.Errorf("exit code %d: %s%s", code, &stdout, &stderr)
			}
		})
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("it broke") }

// reported is the report about versions.
type reported struct {
	Format int
	Build  struct{ Module string }
	Kinds  []struct {
		Group, Kind, Hub string
		Versions         []string
	}
}

// TestVersions checks that a server and the command convert report the same kinds and versions.
func TestVersions(t *testing.T) {
	_, options := withFiles(t)
	r := start(t, options)
	status, served := get(t, r.probes+"/versions")
	code, printed, stderr := converted(t, strings.NewReader(""), "--versions")
	if status != http.StatusOK || code != 0 || len(printed) != 1 || printed[0]+"\n" != served {
		t.Fatalf("the server answers %d: %s\nthe command %d: %s%s", status, served, code, printed, stderr)
	}
	var of reported
	if err := json.Unmarshal([]byte(served), &of); err != nil {
		t.Fatal(err)
	}
	if of.Format != 1 || len(of.Kinds) != 2 || of.Kinds[1].Kind != "Person" || of.Kinds[1].Hub != "v20190909storage" || len(of.Kinds[1].Versions) != 4 {
		t.Errorf("the report is %s", served)
	}
	if response, err := http.Post(r.probes+"/versions", "", nil); err != nil || response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %v, %v", response, err)
	} else {
		_ = response.Body.Close()
	}
}

// TestConvertAsProcess runs the built command as upgrades do, and interrupts it.
func TestConvertAsProcess(t *testing.T) {
	if os.Getenv("STRATA_LONG") == "" && os.Getenv("STRATA_SOAK") == "" {
		t.Skip("needs STRATA_LONG=1: links a webhook")
	}
	binary := filepath.Join(t.TempDir(), "strata-webhook")
	if out, err := exec.Command("go", "build", "-o", binary, "./testdata/program").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, end := range []struct {
		by   syscall.Signal
		code int
	}{{0, 0}, {syscall.SIGINT, 130}, {syscall.SIGTERM, 143}} {
		command := exec.Command(binary, "convert")
		in, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(in, reviewOf(person)+"\n"); err != nil {
			t.Fatal(err)
		}
		if answer, err := bufio.NewReader(out).ReadBytes('\n'); err != nil || !isSuccess(answer, 1) {
			t.Errorf("%.300s, %v", answer, err)
		}
		if end.by == 0 {
			_ = in.Close()
		} else if err := command.Process.Signal(end.by); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait()
		if got := command.ProcessState.ExitCode(); got != end.code {
			t.Errorf("after %s: exit code %d, want %d", end.by, got, end.code)
		}
		_ = in.Close()
	}
}
