package v1beta1

import (
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	v1 "example.com/db/api/v1"
	"example.com/db/internal/keep"
)

// ConvertTo converts to v1.
func (src *Database) ConvertTo(hub conversion.Hub) error {
	dst := hub.(*v1.Database)
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.Paused = src.Spec.Paused
	for _, tag := range src.Spec.Tags {
		dst.Spec.Tags = append(dst.Spec.Tags, v1.Tag(tag))
	}
	dst.Spec.Engine = v1.Engine(src.Spec.Engine)
	dst.Spec.StorageGB = src.Spec.StorageGB
	dst.Spec.Host = src.Spec.Host
	dst.Spec.Port = src.Spec.Port
	if src.Spec.Replicas != nil {
		dst.Spec.Scaling = &v1.Scaling{Replicas: src.Spec.Replicas}
	}
	dst.Spec.Memory = src.Spec.Memory
	for _, b := range src.Spec.Backups {
		dst.Spec.Backups = append(dst.Spec.Backups, convertBackupTo(b))
	}
	dst.Spec.Parameters = src.Spec.Parameters
	if w := src.Spec.Maintenance; w != nil {
		dst.Spec.Maintenance = &v1.Window{Day: w.Day, Hours: w.Hours}
	}
	dst.Status.Ready = src.Status.Ready
	dst.Status.Conditions = src.Status.Conditions

	restored := &v1.Database{}
	if ok, err := keep.UnmarshalData(dst, restored); err != nil || !ok {
		return err
	}
	dst.Spec.Monitoring = restored.Spec.Monitoring
	if restored.Spec.Scaling != nil {
		if dst.Spec.Scaling == nil {
			dst.Spec.Scaling = &v1.Scaling{}
		}
		dst.Spec.Scaling.Max = restored.Spec.Scaling.Max
	}
	return nil
}

// ConvertFrom converts from v1.
func (dst *Database) ConvertFrom(hub conversion.Hub) error {
	src := hub.(*v1.Database)
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.Paused = src.Spec.Paused
	for _, tag := range src.Spec.Tags {
		dst.Spec.Tags = append(dst.Spec.Tags, Tag(tag))
	}
	dst.Spec.Engine = Engine(src.Spec.Engine)
	dst.Spec.StorageGB = src.Spec.StorageGB
	dst.Spec.Host = src.Spec.Host
	dst.Spec.Port = src.Spec.Port
	if src.Spec.Scaling != nil {
		dst.Spec.Replicas = src.Spec.Scaling.Replicas
	}
	dst.Spec.Memory = src.Spec.Memory
	for _, b := range src.Spec.Backups {
		dst.Spec.Backups = append(dst.Spec.Backups, convertBackupFrom(b))
	}
	dst.Spec.Parameters = src.Spec.Parameters
	if w := src.Spec.Maintenance; w != nil {
		dst.Spec.Maintenance = &Window{Day: w.Day, Hours: w.Hours}
	}
	dst.Status.Ready = src.Status.Ready
	dst.Status.Conditions = src.Status.Conditions
	return keep.MarshalData(src, dst)
}

func convertBackupTo(b *Backup) *v1.Backup {
	if b == nil {
		return nil
	}
	return &v1.Backup{Name: b.Name, Schedule: b.Schedule, Keep: b.Keep, Last: b.Last}
}

func convertBackupFrom(b *v1.Backup) *Backup {
	if b == nil {
		return nil
	}
	return &Backup{Name: b.Name, Schedule: b.Schedule, Keep: b.Keep, Last: b.Last}
}
