package kube

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/assets"
)

// Kubectl is kubectl as one user of a cluster.
type Kubectl struct {
	Path       string
	Kubeconfig string
	Cache      string // a folder for what it learns of the server
}

// Kubectl is kubectl as the administrator.
func (c *Cluster) Kubectl() Kubectl { return c.kubectl(c.Kubeconfig) }

// KubectlAs is kubectl as the user of a configuration that User returned.
func (c *Cluster) KubectlAs(user *rest.Config) (Kubectl, error) {
	dir, err := os.MkdirTemp(c.group.Dir, "user-")
	if err != nil {
		return Kubectl{}, fmt.Errorf("make folder of user: %w", err)
	}
	file := filepath.Join(dir, "kubeconfig")
	return c.kubectl(file), writeKubeconfig(file, user)
}

func (c *Cluster) kubectl(kubeconfig string) Kubectl {
	return Kubectl{c.programs.Path(assets.Kubectl), kubeconfig, filepath.Join(filepath.Dir(kubeconfig), "kubectl")}
}

// Command is a call of kubectl that is not started yet. Nothing of the user's own settings has a part in it.
func (k Kubectl) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, k.Path, args...)
	cmd.Env = append(cmd.Environ(), "KUBECONFIG="+k.Kubeconfig, "KUBECACHEDIR="+k.Cache, "KUBERC=off")
	return cmd
}

// Run calls kubectl with a text as its input, which may be empty. The error holds what it wrote to its error stream,
// and wraps an *exec.ExitError.
func (k Kubectl) Run(ctx context.Context, input string, args ...string) (stdout, stderr string, err error) {
	var out, messages bytes.Buffer
	cmd := k.Command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &messages
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(messages.Bytes()))
	}
	return out.String(), messages.String(), err
}
