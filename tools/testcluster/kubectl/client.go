package kubectl

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Client is kubectl as one user of a cluster. It can be written as JSON and used by another
// process.
type Client struct {
	Path       string `json:"path"`
	Kubeconfig string `json:"kubeconfig"`
	Cache      string `json:"cache"` // a folder for what it learns of the server
}

// Command is a call of kubectl that is not started yet. Nothing of the user's own settings has a
// part in it.
func (c Client) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Path, args...)
	cmd.Env = append(cmd.Environ(), "KUBECONFIG="+c.Kubeconfig, "KUBECACHEDIR="+c.Cache, "KUBERC=off")
	return cmd
}

// Run calls kubectl with a text as its input, which may be empty. The error contains kubectl's
// error output, and wraps an *exec.ExitError.
func (c Client) Run(ctx context.Context, input string, args ...string) (stdout, stderr string, err error) {
	var out, messages bytes.Buffer
	cmd := c.Command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &messages
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(messages.Bytes()))
	}
	return out.String(), messages.String(), err
}
