package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/child"
	"github.com/stratakube/strata/tools/kube"
	"github.com/stratakube/strata/tools/modules"
	"github.com/stratakube/strata/tools/webhook"
)

// stage is a cluster, the webhook in a process of its own, and a folder where lines are run.
type stage struct {
	*kube.Cluster
	group   *child.Group
	webhook *webhook.Webhook
}

func open(ctx context.Context, report func(string)) (_ *stage, err error) {
	s := new(stage)
	report("starting a cluster")
	if s.Cluster, err = kube.Start(ctx, kube.Options{Report: report}); err != nil {
		return nil, err
	}
	if s.group, err = child.Open("strata-demo-"); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	if err := s.furnish(ctx, report); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// close stops the webhook before the cluster that it calls.
func (s *stage) close() error { return errors.Join(s.group.Close(), s.Stop()) }

func (s *stage) dir() string { return s.group.Dir }

// furnish starts the webhook and writes the files that lines name.
func (s *stage) furnish(ctx context.Context, report func(string)) error {
	report("building the webhook")
	file, err := webhook.Build(ctx, s.dir())
	if err != nil {
		return err
	}
	// It makes its own certificate, and brings its authority to the definitions as soon as there are any.
	s.webhook, err = webhook.Start(ctx, s.group, file,
		"--kubeconfig="+s.Kubeconfig, "--secret=default/strata-webhook", "--names="+kube.Loopback,
		"--crds=parties.crm.example.com,persons.crm.example.com,personsnotes.crm.example.com")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir(), "ada.yaml"), []byte(ada), 0o600); err != nil {
		return err
	}
	return s.writeDefinitions("https://" + s.webhook.Conversions + "/convert")
}

// writeDefinitions copies the generated definitions, with an address instead of a service.
func (s *stage) writeDefinitions(url string) error {
	w, err := modules.Find(".")
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(w.Root, "operator", "api", "crds", "*.yaml"))
	if err != nil {
		return err
	}
	dir := filepath.Join(s.dir(), "crds")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if text, err = addressed(text, url); err != nil {
			return fmt.Errorf("address %s: %w", file, err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func addressed(definition []byte, url string) ([]byte, error) {
	var members map[string]any
	if err := yaml.Unmarshal(definition, &members); err != nil {
		return nil, err
	}
	client := map[string]any{"url": url}
	if err := unstructured.SetNestedMap(members, client, "spec", "conversion", "webhook", "clientConfig"); err != nil {
		return nil, err
	}
	return yaml.Marshal(members)
}

// environment is what a shell of the user's needs to be one of ours.
func (s *stage) environment() []string {
	return []string{"KUBECONFIG=" + s.Kubeconfig, "PATH=" + s.path("$PATH")}
}

// path puts the right kubectl before what is in a path.
func (s *stage) path(rest string) string {
	return filepath.Dir(s.Kubectl().Path) + string(filepath.ListSeparator) + rest
}

// sh runs a line in a shell, and returns all that it says, and its exit code.
func (s *stage) sh(ctx context.Context, line string) (said string, code int, err error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.WaitDelay = s.dir(), time.Second
	cmd.Env = append(s.Kubectl().Command(ctx).Env, "TMPDIR="+s.dir(), "PATH="+s.path(os.Getenv("PATH")))
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if ctx.Err() != nil {
		return "", 0, ctx.Err()
	}
	if errors.As(err, &exit) {
		return string(text), exit.ExitCode(), nil
	}
	return string(text), 0, err
}

// awaitVersions waits until the webhook is trusted, and persons can be read in every version that the story tells of: an
// API server takes a second or two after the definitions have changed.
func (s *stage) awaitVersions(ctx context.Context) error {
	if err := s.webhook.Ready(ctx); err != nil {
		return err
	}
	for version := range strings.FieldsSeq(versions) {
		resource := "persons." + version + ".crm.example.com"
		var err error
		for range 300 {
			if _, _, err = s.Kubectl().Run(ctx, "", "get", resource); err == nil || ctx.Err() != nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
