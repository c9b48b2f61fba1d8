package main

import (
	"math"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// bestCandidates names the candidates between which the scheduler does not care: fewest budgets broken, then the lowest
// highest priority, the lowest sum of priorities, the fewest pods, the latest start of the most important ones.
func bestCandidates(candidates []preemption.Candidate) []string {
	ranks := make([][5]int64, len(candidates))
	for i, candidate := range candidates {
		ranks[i] = rankOf(candidate)
	}
	best := 0
	for i := range ranks {
		if less(ranks[i], ranks[best]) {
			best = i
		}
	}
	var names []string
	for i, candidate := range candidates {
		if ranks[i] == ranks[best] {
			names = append(names, candidate.Name())
		}
	}
	sort.Strings(names)
	return names
}

func rankOf(candidate preemption.Candidate) [5]int64 {
	victims := candidate.Victims()
	highest := priorityOf(victims.Pods[0])
	var sum int64
	for _, pod := range victims.Pods {
		sum += priorityOf(pod) + math.MaxInt32 + 1
	}
	top := int64(math.MinInt64)
	for _, pod := range victims.Pods {
		top = max(top, priorityOf(pod))
	}
	earliest := int64(math.MaxInt64)
	for _, pod := range victims.Pods {
		// A pod that has not started counts as starting now, which is after all others.
		if priorityOf(pod) == top && pod.Status.StartTime != nil {
			earliest = min(earliest, pod.Status.StartTime.UnixNano())
		}
	}
	return [5]int64{victims.NumPDBViolations, highest, sum, int64(len(victims.Pods)), -earliest}
}

func less(a, b [5]int64) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func priorityOf(pod *corev1.Pod) int64 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return int64(*pod.Spec.Priority)
}
