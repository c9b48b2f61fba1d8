package main

import (
	"fmt"
	"runtime/debug"
	"sort"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	_ "k8s.io/kubernetes/pkg/features"
)

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dependency := range info.Deps {
		if dependency.Path == "k8s.io/kubernetes" {
			return strings.TrimPrefix(dependency.Version, "v")
		}
	}
	return ""
}

func printGates() {
	all := utilfeature.DefaultMutableFeatureGate.GetAll()
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, string(name))
	}
	sort.Strings(names)
	for _, name := range names {
		for gate, spec := range all {
			if string(gate) == name {
				fmt.Printf("%s=%v %s\n", name, utilfeature.DefaultFeatureGate.Enabled(gate), spec.PreRelease)
			}
		}
	}
}
