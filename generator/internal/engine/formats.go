package engine

import (
	"strconv"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/emit/history"
	"github.com/stratakube/strata/generator/internal/emit/planfile"
	"github.com/stratakube/strata/generator/internal/evidence"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/output"
)

// Format is a format of files that runs of strata write or read. Version is the text by which the
// files state it.
type Format struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Formats returns the formats of this program.
func Formats() []Format {
	return []Format{
		{"strata.yaml", config.APIVersion},
		{"ledger", ledger.Format},
		{"manifest.json", strconv.Itoa(output.ManifestVersion)},
		{"histories", strconv.Itoa(history.Format)},
		{"plan files", strconv.Itoa(planfile.Format)},
		{"evidence of upgrades", strconv.Itoa(evidence.Format)},
	}
}

// RuntimeConstant returns the constant of the runtime that generated code needs.
func RuntimeConstant() string { return gofile.RuntimeConstant }
