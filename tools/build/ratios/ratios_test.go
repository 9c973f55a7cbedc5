package ratios_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/ratios"
)

func TestRecordIsReadAsWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ratios.json")
	got, err := ratios.Read(file)
	if err != nil || len(got) > 0 {
		t.Fatalf("without a file: %v, %v", got, err)
	}
	if err := (ratios.Record{"webhook": {"a": 1.23456, "b": 2, "none": 0, "small": 0.0123456, "large": 12345.6}, "plugin": {"c": 0.5}}).Write(file); err != nil {
		t.Fatal(err)
	}
	if got, err = ratios.Read(file); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ratios.Record{"webhook": {"a": 1.235, "b": 2, "none": 0, "small": 0.01235, "large": 12350}, "plugin": {"c": 0.5}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLosses(t *testing.T) {
	recorded := ratios.Set{"same": 1, "slower": 1, "much slower": 2, "faster": 3, "none": 0}
	losses, err := recorded.Losses(ratios.Set{"same": 1.15, "slower": 1.16, "much slower": 4, "faster": 1, "none": 0, "new": 9}, 1.15)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]ratios.Loss{{"much slower", 2, 4}, {"slower", 1, 1.16}}, losses); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := recorded.Losses(ratios.Set{"same": 1, "slower": 1, "much slower": 2, "faster": 3}, 1.15); err == nil {
		t.Error("a name without a result is no error")
	}
	if losses, err := (ratios.Set{"writes": 0}).Losses(ratios.Set{"writes": 0.5}, 1.15); err != nil || len(losses) != 1 {
		t.Errorf("from none to some: %v, %v", losses, err)
	}
}

func TestLeast(t *testing.T) {
	got := ratios.Set{"a": 1, "b": 2}.Least(ratios.Set{"a": 2, "b": 1, "c": 3})
	if diff := cmp.Diff(ratios.Set{"a": 1, "b": 1, "c": 3}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
