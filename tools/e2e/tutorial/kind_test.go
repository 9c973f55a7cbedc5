package tutorial_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/binaries"
	"github.com/stratakube/strata/tools/testcluster/kubectl"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// TestKind follows the page from a kubebuilder project to a cluster of kind. The API server, Helm
// and the image are real. The test is the node: it runs the program of the loaded image as the
// Deployment says, with the rights of its account.
func TestKind(t *testing.T) {
	tier.Long(t, "builds projects and images")
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("needs make: projects of kubebuilder generate with it")
	}
	n := newNode(t)
	s := followIn(t, "howto/run-in-kind.md", 19, append(clusterPrograms(t), n.environment(t)...))
	if n.err != nil {
		t.Error(n.err)
	}
	if want := []string{"bookshop-webhook:dev", "bookshop-webhook:v2"}; !slices.Equal(n.ran, want) {
		t.Errorf("the node ran %q, want %q", n.ran, want)
	}
	if printed, err := s.run(t, "kubectl get books.v1alpha1.shop.example.com dispossessed -o jsonpath='{.spec.shelf}'"); err != nil || printed != "B3" {
		t.Errorf("after the upgrade the shelf is %q (%v)", printed, err)
	}
}

// node stands for the node of a cluster of kind.
type node struct {
	*apiserver.Cluster
	dir   string // of the programs that the page calls, and of what they hand over
	group *process.Group
	ran   []string // the images of which it ran programs
	runs  *env.Webhook
	err   error
}

const namespace = "strata-system"

func newNode(t *testing.T) *node {
	t.Helper()
	n := &node{dir: t.TempDir()}
	var err error
	if n.Cluster, err = apiserver.Start(t.Context(), apiserver.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Stop() })
	if n.group, err = process.Open("strata-kind-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.group.Close() })
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	go n.serve(ctx)
	return n
}

// environment has programs called kind and kubectl before those of the machine. The former hands
// images over to the node. The latter waits for the node in `kubectl rollout status`.
func (n *node) environment(t *testing.T) []string {
	t.Helper()
	if err := binaries.BuildHelm(t.Context(), filepath.Join(n.dir, "helm")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"kind": `case "$1 $2" in
"create cluster") ;;
"load image-archive") cp "$3" "$dir/image.part" && mv "$dir/image.part" "$dir/image-$$.tar" ;;
*) echo "kind $*: not known here" >&2; exit 1 ;;
esac
`,
		"kubectl": `if [ "$1 $2" = "rollout status" ]; then
	: > "$dir/rollout"
	until [ -e "$dir/done" ]; do sleep 0.1; done
	rm "$dir/done"
	exit
fi
exec '` + n.Kubectl().Path + `' "$@"
`,
	} {
		if err := os.WriteFile(filepath.Join(n.dir, name), []byte("#!/bin/sh\nset -eu\ndir='"+n.dir+"'\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + n.dir + string(os.PathListSeparator) + os.Getenv("PATH"), "KUBECONFIG=" + n.Kubectl().Kubeconfig, "HELM_CACHE_HOME=" + n.dir, "HELM_CONFIG_HOME=" + n.dir, "HELM_DATA_HOME=" + n.dir}
}

// serve rolls the deployment out each time that the page waits for it.
func (n *node) serve(ctx context.Context) {
	for ctx.Err() == nil {
		if os.Remove(filepath.Join(n.dir, "rollout")) == nil {
			n.err = errors.Join(n.err, n.roll(ctx))
			_ = os.WriteFile(filepath.Join(n.dir, "done"), nil, 0o644)
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// roll replaces the program that runs by that of the Deployment's image.
func (n *node) roll(ctx context.Context) error {
	admin := n.Kubectl()
	printed, _, err := admin.Run(ctx, "", "get", "deployment", "strata-webhook", "-n", namespace, "-o",
		`jsonpath={.spec.template.spec.containers[0].image}{"\n"}{range .spec.template.spec.containers[0].args[*]}{@}{"\n"}{end}`)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(printed), "\n")
	program, err := n.load(lines[0])
	if err != nil {
		return err
	}
	account, err := n.account()
	if err != nil {
		return err
	}
	if n.runs != nil {
		if err := n.runs.Stop(); err != nil {
			return err
		}
	}
	if n.runs, err = env.StartWebhook(ctx, n.group, program, append(lines[1:], "--kubeconfig="+account.Kubeconfig)...); err != nil {
		return err
	}
	n.ran = append(n.ran, lines[0])
	_, port, _ := strings.Cut(n.runs.Conversions, ":")
	for _, args := range [][]string{
		{"patch", "service", "strata-webhook", "-n", namespace, "--type=merge", "-p", `{"spec":{"type":"ExternalName","externalName":"localhost","clusterIP":null,"clusterIPs":null}}`},
		{"patch", "crd", "books.shop.example.com", "--type=merge", "-p", `{"spec":{"conversion":{"webhook":{"clientConfig":{"service":{"port":` + port + `}}}}}}`},
	} {
		if _, _, err := admin.Run(ctx, "", args...); err != nil {
			return err
		}
	}
	return n.runs.Ready(ctx)
}

// account is kubectl with the rights of the webhook.
func (n *node) account() (kubectl.Client, error) {
	user, err := n.User("system:serviceaccount:"+namespace+":strata-webhook", "system:serviceaccounts", "system:serviceaccounts:"+namespace, "system:authenticated")
	if err != nil {
		return kubectl.Client{}, err
	}
	return n.KubectlAs(user)
}

// load unpacks the image of a name among those that were loaded, and returns its program.
func (n *node) load(name string) (string, error) {
	files, err := filepath.Glob(filepath.Join(n.dir, "image-*.tar"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		var manifest []struct {
			Config           string
			RepoTags, Layers []string
		}
		var config struct{ Config struct{ Entrypoint []string } }
		outer, err := entries(bytes.NewReader(text))
		if err != nil {
			return "", err
		}
		if err := json.Unmarshal(outer["manifest.json"], &manifest); err != nil {
			return "", err
		}
		if len(manifest) != 1 || !slices.Contains(manifest[0].RepoTags, name) {
			continue
		}
		if err := json.Unmarshal(outer[manifest[0].Config], &config); err != nil {
			return "", err
		}
		entry := strings.TrimPrefix(config.Config.Entrypoint[0], "/")
		for _, layer := range manifest[0].Layers {
			in, err := gzip.NewReader(bytes.NewReader(outer[layer]))
			if err != nil {
				return "", err
			}
			inner, err := entries(in)
			if err != nil {
				return "", err
			}
			if body, ok := inner[entry]; ok {
				program := filepath.Join(n.group.Dir, strings.ReplaceAll(name, ":", "-"))
				return program, os.WriteFile(program, body, 0o755)
			}
		}
	}
	return "", fmt.Errorf("the node has no image %s among %q", name, files)
}

// entries reads the files of a tarball, by their path.
func entries(r io.Reader) (map[string][]byte, error) {
	files := map[string][]byte{}
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if files[strings.TrimPrefix(path.Clean(h.Name), "/")], err = io.ReadAll(in); err != nil {
			return nil, err
		}
	}
}
