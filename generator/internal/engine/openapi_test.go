package engine_test

import "testing"

// TestOpenAPISource generates from descriptions of services that authors may write, and runs the
// generated tests.
func TestOpenAPISource(t *testing.T) { proves(t, "testdata/openapi/*.txtar") }
