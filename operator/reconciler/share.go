package reconciler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/stratakube/strata/operator/annotation"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	latest "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
)

// share writes the outputs that the object requests. A failed output does not affect others, with
// one exception. ConfigMaps get no new values until the secrets that the object requests are
// known. Before that, the operator would not recognize a value of the status that contains one of
// them.
func (p *pass) share(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	visible, err := p.answered()
	if err != nil {
		return err
	}
	secrets := p.shareOf(p.stores.secrets, annotation.OutputSecrets, p.secrets, visible)
	configMaps := p.shareOf(p.stores.configMaps, annotation.OutputConfigMaps, p.configMaps, visible)
	unknown := p.ask(ctx, &secrets, &configMaps)
	if p.conceal(&configMaps); unknown != nil {
		configMaps.given = nil
	}
	return cmp.Or(unknown, p.put(ctx, secrets), p.put(ctx, configMaps), p.refusal(secrets, configMaps), later(secrets, configMaps))
}

// answered decodes the status, if the object requests an output.
func (p *pass) answered() (visible provider.AnsweredStatus, err error) {
	if len(p.secrets) == 0 && len(p.configMaps) == 0 {
		return visible, nil
	}
	if visible, err = provider.AnsweredStatusOf(p.seen.GetStatus(), p.names); err != nil {
		return visible, &halt{reason: ReasonOutputs, message: provider.Bounded("outputs: "+err.Error(), p.values()...), state: failing}
	}
	return visible, nil
}

// sharing has the outputs of one kind of store, and their results.
type sharing struct {
	to       provider.Store
	listedIn string           // the annotation that lists the written names
	wanted   provider.Outputs // without the refused ones, which are removed
	given    []provider.Value
	later    []string // paths of values that do not exist yet
	wrong    []string // why outputs are refused
	asked    bool     // the external API has returned all requested values
}

// shareOf reads the values of outputs from the status.
func (p *pass) shareOf(to provider.Store, listedIn string, wanted provider.Outputs, visible provider.AnsweredStatus) sharing {
	s := sharing{to: to, listedIn: listedIn, wanted: wanted}
	for _, path := range wanted.Paths() {
		if provider.IsCall(path) {
			continue
		}
		value, has, err := visible.Value(path)
		switch {
		case err != nil:
			s.refuse(path, err.Error())
		case !has:
			s.later = append(s.later, path)
		default:
			s.given = append(s.given, provider.Value{Path: path, Value: value})
		}
	}
	return s
}

// refuse removes the outputs of a path, for a reason.
func (s *sharing) refuse(path, why string) {
	s.wanted, s.wrong = s.wanted.Without(path), append(s.wrong, why)
}

// conceal refuses the values that contain a known secret of the object.
func (p *pass) conceal(in *sharing) {
	var public []provider.Value
	for _, one := range in.given {
		if p.isSecret(one.Value) {
			in.refuse(one.Path, fmt.Sprintf("the value of %s is a secret of the object: put it into a Secret", one.Path))
		} else {
			public = append(public, one)
		}
	}
	in.given = public
}

// isSecret reports whether a value contains one of the secrets that are sent to the resource, or
// that the external API has returned.
func (p *pass) isSecret(value []byte) bool {
	known := slices.Concat(p.texts, p.there)
	for _, s := range slices.Concat(p.subject.GetResource().GetSecrets(), p.given) {
		known = append(known, s.GetValue())
	}
	return provider.Reveals(value, known)
}

// ask requests the values of calls from the external API, if necessary: a request may be
// expensive, and appears in the API's logs. It is necessary if a value is missing, or if the
// resource has changed since. It is also necessary before a value of a ConfigMap changes, which
// may contain a secret that was changed in the external API. An error means that not all of these
// values are known.
func (p *pass) ask(ctx context.Context, secrets, configMaps *sharing) error {
	calls := secrets.wanted.Calls()
	if len(calls) == 0 {
		return nil
	}
	lacks, there, err := secrets.to.Lacks(ctx, p.key.Namespace, p.reference(), calls)
	if err != nil {
		return shareFailed(err)
	}
	p.there = there
	p.conceal(configMaps) // refused values cause no request
	if !lacks && !p.recorded.OutputsDue {
		changes, err := configMaps.to.Changes(ctx, p.key.Namespace, p.reference(), configMaps.wanted, configMaps.given)
		if err != nil || !changes {
			return err
		}
	}
	about := proto.CloneOf(p.subject)
	for _, path := range calls.Paths() {
		about.Resource.Secrets = append(about.Resource.Secrets, &v1.Secret{Path: path})
	}
	seen, err := p.provider.Observe(ctx, about)
	if err != nil {
		return p.notGiven(err)
	}
	return p.receive(secrets, calls.Paths(), seen.GetSecrets())
}

// receive adds the values that the external API has returned.
func (p *pass) receive(in *sharing, paths []string, given []*v1.Secret) error {
	p.given = given
	var missing []string
	for _, path := range paths {
		i := slices.IndexFunc(given, func(s *v1.Secret) bool { return s.GetPath() == path && len(s.GetValue()) > 0 })
		if i < 0 {
			missing = append(missing, path)
		} else {
			in.given = append(in.given, provider.Value{Path: path, Value: given[i].GetValue()})
		}
	}
	in.later, in.asked = append(in.later, missing...), len(missing) == 0
	if in.asked {
		return nil
	}
	return later(*in)
}

// notGiven returns the halt of a failed call for outputs. The resource itself is in sync.
func (p *pass) notGiven(err error) error {
	stop := p.failed(err)
	var h *halt
	if !errors.As(stop, &h) {
		return stop
	}
	if provider.FailureOf(err).Is != latest.Reason_REASON_UNSPECIFIED {
		h.reason = ReasonOutputs
	}
	if !strings.HasPrefix(h.message, "outputs: ") {
		h.message = "outputs: " + h.message
	}
	return stop
}

// put writes the outputs of one kind of store. It stores the names of the Secrets or ConfigMaps
// before, so that no process loses track of them, and after.
func (p *pass) put(ctx context.Context, s sharing) error {
	before := sharedBefore(p.object.GetAnnotations()[s.listedIn])
	if len(s.wanted) == 0 && len(before) == 0 {
		return nil
	}
	all := slices.Concat(s.wanted.Names(), before)
	slices.Sort(all)
	if err := p.recordShared(ctx, s.listedIn, slices.Compact(all), p.recorded); err != nil {
		return err
	}
	err := s.to.Put(ctx, p.key.Namespace, p.reference(), s.wanted, s.given, before)
	var foreign *provider.RefError
	if err != nil && !errors.As(err, &foreign) {
		return err
	}
	recorded := p.recorded
	recorded.OutputsDue = recorded.OutputsDue && !s.asked
	return cmp.Or(p.recordShared(ctx, s.listedIn, s.wanted.Names(), recorded), shareFailed(err))
}

// recordShared writes the names of Secrets or ConfigMaps to an annotation of the object, and
// whether outputs are due.
func (p *pass) recordShared(ctx context.Context, as string, names []string, recorded annotation.State) error {
	annotations := map[string]*string{}
	if recorded.OutputsDue != p.recorded.OutputsDue {
		annotations = p.changed(recorded)
	}
	if listedIn := strings.Join(names, ","); p.object.GetAnnotations()[as] != listedIn {
		annotations[as] = nil
		if listedIn != "" {
			annotations[as] = &listedIn
		}
	}
	if len(annotations) == 0 {
		return nil
	}
	return p.patch(ctx, metadata{UID: p.object.GetUID(), Annotations: annotations}, recorded)
}

// sharedBefore reads the names of written Secrets or ConfigMaps. It ignores invalid names, and
// those beyond twice the maximum of an object, which the operator has not written.
func sharedBefore(text string) (names []string) {
	for name := range strings.SplitSeq(text, ",") {
		if len(names) < 2*maxOutputs && isName(name) {
			names = append(names, name)
		}
	}
	return names
}

func shareFailed(err error) error {
	var ref *provider.RefError
	if errors.As(err, &ref) {
		return &halt{reason: ref.Reason, message: provider.Bounded(ref.Message), state: stalled}
	}
	return err
}

// refusal halts for refused outputs: invalid ones, and those whose values are refused.
func (p *pass) refusal(all ...sharing) error {
	wrong := slices.Clone(p.unreadable)
	for _, s := range all {
		wrong = append(wrong, s.wrong...)
	}
	if len(wrong) == 0 {
		return nil
	}
	return &halt{reason: ReasonOutputsUnreadable, state: stalled, message: provider.Bounded("outputs: "+strings.Join(wrong, "; "), p.values()...)}
}

// later halts for values that the external API does not return yet.
func later(all ...sharing) error {
	var paths []string
	for _, s := range all {
		paths = append(paths, s.later...)
	}
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	return &halt{reason: ReasonOutputs, state: failing, message: provider.Bounded(
		"outputs: the external API does not give out yet: " + strings.Join(slices.Compact(paths), ", "))}
}
