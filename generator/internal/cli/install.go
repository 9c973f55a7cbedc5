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
		Short: "print what installs some groups or kinds in a cluster",
		Long: "install prints definitions, webhook, policies and operator for the groups and kinds that are selected,\n" +
			"in the order in which a cluster must get them. Rights, policies and what webhook and operator look after\n" +
			"follow the selection. With --dir it writes the packages of strata.yaml instead, for the selection.\n" +
			"Nothing is sent to a cluster.",
		Example: "  strata install --select crm.example.com/Person | kubectl apply --server-side -f -\n" +
			"  strata install --select crm --part crds\n" +
			"  strata install --select crm/Person --select crm/Party --dir deploy",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if request.Request, err = flags.request(a.streams); err != nil {
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
	c.Flags().StringArrayVar(&request.Select, "select", nil, "a group, or group/Kind, to install; may be given again; all without it")
	c.Flags().StringArrayVar(&request.Parts, "part", nil, "webhook, policies, crds or operator: what to print; may be given again; all without it")
	c.Flags().StringVar(&request.Dir, "dir", "", "a `folder` to write packages into, instead of printing manifests")
	return c
}
