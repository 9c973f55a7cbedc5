package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// object is JSON under construction. It is written with its names in order, as the API server does.
type object = map[string]any

func (o pool) bytes() []byte {
	data, err := json.Marshal(o.root)
	if err != nil {
		panic(err) // what is built here always has a JSON form
	}
	return data
}

// pool is a pool of Batch as users write it, with what the API server and an operator add.
type pool struct{ root object }

// newPool makes a pool of about so many bytes, of nothing but what all versions from v20200901 on have.
func newPool(version, name string, size int) []byte {
	p := pool{object{"apiVersion": group + "/" + version, "kind": kind, "spec": spec(), "status": status()}}
	for i := 0; ; i++ {
		p.root["metadata"] = metadata(version, name, p.root["spec"], p.root["status"])
		data := p.bytes()
		if len(data) >= size {
			return data
		}
		p.grow(i)
	}
}

const (
	group = "batch.example.com"
	kind  = "BatchAccountsPool"
)

func spec() object {
	return object{
		"azureName": "rendering",
		"owner":     object{"name": "media"},
		"properties": object{
			"displayName":            "Nodes that render the night's scenes",
			"interNodeCommunication": "Disabled",
			"taskSlotsPerNode":       4,
			"vmSize":                 "STANDARD_D4S_V3",
			"taskSchedulingPolicy":   object{"nodeFillType": "Pack"},
			"scaleSettings":          scaleSettings(),
			"applicationPackages":    []any{object{"id": applications + "blender", "version": "2.93"}},
			"metadata":               []any{object{"name": "cost-centre", "value": "4711"}},
			"userAccounts":           []any{object{"elevationLevel": "NonAdmin", "linuxUserConfiguration": object{"gid": 1000, "uid": 1000}, "name": "render", "password": "not-a-secret"}},
			"networkConfiguration": object{
				"subnetId": subscription + "Microsoft.Network/virtualNetworks/media/subnets/render",
				"endpointConfiguration": object{"inboundNatPools": []any{object{
					"name": "ssh", "protocol": "TCP", "backendPort": 22, "frontendPortRangeStart": 15000, "frontendPortRangeEnd": 15100,
					"networkSecurityGroupRules": []any{object{"access": "Allow", "priority": 150, "sourceAddressPrefix": "192.100.12.45"}},
				}}},
			},
			"deploymentConfiguration": object{"virtualMachineConfiguration": object{
				"nodeAgentSkuId":         "batch.node.ubuntu 20.04",
				"imageReference":         object{"offer": "ubuntu-hpc", "publisher": "microsoft-dsvm", "sku": "2004", "version": "latest"},
				"containerConfiguration": object{"type": "DockerCompatible", "containerImageNames": []any{"registry.example.com/render/blender:2.93", "registry.example.com/render/ffmpeg:4.4"}},
				"dataDisks":              []any{object{"lun": 0, "caching": "ReadWrite", "diskSizeGB": 128, "storageAccountType": "Premium_LRS"}},
			}},
			"startTask": object{
				"commandLine":         `/bin/bash -c "set -e; apt-get update && apt-get install -y libgl1; ./prepare.sh --cache /mnt/scenes"`,
				"maxTaskRetryCount":   3,
				"waitForSuccess":      true,
				"userIdentity":        object{"autoUser": object{"elevationLevel": "Admin", "scope": "Pool"}},
				"environmentSettings": []any{object{"name": "RENDER_SAMPLES", "value": "128"}},
				"resourceFiles":       []any{resourceFile(0)},
			},
		},
	}
}

const (
	subscription = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/media/providers/"
	applications = subscription + "Microsoft.Batch/batchAccounts/media/applications/"
)

func scaleSettings() object {
	return object{"autoScale": object{
		"evaluationInterval": "PT5M",
		"formula":            "waiting = avg($PendingTasks.GetSample(TimeInterval_Minute * 5));\n$TargetDedicatedNodes = min(100, waiting);\n$NodeDeallocationOption = taskcompletion;",
	}}
}

func resourceFile(i int) object {
	return object{
		"filePath": fmt.Sprintf("scenes/%03d.blend", i), "fileMode": "0644",
		"httpUrl": fmt.Sprintf("https://media.blob.core.windows.net/scenes/%03d.blend?sv=2020-08-04&sr=b&sp=r&sig=not-a-signature%%3D", i),
	}
}

func status() object {
	condition := func(kind, reason, message string) object {
		return object{"type": kind, "status": "True", "reason": reason, "message": message, "observedGeneration": 3, "lastTransitionTime": "2024-05-06T07:08:09Z"}
	}
	return object{
		"conditions": []any{condition("Ready", "Succeeded", "the pool is as it should be"), condition("Reconciled", "UpToDate", "")},
		"properties": object{
			"displayName": "Nodes that render the night's scenes", "vmSize": "STANDARD_D4S_V3", "taskSlotsPerNode": 4,
			"interNodeCommunication": "Disabled", "scaleSettings": scaleSettings(),
		},
	}
}

// metadata is what the API server keeps, with who wrote what.
func metadata(version, name string, spec, status any) object {
	entry := func(manager, what, subresource string, of any) object {
		e := object{
			"apiVersion": group + "/" + version, "fieldsType": "FieldsV1", "fieldsV1": object{"f:" + what: fieldsOf(of)},
			"manager": manager, "operation": "Update", "time": "2024-05-06T07:08:09Z",
		}
		if subresource != "" {
			e["subresource"] = subresource
		}
		return e
	}
	return object{
		"annotations":       object{"example.com/contact": "render@example.com"},
		"creationTimestamp": "2024-05-06T07:08:09Z",
		"finalizers":        []any{"example.com/operator"},
		"generation":        3,
		"labels":            object{"app.kubernetes.io/name": "rendering", "app.kubernetes.io/part-of": "media"},
		"managedFields":     []any{entry("kubectl-create", "spec", "", spec), entry("operator", "status", "status", status)},
		"name":              name,
		"namespace":         "media",
		"resourceVersion":   "1048576",
		"uid":               "3f6c1d0e-8a53-4a9e-9d0e-0c6a6f6f1a2b",
	}
}

func fieldsOf(value any) object {
	fields := object{}
	if members, ok := value.(object); ok {
		fields["."] = object{}
		for name, member := range members {
			fields["f:"+name] = fieldsOf(member)
		}
	}
	return fields
}

// grow adds one element to each of the lists that are long where pools are large.
func (o pool) grow(i int) {
	properties := o.root["spec"].(object)["properties"].(object)
	task := properties["startTask"].(object)
	add := func(in object, name string, value any) { in[name] = append(in[name].([]any), value) }
	switch i % 4 {
	case 0:
		add(task, "environmentSettings", object{"name": fmt.Sprintf("RENDER_OPTION_%02d", i), "value": strings.Repeat("tile=256,", 4) + "denoise"})
	case 1:
		add(task, "resourceFiles", resourceFile(i))
	case 2:
		add(properties, "metadata", object{"name": fmt.Sprintf("scene-%02d", i), "value": "The Hare's Garden, reel two"})
	case 3:
		add(properties, "applicationPackages", object{"id": fmt.Sprintf("%splugin%02d", applications, i), "version": "1.0.0"})
	}
}
