package cli

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/operator/cluster/internal/doctor"
	"github.com/stratakube/strata/operator/cluster/internal/pack"
	"github.com/stratakube/strata/operator/cluster/internal/replicas"
)

func doctorCommand(s Streams) *cobra.Command {
	var a access
	var form, dir string
	var webhooks []string
	port := replicas.DefaultPort
	c := &cobra.Command{
		Use:   "doctor",
		Short: "find what is wrong with the installation of Strata in a cluster",
		Long: "doctor compares a cluster with a package folder, if there is one, and examines webhooks, their certificates,\n" +
			"policies, stored versions, operators and upgrades. Each finding has the command that mends it. It reads only.",
		Example: "  strata cluster doctor --context staging --package ./api",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return errors.New("doctor takes no arguments: name the folder of the package with --package")
			case form != "table" && form != "json":
				return fmt.Errorf("-o is table or json, not %q", form)
			case slices.ContainsFunc(webhooks, isNoURL):
				return errors.New("--webhook is the URL of a replica's probe address, such as http://10.0.0.1:8081")
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			on, err := a.open()
			if err != nil {
				return err
			}
			o := doctor.Options{Cluster: on.objects, Dir: dir, Now: time.Now(), Replicas: replicas.Options{URLs: webhooks, Port: port, Client: on.objects, Raw: server{on.discovery}.Raw}}
			if dir != "" {
				if o.Package, err = pack.Read(dir); err != nil {
					return err
				}
			}
			for _, flag := range [][2]string{{"kubeconfig", a.kubeconfig}, {"context", a.context}} {
				if flag[1] != "" {
					o.Selected += " --" + flag[0] + "=" + doctor.Quoted(flag[1])
				}
			}
			report, err := doctor.Examine(c.Context(), o)
			if err != nil {
				return err
			}
			if err := show(s.Out, form, report); err != nil {
				return err
			}
			if report.Failed() {
				return errFindings
			}
			return nil
		},
	}
	a.add(c)
	c.Flags().StringVar(&dir, "package", "", "the `folder` of the package that should be installed")
	c.Flags().StringVarP(&form, "output", "o", "table", "the `form` of the result: table or json")
	c.Flags().StringArrayVar(&webhooks, "webhook", nil, "the `URL` of the probe address of a replica of the webhook; can be repeated. By default the pods of its service are asked")
	c.Flags().IntVar(&port, "webhook-port", replicas.DefaultPort, "the `port` of the probes of the webhook's pods that name none")
	return c
}
