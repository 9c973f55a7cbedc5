package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

func TestPositions(t *testing.T) {
	dir := t.TempDir()
	good, broken := filepath.Join(dir, "good.json"), filepath.Join(dir, "broken.json")
	const body = `{"definitions": {"a/b": {"items": [{}, {"x": 1}]}}}`
	for name, text := range map[string]string{good: body, broken: body[:30]} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x := strings.Index(body, "1}")
	tests := []struct {
		reason string
		pos    model.Pos
		want   diag.Pos
	}{
		{"a value deep inside has its pointer", model.Pos{File: good, Offset: x}, diag.At(good, x, "/definitions/a~1b/items/1/x")},
		{"the document itself has none", model.Pos{File: good}, diag.At(good, 0, "")},
		{"of a file that cannot be decoded any more there is the offset", model.Pos{File: broken, Offset: 20}, diag.At(broken, 20, "")},
		{"so it is of a file that is gone", model.Pos{File: "gone.json", Offset: 3}, diag.At("gone.json", 3, "")},
		{"the first file again", model.Pos{File: good, Offset: x}, diag.At(good, x, "/definitions/a~1b/items/1/x")},
		{"what has no place is nowhere", model.Pos{}, diag.Pos{}},
	}
	var positions source.Positions
	for _, tt := range tests {
		if got := positions.At(tt.pos); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.reason, got, tt.want)
		}
	}
}
