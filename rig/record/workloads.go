package main

// workloadsReady says whether a workload, or every one, has what it wants, all of it up to date and Ready.
func (o *observer) workloadsReady(only *ref) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	asked := func(kind, name string) bool { return only == nil || (only.Kind == kind && only.nameOf() == name) }
	found := only == nil
	for name, one := range o.deployments {
		if asked("Deployment", name) {
			found = true
			want, s := *one.Spec.Replicas, one.Status
			if s.ObservedGeneration < one.Generation || s.Replicas != want || s.UpdatedReplicas != want || s.ReadyReplicas != want {
				return false
			}
		}
	}
	for name, one := range o.sets {
		if asked("ReplicaSet", name) {
			found = true
			if s := one.Status; s.ObservedGeneration < one.Generation || s.Replicas != *one.Spec.Replicas || s.ReadyReplicas != *one.Spec.Replicas {
				return false
			}
		}
	}
	for name, one := range o.stateful {
		if asked("StatefulSet", name) {
			found = true
			want, s := *one.Spec.Replicas, one.Status
			due := want
			if rolling := one.Spec.UpdateStrategy.RollingUpdate; rolling != nil && rolling.Partition != nil {
				due = max(0, want-*rolling.Partition)
			}
			if one.Spec.UpdateStrategy.Type == "OnDelete" {
				due = 0
			}
			if s.ObservedGeneration < one.Generation || s.Replicas != want || s.ReadyReplicas != want || (s.CurrentRevision != s.UpdateRevision && s.UpdatedReplicas < due) {
				return false
			}
		}
	}
	for name, one := range o.daemons {
		if asked("DaemonSet", name) {
			found = true
			if s := one.Status; s.ObservedGeneration < one.Generation || s.NumberReady != s.DesiredNumberScheduled || (one.Spec.UpdateStrategy.Type != "OnDelete" && s.UpdatedNumberScheduled != s.DesiredNumberScheduled) {
				return false
			}
		}
	}
	for name, one := range o.controllers {
		if asked("ReplicationController", name) {
			found = true
			if s := one.Status; s.ObservedGeneration < one.Generation || s.Replicas != *one.Spec.Replicas || s.ReadyReplicas != *one.Spec.Replicas {
				return false
			}
		}
	}
	return found
}
