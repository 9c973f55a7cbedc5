package v1

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	shopv1 "example.com/bookshop/api/v1"
	shopv1alpha1 "example.com/bookshop/api/v1alpha1"
	// +kubebuilder:scaffold:imports
)

var k8sClient client.Client

// TestMain runs the tests with an API server and the webhooks of the manager.
func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := shopv1.AddToScheme(scheme.Scheme); err != nil {
		return 0, err
	}
	if err := shopv1alpha1.AddToScheme(scheme.Scheme); err != nil {
		return 0, err
	}
	// +kubebuilder:scaffold:scheme

	testEnv := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "..", "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{},
	}
	cfg, err := testEnv.Start()
	if err != nil {
		return 0, err
	}
	defer func() { _ = testEnv.Stop() }()
	if k8sClient, err = client.New(cfg, client.Options{Scheme: scheme.Scheme}); err != nil {
		return 0, err
	}

	options := &testEnv.WebhookInstallOptions
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:  scheme.Scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir,
		}),
	})
	if err != nil {
		return 0, err
	}
	if err := SetupBookWebhookWithManager(mgr); err != nil {
		return 0, err
	}
	// +kubebuilder:scaffold:webhook
	go func() { _ = mgr.Start(ctx) }()

	address := net.JoinHostPort(options.LocalServingHost, fmt.Sprint(options.LocalServingPort))
	for {
		conn, err := tls.DialWithDialer(&net.Dialer{Timeout: time.Second}, "tcp", address, &tls.Config{InsecureSkipVerify: true})
		if err == nil {
			_ = conn.Close()
			return m.Run(), nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestConversion writes a book in one version, and reads it in the other.
func TestConversion(t *testing.T) {
	old := &shopv1alpha1.Book{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "dispossessed"}}
	old.Spec.Title, old.Spec.Shelf = "The Dispossessed", "B3"
	if err := k8sClient.Create(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	var book shopv1.Book
	if err := k8sClient.Get(t.Context(), client.ObjectKeyFromObject(old), &book); err != nil {
		t.Fatal(err)
	}
	if book.Spec.Title != "The Dispossessed" {
		t.Errorf("the title is %q", book.Spec.Title)
	}
}
