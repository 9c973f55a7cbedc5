package main

import (
	"context"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"strata-fetch": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata"})
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		reason string
		args   []string
		want   int
	}{
		{"help was asked for", []string{"-h"}, 0},
		{"the pins cannot be read", []string{"-sources", "missing.yaml"}, 1},
		{"a flag is not known", []string{"-sorces", "x"}, 2},
		{"pin lacks a name", []string{"pin"}, 2},
	} {
		t.Run(c.reason, func(t *testing.T) {
			if got := run(context.Background(), c.args); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
		})
	}
}
