// Command nodedriver is a DRA driver for the whole GPUs of one node over k8s.io/dynamic-resource-allocation/kubeletplugin,
// the library that drivers in Go are made of. It does what any driver must that survives its own death, and no more: each
// claim is read from the API server, the checkpoint is on disk before and after anything is changed, and each claim has
// a CDI spec. No GPU is needed, since nobody starts its containers. Aliquot's node agent is measured beside it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

func main() {
	var where places
	flag.StringVar(&where.kubeconfig, "kubeconfig", "", "how to reach the API server")
	flag.StringVar(&where.node, "node-name", "", "the node that this is")
	flag.StringVar(&where.kubelet, "kubelet-root", "/var/lib/kubelet", "the kubelet's folder")
	flag.StringVar(&where.cdi, "cdi-folder", "/var/run/cdi", "the folder for CDI specs")
	flag.StringVar(&where.driver, "driver", "gpu.nvidia.com", "the driver's name")
	gpus := flag.Int("gpus", 8, "how many GPUs the node has")
	flag.Parse()
	if where.kubeconfig == "" || where.node == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, where, *gpus); err != nil {
		fmt.Fprintln(os.Stderr, "nodedriver:", err)
		os.Exit(1)
	}
}

type places struct{ kubeconfig, node, kubelet, cdi, driver string }

func run(ctx context.Context, where places, gpus int) error {
	config, err := clientcmd.BuildConfigFromFlags("", where.kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1 // client-go's own limit, 5 requests a second, would be all that is measured
	config.ContentType = "application/json" // what it writes; sandbox.rest knows no protobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	data := filepath.Join(where.kubelet, "plugins", where.driver)
	registry := filepath.Join(where.kubelet, "plugins_registry")
	for _, folder := range []string{data, registry, where.cdi} {
		if err := os.MkdirAll(folder, 0o750); err != nil {
			return err
		}
	}
	claims, err := readCheckpoint(filepath.Join(data, "checkpoint.json"))
	if err != nil {
		return err
	}
	helper, err := kubeletplugin.Start(ctx, newDriver(where, claims),
		kubeletplugin.DriverName(where.driver),
		kubeletplugin.NodeName(where.node),
		kubeletplugin.KubeClient(client),
		kubeletplugin.PluginDataDirectoryPath(data),
		kubeletplugin.RegistrarDirectoryPath(registry),
		kubeletplugin.Serialize(false), // claims side by side; what must not be is locked in the driver
	)
	if err != nil {
		return err
	}
	defer helper.Stop()
	if err := helper.PublishResources(ctx, published(where.node, gpus)); err != nil && ctx.Err() == nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// published is the node's pool: gpu-0, gpu-1 and so on.
func published(node string, gpus int) resourceslice.DriverResources {
	var devices []resourceapi.Device
	for minor := range gpus {
		devices = append(devices, resourceapi.Device{
			Name: fmt.Sprintf("gpu-%d", minor),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"type": {StringValue: new("gpu")},
			},
		})
	}
	pool := resourceslice.Pool{Slices: []resourceslice.Slice{{Devices: devices}}}
	return resourceslice.DriverResources{Pools: map[string]resourceslice.Pool{node: pool}}
}
