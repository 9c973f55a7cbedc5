package plugin

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/stratakube/strata/operator/plugin/internal/wire"
)

func TestOnlyMessagesAreRedacted(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: redact}))
	log.Info("text", "number", 42, "message", wrapperspb.String("shown"), "served", &wire.Served{Kind: "provider"})
	for _, want := range []string{`"number":42`, `shown`, `provider`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s lacks %s", out.String(), want)
		}
	}
}
