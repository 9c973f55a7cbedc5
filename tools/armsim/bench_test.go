package armsim_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/armsim"
)

// BenchmarkPut creates resources, with the state kept in a file.
func BenchmarkPut(b *testing.B) { benchmarkPut(b, false) }

// BenchmarkPutSync waits for the disk.
func BenchmarkPutSync(b *testing.B) { benchmarkPut(b, true) }

func benchmarkPut(b *testing.B, sync bool) {
	sim, err := armsim.Open(armsim.Options{Schemas: []string{crm}, State: filepath.Join(b.TempDir(), "state"), Sync: sync, Anonymous: true})
	if err != nil {
		b.Fatal(err)
	}
	defer sim.Close()
	i := 0
	for b.Loop() {
		path := fmt.Sprintf("%s%d?api-version=%s", ann, i, v2019)
		i++
		r := httptest.NewRequest(http.MethodPut, path, strings.NewReader(person))
		w := httptest.NewRecorder()
		if sim.ServeHTTP(w, r); w.Code != http.StatusCreated {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "puts/s")
}

// BenchmarkGet reads one of many, in another version than it was written in.
func BenchmarkGet(b *testing.B) {
	sim, err := armsim.Open(armsim.Options{Schemas: []string{crm}, Anonymous: true})
	if err != nil {
		b.Fatal(err)
	}
	defer sim.Close()
	for i := range 5000 {
		sim.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPut, fmt.Sprintf("%s%d?api-version=%s", ann, i, v2019), strings.NewReader(person)))
	}
	for b.Loop() {
		w := httptest.NewRecorder()
		if sim.ServeHTTP(w, httptest.NewRequest(http.MethodGet, ann+"4999?api-version="+v2015, nil)); w.Code != http.StatusOK {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}
