package controller

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	shopv1 "example.com/bookshop/api/v1"
	// +kubebuilder:scaffold:imports
)

var k8sClient client.Client

// TestMain runs the tests with an API server, and without webhooks.
func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	if err := shopv1.AddToScheme(scheme.Scheme); err != nil {
		return 0, err
	}
	// +kubebuilder:scaffold:scheme

	testEnv := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
	}
	cfg, err := testEnv.Start()
	if err != nil {
		return 0, err
	}
	defer func() { _ = testEnv.Stop() }()
	k8sClient, err = client.New(cfg, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// TestBooks writes and reads a book, as a controller does.
func TestBooks(t *testing.T) {
	book := &shopv1.Book{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "dispossessed"}}
	book.Spec.Title = "The Dispossessed"
	if err := k8sClient.Create(t.Context(), book); err != nil {
		t.Fatal(err)
	}
	var got shopv1.Book
	if err := k8sClient.Get(t.Context(), client.ObjectKeyFromObject(book), &got); err != nil {
		t.Fatal(err)
	}
	if got.Spec.Title != book.Spec.Title {
		t.Errorf("the title is %q", got.Spec.Title)
	}
}
