package storage

import (
	"strconv"
	"strings"

	v1beta1 "example.com/db/versions/db-example-com/v1beta1/storage"
)

// AssignToDatabaseSpec takes the endpoint apart.
func (src *DatabaseSpec) AssignToDatabaseSpec(dst *v1beta1.DatabaseSpec) error {
	dst.Host, dst.Port = nil, nil
	if src.Endpoint == nil {
		return nil
	}
	host, text, _ := strings.Cut(*src.Endpoint, ":")
	if port, err := strconv.ParseInt(text, 10, 32); err == nil {
		dst.Host, dst.Port = &host, &port
		return nil
	}
	dst.Host = src.Endpoint
	return nil
}

// AssignFromDatabaseSpec puts the endpoint together.
func (dst *DatabaseSpec) AssignFromDatabaseSpec(src *v1beta1.DatabaseSpec) error {
	if src.Host == nil && src.Port == nil {
		return nil
	}
	var endpoint string
	if src.Host != nil {
		endpoint = *src.Host
	}
	if src.Port != nil {
		endpoint += ":" + strconv.FormatInt(*src.Port, 10)
	}
	dst.Endpoint = &endpoint
	return nil
}
