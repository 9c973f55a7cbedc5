package reconciler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/stratakube/strata/operator/mark"
	"github.com/stratakube/strata/operator/outside"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// share puts values that the external API gives out where the object wants them. Failures of ConfigMaps keep nothing from
// Secrets. ConfigMaps wait for Secrets whose values the API is asked for: until these are known, a value of the status that
// has one of them in it is not recognized as a secret.
func (p *pass) share(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var shown outside.Shown
	if err := p.show(&shown); err != nil {
		return err
	}
	secrets := p.shareIn(ctx, outlet{to: p.stores.secrets, wanted: p.secrets, note: mark.OutputSecrets, shown: shown})
	if secrets != nil && len(p.secrets.Calls()) > 0 {
		return secrets
	}
	configs := p.shareIn(ctx, outlet{to: p.stores.configMaps, wanted: p.configMaps, note: mark.OutputConfigMaps, shown: shown})
	if secrets != nil {
		return secrets
	}
	return configs
}

// show reads the status, if an output is wanted.
func (p *pass) show(into *outside.Shown) (err error) {
	if len(p.secrets) == 0 && len(p.configMaps) == 0 {
		return nil
	}
	if *into, err = outside.ShownOf(p.seen.GetStatus(), p.names); err != nil {
		return &halt{reason: ReasonOutputs, message: outside.Bounded("outputs: "+err.Error(), p.values()...), state: failing}
	}
	return nil
}

// outlet is where outputs of one sort are put: which are wanted, what the status shows, and the annotation that lists the names of
// what was written.
type outlet struct {
	to     outside.Store
	wanted outside.Outputs
	note   string
	shown  outside.Shown
}

// shareIn puts the outputs of one sort. The API is asked for values only if one is not there, or the resource has just been
// changed: asking can be dear, and is seen in the API's logs. What the status shows is written whenever it differs.
func (p *pass) shareIn(ctx context.Context, o outlet) error {
	before := sharedBefore(p.object.GetAnnotations()[o.note])
	if len(o.wanted) == 0 && len(before) == 0 {
		return nil
	}
	given, missing, err := p.giveShown(o)
	if err != nil {
		return err
	}
	if calls := o.wanted.Calls(); len(calls) > 0 {
		asked, lacking, err := p.ask(ctx, o.to, calls)
		if err != nil {
			return err
		}
		given, missing = append(given, asked...), append(missing, lacking...)
	}
	all := slices.Concat(o.wanted.Names(), before)
	slices.Sort(all)
	if err := p.noteShared(ctx, o.note, slices.Compact(all)); err != nil { // so that no process forgets what it has written
		return err
	}
	if err := o.to.Put(ctx, p.key.Namespace, p.reference(), o.wanted, given, before); err != nil {
		return shareFailed(err)
	}
	if err := p.noteShared(ctx, o.note, o.wanted.Names()); err != nil || len(missing) == 0 {
		return err
	}
	return &halt{reason: ReasonOutputs, state: failing, message: "outputs: the external API does not give out yet: " + strings.Join(missing, ", ")}
}

// giveShown returns the values of outputs that the status shows, and the paths where it shows none. A ConfigMap gets no value that
// is one of the object's secrets.
func (p *pass) giveShown(o outlet) (given []outside.Value, missing []string, err error) {
	for _, path := range o.wanted.Paths() {
		if outside.IsCall(path) {
			continue
		}
		value, has, err := o.shown.Value(path)
		switch {
		case err != nil:
			return nil, nil, &halt{reason: ReasonOutputsUnreadable, message: "outputs: " + err.Error(), state: stalled}
		case !has:
			missing = append(missing, path)
		case o.to.Of == outside.OfConfigMaps && p.isSecret(value):
			return nil, nil, &halt{reason: ReasonOutputsUnreadable, message: fmt.Sprintf("outputs: the value of %s is a secret of the object: put it into a Secret", path), state: stalled}
		default:
			given = append(given, outside.Value{Path: path, Value: value})
		}
	}
	return given, missing, nil
}

// isSecret reports whether a value has one of the secrets in it that the resource is sent, or has given out. Shorter texts than
// these stand in values by chance.
func (p *pass) isSecret(value []byte) bool {
	const shortest = 8
	known := slices.Concat(p.texts, p.there)
	for _, s := range slices.Concat(p.subject.GetResource().GetSecrets(), p.given) {
		known = append(known, s.GetValue())
	}
	return slices.ContainsFunc(known, func(secret []byte) bool {
		return len(secret) > 0 && bytes.Equal(value, secret) || len(secret) >= shortest && bytes.Contains(value, secret)
	})
}

func shareFailed(err error) error {
	var ref *outside.RefError
	if errors.As(err, &ref) {
		return &halt{reason: ref.Reason, message: ref.Message, state: stalled}
	}
	return err
}

// ask asks the external API for outputs, if it must. It returns the paths of those that the API does not give out yet.
func (p *pass) ask(ctx context.Context, to outside.Store, calls outside.Outputs) (given []outside.Value, missing []string, err error) {
	lacks, there, err := to.Lack(ctx, p.key.Namespace, p.reference(), calls)
	if err != nil {
		return nil, nil, shareFailed(err)
	}
	p.there = there
	if !lacks && len(p.done) == 0 {
		return nil, nil, nil
	}
	about := proto.CloneOf(p.subject)
	for _, path := range calls.Paths() {
		about.Resource.Secrets = append(about.Resource.Secrets, &v1.Secret{Path: path})
	}
	seen, err := p.provider.Observe(ctx, about)
	if err != nil {
		return nil, nil, p.notGiven(err)
	}
	p.given = seen.GetSecrets()
	for _, path := range calls.Paths() {
		i := slices.IndexFunc(p.given, func(s *v1.Secret) bool { return s.GetPath() == path && len(s.GetValue()) > 0 })
		if i < 0 {
			missing = append(missing, path)
		} else {
			given = append(given, outside.Value{Path: path, Value: p.given[i].GetValue()})
		}
	}
	return given, missing, nil
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

// sharedBefore reads the names of what was written.
func sharedBefore(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// noteShared writes the names of Secrets or ConfigMaps to an annotation of the object.
func (p *pass) noteShared(ctx context.Context, as string, names []string) error {
	note := strings.Join(names, ",")
	if p.object.GetAnnotations()[as] == note {
		return nil
	}
	m := metadata{UID: p.object.GetUID(), Annotations: map[string]*string{as: nil}}
	if note != "" {
		m.Annotations[as] = &note
	}
	return p.patch(ctx, m, p.marks)
}
