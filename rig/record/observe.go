package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// fields are what an event says beside its time, step and type. Written in alphabetical order.
type fields map[string]any

// event is one line of the trace. Events of the plane carry the revision of the store, which orders them exactly,
// whatever watch brought them; events of the recorder (tries, steps) are placed by the time they began.
type event struct {
	at       time.Time
	revision uint64
	kind     string
	fields   fields
}

// observer watches the plane and keeps every change that a trace shows.
type observer struct {
	kubelet *kubelet

	mu      sync.Mutex
	started bool
	events  []event
	notable time.Time
	said    map[string]string

	pods        map[types.UID]*corev1.Pod
	nodes       map[string]*corev1.Node
	services    map[string]*corev1.Service
	slices      map[string]*discoveryv1.EndpointSlice
	budgets     map[string]*policyv1.PodDisruptionBudget
	deployments map[string]*appsv1.Deployment
	sets        map[string]*appsv1.ReplicaSet
	stateful    map[string]*appsv1.StatefulSet
	daemons     map[string]*appsv1.DaemonSet
	controllers map[string]*corev1.ReplicationController
	jobs        map[string]*batchv1.Job
	endpoints   map[string]counts
	names       *namer
}

func newObserver(kubelet *kubelet) *observer {
	return &observer{kubelet: kubelet, said: map[string]string{}, pods: map[types.UID]*corev1.Pod{}, nodes: map[string]*corev1.Node{},
		services: map[string]*corev1.Service{}, slices: map[string]*discoveryv1.EndpointSlice{}, budgets: map[string]*policyv1.PodDisruptionBudget{},
		deployments: map[string]*appsv1.Deployment{}, sets: map[string]*appsv1.ReplicaSet{}, stateful: map[string]*appsv1.StatefulSet{},
		daemons: map[string]*appsv1.DaemonSet{}, controllers: map[string]*corev1.ReplicationController{}, jobs: map[string]*batchv1.Job{},
		endpoints: map[string]counts{}, names: newNamer()}
}

// watch starts an informer for every kind a trace speaks of, and returns when all have the state loaded so far.
func (o *observer) watch(ctx context.Context, client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	var synced []cache.InformerSynced
	add := func(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) error {
		registration, err := informer.AddEventHandler(handler)
		if err == nil {
			synced = append(synced, registration.HasSynced)
		}
		return err
	}
	errs := []error{
		add(factory.Core().V1().Nodes().Informer(), on(o.node, o.nodeGone)),
		add(factory.Core().V1().Services().Informer(), on(o.service, func(last *corev1.Service) { forget(o, o.services, last.Namespace+"/"+last.Name) })),
		add(factory.Apps().V1().Deployments().Informer(), on(o.deployment, func(last *appsv1.Deployment) { forget(o, o.deployments, last.Namespace+"/"+last.Name) })),
		add(factory.Apps().V1().ReplicaSets().Informer(), on(o.replicaSet, func(last *appsv1.ReplicaSet) { forget(o, o.sets, last.Namespace+"/"+last.Name) })),
		add(factory.Apps().V1().StatefulSets().Informer(), on(o.statefulSet, func(last *appsv1.StatefulSet) { forget(o, o.stateful, last.Namespace+"/"+last.Name) })),
		add(factory.Apps().V1().DaemonSets().Informer(), on(o.daemonSet, func(last *appsv1.DaemonSet) { forget(o, o.daemons, last.Namespace+"/"+last.Name) })),
		add(factory.Core().V1().ReplicationControllers().Informer(), on(o.replicationController, func(last *corev1.ReplicationController) { forget(o, o.controllers, last.Namespace+"/"+last.Name) })),
		add(factory.Batch().V1().Jobs().Informer(), on(o.job, nil)),
		add(factory.Autoscaling().V2().HorizontalPodAutoscalers().Informer(), on(o.autoscaler, nil)),
		add(factory.Policy().V1().PodDisruptionBudgets().Informer(), on(o.budget, func(last *policyv1.PodDisruptionBudget) { forget(o, o.budgets, last.Namespace+"/"+last.Name) })),
		add(factory.Discovery().V1().EndpointSlices().Informer(), on(o.slice, o.sliceGone)),
		add(factory.Core().V1().PersistentVolumeClaims().Informer(), on(o.volumeClaim, nil)),
		add(factory.Resource().V1().ResourceClaims().Informer(), on(o.deviceClaim, o.deviceClaimGone)),
		add(factory.Core().V1().Events().Informer(), on(o.told, nil)),
		add(factory.Core().V1().Pods().Informer(), on(func(old, pod *corev1.Pod) { o.pod(ctx, old, pod) }, func(pod *corev1.Pod) { o.podGone(ctx, pod) })),
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return fmt.Errorf("the watches did not start")
	}
	return nil
}

// forget drops what no longer exists, so that the picture of the end does not show it.
func forget[T any](o *observer, known map[string]T, name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(known, name)
}

// on adapts two typed functions to the informer's three untyped ones. old is nil for a new object.
func on[T any](changed func(old, now *T), gone func(last *T)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(now any) { changed(nil, now.(*T)) },
		UpdateFunc: func(old, now any) { changed(old.(*T), now.(*T)) },
		DeleteFunc: func(last any) {
			if unknown, ok := last.(cache.DeletedFinalStateUnknown); ok {
				last = unknown.Obj
			}
			if typed, ok := last.(*T); ok && gone != nil {
				gone(typed)
			}
		},
	}
}

// begin marks the loaded state as the start; whatever comes later is an event.
func (o *observer) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.started = true
	o.notable = time.Now()
}

// emit keeps an event. Called with the lock held.
func (o *observer) emit(meta metav1.Object, kind string, with fields) {
	if !o.started {
		return
	}
	revision, _ := strconv.ParseUint(meta.GetResourceVersion(), 10, 64)
	o.events = append(o.events, event{at: time.Now(), revision: revision, kind: kind, fields: with})
	o.notable = time.Now()
}

// say keeps an event of the recorder's own. A repetition of what was last said of the subject is kept, but is no news.
func (o *observer) say(at time.Time, subject, kind string, with fields) {
	text, _ := json.Marshal(with)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events = append(o.events, event{at: at, kind: kind, fields: with})
	if o.said[subject+kind] != string(text) {
		o.said[subject+kind] = string(text)
		o.notable = time.Now()
	}
}

// stir says that something is about to happen.
func (o *observer) stir() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notable = time.Now()
}

// rested says whether nothing happened for a while and nothing is under way.
func (o *observer) rested(quiet time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kubelet.pending.Load() == 0 && time.Since(o.notable) >= quiet
}

func (o *observer) pod(ctx context.Context, old, pod *corev1.Pod) {
	o.mu.Lock()
	o.pods[pod.UID] = pod
	name := pod.Namespace + "/" + pod.Name
	loaded := !o.started
	if old == nil && o.started {
		o.names.meet(pod)
		with := fields{"pod": name}
		if owner := metav1.GetControllerOf(pod); owner != nil {
			with["owner"] = owner.Kind + " " + pod.Namespace + "/" + owner.Name
		}
		o.emit(pod, "pod-created", with)
	}
	if old == nil {
		old = &corev1.Pod{}
		if loaded {
			old = pod
		}
	}
	if old.Spec.NodeName == "" && pod.Spec.NodeName != "" {
		o.emit(pod, "pod-bound", fields{"pod": name, "node": pod.Spec.NodeName})
	}
	if old.Status.NominatedNodeName != pod.Status.NominatedNodeName && pod.Status.NominatedNodeName != "" && pod.Spec.NodeName == "" {
		o.emit(pod, "pod-nominated", fields{"pod": name, "node": pod.Status.NominatedNodeName})
	}
	before, now := podCondition(old, corev1.PodScheduled), podCondition(pod, corev1.PodScheduled)
	if now.Status == corev1.ConditionFalse && (before.Message != now.Message || before.Reason != now.Reason) {
		o.emit(pod, "pod-unschedulable", fields{"pod": name, "reason": now.Reason, "message": now.Message})
	}
	if old.DeletionTimestamp == nil && pod.DeletionTimestamp != nil {
		o.emit(pod, "pod-deleted", o.deletion(pod, name))
	}
	if pod.DeletionTimestamp == nil {
		if ready(old) != ready(pod) {
			kind := map[bool]string{true: "pod-ready", false: "pod-unready"}[ready(pod)]
			with := fields{"pod": name}
			if !ready(pod) {
				with["reason"] = podCondition(pod, corev1.PodReady).Reason
			}
			o.emit(pod, kind, with)
		}
		if old.Status.Phase != pod.Status.Phase && (pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded) {
			o.emit(pod, "pod-finished", fields{"pod": name, "phase": pod.Status.Phase, "reason": pod.Status.Reason})
		}
	}
	o.mu.Unlock()
	o.kubelet.podSeen(ctx, pod, loaded)
}

func (o *observer) podGone(ctx context.Context, pod *corev1.Pod) {
	o.mu.Lock()
	name := pod.Namespace + "/" + pod.Name
	if known := o.pods[pod.UID]; known != nil && known.DeletionTimestamp == nil {
		o.emit(pod, "pod-deleted", o.deletion(pod, name))
	}
	delete(o.pods, pod.UID)
	o.emit(pod, "pod-gone", fields{"pod": name})
	o.mu.Unlock()
	o.kubelet.podGone(ctx, pod)
}

func (o *observer) deletion(pod *corev1.Pod, name string) fields {
	with := fields{"pod": name}
	if target := podCondition(pod, corev1.DisruptionTarget); target.Status == corev1.ConditionTrue {
		with["reason"] = target.Reason
	}
	if pod.DeletionGracePeriodSeconds != nil {
		with["graceSeconds"] = *pod.DeletionGracePeriodSeconds
	}
	return with
}

func (o *observer) node(old, node *corev1.Node) {
	o.kubelet.nodeSeen(node.Name, true)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.nodes[node.Name] = node
	if old == nil {
		o.emit(node, "node-added", fields{"node": node.Name})
		return
	}
	if old.Spec.Unschedulable != node.Spec.Unschedulable {
		o.emit(node, map[bool]string{true: "node-cordoned", false: "node-uncordoned"}[node.Spec.Unschedulable], fields{"node": node.Name})
	}
	added, removed := taintChange(old.Spec.Taints, node.Spec.Taints), taintChange(node.Spec.Taints, old.Spec.Taints)
	if len(added)+len(removed) > 0 {
		o.emit(node, "node-tainted", fields{"node": node.Name, "added": added, "removed": removed})
	}
	before, now := nodeReady(old), nodeReady(node)
	if before != now {
		o.emit(node, "node-ready", fields{"node": node.Name, "status": now})
	}
}

func (o *observer) nodeGone(node *corev1.Node) {
	o.kubelet.nodeSeen(node.Name, false)
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.nodes, node.Name)
	o.emit(node, "node-removed", fields{"node": node.Name})
}

func (o *observer) service(_, service *corev1.Service) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(service.Spec.Selector) > 0 {
		name := service.Namespace + "/" + service.Name
		o.services[name] = service
		for _, slice := range o.slices {
			if slice.Namespace+"/"+slice.Labels[discoveryv1.LabelServiceName] == name {
				o.endpoints[name] = o.countEndpoints(name)
			}
		}
	}
}

// counts are the endpoints of a Service by what they can do.
type counts struct{ ready, serving, terminating int }

func (o *observer) slice(_, slice *discoveryv1.EndpointSlice) { o.sliceChanged(slice, true) }

func (o *observer) sliceGone(slice *discoveryv1.EndpointSlice) { o.sliceChanged(slice, false) }

func (o *observer) sliceChanged(slice *discoveryv1.EndpointSlice, present bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := slice.Namespace + "/" + slice.Name
	if present {
		o.slices[key] = slice
	} else {
		delete(o.slices, key)
	}
	service := slice.Namespace + "/" + slice.Labels[discoveryv1.LabelServiceName]
	if o.services[service] == nil {
		return
	}
	now := o.countEndpoints(service)
	if before, ok := o.endpoints[service]; !ok || before != now {
		o.endpoints[service] = now
		o.emit(slice, "endpoints", fields{"service": service, "ready": now.ready, "serving": now.serving, "terminating": now.terminating})
	}
}

func (o *observer) countEndpoints(service string) counts {
	var total counts
	seen := map[string]bool{}
	for _, slice := range o.slices {
		if slice.Namespace+"/"+slice.Labels[discoveryv1.LabelServiceName] != service {
			continue
		}
		for _, endpoint := range slice.Endpoints {
			if endpoint.TargetRef != nil {
				if seen[string(endpoint.TargetRef.UID)] {
					continue
				}
				seen[string(endpoint.TargetRef.UID)] = true
			}
			total.ready += count(endpoint.Conditions.Ready)
			total.serving += count(endpoint.Conditions.Serving)
			total.terminating += count(endpoint.Conditions.Terminating)
		}
	}
	return total
}

func (o *observer) budget(old, budget *policyv1.PodDisruptionBudget) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name := budget.Namespace + "/" + budget.Name
	o.budgets[name] = budget
	now := budgetStatus(budget)
	if old != nil && sameFields(budgetStatus(old), now) {
		return
	}
	with := fields{"budget": name}
	for key, value := range now {
		with[key] = value
	}
	o.emit(budget, "budget", with)
}

// budgetStatus leaves the list of disrupted pods out: it changes with every eviction and says nothing more.
func budgetStatus(budget *policyv1.PodDisruptionBudget) fields {
	with := fields{"expected": budget.Status.ExpectedPods, "desired": budget.Status.DesiredHealthy, "healthy": budget.Status.CurrentHealthy,
		"allowed": budget.Status.DisruptionsAllowed, "observed": budget.Status.ObservedGeneration >= budget.Generation}
	for _, condition := range budget.Status.Conditions {
		if condition.Type == policyv1.DisruptionAllowedCondition {
			with["reason"] = condition.Reason
			if condition.Message != "" {
				with["message"] = condition.Message
			}
		}
	}
	return with
}

func (o *observer) deployment(old, deployment *appsv1.Deployment) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name := deployment.Namespace + "/" + deployment.Name
	o.deployments[name] = deployment
	if old == nil {
		old = &appsv1.Deployment{}
	} else {
		o.scaled(deployment, "Deployment", name, old.Spec.Replicas, deployment.Spec.Replicas)
	}
	for _, now := range deployment.Status.Conditions {
		before := appsv1.DeploymentCondition{}
		for _, condition := range old.Status.Conditions {
			if condition.Type == now.Type {
				before = condition
			}
		}
		if before.Status != now.Status || before.Reason != now.Reason {
			o.emit(deployment, "deployment-condition", fields{"deployment": name, "condition": now.Type, "status": now.Status, "reason": now.Reason})
		}
	}
}

func (o *observer) replicaSet(old, set *appsv1.ReplicaSet) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sets[set.Namespace+"/"+set.Name] = set
	name := set.Namespace + "/" + set.Name
	if old == nil && o.started {
		o.names.meet(set)
		o.emit(set, "replicaset-created", fields{"set": name, "replicas": *set.Spec.Replicas})
	}
	if old == nil {
		return
	}
	o.scaled(set, "ReplicaSet", name, old.Spec.Replicas, set.Spec.Replicas)
}

func (o *observer) statefulSet(old, set *appsv1.StatefulSet) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name := set.Namespace + "/" + set.Name
	o.stateful[name] = set
	if old != nil {
		o.scaled(set, "StatefulSet", name, old.Spec.Replicas, set.Spec.Replicas)
	}
}

func (o *observer) daemonSet(_, set *appsv1.DaemonSet) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.daemons[set.Namespace+"/"+set.Name] = set
}

func (o *observer) replicationController(old, controller *corev1.ReplicationController) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name := controller.Namespace + "/" + controller.Name
	o.controllers[name] = controller
	if old != nil {
		o.scaled(controller, "ReplicationController", name, old.Spec.Replicas, controller.Spec.Replicas)
	}
}

func (o *observer) scaled(object metav1.Object, kind, name string, before, now *int32) {
	if before != nil && now != nil && *before != *now {
		o.emit(object, "scaled", fields{"ref": kind + " " + name, "from": *before, "to": *now})
	}
}

func (o *observer) job(old, job *batchv1.Job) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name := job.Namespace + "/" + job.Name
	o.jobs[name] = job
	if old == nil {
		old = &batchv1.Job{}
	}
	if old.Status.Failed != job.Status.Failed || old.Status.Succeeded != job.Status.Succeeded {
		o.emit(job, "job-counted", fields{"job": name, "failed": job.Status.Failed, "succeeded": job.Status.Succeeded})
	}
	for _, now := range job.Status.Conditions {
		known := slices.ContainsFunc(old.Status.Conditions, func(before batchv1.JobCondition) bool {
			return before.Type == now.Type && before.Status == now.Status
		})
		if !known {
			o.emit(job, "job-condition", fields{"job": name, "condition": now.Type, "status": now.Status, "reason": now.Reason, "message": now.Message})
		}
	}
}

func (o *observer) autoscaler(old, scaler *autoscalingv2.HorizontalPodAutoscaler) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if old == nil {
		old = &autoscalingv2.HorizontalPodAutoscaler{}
	}
	for _, now := range scaler.Status.Conditions {
		known := slices.ContainsFunc(old.Status.Conditions, func(before autoscalingv2.HorizontalPodAutoscalerCondition) bool {
			return before.Type == now.Type && before.Status == now.Status && before.Reason == now.Reason
		})
		if !known {
			o.emit(scaler, "autoscaler-condition", fields{"autoscaler": scaler.Namespace + "/" + scaler.Name, "condition": now.Type, "status": now.Status, "reason": now.Reason})
		}
	}
}

func (o *observer) volumeClaim(old, claim *corev1.PersistentVolumeClaim) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if old == nil {
		old = &corev1.PersistentVolumeClaim{}
	}
	if old.Status.Phase != claim.Status.Phase {
		o.emit(claim, "volume-claim", fields{"claim": claim.Namespace + "/" + claim.Name, "phase": claim.Status.Phase, "volume": claim.Spec.VolumeName})
	}
}

func (o *observer) deviceClaim(old, claim *resourcev1.ResourceClaim) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name := claim.Namespace + "/" + claim.Name
	if old == nil && o.started {
		o.names.meet(claim)
		o.emit(claim, "device-claim", fields{"claim": name, "state": "created"})
	}
	if old == nil {
		old = &resourcev1.ResourceClaim{}
	}
	before, now := allocation(old), allocation(claim)
	if before != now {
		state := "allocated"
		if now == "" {
			state = "released"
		}
		o.emit(claim, "device-claim", fields{"claim": name, "state": state, "devices": now})
	}
}

func (o *observer) deviceClaimGone(claim *resourcev1.ResourceClaim) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.emit(claim, "device-claim", fields{"claim": claim.Namespace + "/" + claim.Name, "state": "gone"})
}

// tellingEvents are the reasons under which the plane says what no object shows.
var tellingEvents = map[string]bool{"FailedCreate": true, "SuccessfulRescale": true, "CalculateExpectedPodCountFailed": true, "NoPods": true,
	"UnmanagedPods": true, "MultiplePodDisruptionBudgets": true, "NotDeleted": true, "FailedDaemonPod": true,
	"BackoffLimitExceeded": true, "TaintManagerEviction": true, "DeletingNode": true, "ProvisioningFailed": true, "WaitForFirstConsumer": true}

func (o *observer) told(old, said *corev1.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !tellingEvents[said.Reason] {
		return
	}
	object := said.InvolvedObject
	name := strings.TrimPrefix(object.Namespace+"/"+object.Name, "/")
	with := fields{"object": object.Kind + " " + name, "reason": said.Reason, "message": withoutSuffix(said.Message, object.Name)}
	kind := "told"
	if said.Reason == "FailedCreate" {
		kind = "pod-rejected"
	}
	// Controllers say the same again at every try; once is enough.
	text, _ := json.Marshal(with)
	if o.said[name+kind] != string(text) {
		o.said[name+kind] = string(text)
		o.emit(said, kind, with)
	}
}

// withoutSuffix hides the random end of the name of a pod that was never made.
func withoutSuffix(message, owner string) string {
	return regexp.MustCompile(`("`+regexp.QuoteMeta(owner)+`-)[a-z0-9]{5}"`).ReplaceAllString(message, `$1<suffix>"`)
}

func allocation(claim *resourcev1.ResourceClaim) string {
	if claim.Status.Allocation == nil {
		return ""
	}
	var devices []string
	for _, result := range claim.Status.Allocation.Devices.Results {
		devices = append(devices, result.Driver+"/"+result.Pool+"/"+result.Device)
	}
	sort.Strings(devices)
	return strings.Join(devices, ", ")
}

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) corev1.PodCondition {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == kind {
			return condition
		}
	}
	return corev1.PodCondition{}
}

func nodeReady(node *corev1.Node) corev1.ConditionStatus {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status
		}
	}
	return corev1.ConditionUnknown
}

// taintChange lists the taints of now that before lacks, as kubectl writes them.
func taintChange(before, now []corev1.Taint) []string {
	change := []string{}
	for _, taint := range now {
		known := slices.ContainsFunc(before, func(other corev1.Taint) bool {
			return other.Key == taint.Key && other.Value == taint.Value && other.Effect == taint.Effect
		})
		if !known {
			change = append(change, writeTaint(taint))
		}
	}
	sort.Strings(change)
	return change
}

func writeTaint(taint corev1.Taint) string {
	if taint.Value == "" {
		return fmt.Sprintf("%s:%s", taint.Key, taint.Effect)
	}
	return fmt.Sprintf("%s=%s:%s", taint.Key, taint.Value, taint.Effect)
}

func count(condition *bool) int {
	if condition != nil && *condition {
		return 1
	}
	return 0
}

func sameFields(a, b fields) bool {
	left, _ := json.Marshal(a)
	right, _ := json.Marshal(b)
	return string(left) == string(right)
}
