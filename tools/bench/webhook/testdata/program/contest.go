package main

import (
	"context"
	"io"
	"net/http"
	"sync"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	ctrlconversion "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"corpus.strata.test/api/batch"
	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
)

// contest is the handlers that are compared.
type contest struct {
	types    engine.Engine
	handlers []named
}

type named struct {
	name string
	http.Handler
}

func newContest() (*contest, error) {
	scheme := k8sruntime.NewScheme()
	if err := batch.AddToScheme(scheme); err != nil {
		return nil, err
	}
	types, err := webhook.EngineOfTypes(scheme)
	if err != nil {
		return nil, err
	}
	plans, err := webhook.EngineOf(scheme)
	if err != nil {
		return nil, err
	}
	return &contest{types, []named{
		{"planned", webhook.New(plans, webhook.Options{})},
		{"echo", http.HandlerFunc(echo)},
		{"typed", webhook.New(types, webhook.Options{})},
		{"controller-runtime", ctrlconversion.NewWebhookHandler(scheme, ctrlconversion.NewRegistry())},
	}}, nil
}

var bodies = sync.Pool{New: func() any { return new([]byte) }}

// echo writes back what it reads.
func echo(w http.ResponseWriter, r *http.Request) {
	body := bodies.Get().(*[]byte)
	defer bodies.Put(body)
	if int64(cap(*body)) < r.ContentLength {
		*body = make([]byte, r.ContentLength)
	}
	all := (*body)[:r.ContentLength]
	if _, err := io.ReadFull(r.Body, all); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(all)
}

// strictPlans converts by plans, and counts what they refuse.
type strictPlans struct {
	engine.Engine
	refused *int
}

func (s strictPlans) Converter(pair engine.Pair) engine.Converter {
	return counting{s.Engine.Converter(pair), s.refused}
}

type counting struct {
	engine.Converter
	refused *int
}

func (c counting) Append(ctx context.Context, dst, object []byte) ([]byte, error) {
	*c.refused++
	return c.Converter.Append(ctx, dst, object)
}

// counted returns the handler of plans, and how often they refused.
func (c *contest) counted() (http.Handler, *int) {
	refused := new(int)
	return webhook.New(webhook.EngineOfPlans(strictPlans{c.types, refused}), webhook.Options{}), refused
}
