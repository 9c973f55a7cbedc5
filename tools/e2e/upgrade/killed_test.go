package upgrade_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// storm returns the number of objects, of runs that are killed, and of writes a second.
func storm() (objects, kills, rate int) {
	if tier.IsSoak() {
		return 10_000, 50, 1000
	}
	return count, 8, count * 4 / 5
}

// TestKilledRunsAreRepeated kills runs of the command, each a little further than the one before,
// while clients write through both versions. The run after them finishes. Each object has what its
// client wrote last, and etcd has it in the storage version.
func TestKilledRunsAreRepeated(t *testing.T) {
	tier.Long(t, "kills upgrades")
	s := open(t, "killed.example.com")
	count, kills, rate := storm()
	s.fill(count)
	s.store("v2")
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	wrote := make([]map[string]string, 3)
	reads := 0
	for w := range wrote {
		wrote[w] = map[string]string{}
		version := []string{"v1", "v2", "v1"}[w]
		random := rand.New(rand.NewPCG(uint64(w), 7))
		writers.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				name, color := fmt.Sprintf("filled-%d", random.IntN(count/3)*3+w), fmt.Sprint("color-", i)
				object, err := s.through(version).Get(t.Context(), name, metav1.GetOptions{})
				if apierrors.IsNotFound(err) {
					continue
				}
				if err != nil {
					t.Errorf("read %s: %v", name, err)
					return
				}
				if w == 0 {
					reads++
				}
				_ = unstructured.SetNestedField(object.Object, color, "spec", "color")
				_, err = s.through(version).Update(t.Context(), object, metav1.UpdateOptions{})
				switch {
				case err == nil:
					wrote[w][name] = color
				case !apierrors.IsConflict(err):
					t.Errorf("write %s: %v", name, err)
					return
				}
				time.Sleep(time.Duration(tier.IfSoak(10, 0)) * time.Millisecond)
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 2))
	whole := float64(count) / float64(rate) * float64(time.Second)
	for k := range kills {
		c := exec.CommandContext(t.Context(), s.program, "migrate", s.kind.Name, "--gone", "v1", "--rate", strconv.Itoa(rate), "--settle", "1ms", "--kubeconfig", s.user)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(200*time.Millisecond + time.Duration(whole*(float64(k)+random.Float64())/float64(kills)))
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
	}
	if !s.translated(count) {
		t.Error("no run that was killed translated the owners of an object")
	}
	r, code, messages := s.migrate("--gone", "v1")
	stop()
	writers.Wait()
	if code != 0 || r.Poison.Objects != 0 || r.Objects != count {
		t.Errorf("exit code %d, %+v\n%s", code, r, messages)
	}
	if reads == 0 {
		t.Error("no client wrote")
	}
	after := s.all()
	for i := range count {
		name := fmt.Sprintf("filled-%d", i)
		object := after[name]
		if object == nil {
			t.Fatalf("%s is lost", name)
		}
		size, _, _ := unstructured.NestedInt64(object.Object, "spec", "size")
		color, _, _ := unstructured.NestedString(object.Object, "spec", "color")
		if size != int64(i) || color != wrote[i%3][name] {
			t.Errorf("%s has the size %d and the color %q, want %q", name, size, color, wrote[i%3][name])
		}
		if got := s.stored(name); got != "v2" {
			t.Errorf("%s is stored in %s", name, got)
		}
	}
}

// translated reports whether an object that was created through v1, and that clients have only
// written through v2 since, has no owner in v1. Only the command does that.
func (s *site) translated(count int) bool {
	s.t.Helper()
	all := s.all()
	for i := 4; i < count; i += 6 {
		names := func(e metav1.ManagedFieldsEntry) bool { return e.APIVersion == s.kind.Spec.Group+"/v1" }
		if !slices.ContainsFunc(all[fmt.Sprintf("filled-%d", i)].GetManagedFields(), names) {
			return true
		}
	}
	return false
}

// TestAPIServerIsKilled restarts the API server while the command runs. The command waits for
// it, and names no object as one that cannot be written.
func TestAPIServerIsKilled(t *testing.T) {
	tier.Long(t, "kills API servers, as a smaller storm does")
	s := open(t, "server.example.com")
	s.fill(count)
	s.store("v2")
	c := exec.CommandContext(t.Context(), s.program, "migrate", s.kind.Name, "--rate", strconv.Itoa(count/5), "--server", s.Host(), "--kubeconfig", s.user)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	shared.Eventually(t, crds.Patience, "the first objects are written", func() error {
		for name := range s.all() {
			if s.stored(name) == "v2" {
				return nil
			}
		}
		return errors.New("none")
	})
	if err := s.RestartServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	for name := range s.all() {
		if got := s.stored(name); got != "v2" {
			t.Errorf("%s is stored in %s", name, got)
		}
	}
}
