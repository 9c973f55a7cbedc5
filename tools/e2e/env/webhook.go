package env

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/stratakube/strata/tools/testcluster/process"
)

// Webhook is a process that listens. It may not be ready yet.
type Webhook struct {
	*process.Program
	Conversions string // host and port
	probes      string
}

// BuildWebhook builds strata-webhook into a folder, and returns its file. The current folder is in
// the workspace.
func BuildWebhook(ctx context.Context, dir string) (string, error) {
	file := filepath.Join(dir, "strata-webhook")
	return file, build(ctx, file, "./operator/cmd/strata-webhook")
}

// loopback are flags for ports that are free, and for an end without waiting. Of two flags the
// later one holds.
var loopback = []string{"--address=127.0.0.1:0", "--metrics-address=off", "--probe-address=127.0.0.1:0", "--lame-duck=0s"}

// StartWebhook starts a built strata-webhook in a group and waits until it listens.
func StartWebhook(ctx context.Context, group *process.Group, file string, flags ...string) (*Webhook, error) {
	log := filepath.Join(group.Dir, "webhook.log")
	program, err := group.Start(file, log, append(slices.Clone(flags), loopback...)...)
	if err != nil {
		return nil, err
	}
	w := &Webhook{Program: program}
	err = w.wait(ctx, func() error { return w.readAddresses(log) })
	return w, err
}

// readAddresses looks in the log for where the webhook listens.
func (w *Webhook) readAddresses(log string) error {
	text, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var said struct{ Msg, Conversions, Probes string }
		if json.Unmarshal(lines.Bytes(), &said) == nil && said.Msg == "serving" && said.Probes != "" {
			w.Conversions, w.probes = said.Conversions, said.Probes
			return nil
		}
	}
	return errors.New("it does not listen")
}

// Ready waits until the webhook says that it is ready.
func (w *Webhook) Ready(ctx context.Context) error {
	return w.wait(ctx, func() error {
		response, err := http.Get("http://" + w.probes + "/readyz")
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		said, err := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", response.Status, bytes.TrimSpace(said))
		}
		return err
	})
}

// wait waits until something is no error any more. It is one when the process or its time has
// ended.
func (w *Webhook) wait(ctx context.Context, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-w.Done():
			return w.Err()
		case <-ctx.Done():
			return fmt.Errorf("wait for the webhook: %w: %w\n%s", ctx.Err(), err, w.Said())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
