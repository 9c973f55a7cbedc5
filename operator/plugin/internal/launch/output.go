package launch

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
)

// output logs the output of a plugin: JSON lines of log/slog or hclog at their level, and other
// lines at level info. It stores the last lines that are not logs, since they explain why a process
// has ended.
type output struct {
	log *slog.Logger

	mu    sync.Mutex
	lines []string
	dying bool // a runtime error was seen; its goroutines are not logged
}

const (
	longestLine = 64 << 10
	kept        = 3
)

func (o *output) read(r io.Reader) {
	lines := bufio.NewReaderSize(r, longestLine)
	for {
		line, _, err := lines.ReadLine() // a longer line is read in pieces
		if err != nil {
			return
		}
		o.line(string(line))
	}
}

// Write receives the part of stderr that go-plugin forwards once the plugin serves.
func (o *output) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		o.line(strings.TrimRight(line, "\r\n"))
	}
	return len(p), nil
}

// printed receives what is printed to stdout, which does not explain the end of a process.
type printed output

func (p *printed) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		p.log.Info(strings.TrimRight(line, "\r\n"))
	}
	return len(text), nil
}

func (o *output) line(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	if record, ok := parse(line); ok {
		o.log.LogAttrs(context.Background(), record.level, record.message, record.attrs...)
		return
	}
	level := slog.LevelInfo
	if o.keep(line) {
		level = slog.LevelError
	}
	o.log.Log(context.Background(), level, line)
}

// keep stores a line, and reports whether it belongs to the crash of the process.
func (o *output) keep(line string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	isFirst := !o.dying && (strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: "))
	switch {
	case isFirst:
		o.dying, o.lines = true, []string{line}
	case !o.dying:
		o.lines = append(o.lines, line)
		o.lines = o.lines[max(0, len(o.lines)-kept):]
	}
	return o.dying
}

func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.lines, "\n")
}

// record is a line of a log.
type record struct {
	level   slog.Level
	message string
	attrs   []slog.Attr
}

// parse parses a line of log/slog, or of hclog, whose keys begin with @.
func parse(line string) (record, bool) {
	if !strings.HasPrefix(line, "{") {
		return record{}, false
	}
	var fields map[string]any
	if json.Unmarshal([]byte(line), &fields) != nil {
		return record{}, false
	}
	for _, sign := range []string{"", "@"} {
		message, isText := fields[msg[sign]].(string)
		level, isLevel := fields[sign+"level"].(string)
		if !isText || !isLevel {
			continue
		}
		r := record{level: levelOf(level), message: message}
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if key != msg[sign] && key != sign+"level" && key != stamp[sign] {
				r.attrs = append(r.attrs, slog.Any(key, fields[key]))
			}
		}
		return r, true
	}
	return record{}, false
}

var (
	msg   = map[string]string{"": "msg", "@": "@message"}
	stamp = map[string]string{"": "time", "@": "@timestamp"}
)

func levelOf(name string) slog.Level {
	var level slog.Level
	switch {
	case strings.EqualFold(name, "trace"):
		return slog.LevelDebug
	case level.UnmarshalText([]byte(name)) != nil:
		return slog.LevelInfo
	}
	return level
}
