package webhook

import (
	"bytes"
	"context"
	"fmt"

	"github.com/stratakube/strata/webhook/telemetry"
)

// Review answers a ConversionReview, both in JSON, without a server: in tests, command-line tools and servers of other
// making. What cannot be converted is said in the answer, as the API server wants it; an error means that there is no
// answer: the review is none, or longer than the limits allow, or the context has ended.
func (h *Handler) Review(ctx context.Context, review []byte) ([]byte, error) {
	if int64(len(review)) > h.limits.BodyBytes {
		return nil, fmt.Errorf("the review is longer than %d bytes", h.limits.BodyBytes)
	}
	x := exchanges.Get().(*exchange)
	defer x.done()
	var out bytes.Buffer
	ctx = h.telemetry.Start(ctx)
	x.begin(ctx, h, bytes.NewReader(review), int64(len(review)), &out)
	defer func() { h.telemetry.End(ctx, &x.tell) }()
	head, err := x.reader.Head()
	if err != nil {
		x.tell.Result, x.tell.Err = telemetry.Refused, err
		return nil, err
	}
	x.head = head
	x.tell.Err = x.respond(ctx)
	x.tell.Received = x.reader.Offset()
	if x.tell.Result == telemetry.Abandoned {
		return nil, x.tell.Err
	}
	if err := x.writer.Close(); err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	x.tell.Sent = x.writer.Size()
	return out.Bytes(), nil
}
