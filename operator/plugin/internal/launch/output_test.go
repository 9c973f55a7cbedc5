package launch

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// logged returns the log and the last lines for an output of a plugin.
func logged(text string) (log, last string) {
	var out bytes.Buffer
	o := &output{log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))}
	o.read(strings.NewReader(text))
	return out.String(), o.last()
}

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func TestOutput(t *testing.T) {
	tests := []struct{ reason, text, log, last string }{
		{
			"a line of log/slog keeps its level and its attributes",
			`{"time":"2026-01-01T00:00:00Z","level":"WARN","msg":"low","disk":3}`, "level=WARN msg=low disk=3\n", "",
		},
		{
			"a line of hclog, too",
			`{"@level":"trace","@message":"hm","@timestamp":"x","@module":"m"}`, "level=DEBUG msg=hm @module=m\n", "",
		},
		{"another level is information", `{"level":"loud","msg":"x"}`, "level=INFO msg=x\n", ""},
		{"JSON that is no log is text", `{"level":3}`, "level=INFO msg=\"{\\\"level\\\":3}\"\n", `{"level":3}`},
		{"the last lines are remembered", "a\nb\n\nc\nd\n", "level=INFO msg=a\nlevel=INFO msg=b\nlevel=INFO msg=c\nlevel=INFO msg=d\n", "b\nc\nd"},
		{
			"a panic is an error, and its first line the reason",
			"hello\npanic: oh\n\ngoroutine 1 [running]:\n", "level=INFO msg=hello\nlevel=ERROR msg=\"panic: oh\"\nlevel=ERROR msg=\"goroutine 1 [running]:\"\n", "panic: oh",
		},
		{"so is an error of the runtime", "fatal error: all goroutines are asleep\nx\n", "level=ERROR msg=\"fatal error: all goroutines are asleep\"\nlevel=ERROR msg=x\n", "fatal error: all goroutines are asleep"},
	}
	for _, test := range tests {
		log, last := logged(test.text)
		if log != test.log || last != test.last {
			t.Errorf("%s: logged\n%s and remembers %q, want\n%s and %q", test.reason, log, last, test.log, test.last)
		}
	}
}

// FuzzOutput writes any text: it must be logged safely.
func FuzzOutput(f *testing.F) {
	f.Add(`{"level":"INFO","msg":"x"}`)
	f.Add("panic: x\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		log, _ := logged(text)
		if strings.TrimSpace(text) != "" && log == "" {
			t.Errorf("%q is lost", text)
		}
	})
}
