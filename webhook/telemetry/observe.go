package telemetry

import (
	"context"
	"log/slog"

	"github.com/stratakube/strata/runtime"
)

// Observe reports an event of a conversion. It makes Telemetry an observer for runtime.SetObserver.
func (t *Telemetry) Observe(event runtime.Event) {
	if t == nil {
		return
	}
	if t.metrics != nil {
		t.metrics.observe(event)
	}
	if t.log != nil && t.may(context.Background()) {
		t.logEvent(event)
	}
}

func (t *Telemetry) logEvent(event runtime.Event) {
	attributes := []slog.Attr{
		text("group", event.Kind.Group),
		text("version", event.Kind.Version),
		text("kind", event.Kind.Kind),
		text("namespace", event.Namespace),
		text("name", event.Name),
	}
	if event.Path != "" {
		attributes = append(attributes, text("path", event.Path))
	}
	if event.Step != "" {
		attributes = append(attributes, text("step", event.Step))
	}
	if event.Err != nil {
		attributes = append(attributes, text("error", event.Err.Error()))
	}
	t.log.LogAttrs(context.Background(), slog.LevelWarn, string(event.What), attributes...)
}

func (m *metrics) observe(event runtime.Event) {
	group, kind, version := event.Kind.Group, event.Kind.Kind, event.Kind.Version
	switch event.What {
	case runtime.AugmentationFailed:
		m.augmentations.WithLabelValues(group, kind, version, event.Step).Inc()
	case runtime.RawKept:
		m.raws.WithLabelValues(group, kind, version).Inc()
	case runtime.BagDropped:
		m.bags.WithLabelValues(group, kind, version).Inc()
	}
}
