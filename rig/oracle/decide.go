package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"reflect"
	"sort"
	"syscall"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	plfeature "k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// Decision is everything the scheduler finds out about one pod.
type Decision struct {
	Pod string `json:"pod"`
	// Present when the pod may not even enter the queue; nothing else is decided then.
	PreEnqueue *Verdict `json:"preEnqueue,omitempty"`
	PreFilter  Verdict  `json:"preFilter"`
	// The nodes PreFilter left to look at. Null: all of them.
	Restricted []string `json:"restricted"`
	// The filters that had something to check for this pod, in order.
	Filters []string `json:"filters,omitempty"`
	// The verdict on every node PreFilter left, as if there were no sampling, in the order of Response.Order.
	Nodes []NodeVerdict `json:"nodes,omitempty"`
	// Where in the order the search began, how many nodes were looked at before enough were found.
	Start     int `json:"start"`
	Evaluated int `json:"evaluated"`
	// The nodes that were found and scored, in the order in which they were found.
	Feasible []string      `json:"feasible,omitempty"`
	Scores   []PluginScore `json:"scores,omitempty"`
	Totals   []int64       `json:"totals,omitempty"`
	// The nodes with the highest total, by name. The scheduler draws one of them.
	Top []string `json:"top,omitempty"`
	// The text of the PodScheduled condition when no node was found.
	Message    string      `json:"message,omitempty"`
	Preemption *Preemption `json:"preemption,omitempty"`
	// An internal error of the scheduler: it retries, the pod is not said to be unschedulable.
	Error string `json:"error,omitempty"`
}

// Verdict is the outcome of one step.
type Verdict struct {
	Code    string   `json:"code"`
	Plugin  string   `json:"plugin,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
}

// NodeVerdict is the outcome of all filters on one node.
type NodeVerdict struct {
	Node string `json:"node"`
	Verdict
}

// PluginScore holds one number a feasible node, in the order of Decision.Feasible. Raw is before normalizing, Score after it;
// the weight is what the profile multiplies Score with.
type PluginScore struct {
	Plugin string  `json:"plugin"`
	Weight int64   `json:"weight"`
	Raw    []int64 `json:"raw"`
	Score  []int64 `json:"score"`
}

// Preemption says whom the pod would displace.
type Preemption struct {
	// Nodes on which displacing helps, by name.
	Candidates []Candidate `json:"candidates"`
	// The candidates that are equally good, by name. The scheduler takes one of them.
	Nodes []string `json:"nodes"`
}

// Candidate is a node on which displacing pods makes room.
type Candidate struct {
	Node       string   `json:"node"`
	Victims    []string `json:"victims"`
	Violations int64    `json:"violations"`
}

// desk is one scheduler over one cluster.
type desk struct {
	ctx       context.Context
	cancel    context.CancelFunc
	scheduler *scheduler.Scheduler
	framework framework.Framework
	snapshot  *internalcache.Snapshot
	factory   *staticFactory
	pods      map[string]*corev1.Pod
	// True once a decision has left something behind that the next must not see.
	spent bool
}

// newDesk keeps the objects and may change them. The pods named are still to be decided, even when they say where they are.
func newDesk(objects []runtime.Object, pods []string, options Options) (*desk, error) {
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), klog.Background()))
	client := fake.NewSimpleClientset()
	// Whatever is written is taken as done and read by nobody.
	client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		switch write := action.(type) {
		case clienttesting.UpdateAction:
			return true, write.GetObject(), nil
		case clienttesting.CreateAction:
			return true, write.GetObject(), nil
		default:
			return true, nil, nil
		}
	})
	factory := newStaticFactory(client, objects, pods, options.Unsorted)
	sched, err := scheduler.New(ctx, client, factory, nil,
		recorders,
		scheduler.WithParallelism(1),
		scheduler.WithPercentageOfNodesToScore(&options.PercentageOfNodesToScore))
	// Each scheduler asks for a signal to dump its cache on; nobody sends it here, and thousands of receivers would pile up.
	signal.Reset(syscall.SIGUSR2)
	if err != nil {
		cancel()
		return nil, err
	}
	profile, ok := sched.Profiles[corev1.DefaultSchedulerName]
	if !ok {
		cancel()
		return nil, errors.New("there is no default profile")
	}
	d := &desk{ctx: ctx, cancel: cancel, scheduler: sched, framework: profile, factory: factory, pods: map[string]*corev1.Pod{}}
	d.snapshot, ok = profile.SnapshotSharedLister().(*internalcache.Snapshot)
	if !ok {
		cancel()
		return nil, errors.New("the snapshot is of an unknown type")
	}
	for _, object := range objects {
		if pod, isPod := object.(*corev1.Pod); isPod {
			d.pods[pod.Namespace+"/"+pod.Name] = pod
		}
	}
	return d, nil
}

func decideAll(objects []runtime.Object, pods []string, options Options) ([]string, []Decision, error) {
	var order []string
	var decisions []Decision
	var d *desk
	defer func() {
		if d != nil {
			d.cancel()
		}
	}()
	for _, name := range pods {
		if d == nil || (d.spent && !options.Sequence) {
			if d != nil {
				d.cancel()
			}
			var err error
			if d, err = newDesk(copiesOf(objects), pods, options); err != nil {
				return nil, nil, err
			}
		}
		if !options.Sequence {
			d.resetStart()
		}
		decision, err := d.decide(name, options)
		if err != nil {
			return nil, nil, fmt.Errorf("pod %s: %w", name, err)
		}
		decisions = append(decisions, decision)
		if order == nil {
			infos, err := d.snapshot.NodeInfos().List()
			if err != nil {
				return nil, nil, err
			}
			for _, info := range infos {
				order = append(order, info.Node().Name)
			}
		}
	}
	return order, decisions, nil
}

func copiesOf(objects []runtime.Object) []runtime.Object {
	copies := make([]runtime.Object, len(objects))
	for i, object := range objects {
		copies[i] = object.DeepCopyObject()
	}
	return copies
}

func (d *desk) decide(name string, options Options) (Decision, error) {
	decision := Decision{Pod: name}
	pod, ok := d.pods[name]
	if !ok {
		return decision, errors.New("no such pod in the input")
	}
	if err := d.scheduler.Cache.UpdateSnapshot(klog.Background(), d.snapshot); err != nil {
		return decision, err
	}
	for _, plugin := range d.framework.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(d.ctx, pod); !status.IsSuccess() {
			decision.PreEnqueue = verdictOf(status)
			decision.PreEnqueue.Plugin = plugin.Name()
			return decision, nil
		}
	}
	decision.Start = d.start()
	infos, err := d.snapshot.NodeInfos().List()
	if err != nil {
		return decision, err
	}
	if len(infos) > 0 {
		if err := d.explain(&decision, pod, infos); err != nil {
			return decision, err
		}
	}
	return decision, d.schedule(&decision, pod, options)
}

// explain runs every filter on every node and scores what the search would have found.
func (d *desk) explain(decision *Decision, pod *corev1.Pod, infos []fwk.NodeInfo) error {
	state := framework.NewCycleState()
	result, status, _ := d.framework.RunPreFilterPlugins(d.ctx, state, pod)
	decision.PreFilter = *verdictOf(status)
	if !status.IsSuccess() {
		return nil
	}
	skipped := state.GetSkipFilterPlugins()
	for _, plugin := range d.framework.ListPlugins().Filter.Enabled {
		if !skipped.Has(plugin.Name) {
			decision.Filters = append(decision.Filters, plugin.Name)
		}
	}
	nodes := infos
	if !result.AllNodes() {
		nodes = nil
		decision.Restricted = []string{}
		for _, info := range infos {
			if result.NodeNames.Has(info.Node().Name) {
				nodes = append(nodes, info)
				decision.Restricted = append(decision.Restricted, info.Node().Name)
			}
		}
	}
	verdicts := make([]*fwk.Status, len(nodes))
	for i, info := range nodes {
		verdicts[i] = d.framework.RunFilterPluginsWithNominatedPods(d.ctx, state, pod, info)
		decision.Nodes = append(decision.Nodes, NodeVerdict{info.Node().Name, *verdictOf(verdicts[i])})
	}

	var found []fwk.NodeInfo
	if nominated := pod.Status.NominatedNodeName; nominated != "" {
		for i, info := range nodes {
			if info.Node().Name == nominated && verdicts[i].IsSuccess() {
				found = []fwk.NodeInfo{info}
				decision.Evaluated = 1
			}
		}
	}
	if found == nil && len(nodes) > 0 {
		wanted := d.wanted(len(nodes))
		for i := range nodes {
			at := (decision.Start + i) % len(nodes)
			if verdicts[at].Code() == fwk.Error {
				// One broken node spoils the whole search.
				decision.Evaluated++
				return nil
			}
			if verdicts[at].IsSuccess() {
				if len(found) == wanted {
					break
				}
				found = append(found, nodes[at])
			}
			decision.Evaluated++
		}
	}
	if len(found) == 0 {
		return nil
	}
	for _, info := range found {
		decision.Feasible = append(decision.Feasible, info.Node().Name)
	}
	return d.score(decision, state, pod, found)
}

func (d *desk) score(decision *Decision, state fwk.CycleState, pod *corev1.Pod, found []fwk.NodeInfo) error {
	if status := d.framework.RunPreScorePlugins(d.ctx, state, pod, found); !status.IsSuccess() {
		decision.Error = status.AsError().Error()
		return nil
	}
	totals, status := d.framework.RunScorePlugins(d.ctx, state, pod, found)
	if !status.IsSuccess() {
		decision.Error = status.AsError().Error()
		return nil
	}
	weights := d.weights()
	at := map[string]int{}
	for i, node := range totals {
		decision.Totals = append(decision.Totals, node.TotalScore)
		for _, score := range node.Scores {
			weight := weights[score.Name]
			if weight == 0 {
				return fmt.Errorf("plugin %s scores without a weight", score.Name)
			}
			if i == 0 {
				at[score.Name] = len(decision.Scores)
				decision.Scores = append(decision.Scores, PluginScore{Plugin: score.Name, Weight: weight})
			}
			plugin := &decision.Scores[at[score.Name]]
			plugin.Score = append(plugin.Score, score.Score/weight)
		}
	}
	for _, plugin := range d.scorePlugins() {
		index, scored := at[plugin.Name()]
		if !scored {
			continue
		}
		for _, info := range found {
			raw, status := plugin.Score(d.ctx, state, pod, info)
			if !status.IsSuccess() {
				return status.AsError()
			}
			decision.Scores[index].Raw = append(decision.Scores[index].Raw, raw)
		}
	}
	best := decision.Totals[0]
	for _, total := range decision.Totals {
		best = max(best, total)
	}
	for i, total := range decision.Totals {
		if total == best {
			decision.Top = append(decision.Top, decision.Feasible[i])
		}
	}
	sort.Strings(decision.Top)
	return nil
}

// schedule asks the scheduler itself and holds its answer against what explain found.
func (d *desk) schedule(decision *Decision, pod *corev1.Pod, options Options) error {
	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	result, err := d.schedulePod(state, pod)
	if err == nil {
		if result.FeasibleNodes != len(decision.Feasible) || (result.EvaluatedNodes != decision.Evaluated && pod.Status.NominatedNodeName == "") {
			return fmt.Errorf("the scheduler found %d of %d nodes, the explanation %d of %d",
				result.FeasibleNodes, result.EvaluatedNodes, len(decision.Feasible), decision.Evaluated)
		}
		if len(decision.Top) > 0 && !contains(decision.Top, result.SuggestedHost) {
			return fmt.Errorf("the scheduler chose %s, which is not among %v", result.SuggestedHost, decision.Top)
		}
		if options.Sequence {
			_, err := d.assume(state, pod, decision.Top[0])
			return err
		}
		return nil
	}
	if len(decision.Feasible) > 0 && decision.Error == "" {
		return fmt.Errorf("the scheduler found no node (%w), the explanation %d", err, len(decision.Feasible))
	}
	var unfit *framework.FitError
	if !errors.As(err, &unfit) {
		if errors.Is(err, scheduler.ErrNoNodesAvailable) {
			decision.Message = err.Error()
		} else {
			decision.Error = err.Error()
		}
		return nil
	}
	for i := range decision.Nodes {
		theirs := unfit.Diagnosis.NodeToStatus.Get(decision.Nodes[i].Node)
		if !reflect.DeepEqual(*verdictOf(theirs), decision.Nodes[i].Verdict) {
			return fmt.Errorf("node %s: the scheduler says %v, the explanation %v", decision.Nodes[i].Node, theirs, decision.Nodes[i].Verdict)
		}
	}
	nominated, message := d.postFilter(state, pod, unfit)
	unfit.Diagnosis.PostFilterMsg = message
	decision.Message = unfit.Error()
	// After it: filters leave traces in the state that post filters read.
	preemption, err := d.dryRun(state, pod, unfit.Diagnosis.NodeToStatus)
	if err != nil {
		return err
	}
	if nominated != "" {
		if preemption == nil || !contains(preemption.Nodes, nominated) {
			return fmt.Errorf("preemption nominated %s, the dry run says %v", nominated, preemption)
		}
		decision.Preemption = preemption
		d.spent = true
	}
	return nil
}

// assume does to the scheduler's memory what a scheduling cycle does once a node is chosen.
func (d *desk) assume(state fwk.CycleState, pod *corev1.Pod, node string) (*corev1.Pod, error) {
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = node
	if err := d.scheduler.Cache.AssumePod(klog.Background(), assumed); err != nil {
		return nil, err
	}
	d.scheduler.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	if status := d.framework.RunReservePluginsReserve(d.ctx, state, assumed, node); !status.IsSuccess() {
		return nil, fmt.Errorf("cannot reserve %s: %w", node, status.AsError())
	}
	return assumed, nil
}

// dryRun tries every node for preemption, where the scheduler may stop at enough of them beginning anywhere.
func (d *desk) dryRun(state fwk.CycleState, pod *corev1.Pod, statuses *framework.NodeToStatus) (*Preemption, error) {
	plugin, err := defaultpreemption.New(d.ctx, &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100, MinCandidateNodesAbsolute: 1},
		d.framework, plfeature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	if err != nil {
		return nil, err
	}
	if eligible, _ := plugin.PodEligibleToPreemptOthers(d.ctx, pod, statuses.Get(pod.Status.NominatedNodeName)); !eligible {
		return nil, nil
	}
	potential, err := statuses.NodesForStatusCode(d.snapshot.NodeInfos(), fwk.Unschedulable)
	if err != nil || len(potential) == 0 {
		return nil, err
	}
	var budgets []*policyv1.PodDisruptionBudget
	if budgets, err = d.factory.Policy().V1().PodDisruptionBudgets().Lister().List(labels.Everything()); err != nil {
		return nil, err
	}
	// Nodes on which it fails are left out: the scheduler goes on with the others.
	candidates, _, _ := plugin.Evaluator.DryRunPreemption(d.ctx, state, pod, potential, budgets, 0, int32(len(potential)))
	if len(candidates) == 0 {
		return nil, nil
	}
	found := &Preemption{}
	for _, candidate := range candidates {
		described := Candidate{Node: candidate.Name(), Violations: candidate.Victims().NumPDBViolations}
		for _, victim := range candidate.Victims().Pods {
			described.Victims = append(described.Victims, victim.Namespace+"/"+victim.Name)
		}
		found.Candidates = append(found.Candidates, described)
	}
	sort.Slice(found.Candidates, func(i, j int) bool { return found.Candidates[i].Node < found.Candidates[j].Node })
	found.Nodes = bestCandidates(candidates)
	return found, nil
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func verdictOf(status *fwk.Status) *Verdict {
	if status.IsSuccess() {
		return &Verdict{Code: fwk.Success.String()}
	}
	verdict := &Verdict{Code: status.Code().String(), Plugin: status.Plugin(), Reasons: append([]string(nil), status.Reasons()...)}
	if verdict.Plugin == names.NodeResourcesFit {
		// The filter walks over a map: the order of its reasons means nothing.
		sort.Strings(verdict.Reasons)
	}
	return verdict
}

// The rest reads what the scheduler keeps to itself.

func (d *desk) start() int {
	return int(reflect.ValueOf(d.scheduler).Elem().FieldByName("nextStartNodeIndex").Int())
}

func (d *desk) resetStart() {
	field := reflect.ValueOf(d.scheduler).Elem().FieldByName("nextStartNodeIndex")
	*(*int)(unsafe.Pointer(field.UnsafeAddr())) = 0
}

func (d *desk) weights() map[string]int64 {
	weights := map[string]int64{}
	for _, plugin := range d.framework.ListPlugins().Score.Enabled {
		weights[plugin.Name] = int64(plugin.Weight)
	}
	return weights
}

// wanted is how many feasible nodes end the search.
func (d *desk) wanted(nodes int) int {
	if nodes < 100 {
		return nodes
	}
	percentage := int(reflect.ValueOf(d.scheduler).Elem().FieldByName("percentageOfNodesToScore").Int())
	if percentage == 0 {
		percentage = max(50-nodes/125, 5)
	}
	return max(nodes*percentage/100, 100)
}
