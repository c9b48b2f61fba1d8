package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// kubelet stands in for the kubelets of all nodes. A pod bound to a node that is up runs and turns Ready after its start
// time; a pod being deleted is gone after its stop time, at most its grace. Node leases are renewed while a node is up.
// Pods that were there at the start are left as they were, unless the scenario says when they turn Ready.
type kubelet struct {
	client kubernetes.Interface
	timing timing

	mu      sync.Mutex
	pods    map[types.UID]*podState
	down    map[string]bool
	nodes   map[string]bool
	address int
	// resting: KWOK does the work.
	resting bool
	// leaders holds, for each pool of elected pods, the one that leads.
	leaders map[string]types.UID
	// pending counts timers that will still change something: while there are any, nothing has come to rest.
	pending atomic.Int64
}

type podState struct {
	pod      *corev1.Pod
	loaded   bool
	starting bool
	stopping bool
	restarts int32
}

const (
	// electedFlag marks pods of which only the elected one is Ready.
	electedFlag   = "--ha-enable-leader-election"
	leaseSeconds  = 40
	leaseInterval = 10 * time.Second
)

func newKubelet(client kubernetes.Interface, timing timing) *kubelet {
	return &kubelet{client: client, timing: timing, pods: map[types.UID]*podState{}, down: map[string]bool{},
		nodes: map[string]bool{}, leaders: map[string]types.UID{}}
}

// renewLeases makes and renews the leases of all nodes that are up.
func (k *kubelet) renewLeases(ctx context.Context) {
	for {
		k.mu.Lock()
		var up []string
		for node := range k.nodes {
			if !k.down[node] {
				up = append(up, node)
			}
		}
		k.mu.Unlock()
		for _, node := range up {
			k.renewLease(ctx, node)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(leaseInterval):
		}
	}
}

func (k *kubelet) renewLease(ctx context.Context, node string) {
	leases := k.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	seconds, now := int32(leaseSeconds), metav1.NowMicro()
	lease, err := leases.Get(ctx, node, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, _ = leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: node, Namespace: corev1.NamespaceNodeLease},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &node, LeaseDurationSeconds: &seconds, RenewTime: &now}}, metav1.CreateOptions{})
		return
	}
	if err == nil {
		lease.Spec.RenewTime = &now
		_, _ = leases.Update(ctx, lease, metav1.UpdateOptions{})
	}
}

func (k *kubelet) nodeSeen(name string, present bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if present {
		k.nodes[name] = true
	} else {
		delete(k.nodes, name)
	}
}

// podSeen reacts to any change of a pod. loaded: the pod was there before the controllers started.
func (k *kubelet) podSeen(ctx context.Context, pod *corev1.Pod, loaded bool) {
	k.mu.Lock()
	state := k.pods[pod.UID]
	if state == nil {
		state = &podState{loaded: loaded && pod.Spec.NodeName != ""}
		k.pods[pod.UID] = state
		if state.loaded {
			if after, ok := k.timing.PodReady[pod.Namespace+"/"+pod.Name]; ok {
				k.after(ctx, time.Duration(after), func() { k.run(ctx, pod.UID) })
			}
		}
	}
	state.pod = pod
	if elected(pod) && ready(pod) && pod.DeletionTimestamp == nil {
		k.leaders[pool(pod)] = pod.UID
	}
	k.mu.Unlock()
	k.consider(ctx, pod.UID)
}

func (k *kubelet) podGone(ctx context.Context, pod *corev1.Pod) {
	k.mu.Lock()
	delete(k.pods, pod.UID)
	k.mu.Unlock()
}

// consider starts or stops a pod whose node is up.
func (k *kubelet) consider(ctx context.Context, uid types.UID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	state := k.pods[uid]
	if state == nil || k.resting || state.pod.Spec.NodeName == "" || k.down[state.pod.Spec.NodeName] {
		return
	}
	pod := state.pod
	name := pod.Namespace + "/" + pod.Name
	if pod.DeletionTimestamp != nil {
		if !state.stopping {
			state.stopping = true
			wait := k.timing.stop(name)
			if grace := pod.DeletionGracePeriodSeconds; grace != nil {
				wait = min(wait, time.Duration(*grace)*time.Second)
			}
			k.after(ctx, wait, func() { k.remove(ctx, uid) })
			if elected(pod) {
				k.after(ctx, takeoverDelay, func() { k.elect(ctx, pod) })
			}
		}
		return
	}
	if !state.loaded && !state.starting && pod.Status.Phase == corev1.PodPending {
		state.starting = true
		k.after(ctx, k.timing.start(name), func() { k.run(ctx, uid) })
	}
}

// nodeDown stops everything on a node. silent: the kubelet vanishes without a word, as when a machine is lost; else the
// containers stop in sight, as when a machine is shut down.
func (k *kubelet) nodeDown(ctx context.Context, node string, silent bool) {
	k.mu.Lock()
	k.down[node] = true
	var on []types.UID
	for uid, state := range k.pods {
		if state.pod.Spec.NodeName == node {
			on = append(on, uid)
		}
	}
	k.mu.Unlock()
	if silent {
		return
	}
	for _, uid := range on {
		if pod := k.podOf(uid); pod != nil && ready(pod) {
			k.setReady(ctx, pod, false)
		}
	}
}

// nodeUp brings a node back: its lease, its Ready condition, and its pods, each after its start time.
func (k *kubelet) nodeUp(ctx context.Context, node string) {
	k.mu.Lock()
	delete(k.down, node)
	var on []*podState
	for _, state := range k.pods {
		if state.pod.Spec.NodeName == node {
			on = append(on, state)
		}
	}
	k.mu.Unlock()
	k.renewLease(ctx, node)
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","lastHeartbeatTime":%q,"lastTransitionTime":%q}]}}`,
		metav1.Now().UTC().Format(time.RFC3339), metav1.Now().UTC().Format(time.RFC3339))
	_, _ = k.client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	for _, state := range on {
		pod := state.pod
		if pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning {
			state.restarts++
			k.after(ctx, k.timing.start(pod.Namespace+"/"+pod.Name), func() { k.run(ctx, pod.UID) })
		} else {
			k.consider(ctx, pod.UID)
		}
	}
}

// run makes a pod Running, and Ready unless it has to be elected first.
func (k *kubelet) run(ctx context.Context, uid types.UID) {
	pod := k.podOf(uid)
	if pod == nil || pod.DeletionTimestamp != nil || k.isDown(pod.Spec.NodeName) {
		return
	}
	k.setRunning(ctx, pod, !elected(pod) || k.leads(pod))
}

// leads makes a pod the leader of its pool unless another one leads.
func (k *kubelet) leads(pod *corev1.Pod) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	leader := k.pods[k.leaders[pool(pod)]]
	if leader != nil && leader.pod.UID != pod.UID && leader.pod.DeletionTimestamp == nil {
		return false
	}
	k.leaders[pool(pod)] = pod.UID
	return true
}

// elect lets the oldest running standby of the same pool take over when the leader is on its way out.
func (k *kubelet) elect(ctx context.Context, gone *corev1.Pod) {
	if !elected(gone) {
		return
	}
	k.mu.Lock()
	var standbys []*corev1.Pod
	if k.leaders[pool(gone)] == gone.UID {
		for _, state := range k.pods {
			pod := state.pod
			if elected(pod) && pool(pod) == pool(gone) && pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning && !k.down[pod.Spec.NodeName] {
				standbys = append(standbys, pod)
			}
		}
	}
	if len(standbys) == 0 {
		k.mu.Unlock()
		return
	}
	oldest := slices.MinFunc(standbys, func(a, b *corev1.Pod) int {
		if c := a.Status.StartTime.Compare(b.Status.StartTime.Time); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	k.leaders[pool(gone)] = oldest.UID
	k.mu.Unlock()
	k.setReady(ctx, oldest, true)
}

func (k *kubelet) setRunning(ctx context.Context, pod *corev1.Pod, isReady bool) {
	now := metav1.Now()
	k.mu.Lock()
	k.address++
	address := fmt.Sprintf("10.200.%d.%d", k.address/250, k.address%250+1)
	restarts := int32(0)
	if state := k.pods[pod.UID]; state != nil {
		restarts = state.restarts
	}
	k.mu.Unlock()
	if pod.Status.PodIP != "" {
		address = pod.Status.PodIP
	}
	started := true
	status := corev1.PodStatus{Phase: corev1.PodRunning, HostIP: "10.100.0.1", HostIPs: []corev1.HostIP{{IP: "10.100.0.1"}},
		PodIP: address, PodIPs: []corev1.PodIP{{IP: address}}, StartTime: pod.Status.StartTime}
	if status.StartTime == nil {
		status.StartTime = &now
	}
	for _, kind := range []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.PodInitialized} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
	status.Conditions = append(status.Conditions, readyConditions(isReady, now)...)
	for _, container := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{Name: container.Name, Image: container.Image, Ready: isReady,
			Started: &started, RestartCount: restarts, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}})
	}
	k.patchStatus(ctx, pod, status)
}

func (k *kubelet) setReady(ctx context.Context, pod *corev1.Pod, isReady bool) {
	now := metav1.Now()
	status := corev1.PodStatus{Conditions: readyConditions(isReady, now)}
	for _, container := range pod.Status.ContainerStatuses {
		container.Ready = isReady
		status.ContainerStatuses = append(status.ContainerStatuses, container)
	}
	k.patchStatus(ctx, pod, status)
}

func readyConditions(isReady bool, now metav1.Time) []corev1.PodCondition {
	condition := corev1.PodCondition{Type: corev1.ContainersReady, Status: corev1.ConditionTrue, LastTransitionTime: now}
	if !isReady {
		condition.Status, condition.Reason = corev1.ConditionFalse, "ContainersNotReady"
	}
	podReady := condition
	podReady.Type = corev1.PodReady
	return []corev1.PodCondition{condition, podReady}
}

// remove does what a kubelet does last: a terminal phase, then the final delete.
func (k *kubelet) remove(ctx context.Context, uid types.UID) {
	pod := k.podOf(uid)
	if pod == nil || k.isDown(pod.Spec.NodeName) {
		if pod != nil {
			k.mu.Lock()
			k.pods[uid].stopping = false
			k.mu.Unlock()
		}
		return
	}
	if pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodPending {
		status := corev1.PodStatus{Phase: corev1.PodFailed, Conditions: readyConditions(false, metav1.Now())}
		for i := range status.Conditions {
			status.Conditions[i].Reason = "PodFailed"
		}
		k.patchStatus(ctx, pod, status)
	}
	zero := int64(0)
	_ = k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &zero, Preconditions: &metav1.Preconditions{UID: &uid}})
}

func (k *kubelet) patchStatus(ctx context.Context, pod *corev1.Pod, status corev1.PodStatus) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": status})
	if err == nil {
		_, _ = k.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	}
}

// after runs work later and counts as pending until the work is done.
func (k *kubelet) after(ctx context.Context, wait time.Duration, work func()) {
	k.pending.Add(1)
	go func() {
		defer k.pending.Add(-1)
		select {
		case <-ctx.Done():
		case <-time.After(wait):
			work()
		}
	}()
}

func (k *kubelet) podOf(uid types.UID) *corev1.Pod {
	k.mu.Lock()
	defer k.mu.Unlock()
	if state := k.pods[uid]; state != nil {
		return state.pod
	}
	return nil
}

func (k *kubelet) isDown(node string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.down[node]
}

func elected(pod *corev1.Pod) bool {
	for _, container := range pod.Spec.Containers {
		if slices.Contains(container.Args, electedFlag) || slices.Contains(container.Args, electedFlag+"=true") {
			return true
		}
	}
	return false
}

// pool names the pods among which one is elected: those that carry the same app label in one namespace.
func pool(pod *corev1.Pod) string {
	return pod.Namespace + "/" + pod.Labels["app"] + "/" + pod.Labels["app.kubernetes.io/name"]
}

func ready(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
