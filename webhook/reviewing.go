package webhook

import (
	"bytes"
	"context"
	"fmt"

	"github.com/stratakube/strata/webhook/telemetry"
)

// Review answers a ConversionReview, both in JSON, without a server: in tests, command-line tools
// and other servers. The answer reports objects that cannot be converted, as the API server
// requires. Review returns an error if there is no answer: if the input is not a review, exceeds
// the limits, or the context has ended.
func (h *Handler) Review(ctx context.Context, review []byte) ([]byte, error) {
	if int64(len(review)) > h.limits.BodyBytes {
		return nil, fmt.Errorf("the review is longer than %d bytes", h.limits.BodyBytes)
	}
	x := exchanges.Get().(*exchange)
	defer x.done()
	var out bytes.Buffer
	ctx = h.telemetry.Start(ctx)
	x.begin(ctx, h, bytes.NewReader(review), int64(len(review)), &out)
	defer func() { h.telemetry.End(ctx, &x.record) }()
	head, err := x.reader.Head()
	if err != nil {
		x.record.Result, x.record.Err = telemetry.Refused, err
		return nil, err
	}
	x.head = head
	x.record.Err = x.respond(ctx)
	x.record.Received = x.reader.Offset()
	if x.record.Result == telemetry.Abandoned {
		return nil, x.record.Err
	}
	if err := x.writer.Close(); err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	x.record.Sent = x.writer.Size()
	return out.Bytes(), nil
}
