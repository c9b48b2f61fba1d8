package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Drain asks where the pods of one node go when it is closed and emptied. Each node is asked about by itself: the cluster stands
// as before afterwards, and the search for nodes begins with the first of them again.
type Drain struct {
	Node string `json:"node"`
	// All that leave, as namespace/name: neither DaemonSets' pods, nor static ones, nor those on their way out.
	Leaving []string `json:"leaving"`
	// Those of them that are placed again, in this order.
	Placed []string `json:"placed"`
}

// Loaded comes before the first answer.
type Loaded struct {
	Version       string `json:"version"`
	Nodes         int    `json:"nodes"`
	CPUMillis     int64  `json:"cpuMillis"`
	PeakKilobytes int64  `json:"peakKilobytes"`
}

// Drained answers one Drain.
type Drained struct {
	Node string `json:"node"`
	// For each pod of Drain.Placed the nodes with the highest total, in the scheduler's order: it draws one of them, here the first is
	// taken to go on. Empty: no node takes it, and none is preempted.
	Equals [][]string `json:"equals"`
	// Nodes the scheduler looked at, and those it found and scored, over all pods.
	Evaluated int `json:"evaluated"`
	Feasible  int `json:"feasible"`
	// What closing the node, taking the pods off, and placing them cost the scheduler; neither listing the equals nor the way back.
	CPUMillis     int64 `json:"cpuMillis"`
	PeakKilobytes int64 `json:"peakKilobytes"`
}

func drainAll(folder string, in *bufio.Reader, out *json.Encoder) error {
	// One thread, so that nothing is spent on waiting for another.
	runtime.GOMAXPROCS(1)
	objects, err := readFolder(folder)
	if err != nil {
		return err
	}
	d, err := newDesk(objects, nil, Options{Unsorted: true})
	if err != nil {
		return err
	}
	defer d.cancel()
	if err := d.scheduler.Cache.UpdateSnapshot(klog.Background(), d.snapshot); err != nil {
		return err
	}
	infos, err := d.snapshot.NodeInfos().List()
	if err != nil {
		return err
	}
	millis, peak := spent()
	if err := out.Encode(Loaded{version(), len(infos), millis, peak}); err != nil {
		return err
	}
	return eachLine(in, func(line []byte) error {
		var asked Drain
		if err := json.Unmarshal(line, &asked); err != nil {
			return err
		}
		drained, err := d.drain(asked)
		if err != nil {
			return fmt.Errorf("node %s: %w", asked.Node, err)
		}
		return out.Encode(drained)
	})
}

// drain does everything twice: first to list the equals, then to see what the scheduler's own steps cost.
func (d *desk) drain(asked Drain) (Drained, error) {
	drained := Drained{Node: asked.Node}
	info, err := d.snapshot.NodeInfos().Get(asked.Node)
	if err != nil {
		return drained, err
	}
	node := info.Node()
	if err := sameNames(leavingOf(info), asked.Leaving); err != nil {
		return drained, err
	}

	listed := d.empty(node, asked)
	for _, name := range asked.Placed {
		if err := listed.place(name, nil); err != nil {
			return drained, errors.Join(err, listed.takeBack())
		}
	}
	drained.Equals, drained.Evaluated, drained.Feasible = listed.equals, listed.evaluated, listed.feasible
	if err := listed.takeBack(); err != nil {
		return drained, err
	}

	// What the listing left behind is not the scheduler's to clean up.
	runtime.GC()
	before, _ := spent()
	measured := d.empty(node, asked)
	for i, name := range asked.Placed {
		if err := measured.place(name, &drained.Equals[i]); err != nil {
			return drained, errors.Join(err, measured.takeBack())
		}
	}
	after, peak := spent()
	drained.CPUMillis, drained.PeakKilobytes = after-before, peak
	return drained, measured.takeBack()
}

// emptied is a cluster with one node closed and its pods taken off, until it is taken back.
type emptied struct {
	*desk
	open, closed *corev1.Node
	left         []*corev1.Pod
	placed       []placement
	equals       [][]string
	evaluated    int
	feasible     int
	err          error
}

type placement struct {
	state fwk.CycleState
	pod   *corev1.Pod
}

func (d *desk) empty(node *corev1.Node, asked Drain) *emptied {
	e := &emptied{desk: d, open: node, closed: node.DeepCopy()}
	e.closed.Spec.Unschedulable = true
	d.scheduler.Cache.UpdateNode(klog.Background(), e.open, e.closed)
	for _, name := range asked.Leaving {
		pod := d.pods[name]
		if err := d.scheduler.Cache.RemovePod(klog.Background(), pod); err != nil {
			e.err = err
			break
		}
		e.left = append(e.left, pod)
	}
	d.resetStart()
	return e
}

// place schedules the pod as one made anew. Known are the equals when they were listed before; they are listed when it is nil.
func (e *emptied) place(name string, known *[]string) error {
	if e.err != nil {
		return e.err
	}
	pod := e.pods[name].DeepCopy()
	pod.Spec.NodeName = ""
	pod.Status = corev1.PodStatus{}
	if err := e.scheduler.Cache.UpdateSnapshot(klog.Background(), e.snapshot); err != nil {
		return err
	}
	var listed Decision
	var equals []string
	if known != nil {
		equals = *known
	} else {
		var err error
		if listed, equals, err = e.listed(pod); err != nil {
			return fmt.Errorf("pod %s: %w", name, err)
		}
	}

	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	result, err := e.schedulePod(state, pod)
	var unfit *framework.FitError
	if err != nil && !errors.As(err, &unfit) {
		return fmt.Errorf("pod %s: %w", name, err)
	}
	if (err != nil) != (len(equals) == 0) || (err == nil && !contains(equals, result.SuggestedHost)) {
		return fmt.Errorf("pod %s: the scheduler chose %q (%v), the best are %v", name, result.SuggestedHost, err, equals)
	}
	if known == nil {
		if err == nil && (result.EvaluatedNodes != listed.Evaluated || result.FeasibleNodes != len(listed.Feasible)) {
			return fmt.Errorf("pod %s: the scheduler found %d of %d nodes, the listing %d of %d", name,
				result.FeasibleNodes, result.EvaluatedNodes, len(listed.Feasible), listed.Evaluated)
		}
		e.equals = append(e.equals, equals)
		e.evaluated += listed.Evaluated
		e.feasible += len(listed.Feasible)
	}
	if err != nil {
		return nil
	}
	assumed, err := e.assume(state, pod, equals[0])
	if err == nil {
		e.placed = append(e.placed, placement{state, assumed})
	}
	return err
}

// listed says which nodes the scheduler draws from, in its order.
func (e *emptied) listed(pod *corev1.Pod) (Decision, []string, error) {
	decision := Decision{Start: e.start()}
	equals := []string{}
	infos, err := e.snapshot.NodeInfos().List()
	if err != nil {
		return decision, nil, err
	}
	if err := e.explain(&decision, pod, infos); err != nil {
		return decision, nil, err
	}
	if decision.Error != "" {
		return decision, nil, errors.New(decision.Error)
	}
	top := map[string]bool{}
	for _, name := range decision.Top {
		top[name] = true
	}
	for _, info := range infos {
		if name := info.Node().Name; top[name] {
			equals = append(equals, name)
		}
	}
	return decision, equals, nil
}

func (e *emptied) takeBack() error {
	var failed []error
	for i := len(e.placed) - 1; i >= 0; i-- {
		placed := e.placed[i]
		e.framework.RunReservePluginsUnreserve(e.ctx, placed.state, placed.pod, placed.pod.Spec.NodeName)
		failed = append(failed, e.scheduler.Cache.ForgetPod(klog.Background(), placed.pod))
	}
	for _, pod := range e.left {
		failed = append(failed, e.scheduler.Cache.AddPod(klog.Background(), pod))
	}
	e.scheduler.Cache.UpdateNode(klog.Background(), e.closed, e.open)
	failed = append(failed, e.scheduler.Cache.UpdateSnapshot(klog.Background(), e.snapshot))
	return errors.Join(failed...)
}

// leavingOf names the pods that a drain takes off a node.
func leavingOf(info fwk.NodeInfo) []string {
	var leaving []string
	for _, each := range info.GetPods() {
		pod := each.GetPod()
		_, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]
		owner := metav1.GetControllerOf(pod)
		if !mirror && pod.DeletionTimestamp == nil && (owner == nil || owner.Kind != "DaemonSet") {
			leaving = append(leaving, keyOf(pod))
		}
	}
	return leaving
}

func sameNames(here, asked []string) error {
	here, asked = append([]string(nil), here...), append([]string(nil), asked...)
	sort.Strings(here)
	sort.Strings(asked)
	if fmt.Sprint(here) != fmt.Sprint(asked) {
		return fmt.Errorf("%v leave it, not %v", here, asked)
	}
	return nil
}

// readFolder reads what the scheduler looks at. All objects of a file are of one kind.
func readFolder(folder string) ([]apiruntime.Object, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.ndjson"))
	if err != nil {
		return nil, err
	}
	var objects []apiruntime.Object
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		objects, err = readFile(bufio.NewReaderSize(file, 1<<20), objects)
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	sortAsListed(objects)
	return objects, nil
}

func readFile(in *bufio.Reader, objects []apiruntime.Object) ([]apiruntime.Object, error) {
	var head metav1.TypeMeta
	errUnread := errors.New("a kind the scheduler does not read")
	err := eachLine(in, func(line []byte) error {
		if head.Kind == "" {
			if err := json.Unmarshal(line, &head); err != nil {
				return err
			}
		}
		kind, known := kinds[head.Kind]
		if !known {
			return errUnread
		}
		object, err := decode(kind, head.Kind, line)
		objects = append(objects, object)
		return err
	})
	if errors.Is(err, errUnread) {
		err = nil
	}
	return objects, err
}

func eachLine(in *bufio.Reader, do func([]byte) error) error {
	for {
		line, end := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := do(line); err != nil {
				return err
			}
		}
		if errors.Is(end, io.EOF) {
			return nil
		}
		if end != nil {
			return end
		}
	}
}

// spent says how much CPU this process has used, and the most memory it has had.
func spent() (millis, peakKilobytes int64) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return (usage.Utime.Nano() + usage.Stime.Nano()) / 1e6, usage.Maxrss
}
