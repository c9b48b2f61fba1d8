//go:build k137

package main

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func init() {
	kinds["DeviceTaintRule"] = kind{func() runtime.Object { return &resourcev1.DeviceTaintRule{} }, nil}
}
