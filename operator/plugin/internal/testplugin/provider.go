package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stratakube/strata/operator/plugin"
	credentialsv1 "github.com/stratakube/strata/operator/plugin/credentials/v1"
	providerv1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

var versions = map[string]func(*plugin.Server, string){
	"provider.v1":    func(s *plugin.Server, name string) { providerv1.Register(s, name, openV1) },
	"credentials.v1": func(s *plugin.Server, name string) { credentialsv1.Register(s, name, openSource) },
}

// v1 acts by the type of the resource, and returns its process as observation.
type v1 struct{ config map[string]string }

func openV1(_ context.Context, config map[string]string) (providerv1.Provider, error) {
	if why := config["fail"]; why != "" {
		return nil, errors.New(why)
	}
	return v1{config}, nil
}

func (p v1) Observe(ctx context.Context, in *providerv1.ObserveRequest) (*providerv1.ObserveResponse, error) {
	o, err := p.act(ctx, in.GetResource())
	return &providerv1.ObserveResponse{Observation: o}, err
}

func (p v1) Apply(ctx context.Context, in *providerv1.ApplyRequest) (*providerv1.ApplyResponse, error) {
	o, err := p.act(ctx, in.GetResource())
	return &providerv1.ApplyResponse{Observation: o}, err
}

func (p v1) Delete(ctx context.Context, in *providerv1.DeleteRequest) (*providerv1.DeleteResponse, error) {
	_, err := p.act(ctx, in.GetResource())
	return &providerv1.DeleteResponse{}, err
}

func (p v1) act(ctx context.Context, r *providerv1.Resource) (*providerv1.Observation, error) {
	what, argument, _ := strings.Cut(r.GetType(), " ")
	if do, ok := acts[what]; ok {
		return do(ctx, argument, r)
	}
	return &providerv1.Observation{
		Exists: true,
		Id:     r.GetPlace().GetParent() + "/" + r.GetPlace().GetName(),
		Status: fmt.Appendf(nil, `{"pid":%d,"config":%q,"version":%q}`, os.Getpid(), p.config["who"], r.GetApiVersion()),
	}, nil
}

var acts = map[string]func(ctx context.Context, argument string, r *providerv1.Resource) (*providerv1.Observation, error){
	"crash": func(context.Context, string, *providerv1.Resource) (*providerv1.Observation, error) {
		os.Exit(5)
		return nil, nil
	},
	"crash-once": func(_ context.Context, mark string, _ *providerv1.Resource) (*providerv1.Observation, error) {
		if _, err := os.Stat(mark); err == nil {
			return &providerv1.Observation{Exists: true}, nil
		}
		if err := os.WriteFile(mark, nil, 0o600); err != nil {
			return nil, err
		}
		os.Exit(5)
		return nil, nil
	},
	"crash-aside": func(context.Context, string, *providerv1.Resource) (*providerv1.Observation, error) {
		go func() { panic("on its own") }()
		hang()
		return nil, nil
	},
	"panic": func(context.Context, string, *providerv1.Resource) (*providerv1.Observation, error) {
		panic("in a call")
	},
	"fail": func(_ context.Context, why string, _ *providerv1.Resource) (*providerv1.Observation, error) {
		return nil, errors.New(why)
	},
	"hang": func(ctx context.Context, _ string, _ *providerv1.Resource) (*providerv1.Observation, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	},
	"own-deadline": func(ctx context.Context, _ string, _ *providerv1.Resource) (*providerv1.Observation, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Nanosecond)
		defer cancel()
		<-ctx.Done()
		return nil, fmt.Errorf("ask the API: %w", ctx.Err())
	},
	"large": func(_ context.Context, size string, _ *providerv1.Resource) (*providerv1.Observation, error) {
		n, err := strconv.Atoi(size)
		return &providerv1.Observation{Status: bytes.Repeat([]byte("x"), n)}, err
	},
	"environment": func(context.Context, string, *providerv1.Resource) (*providerv1.Observation, error) {
		names := os.Environ()
		for i := range names {
			names[i], _, _ = strings.Cut(names[i], "=")
		}
		slices.Sort(names)
		return &providerv1.Observation{Id: strings.Join(names, " ")}, nil
	},
	"log": func(_ context.Context, text string, r *providerv1.Resource) (*providerv1.Observation, error) {
		slog.Warn(text, "answer", 42)
		slog.Debug("request", "resource", r)
		fmt.Println("printed " + text)
		return &providerv1.Observation{}, nil
	},
}

type source struct{}

func openSource(context.Context, map[string]string) (credentialsv1.Source, error) {
	return source{}, nil
}

func (source) Token(_ context.Context, in *credentialsv1.TokenRequest) (*credentialsv1.TokenResponse, error) {
	return &credentialsv1.TokenResponse{Token: "token for " + strings.Join(in.GetScopes(), " ")}, nil
}
