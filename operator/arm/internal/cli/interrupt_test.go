package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/arm/internal/cli"
)

// lookout is a context that calls a function when it is checked.
type lookout struct {
	context.Context
	look func()
}

func (l lookout) Err() error {
	l.look()
	return l.Context.Err()
}

// TestImportIsInterruptedAsItWrites cancels an import once the first object has been written. The
// import ends, reports that and leaves no file.
func TestImportIsInterruptedAsItWrites(t *testing.T) {
	var rows []string
	for i := range 20 {
		rows = append(rows, fmt.Sprintf(`{"id": "%s/p%d"}`, persons, i))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"properties": {"age": 1}}`
		if strings.HasSuffix(r.URL.Path, "/resources") {
			answer = `{"value": [` + strings.Join(rows, ",") + `]}`
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	dir := folder(t)
	to := filepath.Join(dir, "to")
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	inner, cancel := context.WithCancel(t.Context())
	defer cancel()
	largest := 0
	ctx := lookout{inner, func() {
		files, _ := filepath.Glob(filepath.Join(to, ".strata-arm-*", "level-0", "*"))
		if largest = max(largest, len(files)); len(files) > 0 {
			cancel()
		}
	}}
	var out, errs bytes.Buffer
	code := cli.Run(ctx, []string{
		"import", "--manifest", filepath.Join(dir, "manifest.json"), "--config", "cloud=custom", "--config", "endpoint=" + server.URL,
		"--config", "credentials=none", "--subscription", "s", "--resource-group", "g", "--output-dir", filepath.Join(to, "imported"),
	}, cli.Streams{Out: &out, Err: &errs})
	if code != cli.Failed || !strings.HasSuffix(errs.String(), "strata arm: error: interrupted\n") || out.Len() > 0 {
		t.Errorf("exit code %d, %q, %q", code, &out, &errs)
	}
	if left, err := os.ReadDir(to); err != nil || len(left) > 0 || largest != 1 {
		t.Errorf("left %v, %v; %d files were written", left, err, largest)
	}
}

// stuck is a stream that blocks for ever, and cancels a context first.
type stuck struct{ cancel func() }

func (s stuck) Write([]byte) (int, error) { s.cancel(); select {} }

func (s stuck) Read([]byte) (int, error) { s.cancel(); select {} }

// TestInterruptOfStreamsThatHang checks that a command ends within a second of an interrupt,
// whichever stream it waits for. Each has three tries, since the machine may be busy.
func TestInterruptOfStreamsThatHang(t *testing.T) {
	const interrupted = "strata arm: error: interrupted\n"
	for _, tt := range []struct {
		reason  string
		args    string
		streams func(stuck, *bytes.Buffer) cli.Streams
		want    string
	}{
		{"identifiers of a terminal", "import --ids -", func(s stuck, b *bytes.Buffer) cli.Streams { return cli.Streams{In: s, Out: b, Err: b} }, interrupted},
		{"a pipe that nobody reads", "help", func(s stuck, b *bytes.Buffer) cli.Streams { return cli.Streams{Out: s, Err: b} }, interrupted},
		{"messages that nobody reads", "export", func(s stuck, b *bytes.Buffer) cli.Streams { return cli.Streams{Out: b, Err: s} }, ""},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			var err error
			for range 3 {
				if err = endsInASecond(t.Context(), strings.Fields(tt.args), tt.streams, tt.want); err == nil {
					return
				}
			}
			t.Error(err)
		})
	}
}

func endsInASecond(ctx context.Context, args []string, streams func(stuck, *bytes.Buffer) cli.Streams, want string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var began time.Time
	var text bytes.Buffer
	code := cli.Run(ctx, args, streams(stuck{func() { began = time.Now(); cancel() }}, &text))
	if code != cli.Failed || text.String() != want {
		return fmt.Errorf("exit code %d, %q", code, &text)
	}
	if took := time.Since(began); took > time.Second {
		return errors.New("it ended after " + took.String())
	}
	return nil
}
