package main

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// namer gives objects with random names a name that two recordings share: pods made by a controller are
// <controller>-~1, -~2 in creation order, a ReplicaSet made in the recording is <deployment>-~r<revision>. Names are
// given when the trace is written, because the watch that brings a pod can be ahead of the one that brings its owner.
type namer struct {
	met map[types.UID]meeting
}

// meeting is what has to be known of an object to name it.
type meeting struct {
	name, namespace string
	revision        uint64
	// generated: the server made the name up. base: the given part of it.
	generated bool
	base      string
	owner     *metav1.OwnerReference
	// set: a ReplicaSet of a Deployment, by the revision of its template.
	set string
}

func newNamer() *namer { return &namer{met: map[types.UID]meeting{}} }

// meet notes an object made while recording. Those of the loaded cluster keep their names.
func (n *namer) meet(object metav1.Object) {
	if _, known := n.met[object.GetUID()]; known {
		return
	}
	revision, _ := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	one := meeting{name: object.GetName(), namespace: object.GetNamespace(), revision: revision, generated: object.GetGenerateName() != "",
		base: strings.TrimSuffix(object.GetGenerateName(), "-"), owner: metav1.GetControllerOf(object)}
	if owners := object.GetOwnerReferences(); one.owner == nil && len(owners) > 0 {
		one.owner = &owners[0]
	}
	if set, ok := object.(*appsv1.ReplicaSet); ok && one.owner != nil {
		one.set = set.Annotations["deployment.kubernetes.io/revision"]
	}
	// The pods of a StatefulSet carry a generated name's beginning, but are named by it.
	if one.owner != nil && one.owner.Kind == "StatefulSet" {
		one.generated = false
	}
	n.met[object.GetUID()] = one
}

// table maps real names to shared ones, longest first, so that a name that begins with another is replaced whole.
func (n *namer) table() [][2]string {
	uids := make([]types.UID, 0, len(n.met))
	for uid := range n.met {
		uids = append(uids, uid)
	}
	sort.Slice(uids, func(i, j int) bool { return n.met[uids[i]].revision < n.met[uids[j]].revision })
	shared, made := map[types.UID]string{}, map[string]int{}
	for _, uid := range uids {
		if one := n.met[uid]; one.set != "" {
			shared[uid] = one.owner.Name + "-~r" + one.set
		}
	}
	// Claims generated for a pod carry the pod's name, so pods are named first.
	for _, ofPods := range []bool{false, true} {
		for _, uid := range uids {
			one := n.met[uid]
			if !one.generated || (one.owner != nil && one.owner.Kind == "Pod") != ofPods {
				continue
			}
			base := one.base
			if one.owner != nil {
				if name := shared[one.owner.UID]; name != "" {
					base = strings.Replace(base, one.owner.Name, name, 1)
				}
			}
			made[one.namespace+"/"+base]++
			shared[uid] = fmt.Sprintf("%s-~%d", base, made[one.namespace+"/"+base])
		}
	}
	pairs := make([][2]string, 0, len(shared))
	for uid, name := range shared {
		pairs = append(pairs, [2]string{n.met[uid].name, name})
	}
	sort.Slice(pairs, func(i, j int) bool {
		if len(pairs[i][0]) != len(pairs[j][0]) {
			return len(pairs[i][0]) > len(pairs[j][0])
		}
		return pairs[i][0] < pairs[j][0]
	})
	return pairs
}

// resolve turns a shared name back into the real one; any other name is real already.
func (n *namer) resolve(name string) string {
	for _, pair := range n.table() {
		if pair[1] == name {
			return pair[0]
		}
	}
	return name
}

// rewriter answers a function that puts shared names in the place of real ones.
func (n *namer) rewriter() func(string) string {
	var flat []string
	for _, pair := range n.table() {
		flat = append(flat, pair[0], pair[1])
	}
	replacer := strings.NewReplacer(flat...)
	return replacer.Replace
}
