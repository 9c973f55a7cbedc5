package env

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/stratakube/strata/tools/testcluster/loopback"
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

// listening are flags for ports that are free, which override those of a package.
var listening = []string{"--address=" + loopback.AnyPort, "--metrics-address=off", "--probe-address=" + loopback.AnyPort}

// StartWebhook starts a built strata-webhook in a group and waits until it listens. On SIGTERM the
// webhook ends without a pause, unless the flags have another --lame-duck.
func StartWebhook(ctx context.Context, group *process.Group, file string, flags ...string) (*Webhook, error) {
	log, err := newLog(group.Dir)
	if err != nil {
		return nil, err
	}
	program, err := group.Start(file, log, slices.Concat([]string{"--lame-duck=0s"}, flags, listening)...)
	if err != nil {
		return nil, err
	}
	w := &Webhook{Program: program}
	err = w.Await(ctx, patience, func() error { return w.readAddresses(log) })
	return w, err
}

// newLog creates a file for the output of one webhook: a folder can have several.
func newLog(dir string) (string, error) {
	log, err := os.CreateTemp(dir, "webhook-*.log")
	if err != nil {
		return "", err
	}
	return log.Name(), log.Close()
}

// readAddresses looks in the log for where the webhook listens.
func (w *Webhook) readAddresses(log string) error {
	text, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var printed struct{ Msg, Conversions, Probes string }
		if json.Unmarshal(lines.Bytes(), &printed) == nil && printed.Msg == "serving" && printed.Probes != "" {
			w.Conversions, w.probes = printed.Conversions, printed.Probes
			return nil
		}
	}
	return errors.New("it does not listen")
}

// Ready waits until the webhook reports that it is ready.
func (w *Webhook) Ready(ctx context.Context) error {
	return w.Await(ctx, patience, func() error { return w.IsReady(ctx) })
}

// IsReady asks the webhook once whether it is ready. It returns the webhook's reason if it is not.
func (w *Webhook) IsReady(ctx context.Context) error {
	_, err := loopback.Get(ctx, http.DefaultClient, w.ProbeURL()+"/readyz")
	return err
}

// ProbeURL returns the address of the webhook's probes.
func (w *Webhook) ProbeURL() string { return "http://" + w.probes }
