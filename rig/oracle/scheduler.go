//go:build !k134

package main

import (
	"reflect"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// recorders writes events down nowhere.
var recorders profile.RecorderFactory = func(string) events.EventRecorderLogger { return &events.FakeRecorder{} }

func (d *desk) schedulePod(state fwk.CycleState, pod *corev1.Pod) (scheduler.ScheduleResult, error) {
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return scheduler.ScheduleResult{}, err
	}
	return d.scheduler.SchedulePod(d.ctx, d.framework, state, &framework.QueuedPodInfo{PodInfo: info})
}

// postFilter returns the nominated node, if any, and the text that follows the reasons.
func (d *desk) postFilter(state fwk.CycleState, pod *corev1.Pod, unfit *framework.FitError) (string, string) {
	result, status := d.framework.RunPostFilterPlugins(d.ctx, state, pod, unfit.Diagnosis.NodeToStatus)
	nominated := ""
	if result != nil && result.NominatingInfo != nil {
		nominated = result.NominatedNodeName
	}
	return nominated, status.Message()
}

func (d *desk) scorePlugins() []fwk.ScorePlugin {
	field := reflect.ValueOf(d.framework).Elem().FieldByName("scorePlugins")
	return *(*[]fwk.ScorePlugin)(unsafe.Pointer(field.UnsafeAddr()))
}
