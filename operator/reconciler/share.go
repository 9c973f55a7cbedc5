package reconciler

import (
	"context"
	"errors"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/stratakube/strata/operator/mark"
	"github.com/stratakube/strata/operator/outside"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// share puts values that the external API gives out where the object wants them. The API is asked for them only if one is
// not there, or the resource has just been changed: asking can be dear, and is seen in the API's logs.
func (p *pass) share(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	wanted, before := outside.OutputsOf(p.outputs), sharedBefore(p.object.GetAnnotations()[mark.OutputSecrets])
	if len(wanted) == 0 && len(before) == 0 {
		return nil
	}
	lacks, err := p.secrets.Lack(ctx, p.key.Namespace, p.reference(), wanted)
	if err != nil {
		return shareFailed(err)
	}
	var missing *halt
	if lacks || len(wanted) > 0 && len(p.done) > 0 {
		if missing, err = p.ask(ctx, wanted.Paths()); err != nil {
			return err
		}
	}
	all := slices.Concat(wanted.Names(), before)
	slices.Sort(all)
	if err := p.noteShared(ctx, slices.Compact(all)); err != nil { // so that no process forgets what it has written
		return err
	}
	if err := p.secrets.Store(ctx, p.key.Namespace, p.reference(), wanted, p.given, before); err != nil {
		return shareFailed(err)
	}
	if err := p.noteShared(ctx, wanted.Names()); err != nil {
		return err
	}
	if missing != nil {
		return missing
	}
	return nil
}

func shareFailed(err error) error {
	var secret *outside.SecretError
	if errors.As(err, &secret) {
		return &halt{reason: secret.Reason, message: secret.Message, state: stalled}
	}
	return err
}

// ask asks the external API for outputs. It returns a halt for those that the API does not give out yet.
func (p *pass) ask(ctx context.Context, paths []string) (*halt, error) {
	about := proto.CloneOf(p.subject)
	for _, path := range paths {
		about.Resource.Secrets = append(about.Resource.Secrets, &v1.Secret{Path: path})
	}
	seen, err := p.provider.Observe(ctx, about)
	if err != nil {
		return nil, p.notGiven(err)
	}
	p.given = seen.GetSecrets()
	var missing []string
	for _, path := range paths {
		if !slices.ContainsFunc(p.given, func(s *v1.Secret) bool { return s.GetPath() == path && len(s.GetValue()) > 0 }) {
			missing = append(missing, path)
		}
	}
	if len(missing) == 0 {
		return nil, nil
	}
	return &halt{
		reason: ReasonOutputs, state: failing,
		message: "outputs: the external API does not give out yet: " + strings.Join(missing, ", "),
	}, nil
}

// notGiven returns the halt of a call for outputs that failed. The resource itself is as it should be.
func (p *pass) notGiven(err error) error {
	stop := p.failed(err)
	var h *halt
	if !errors.As(stop, &h) {
		return stop
	}
	if outside.FailureOf(err).Is != latest.Reason_REASON_UNSPECIFIED {
		h.reason = ReasonOutputs
	}
	if !strings.HasPrefix(h.message, "outputs: ") {
		h.message = "outputs: " + h.message
	}
	return stop
}

// sharedBefore reads the names of Secrets that were written.
func sharedBefore(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// noteShared writes the names of Secrets to the object.
func (p *pass) noteShared(ctx context.Context, names []string) error {
	note := strings.Join(names, ",")
	if p.object.GetAnnotations()[mark.OutputSecrets] == note {
		return nil
	}
	m := metadata{UID: p.object.GetUID(), Annotations: map[string]*string{mark.OutputSecrets: nil}}
	if note != "" {
		m.Annotations[mark.OutputSecrets] = &note
	}
	return p.patch(ctx, m, p.marks)
}
