package main

import (
	"encoding/json"
	"fmt"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	resourcev1defaults "k8s.io/kubernetes/pkg/apis/resource/v1"
	storagev1defaults "k8s.io/kubernetes/pkg/apis/storage/v1"
)

type kind struct {
	empty func() runtime.Object
	// What the API server fills in when the object is created. Nil: nothing.
	defaults func(runtime.Object)
}

// kinds says how each kind is read.
var kinds = map[string]kind{
	"Namespace": {func() runtime.Object { return &corev1.Namespace{} }, func(o runtime.Object) {
		corev1defaults.SetObjectDefaults_Namespace(o.(*corev1.Namespace))
	}},
	"Node": {func() runtime.Object { return &corev1.Node{} }, func(o runtime.Object) {
		corev1defaults.SetObjectDefaults_Node(o.(*corev1.Node))
	}},
	"Pod": {func() runtime.Object { return &corev1.Pod{} }, func(o runtime.Object) {
		corev1defaults.SetObjectDefaults_Pod(o.(*corev1.Pod))
	}},
	"Service": {func() runtime.Object { return &corev1.Service{} }, func(o runtime.Object) {
		corev1defaults.SetObjectDefaults_Service(o.(*corev1.Service))
	}},
	"ReplicationController": {func() runtime.Object { return &corev1.ReplicationController{} }, func(o runtime.Object) {
		corev1defaults.SetObjectDefaults_ReplicationController(o.(*corev1.ReplicationController))
	}},
	"PersistentVolume": {func() runtime.Object { return &corev1.PersistentVolume{} }, func(o runtime.Object) {
		corev1defaults.SetObjectDefaults_PersistentVolume(o.(*corev1.PersistentVolume))
	}},
	"PersistentVolumeClaim": {func() runtime.Object { return &corev1.PersistentVolumeClaim{} }, func(o runtime.Object) {
		corev1defaults.SetObjectDefaults_PersistentVolumeClaim(o.(*corev1.PersistentVolumeClaim))
	}},
	"ReplicaSet":  {func() runtime.Object { return &appsv1.ReplicaSet{} }, nil},
	"StatefulSet": {func() runtime.Object { return &appsv1.StatefulSet{} }, nil},
	"StorageClass": {func() runtime.Object { return &storagev1.StorageClass{} }, func(o runtime.Object) {
		storagev1defaults.SetObjectDefaults_StorageClass(o.(*storagev1.StorageClass))
	}},
	"CSIDriver": {func() runtime.Object { return &storagev1.CSIDriver{} }, func(o runtime.Object) {
		storagev1defaults.SetObjectDefaults_CSIDriver(o.(*storagev1.CSIDriver))
	}},
	"CSINode":            {func() runtime.Object { return &storagev1.CSINode{} }, nil},
	"CSIStorageCapacity": {func() runtime.Object { return &storagev1.CSIStorageCapacity{} }, nil},
	"VolumeAttachment":   {func() runtime.Object { return &storagev1.VolumeAttachment{} }, nil},
	"ResourceSlice": {func() runtime.Object { return &resourcev1.ResourceSlice{} }, func(o runtime.Object) {
		resourcev1defaults.SetObjectDefaults_ResourceSlice(o.(*resourcev1.ResourceSlice))
	}},
	"ResourceClaim": {func() runtime.Object { return &resourcev1.ResourceClaim{} }, func(o runtime.Object) {
		resourcev1defaults.SetObjectDefaults_ResourceClaim(o.(*resourcev1.ResourceClaim))
	}},
	"ResourceClaimTemplate": {func() runtime.Object { return &resourcev1.ResourceClaimTemplate{} }, func(o runtime.Object) {
		resourcev1defaults.SetObjectDefaults_ResourceClaimTemplate(o.(*resourcev1.ResourceClaimTemplate))
	}},
	"DeviceClass":         {func() runtime.Object { return &resourcev1.DeviceClass{} }, nil},
	"PodDisruptionBudget": {func() runtime.Object { return &policyv1.PodDisruptionBudget{} }, nil},
	"PriorityClass":       {func() runtime.Object { return &schedulingv1.PriorityClass{} }, nil},
}

// decodeAll reads the objects, fills in what the API server would, and sorts them as the API server lists them.
func decodeAll(raw []json.RawMessage) ([]runtime.Object, error) {
	objects := make([]runtime.Object, 0, len(raw))
	for i, text := range raw {
		var head metav1.TypeMeta
		if err := json.Unmarshal(text, &head); err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		kind, known := kinds[head.Kind]
		if !known {
			return nil, fmt.Errorf("object %d: kind %q is not one the scheduler reads", i, head.Kind)
		}
		object, err := decode(kind, head.Kind, text)
		if err != nil {
			return nil, fmt.Errorf("object %d (%s): %w", i, head.Kind, err)
		}
		objects = append(objects, object)
	}
	sortAsListed(objects)
	return objects, nil
}

func decode(kind kind, name string, text []byte) (runtime.Object, error) {
	object := kind.empty()
	if err := json.Unmarshal(text, object); err != nil {
		return nil, err
	}
	if kind.defaults != nil {
		kind.defaults(object)
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	if accessor.GetUID() == "" {
		accessor.SetUID(types.UID(name + "/" + accessor.GetNamespace() + "/" + accessor.GetName()))
	}
	if accessor.GetResourceVersion() == "" {
		accessor.SetResourceVersion("1")
	}
	return object, nil
}

func sortAsListed(objects []runtime.Object) {
	sort.SliceStable(objects, func(i, j int) bool { return keyOf(objects[i]) < keyOf(objects[j]) })
}

func keyOf(object runtime.Object) string {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	if accessor.GetNamespace() == "" {
		return accessor.GetName()
	}
	return accessor.GetNamespace() + "/" + accessor.GetName()
}
