package targets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/tools/testcluster/background"
)

// ClusterUp starts a cluster in the background, or finds the one that runs. It prints the
// variables for a shell to stdout.
func ClusterUp(ctx context.Context) error {
	folder, err := background.Home()
	if err != nil {
		return err
	}
	s, isNew, err := folder.Up(ctx, printLine)
	switch {
	case err != nil:
		return err
	case !s.IsReady():
		return errors.New("a cluster is just being started: try again")
	case isNew:
		printLine("a cluster runs at " + s.Host)
	default:
		printLine("a cluster runs already, at " + s.Host)
	}
	fmt.Printf("export KUBECONFIG='%s'\n", s.Kubectl.Kubeconfig)
	fmt.Printf("export PATH='%s':\"$PATH\"\n", filepath.Dir(s.Kubectl.Path))
	printLine("next: " + ArgsVariable + `="get namespaces" go tool mage cluster:kubectl`)
	printLine("      eval \"$(go tool mage cluster:up)\", for kubectl in this shell")
	printLine("      go tool mage cluster:down")
	printLine("logs: " + folder.Logs())
	return nil
}

func printLine(line string) { fmt.Fprintln(os.Stderr, line) }

// ClusterDown stops the cluster that runs in the background.
func ClusterDown(ctx context.Context) error {
	folder, err := background.Home()
	if err != nil {
		return err
	}
	wasRunning, err := folder.Down(ctx)
	switch {
	case err != nil:
		return err
	case wasRunning:
		printLine("the cluster is stopped, and nothing is left of it but its logs")
	default:
		printLine("no cluster runs")
	}
	return nil
}

// ClusterKubectl calls kubectl as the administrator of the cluster, with the words of ArgsVariable.
func ClusterKubectl(ctx context.Context) error {
	folder, err := background.Home()
	if err != nil {
		return err
	}
	s, err := folder.State()
	if err != nil {
		return err
	}
	if !s.IsReady() {
		return errors.New("the cluster is just being started: try again")
	}
	cmd := s.Kubectl.Command(ctx, strings.Fields(os.Getenv(ArgsVariable))...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
