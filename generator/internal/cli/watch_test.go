package cli_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/output"
)

// watched is an engine whose inputs change from one look to the next. It ends the watch after the
// last look.
type watched struct {
	fake
	inputs []byte // a state for each look
	failed byte   // the state with which generate fails
	end    context.CancelFunc
	looks  *int
	ran    *[]string
}

func (w watched) Inputs(ctx context.Context, _ engine.Request) (output.Digest, error) {
	if *w.looks == len(w.inputs) {
		w.end()
		return output.Digest{}, ctx.Err()
	}
	*w.looks++
	return output.Digest{w.inputs[*w.looks-1]}, nil
}

func (w watched) Generate(_ context.Context, r engine.GenerateRequest) (engine.GenerateResult, error) {
	state := w.inputs[*w.looks-1]
	*w.ran = append(*w.ran, "generate "+string(state))
	if state == w.failed {
		return engine.GenerateResult{}, errors.New("broken schema")
	}
	return engine.GenerateResult{Changes: new(output.Changes)}, nil
}

func (w watched) Check(context.Context, engine.CheckRequest) (engine.CheckResult, error) {
	*w.ran = append(*w.ran, "check "+string(w.inputs[*w.looks-1]))
	return engine.CheckResult{}, nil
}

// TestWatch generates and checks at the beginning, and each time that the files have changed and
// then stayed the same for an interval. A run that fails does not end the watch.
func TestWatch(t *testing.T) {
	for _, tt := range []struct {
		reason, inputs string
		want           []string
	}{
		{"nothing changes", "aaaa", []string{"generate a", "check a"}},
		{"one change", "aabbb", []string{"generate a", "check a", "generate b", "check b"}},
		{"files change for a while", "abcdd", []string{"generate a", "check a", "generate d", "check d"}},
		{"files change and return", "abaa", []string{"generate a", "check a"}},
		{"a run fails, and its files are mended", "aaxxxcc", []string{"generate a", "check a", "generate x", "generate c", "check c"}},
		{"the first run fails", "xxxaa", []string{"generate x", "generate a", "check a"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			defer end()
			var looks int
			var ran []string
			var out, errs bytes.Buffer
			began := time.Now()
			code := cli.Run(ctx, []string{"watch", "--interval", "3s"}, cli.Streams{Out: &out, Err: &errs},
				watched{inputs: []byte(tt.inputs), failed: 'x', end: end, looks: &looks, ran: &ran})
			if code != cli.Interrupted || !slices.Equal(ran, tt.want) {
				t.Errorf("%s: exit code %d after %q, want %q", tt.reason, code, ran, tt.want)
			}
			if took, want := time.Since(began), time.Duration(len(tt.inputs))*3*time.Second; took != want {
				t.Errorf("%s: it took %s, want %s", tt.reason, took, want)
			}
			if strings.Contains(tt.inputs, "x") != strings.Contains(errs.String(), "error: broken schema") || !strings.Contains(errs.String(), "strata: waiting for changes\n") {
				t.Errorf("%s: it printed %q", tt.reason, errs.String())
			}
		})
	}
}

// TestWatchInterval refuses to look at files all the time.
func TestWatchInterval(t *testing.T) {
	var out, errs bytes.Buffer
	if code := cli.Run(t.Context(), []string{"watch", "--interval", "99ms"}, cli.Streams{Out: &out, Err: &errs}, fake{}); code != cli.Failed || !strings.Contains(errs.String(), "at least 100ms") {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}
