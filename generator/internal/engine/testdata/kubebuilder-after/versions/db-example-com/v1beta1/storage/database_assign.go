package storage

import v1 "example.com/db/versions/db-example-com/v1/storage"

// AssignToDatabaseSpec moves the number of instances to where the scaling is.
func (src *DatabaseSpec) AssignToDatabaseSpec(dst *v1.DatabaseSpec) error {
	if src.Replicas == nil && dst.Scaling == nil {
		return nil
	}
	if dst.Scaling == nil {
		dst.Scaling = &v1.Scaling{}
	}
	dst.Scaling.Replicas = src.Replicas
	return nil
}

// AssignFromDatabaseSpec moves it back.
func (dst *DatabaseSpec) AssignFromDatabaseSpec(src *v1.DatabaseSpec) error {
	if src.Scaling != nil {
		dst.Replicas = src.Scaling.Replicas
	}
	return nil
}
