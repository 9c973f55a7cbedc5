package cli_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/doctor"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/output"
)

// hung is an engine that ends nothing, and does not look at its context.
type hung struct {
	begun chan struct{}
}

func (h hung) hang() {
	h.begun <- struct{}{}
	select {}
}

func (h hung) Generate(context.Context, engine.GenerateRequest) (engine.GenerateResult, error) {
	h.hang()
	return engine.GenerateResult{}, nil
}

func (h hung) Check(context.Context, engine.CheckRequest) (engine.CheckResult, error) {
	h.hang()
	return engine.CheckResult{}, nil
}

func (h hung) Diff(context.Context, engine.DiffRequest) (engine.DiffResult, error) {
	h.hang()
	return engine.DiffResult{}, nil
}

func (h hung) Explain(context.Context, engine.ExplainRequest) (engine.ExplainResult, error) {
	h.hang()
	return engine.ExplainResult{}, nil
}

func (h hung) Import(context.Context, engine.ImportRequest) (engine.ImportResult, error) {
	h.hang()
	return engine.ImportResult{}, nil
}

func (h hung) Init(context.Context, engine.InitRequest) (engine.InitResult, error) {
	h.hang()
	return engine.InitResult{}, nil
}

func (h hung) Inputs(context.Context, engine.Request) (output.Digest, error) {
	h.hang()
	return output.Digest{}, nil
}

func (h hung) Install(context.Context, engine.InstallRequest) error { h.hang(); return nil }

func (h hung) Doctor(context.Context, engine.DoctorRequest) ([]doctor.Finding, error) {
	h.hang()
	return nil, nil
}

func (h hung) Explorer(context.Context, engine.ExplorerRequest) error { h.hang(); return nil }

func (h hung) Eject(context.Context, engine.EjectRequest) (*output.Changes, error) {
	h.hang()
	return nil, nil
}

func (h hung) Convert(context.Context, engine.ConvertRequest) (engine.ConvertResult, error) {
	h.hang()
	return engine.ConvertResult{}, nil
}

func (h hung) Names(string) ([]engine.Name, error) { return nil, nil }

func (h hung) Show(context.Context, engine.ShowRequest) error { h.hang(); return nil }

// TestInterruptOfWorkThatHangs checks that every command ends within a second of an interrupt,
// whatever its work waits for, with a message. One of three tries must end in time, because the
// machine may be busy.
func TestInterruptOfWorkThatHangs(t *testing.T) {
	for _, args := range []string{"generate", "generate -o json", "check", "diff a b", "doctor", "explain Person a", "explorer", "import", "init --yes", "install", "eject", "show", "watch", "convert a --to v2"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			var took time.Duration
			for range 3 {
				if took = endsWhileHung(t, args); took < time.Second {
					return
				}
			}
			t.Errorf("it ended %s after the interrupt", took)
		})
	}
}

// endsWhileHung returns how long a command takes to end if it is interrupted while its work hangs.
func endsWhileHung(t *testing.T, args string) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	engine := hung{begun: make(chan struct{})}
	interrupted := make(chan time.Time, 1)
	go func() {
		<-engine.begun
		interrupted <- time.Now()
		cancel()
	}()
	var out, errs bytes.Buffer
	code := cli.Run(ctx, strings.Fields(args), cli.Streams{Out: &out, Err: &errs}, engine)
	took := time.Since(<-interrupted)
	if code != cli.Interrupted || errs.String() != "strata: error: interrupted\n" || strings.HasSuffix(args, "json") != (out.Len() > 0) {
		t.Errorf("exit code %d, %q, %q", code, &out, &errs)
	}
	return took
}
