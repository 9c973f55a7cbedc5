package cli

import (
	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/engine"
)

func (a *app) install() *cobra.Command {
	var flags flags
	request := engine.InstallRequest{Out: a.streams.Out}
	c := &cobra.Command{
		Use:   "install",
		Short: "print manifests that install some groups or kinds in a cluster",
		Long: "install prints CRDs, webhook, policies and operator for the selected groups and kinds, in the order that\n" +
			"a cluster requires. Rights, policies and the arguments of webhook and operator are those of the selection.\n" +
			"With --dir it writes the packages of strata.yaml instead, for the selection. It sends nothing to a cluster.",
		Example: "  strata install --select crm.example.com/Person | kubectl apply --server-side -f -\n" +
			"  strata install --select crm --part crds\n" +
			"  strata install --select crm/Person --select crm/Party --dir deploy",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if request.Request, err = flags.request(a); err != nil {
				return err
			}
			err = without(c.Context(), func() error { return a.engine.Install(c.Context(), request) })
			end(request.Request, err)
			a.print(request.Messages.Messages(), request.Sources)
			if request.Messages.Err() != nil {
				a.code = Failed
			}
			return nil
		},
	}
	flags.addFile(c)
	c.Flags().StringArrayVar(&request.Select, "select", nil, "a group, or group/Kind, to install; may be repeated (default all)")
	c.Flags().StringArrayVar(&request.Parts, "part", nil, "webhook, policies, crds or operator: what to print; may be repeated (default all)")
	c.Flags().StringVar(&request.Dir, "dir", "", "a `folder` for packages, instead of printing manifests")
	completeFlag(c, "select", a.names(&flags.config, selections))
	completeFlag(c, "part", fixed("webhook", "policies", "crds", "operator"))
	completeFlag(c, "dir", folders)
	return c
}
