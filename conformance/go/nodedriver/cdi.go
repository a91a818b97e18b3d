package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	cdi "tags.cncf.io/container-device-interface/specs-go"
)

const (
	kind    = "k8s.gpu.nvidia.com/claim"
	minimum = "0.5.0" // the lowest version of the specification that knows all that is used here
)

func cdiName(uid types.UID, device string) string { return fmt.Sprintf("%s=%s-%s", kind, uid, device) }

func specPath(folder string, uid types.UID) string {
	return filepath.Join(folder, fmt.Sprintf("%s_%s.json", strings.ReplaceAll(kind, "/", "-"), uid))
}

// writeSpec writes what a claim's containers get: the devices' nodes, and those that all of them share.
func writeSpec(folder string, uid types.UID, devices []device) error {
	spec := cdi.Spec{
		Version: minimum,
		Kind:    kind,
		ContainerEdits: cdi.ContainerEdits{
			Env:         []string{"NVIDIA_VISIBLE_DEVICES=void"},
			DeviceNodes: []*cdi.DeviceNode{{Path: "/dev/nvidiactl"}, {Path: "/dev/nvidia-uvm"}, {Path: "/dev/nvidia-uvm-tools"}},
		},
	}
	for _, device := range devices {
		node := "/dev/nvidia" + strings.TrimPrefix(device.Device, "gpu-")
		spec.Devices = append(spec.Devices, cdi.Device{
			Name:           fmt.Sprintf("%s-%s", uid, device.Device),
			ContainerEdits: cdi.ContainerEdits{DeviceNodes: []*cdi.DeviceNode{{Path: node}}},
		})
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return replace(specPath(folder, uid), text, false)
}
