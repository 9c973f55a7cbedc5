package v1alpha1

import (
	"fmt"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/conversion"

	v1 "example.com/db/api/v1"
	"example.com/db/internal/keep"
)

// ConvertTo converts to v1.
func (src *Database) ConvertTo(hub conversion.Hub) error {
	dst := hub.(*v1.Database)
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	if err := convertSpecTo(&src.Spec, &dst.Spec); err != nil {
		return err
	}
	dst.Status.Ready = src.Status.Ready

	restored := &v1.Database{}
	if ok, err := keep.UnmarshalData(dst, restored); err != nil || !ok {
		return err
	}
	dst.Spec.Common = restored.Spec.Common
	dst.Spec.Monitoring = restored.Spec.Monitoring
	dst.Spec.Maintenance = restored.Spec.Maintenance
	if restored.Spec.Scaling != nil {
		if dst.Spec.Scaling == nil {
			dst.Spec.Scaling = &v1.Scaling{}
		}
		dst.Spec.Scaling.Max = restored.Spec.Scaling.Max
	}
	dst.Status.Conditions = restored.Status.Conditions
	return nil
}

func convertSpecTo(in *DatabaseSpec, out *v1.DatabaseSpec) (err error) {
	out.Engine = v1.Engine(in.Engine)
	if out.Engine == "" {
		out.Engine = "Postgres"
	}
	out.StorageGB = in.Size
	if out.Host, out.Port, err = splitEndpoint(in.Endpoint); err != nil {
		return err
	}
	if in.Replicas != nil {
		out.Scaling = &v1.Scaling{Replicas: in.Replicas}
	}
	out.Memory = in.Memory
	for i := range in.Backups {
		b := &in.Backups[i]
		out.Backups = append(out.Backups, &v1.Backup{Name: b.Name, Schedule: b.Schedule, Keep: b.Keep})
	}
	out.Parameters = in.Parameters
	return nil
}

// ConvertFrom converts from v1.
func (dst *Database) ConvertFrom(hub conversion.Hub) error {
	src := hub.(*v1.Database)
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	convertSpecFrom(&dst.Spec, &src.Spec)
	dst.Status.Ready = src.Status.Ready
	return keep.MarshalData(src, dst)
}

func convertSpecFrom(out *DatabaseSpec, in *v1.DatabaseSpec) {
	out.Engine = Engine(in.Engine)
	out.Size = in.StorageGB
	out.Endpoint = joinEndpoint(in.Host, in.Port)
	if in.Scaling != nil {
		out.Replicas = in.Scaling.Replicas
	}
	out.Memory = in.Memory
	for _, b := range in.Backups {
		if b != nil {
			out.Backups = append(out.Backups, Backup{Name: b.Name, Schedule: b.Schedule, Keep: b.Keep})
		}
	}
	out.Parameters = in.Parameters
}

func splitEndpoint(endpoint string) (string, *int32, error) {
	host, text, found := strings.Cut(endpoint, ":")
	if !found {
		return host, nil, nil
	}
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return "", nil, fmt.Errorf("read the port of %q: %w", endpoint, err)
	}
	port := int32(number)
	return host, &port, nil
}

func joinEndpoint(host string, port *int32) string {
	if port == nil {
		return host
	}
	return host + ":" + strconv.Itoa(int(*port))
}
